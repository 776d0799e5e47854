package auth

import (
	"cmp"
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/link"
)

// An InvitationWanted describes an invitation to be made.
type InvitationWanted struct {
	Note string      `json:"note" arg:"[NOTE]" doc:"for whom it is, as a note"`
	Role domain.Role `json:"role" default:"reader" doc:"reader, contributor, curator or admin of the workspace, or owner of the installation; at most your own"`
	Days int         `json:"days" default:"7" doc:"days until it ends"`
}

// ShownInvitation is an invitation as it is listed.
type ShownInvitation struct {
	ID      string      `json:"id"`
	Note    string      `json:"note,omitempty"`
	Role    domain.Role `json:"role"`
	By      string      `json:"by,omitempty"` // its maker; "" if a command made it
	Created time.Time   `json:"created"`
	Expires time.Time   `json:"expires"`
	Used    time.Time   `json:"used,omitzero"`
	UsedBy  string      `json:"used_by,omitempty"`
}

// State says at a time whether an invitation can be used.
func (i ShownInvitation) State(now time.Time) string {
	switch {
	case !i.Used.IsZero():
		return "used by " + i.UsedBy
	case !now.Before(i.Expires):
		return "too old"
	}
	return "open"
}

// NewInvitation is an invitation that was made. Its link is shown here and never again.
type NewInvitation struct {
	ShownInvitation
	Secret string `json:"secret"`
	Link   string `json:"link"`
}

func (n NewInvitation) String() string {
	return n.Link + "\nIt is shown only now, and lets one person in as " + string(n.Role) + " until " + n.Expires.Format(time.DateOnly) + "; clew invitation revoke " + n.ID + " ends it."
}

func shownInvitation(i ledger.Invitation) ShownInvitation {
	return ShownInvitation{i.ID, i.Note, i.Role, i.MadeBy, i.CreatedAt, i.ExpiresAt, i.UsedAt, i.UsedBy}
}

// ListedInvitation is an invitation in a list of the command.
type ListedInvitation struct {
	ShownInvitation
	Standing string `json:"state"` // open, expired, or used and by whom
}

type oneInvitation struct {
	ID string `json:"id" arg:"ID" doc:"id of an invitation"`
}

// What can be done with invitations to a workspace.
var (
	MakeInvitation = operation.Op[*Auth, InvitationWanted, NewInvitation]{
		Name: "invitation make", Short: "Make a link that lets one person into the workspace", Scope: operation.Admin, Routes: []string{"POST /invitations"},
		Long: `Make a link with which one person joins the workspace: whoever opens it chooses a
name and a password, or joins with the account that they are signed in with. It
works once, and is printed once. Nobody can invite to a role above their own.`,
		Example: `  clew invitation make "Records office" --role contributor
  clew invitation make --days 1`,
		Do: (*Auth).makeInvitation,
	}
	ListInvitations = operation.Op[*Auth, struct{}, []ListedInvitation]{
		Name: "invitation list", Short: "List the invitations to the workspace, newest first", Scope: operation.Admin, Routes: []string{"GET /invitations"},
		Do: func(a *Auth, ctx context.Context, _ struct{}) ([]ListedInvitation, error) {
			all, err := a.Ledger.Invitations(ctx, domain.WorkspaceOf(ctx))
			list := make([]ListedInvitation, len(all))
			for i, one := range all {
				shown := shownInvitation(one)
				list[i] = ListedInvitation{shown, shown.State(a.Now())}
			}
			return list, err
		},
		Text: operation.Table("ID\tFOR\tROLE\tMADE BY\tENDS\tSTATE", "There are no invitations.", func(i ListedInvitation) []any {
			return []any{i.ID, cmp.Or(i.Note, "-"), i.Role, cmp.Or(i.By, "-"), i.Expires.Format(time.DateOnly), i.Standing}
		}),
	}
	RevokeInvitation = operation.Op[*Auth, oneInvitation, operation.Nothing]{
		Name: "invitation revoke", Short: "Revoke an invitation", Scope: operation.Admin, Routes: []string{"DELETE /invitations/{id}"}, Example: "  clew invitation revoke i0123456789abcdef0123",
		Do: func(a *Auth, ctx context.Context, in oneInvitation) (none operation.Nothing, err error) {
			err = a.Ledger.RemoveInvitation(ctx, domain.WorkspaceOf(ctx), in.ID)
			if err == nil {
				a.Log.InfoContext(ctx, "invitation revoked", "id", in.ID, "by", domain.PersonOf(ctx))
			}
			return none, err
		},
	}
)

// InvitationOperations are what can be done with invitations.
func InvitationOperations() []operation.Operation[*Auth] {
	return []operation.Operation[*Auth]{MakeInvitation, ListInvitations, RevokeInvitation}
}

func (a *Auth) makeInvitation(ctx context.Context, in InvitationWanted) (NewInvitation, error) {
	note := domain.OneLine(in.Note)
	switch {
	case !known(in.Role):
		return NewInvitation{}, unknownRole(in.Role)
	case in.Days < 1 || in.Days > MaxInvitationDays:
		return NewInvitation{}, domain.Errorf(domain.Invalid, "An invitation lasts 1 to %d days.", MaxInvitationDays)
	case len([]rune(note)) > maxNote:
		return NewInvitation{}, domain.Errorf(domain.Invalid, "The note is too long: use at most %d characters.", maxNote)
	}
	if required, err := a.Required(ctx); err != nil {
		return NewInvitation{}, err
	} else if !required {
		return NewInvitation{}, domain.Errorf(domain.Conflict, "There are no accounts yet. Create the first one before you invite others: open Clew, or run clew user add.")
	}
	maker, err := a.caller(ctx)
	if err != nil {
		return NewInvitation{}, err
	}
	if maker.Name != "" && !maker.Role.Includes(in.Role) {
		return NewInvitation{}, domain.Errorf(domain.Forbidden, "You are %s here, and can invite to that role and those below it, not to %s.", maker.Role, in.Role)
	}
	secret, err := newLink(a.Random)
	if err != nil {
		return NewInvitation{}, err
	}
	hash := linkHash(secret)
	i := ledger.Invitation{
		ID: "i" + hash[:12], Workspace: domain.WorkspaceOf(ctx), Role: in.Role, Note: note, Hash: hash, MadeBy: maker.Name, CreatedAt: a.Now(), ExpiresAt: a.Now().AddDate(0, 0, in.Days),
	}
	if err := a.Ledger.AddInvitation(ctx, i); err != nil {
		return NewInvitation{}, err
	}
	a.Log.InfoContext(ctx, "invitation made", "id", i.ID, "role", i.Role, "by", domain.PersonOf(ctx))
	return NewInvitation{shownInvitation(i), secret, a.Site + link.Join(secret)}, nil
}
