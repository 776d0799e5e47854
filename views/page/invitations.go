package page

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// InvitationsProps is the data for the invitations to a workspace.
type InvitationsProps struct {
	App         layout.Props
	Invitations []auth.ListedInvitation
	Wanted      auth.InvitationWanted // filled in
	Problem     string                // why none was made
	Link        string                // to the new one; may be ""
	For         string                // who the new one is for
	Now         time.Time
}

// roles returns the roles that the person may invite to.
func (p InvitationsProps) roles() []component.Choice {
	var list []component.Choice
	for _, r := range append(domain.Roles(), domain.Owner) {
		if p.App.Role == "" || p.App.Role.Includes(r) {
			list = append(list, component.Choice{Value: string(r), Title: string(r)})
		}
	}
	return list
}

func invitationDays(ctx context.Context) []component.Choice {
	return lists.Map([]int{1, 7, 30}, func(days int) component.Choice {
		return component.Choice{Value: strconv.Itoa(days), Title: lang.F(ctx, "1 person, %s", lang.Count(ctx, days, "day", "days"))}
	})
}

func (p InvitationsProps) days() string { return strconv.Itoa(cmp.Or(p.Wanted.Days, 7)) }

func invitee(ctx context.Context, i auth.ListedInvitation) string {
	return cmp.Or(i.Note, lang.T(ctx, "Without a note"))
}

// made says who made an invitation, and when it ends.
func (p InvitationsProps) made(ctx context.Context, i auth.ListedInvitation) string {
	made := lang.F(ctx, "made on %s ", lang.Date(ctx, i.Created, "2 January"))
	if i.By != "" {
		made += lang.F(ctx, "by %s", i.By)
	} else {
		made += lang.T(ctx, "with a command")
	}
	return lang.F(ctx, "%s, ends on %s", made, lang.Date(ctx, i.Expires, "2 January"))
}

// ResetMadeProps is the data for the page with a link that sets a new password.
type ResetMadeProps struct {
	App  layout.Props
	Name string
	Link string
}
