package signon

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/link"
)

// A Rule is a rule of OIDC_ROLES.
type Rule struct {
	config.GroupRule

	Unknown bool `json:"unknown_workspace,omitempty"` // there is no workspace with the name
}

// Standing is how people sign on.
type Standing struct {
	Provider string `json:"provider,omitempty"` // its name for people; "" if there is none
	Issuer   string `json:"issuer,omitempty"`
	Redirect string `json:"redirect,omitempty"` // redirect address to register at the provider
	Problem  string `json:"problem,omitempty"`  // why nobody can sign on through the provider now
	Header   string `json:"proxy_header,omitempty"`
	Groups   string `json:"groups,omitempty"`        // claim
	Listed   string `json:"groups_header,omitempty"` // header with groups
	Rules    []Rule `json:"rules"`
}

// String describes the standing.
func (s Standing) String() string {
	var b strings.Builder
	switch {
	case s.Issuer != "":
		fmt.Fprintf(&b, "%s, %s: %s\n", s.Provider, s.Issuer, cmp.Or(s.Problem, "answers"))
		fmt.Fprintf(&b, "Its redirect address is %s.\n", s.Redirect)
	default:
		b.WriteString("No sign-on provider is configured: OIDC_ISSUER is not set.\n")
	}
	if s.Header != "" {
		fmt.Fprintf(&b, "A proxy of TRUSTED_PROXIES may name people in %s.\n", s.Header)
	}
	for _, r := range s.Rules {
		b.WriteString(r.String())
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// String describes the rule.
func (r Rule) String() string {
	who, where := "the group "+r.Group, " in "+r.Workspace
	if r.Group == config.Everybody {
		who = "everybody"
	}
	switch {
	case r.Role == domain.Owner:
		where = " of this installation"
	case r.Workspace == config.Everywhere:
		where = " in every workspace"
	case r.Unknown:
		where += ", which does not exist"
	}
	return who + ": " + string(r.Role) + where
}

// A Linked account is one that somebody uses through sign-on.
type Linked struct {
	Account string    `json:"account"`
	Issuer  string    `json:"issuer"` // address of the provider, or proxy
	Subject string    `json:"subject"`
	Called  string    `json:"called"` // the provider's name for the person
	Since   time.Time `json:"since"`
	Used    time.Time `json:"used"`
}

// Given lists the roles that groups give.
type Given struct {
	Owner bool        `json:"owner,omitempty"`
	Roles []GivenRole `json:"roles"`
}

// A GivenRole is a role that groups give in a workspace.
type GivenRole struct {
	Workspace string      `json:"workspace"`
	Role      domain.Role `json:"role"`
}

// String describes what is given.
func (g Given) String() string {
	var all []string
	if g.Owner {
		all = append(all, "owner of this installation")
	}
	for _, r := range g.Roles {
		all = append(all, string(r.Role)+" in "+r.Workspace)
	}
	if len(all) == 0 {
		return "Nothing: who has no role by hand either is refused."
	}
	return strings.Join(all, "\n")
}

type (
	linking struct {
		Account string `json:"account" arg:"ACCOUNT" trail:"" doc:"name of an account"`
		Subject string `json:"subject" arg:"SUBJECT" doc:"who the person is, for the provider: sub in its tokens; for a proxy, what it writes into its header"`
		Issuer  string `json:"issuer" doc:"address of the provider, or proxy (default OIDC_ISSUER)"`
	}
	unlinking struct {
		Account string `json:"account" arg:"ACCOUNT" trail:"" doc:"name of an account"`
	}
	grouped struct {
		Groups []string `json:"group" arg:"GROUP..." doc:"name of a group"`
	}
)

// What can be done with sign-on.
var (
	Show = operation.Op[*Service, struct{}, Standing]{
		Name: "sign-on show", Scope: operation.Install, Routes: []string{"GET /sign-on"}, Short: "Show the sign-on provider, whether it answers, and which group gives which role",
		Do: func(s *Service, ctx context.Context, _ struct{}) (Standing, error) { return s.Standing(ctx) },
	}
	List = operation.Op[*Service, struct{}, []Linked]{
		Name: "sign-on list", Scope: operation.Install, Routes: []string{"GET /sign-on/accounts"}, Short: "List the accounts that are linked to sign-on",
		Do: func(s *Service, ctx context.Context, _ struct{}) ([]Linked, error) { return s.Linked(ctx, "") },
		Text: operation.Table("ACCOUNT\tCALLED\tPROVIDER\tSUBJECT\tSINCE\tUSED", "Nobody has signed in by sign-on.", func(l Linked) []any {
			return []any{l.Account, l.Called, l.Issuer, l.Subject, l.Since.Format(time.DateOnly), l.Used.Format(time.DateTime)}
		}),
	}
	Linking = operation.Op[*Service, linking, Linked]{
		Name: "sign-on link", Scope: operation.Install, Routes: []string{"POST /sign-on/accounts"}, Short: "Link an account to a person of the sign-on provider",
		Long: `Let somebody sign in to an account by sign-on. People link their own accounts on the
page of their account. Without a link, whoever signs on for the first time gets an
account of their own, also if one has their name already.`,
		Example: `  clew sign-on link ada 4f1c9a1e-6f0e-4c54-9e0c-2a7d3f0b7c11
  clew sign-on link ada ada@example.org --issuer proxy`,
		Do: func(s *Service, ctx context.Context, in linking) (Linked, error) {
			if err := s.Link(ctx, in.Account, in.Subject, in.Issuer); err != nil {
				return Linked{}, err
			}
			all, err := s.Linked(ctx, in.Account)
			if err != nil {
				return Linked{}, err
			}
			at := slices.IndexFunc(all, func(l Linked) bool { return l.Subject == in.Subject })
			return all[max(at, 0)], nil
		},
		Text: operation.Line(func(l Linked) string { return l.Subject + " now signs in as " + l.Account + "." }),
	}
	Unlinking = operation.Op[*Service, unlinking, operation.Nothing]{
		Name: "sign-on unlink", Scope: operation.Install, Routes: []string{"DELETE /sign-on/accounts/{account}"}, Short: "Unlink an account from sign-on, and take away the roles that it gave", Example: "  clew sign-on unlink ada",
		Do: func(s *Service, ctx context.Context, in unlinking) (operation.Nothing, error) {
			return operation.Nothing{}, s.Unlink(ctx, in.Account)
		},
		Text: operation.Line(func(operation.Nothing) string { return "The account is not linked to a sign-on any more." }),
	}
	Roles = operation.Op[*Service, grouped, Given]{
		Name: "sign-on roles", Scope: operation.Install, Routes: []string{"GET /sign-on/roles"}, Short: "Show which roles OIDC_ROLES gives to groups", Example: `  clew sign-on roles archivists staff`,
		Do: func(s *Service, ctx context.Context, in grouped) (Given, error) {
			return s.Given(ctx, in.Groups)
		},
	}
)

// Operations returns the operations on sign-on.
func Operations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{Show, List, Linking, Unlinking, Roles}
}

// Standing returns how people sign on.
func (s *Service) Standing(ctx context.Context) (Standing, error) {
	is := Standing{Provider: s.Provider(), Issuer: s.Set.Issuer, Header: s.Set.ProxyUser, Listed: s.Set.ProxyGroups, Rules: []Rule{}}
	if s.provider != nil {
		is.Groups, is.Redirect = s.Set.Groups, cmp.Or(s.Public, "the address of the pages, followed by ")+link.SignOnCallback
		if problem := s.Problem(ctx); problem != nil {
			is.Problem = domain.InWords(problem)
		}
	}
	names, err := s.workspaceNames(ctx)
	for _, r := range s.rules {
		known := r.Workspace == "" || r.Workspace == config.Everywhere || slices.Contains(slices.Collect(maps.Values(names)), r.Workspace)
		is.Rules = append(is.Rules, Rule{r, !known})
	}
	return is, err
}

// Linked lists the accounts that people use through sign-on, or only those linked to one account.
func (s *Service) Linked(ctx context.Context, account string) ([]Linked, error) {
	all, err := s.Ledger.IdentitiesOf(ctx, account)
	list := make([]Linked, len(all))
	for i, of := range all {
		list[i] = Linked{Account: of.Account, Issuer: of.Issuer, Subject: of.Subject, Called: of.Called, Since: of.CreatedAt, Used: of.UsedAt}
	}
	return list, err
}

// Given returns the roles that groups give.
func (s *Service) Given(ctx context.Context, groups []string) (Given, error) {
	g, err := s.granted(ctx, groupNames(groups))
	if err != nil {
		return Given{}, err
	}
	names, err := s.workspaceNames(ctx)
	given := Given{Owner: g.Owner, Roles: []GivenRole{}}
	for id, role := range g.Roles {
		given.Roles = append(given.Roles, GivenRole{names[id], role})
	}
	slices.SortFunc(given.Roles, func(a, b GivenRole) int { return cmp.Compare(a.Workspace, b.Workspace) })
	return given, err
}

func (s *Service) workspaceNames(ctx context.Context) (map[domain.WorkspaceID]string, error) {
	all, err := s.Ledger.Workspaces(ctx)
	names := map[domain.WorkspaceID]string{}
	for _, w := range all {
		if w.DeleteAt.IsZero() {
			names[w.ID] = w.Name
		}
	}
	return names, err
}
