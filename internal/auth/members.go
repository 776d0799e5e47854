package auth

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
)

// The most groups of an account, and the longest name of one in bytes.
const (
	maxGroups    = 50
	maxGroupName = 100
)

// A Member is an account that may open a workspace.
type Member struct {
	Name   string      `json:"name"`
	Role   domain.Role `json:"role"`
	Since  time.Time   `json:"since,omitzero"` // zero for an owner, who needs no membership
	Seen   time.Time   `json:"seen,omitzero"`  // when it last used an active session
	Groups []string    `json:"groups"`
	Asked  int         `json:"asked"` // questions this month
}

type (
	joining struct {
		named
		Role domain.Role `json:"role" default:"reader" doc:"reader, contributor, curator or admin"`
	}
	ranking struct {
		named
		Role domain.Role `json:"role" arg:"ROLE" doc:"reader, contributor, curator or admin"`
	}
)

// Grouping is an account with the groups that it is to be in.
type Grouping struct {
	Name   string   `json:"name" arg:"NAME" trail:"" doc:"name of an account"`
	Groups []string `json:"groups" arg:"[GROUP…]" trail:"how" doc:"names of groups; without any, the account is in none"`
}

// What can be done with the members of a workspace, and with the groups of an account.
var (
	ListMembers = operation.Op[*Auth, struct{}, []Member]{
		Name: "member list", Short: "List the members of the workspace, with their roles", Scope: operation.Admin, Routes: []string{"GET /members"},
		Do: (*Auth).members,
		Text: operation.Table("NAME\tROLE\tSINCE\tLAST SEEN\tASKED THIS MONTH\tGROUPS", "Nobody is a member.", func(m Member) []any {
			return []any{m.Name, m.Role, day(m.Since), day(m.Seen), m.Asked, strings.Join(m.Groups, ", ")}
		}),
	}
	AddMember = operation.Op[*Auth, joining, Account]{
		Name: "member add", Short: "Make an account a member of the workspace", Scope: operation.Admin, Routes: []string{"POST /members"}, Example: "  clew member add bob --role curator",
		Long: `Make an account of this installation a member of the workspace: as a reader it asks
and reads, as a contributor it also adds documents and has them summarised, as a
curator it also deletes them and corrects the graph, the schema and prompts, as an
admin it also manages members, tokens and costs.`,
		Do: func(a *Auth, ctx context.Context, in joining) (Account, error) {
			if u, err := a.Account(ctx, in.Name); err != nil || u.Role != domain.Stranger {
				return Account{}, cmp.Or[error](err, domain.Errorf(domain.Conflict, "%s can already open this workspace. Change the role instead.", u.Name))
			}
			return a.join(ctx, in.Name, in.Role)
		},
		Text: operation.Line(func(a Account) string { return a.Name + " is a member of the workspace." }),
	}
	ChangeMember = operation.Op[*Auth, ranking, Account]{
		Name: "member role", Short: "Change the role of a member", Scope: operation.Admin, Routes: []string{"PUT /members/{name}/role"}, Example: "  clew member role bob curator",
		Long: `Change what a member may do in the workspace. It holds from the next request on, for
the tokens of the account too. Owners of the installation may do everything anyway:
clew user role changes who is one.`,
		Do: func(a *Auth, ctx context.Context, in ranking) (Account, error) {
			if err := a.member(ctx, in.Name); err != nil {
				return Account{}, err
			}
			return a.join(ctx, in.Name, in.Role)
		},
		Text: operation.Line(func(a Account) string { return "The role of " + a.Name + " was changed." }),
	}
	RemoveMember = operation.Op[*Auth, named, Account]{
		Name: "member remove", Short: "Remove a member from the workspace, with the tokens for it", Scope: operation.Admin, Routes: []string{"DELETE /members/{name}"}, Example: "  clew member remove bob",
		Long: `Remove a member from the workspace, which can then not be opened with the account
any more. Its tokens for the workspace are revoked, and what it asks at the moment is
stopped; the account stays, and so does what was added and asked. For a day
clew member restore takes it back.`,
		Do: func(a *Auth, ctx context.Context, in named) (Account, error) {
			if err := a.member(ctx, in.Name); err != nil {
				return Account{}, err
			}
			if err := a.Ledger.RemoveMember(ctx, domain.WorkspaceOf(ctx), normal(in.Name)); err != nil {
				return Account{}, err
			}
			a.Log.InfoContext(ctx, "member removed", "account", normal(in.Name), "workspace", domain.WorkspaceOf(ctx), "by", domain.PersonOf(ctx))
			return done(in.Name, nil)
		},
		Text: operation.Line(func(a Account) string { return a.Name + " is no longer a member of the workspace." }),
	}
	RestoreMember = operation.Op[*Auth, named, Account]{
		Name: "member restore", Short: "Restore a member who was removed within the last day", Scope: operation.Admin, Routes: []string{"POST /members/{name}/restore"}, Example: "  clew member restore bob",
		Long: `Make an account a member again that was removed from the workspace within the last
day, with the role that it had. Tokens that were revoked stay revoked.`,
		Do: func(a *Auth, ctx context.Context, in named) (Account, error) {
			m, err := a.Ledger.RestoreMember(ctx, domain.WorkspaceOf(ctx), normal(in.Name))
			if err != nil {
				return Account{}, err
			}
			a.Log.InfoContext(ctx, "member restored", "account", m.Account, "workspace", m.Workspace, "role", m.Role, "by", domain.PersonOf(ctx))
			return done(in.Name, nil)
		},
		Text: operation.Line(func(a Account) string { return a.Name + " is a member of the workspace again." }),
	}
	SetGroups = operation.Op[*Auth, Grouping, Account]{
		Name: "user groups", Short: "Put an account into groups, and out of all others", Scope: operation.Install, Routes: []string{"PUT /users/{name}/groups"}, Example: "  clew user groups bob archivists reading-room",
		Long: `Put an account into groups of the names, and out of all others. Documents can be
limited to the members of a group.`,
		Do: func(a *Auth, ctx context.Context, in Grouping) (Account, error) {
			names, err := groupNames(in.Groups)
			if err != nil {
				return Account{}, err
			}
			if err := a.Ledger.SetGroups(ctx, normal(in.Name), names); err != nil {
				return Account{}, err
			}
			a.Log.InfoContext(ctx, "groups set", "account", normal(in.Name), "groups", names, "by", domain.PersonOf(ctx))
			return done(in.Name, nil)
		},
		Text: operation.Line(func(a Account) string { return "The groups of " + a.Name + " were set." }),
	}
)

