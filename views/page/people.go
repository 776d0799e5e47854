package page

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// PeopleProps is the data for the page of the members of a workspace.
type PeopleProps struct {
	App     layout.Props
	Members []auth.Member          // that match Words
	All     int                    // members, including those that don't match
	Words   string                 // words searched for
	Spent   map[string]costs.Spent // this month, by name
	Name    string                 // typed by the person adding a member
	Role    domain.Role
	Problem string // why the member was not added
	Now     time.Time
}

func (p PeopleProps) sum(ctx context.Context) string {
	library := cmp.Or(p.App.Workspace.Title, lang.T(ctx, "This workspace"))
	return library + ": " + lang.Count(ctx, p.All, "person", "people")
}

// seen says when a member was last there.
func (p PeopleProps) seen(ctx context.Context, m auth.Member) string {
	if m.Seen.IsZero() {
		return lang.T(ctx, "not signed in")
	}
	return ago(ctx, p.Now.Sub(m.Seen))
}

// month says what a member has asked and spent in this month.
func (p PeopleProps) month(ctx context.Context, m auth.Member) string {
	text := lang.Count(ctx, m.Asked, "question", "questions")
	if spent, ok := p.Spent[m.Name]; ok && p.App.Spends {
		text += ", " + spent.Short()
	}
	return text
}

func since(ctx context.Context, m auth.Member) string {
	if m.Since.IsZero() {
		return "–"
	}
	return lang.Moment(ctx, m.Since)
}

// mayDo describes a role. Without accounts, everybody is an owner.
func mayDo(ctx context.Context, r domain.Role) string {
	r = cmp.Or(r, domain.Owner)
	return format.Capital(string(r)) + ": " + lang.T(ctx, r.About()) + "."
}

// allRoles are the roles that an owner can give an account.
func allRoles() []domain.Role { return append(domain.Roles(), domain.Owner) }

// cell says whether a role has a scope.
func cell(s operation.Scope, r domain.Role) (sign, words string) {
	if s.Check(r) == nil {
		return "✓", "yes"
	}
	return "–", "no"
}

func groupList(names []string) string { return strings.Join(names, ", ") }

// Managed returns the page on which somebody manages an account: its own for owners, that of all members for admins.
func Managed(ctx context.Context, name string) string {
	if own := link.ManageAccount(name); link.May(ctx, own) {
		return own
	}
	return link.People
}
