package page

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// LoginProps is the data for the page to sign in.
type LoginProps struct {
	App     layout.Props
	Host    string // of the site
	Name    string
	Next    string // page to open afterwards
	Problem string
	Note    string // the previous action
	SignOn  SignOnProps
}

// CodeProps is the data for the page that asks for a code.
type CodeProps struct {
	App     layout.Props
	Next    string // page to open afterwards
	Problem string
	Enrols  *SecondStepProps // data for the app; nil if there is already one
}

func (p CodeProps) label(ctx context.Context) string {
	if p.Enrols != nil {
		return lang.T(ctx, "The six digits that the app shows now")
	}
	return lang.T(ctx, "Code of your app")
}

// JoinProps is the data for the page of an invitation.
type JoinProps struct {
	App       layout.Props
	Secret    string // of the link
	Workspace string // its title
	About     string
	Role      domain.Role
	By        string // an account; may be ""
	Until     time.Time
	User      string // account already signed in
	Name      string // typed by the person making an account
	Problem   string
}

func (p JoinProps) role(ctx context.Context) string {
	if p.Role == domain.Owner {
		return lang.T(ctx, "You will be an owner of the installation.")
	}
	return lang.F(ctx, "Your role will be %s: %s.", string(p.Role), p.Role.About())
}

func (p JoinProps) from(ctx context.Context) string {
	by := ""
	if p.By != "" {
		by = lang.F(ctx, " %s made it.", p.By)
	}
	return lang.F(ctx, "The invitation is for one person, until %s.%s", lang.Date(ctx, p.Until, "2 January"), by)
}

// ResetProps is the data for the page that sets a new password.
type ResetProps struct {
	App     layout.Props
	Secret  string // of the link
	Name    string
	Problem string
}

// SetupProps is the data for the page of the first day.
type SetupProps struct {
	App     layout.Props
	Alone   bool   // only this machine can reach the pages
	Address string // of the pages
	Name    string
	Problem string
	Found   [][2]string // things found on the machine
}

// atLeast returns the lower limit of a new password.
func atLeast(complete string) templ.Attributes {
	if complete == "new-password" {
		return templ.Attributes{"minlength": "10"}
	}
	return nil
}
