package page

import (
	"cmp"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
)

// InvitationsProps is the data for the invitations to a workspace.
type InvitationsProps struct {
	App         layout.Props
	Invitations []auth.ListedInvitation
	Wanted      auth.InvitationWanted // filled in
	Problem     string                // why none was made
	Link        string                // of the one that was made, or ""
	For         string                // whom that is for
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

func invitationDays() []component.Choice {
	var list []component.Choice
	for _, days := range []int{1, 7, 30} {
		list = append(list, component.Choice{Value: strconv.Itoa(days), Title: "1 person, " + format.Count(days, "day", "days")})
	}
	return list
}

func (p InvitationsProps) days() string { return strconv.Itoa(cmp.Or(p.Wanted.Days, 7)) }

func invitee(i auth.ListedInvitation) string { return cmp.Or(i.Note, "Without a note") }

// made says who made an invitation, and when it ends.
func (p InvitationsProps) made(i auth.ListedInvitation) string {
	made := "made on " + i.Created.Format("2 January") + " "
	if i.By != "" {
		made += "by " + i.By
	} else {
		made += "with a command"
	}
	return made + ", ends on " + i.Expires.Format("2 January")
}

// ResetMadeProps is the data for the page with a link that sets a new password.
type ResetMadeProps struct {
	App  layout.Props
	Name string
	Link string
}
