package page

import (
	"cmp"
	"context"
	"strings"

	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// SignOnProps is the data for the button that leads to the provider of sign-on.
type SignOnProps struct {
	Provider string // its name for people; "" draws no button
	Next     string // page to open afterwards
	Problem  string // why it can't be used now
}

func (p SignOnProps) url() string { return link.With(link.SignOn, "next", p.Next) }

// LeaveProps is the data for a page that sends the browser elsewhere.
type LeaveProps struct {
	App   layout.Props
	Title string
	About string
	Verb  string
	URL   string // on another page; "" if there is nothing to do there
}

// SignOnAccount describes how somebody signs in to their own account.
type SignOnAccount struct {
	Provider string // of sign-on; "" if there is none
	Linked   []signon.Linked
	Proxy    bool // a proxy vouches for this request
	Password bool // the account has one
	Problem  string
}

func (p SignOnAccount) shown() bool { return p.Provider != "" || len(p.Linked) > 0 }

// by names whoever vouches for a person.
func (p SignOnAccount) by(ctx context.Context, l signon.Linked) string {
	if l.Issuer == "proxy" {
		return lang.T(ctx, "the proxy")
	}
	return cmp.Or(p.Provider, l.Issuer)
}

func (p SignOnAccount) use(ctx context.Context, l signon.Linked) string {
	return lang.F(ctx, "linked on %s, last used on %s", lang.Moment(ctx, l.Since), lang.Moment(ctx, l.Used))
}

// SignOnPageProps is the data for the page about sign-on, for owners.
type SignOnPageProps struct {
	App      layout.Props
	Standing signon.Standing
	Linked   []signon.Linked
	Account  string // typed
	Subject  string
	Problem  string // why nobody was linked

	Groups string        // typed, for trying the rules
	Given  *signon.Given // roles that they give; nil if none were typed
}

func (p SignOnPageProps) who(ctx context.Context, r signon.Rule) string {
	if r.Group == config.Everybody {
		return lang.T(ctx, "Everybody")
	}
	return r.Group
}

func (p SignOnPageProps) where(ctx context.Context, r signon.Rule) string {
	switch {
	case r.Role == domain.Owner:
		return lang.T(ctx, "the installation")
	case r.Workspace == config.Everywhere:
		return lang.T(ctx, "every workspace")
	}
	return r.Workspace
}

// given describes in lines what the typed groups give.
func (p SignOnPageProps) given() []string { return strings.Split(p.Given.String(), "\n") }