// MemberOperations returns the operations on members and groups.
func MemberOperations() []operation.Operation[*Auth] {
	return []operation.Operation[*Auth]{ListMembers, AddMember, ChangeMember, RemoveMember, RestoreMember, SetGroups}
}

func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.DateOnly)
}

// groupNames returns names of groups, tidied, in order, each once.
func groupNames(given []string) ([]string, error) {
	var names []string
	for _, name := range given {
		if name = domain.OneLine(name); len(name) > maxGroupName {
			return nil, domain.Errorf(domain.Invalid, "The name of a group has at most %d characters.", maxGroupName)
		} else if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > maxGroups {
		return nil, domain.Errorf(domain.Invalid, "An account can be in at most %d groups.", maxGroups)
	}
	return names, nil
}

// members lists who may open the workspace of ctx, owners too.
func (a *Auth) members(ctx context.Context, _ struct{}) ([]Member, error) {
	accounts, err := a.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	memberships, err := a.Ledger.Members(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return nil, err
	}
	since := lists.Pairs(memberships, func(m domain.Membership) (string, time.Time) { return m.Account, m.AddedAt })
	groups, err := a.Ledger.GroupsByAccount(ctx)
	if err != nil {
		return nil, err
	}
	now := a.Now().UTC()
	asked, err := a.Ledger.AskedBy(ctx, domain.WorkspaceOf(ctx), time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	list := []Member{}
	for _, u := range accounts {
		if u.Role == domain.Stranger {
			continue
		}
		m := Member{Name: u.Name, Role: u.Role, Groups: groups[u.Name], Asked: asked[u.Name]}
		if u.Role != domain.Owner {
			m.Since = since[u.Name]
		}
		if u.Sessions > 0 {
			m.Seen = u.UsedAt
		}
		list = append(list, m)
	}
	return list, nil
}

// member fails unless an account is a member of the workspace of ctx by a membership, which an owner needs none of.
func (a *Auth) member(ctx context.Context, name string) error {
	u, err := a.Account(ctx, name)
	switch {
	case domain.KindOf(err) == domain.NotFound || err == nil && u.Role == domain.Stranger:
		return domain.Errorf(domain.NotFound, "%s is not a member of this workspace.", normal(name))
	case err == nil && u.Role == domain.Owner:
		return domain.Errorf(domain.Conflict, "%s is an owner of this installation and may do everything in each workspace.", u.Name)
	}
	return err
}

// join gives an account a role in the workspace of ctx.
func (a *Auth) join(ctx context.Context, name string, role domain.Role) (Account, error) {
	if !slices.Contains(domain.Roles(), role) {
		return Account{}, domain.Errorf(domain.Invalid, "There is no role %q in a workspace. Choose reader, contributor, curator or admin.", role)
	}
	m := domain.Membership{Workspace: domain.WorkspaceOf(ctx), Account: normal(name), Role: role}
	if err := a.Ledger.SetMember(ctx, m); err != nil {
		return Account{}, err
	}
	a.Log.InfoContext(ctx, "member set", "account", m.Account, "workspace", m.Workspace, "role", role, "by", domain.PersonOf(ctx))
	return done(name, nil)
}
