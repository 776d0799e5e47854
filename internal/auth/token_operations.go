package auth

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// A TokenWanted describes a token to be made.
type TokenWanted struct {
	Name    string   `json:"name" arg:"NAME" trail:"" doc:"what uses it"`
	Preset  string   `json:"preset" trail:"" doc:"scopes by a name: read-and-ask, mcp, everything that the account may, or chosen for only those of --scope (default read-and-ask, unless scopes are given)"`
	Scopes  []string `json:"scope" trail:"" doc:"a scope: read, ask, summarize, documents:write, documents:delete, graph:write, schema:write, evaluate, admin, install, metrics; can be repeated"`
	Days    int      `json:"days" default:"90" trail:"" doc:"days until it expires"`
	Account string   `json:"account" trail:"" doc:"account that owns it; only for those who run commands on the library"`
}

// Everything is the preset of all scopes that an account may have.
const Everything = "everything"

// Presets are the scopes of tokens for common purposes.
func Presets() map[string][]operation.Scope {
	return map[string][]operation.Scope{
		"read-and-ask": {operation.Read, operation.Ask, operation.Summarize},
		"mcp":          {operation.Read, operation.Ask, operation.Summarize},
		Everything:     operation.Scopes(),
		"chosen":       nil,
	}
}

// ShownToken is a token as it is listed.
type ShownToken struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Prefix    string            `json:"prefix"`
	Account   string            `json:"account,omitempty"`
	Workspace string            `json:"workspace"` // its name
	Scopes    []operation.Scope `json:"scopes"`
	Created   time.Time         `json:"created"`
	Expires   time.Time         `json:"expires"`
	Used      time.Time         `json:"used,omitzero"`
	Address   string            `json:"address,omitempty"` // where it was last used from
}

// NewToken is a token that was made. Its secret is shown here and never again.
type NewToken struct {
	ShownToken
	Secret string `json:"token"`
}

func (n NewToken) String() string {
	return n.Secret + "\nIt is shown only now. It has the scopes " + strings.ReplaceAll(words(n.Scopes), " ", ", ") + " in the workspace " + n.Workspace + " until " + n.Expires.Format(time.DateOnly) + "; clew token revoke " + n.ID + " ends it."
}

// words returns scopes with spaces between them.
func words(scopes []operation.Scope) string {
	return strings.Join(lists.Map(scopes, func(s operation.Scope) string { return string(s) }), " ")
}

// UsedToken is the token of a program that calls.
type UsedToken struct {
	ID        string            `json:"token"`
	Name      string            `json:"name"`
	Account   string            `json:"account"`
	Workspace string            `json:"workspace"` // its name
	Scopes    []operation.Scope `json:"scopes"`    // those its account may use now
	Expires   time.Time         `json:"expires"`
}

func shownToken(t ledger.Token, of domain.Workspace) ShownToken {
	return ShownToken{t.ID, t.Name, t.Prefix, t.Account, of.Name, scopesOf(t), t.CreatedAt, t.ExpiresAt, t.UsedAt, t.Address}
}

// oneToken names a token.
type oneToken struct {
	ID string `json:"id" arg:"ID" doc:"id of a token"`
}

// Everybody who is signed in makes, lists and revokes their own tokens; owners, and whoever runs commands on the library,
// list and revoke those of others too. A program needs the scope admin for that, and makes no token with more scopes than
// its own.
var (
	MakeToken = operation.Op[*Auth, TokenWanted, NewToken]{
		Name: "token create", Short: "Make a token for a program", Scope: operation.Admin, Routes: []string{"POST /tokens"},
		Long: `Make a token with which a program may use the library: the API, the OpenAI protocol,
MCP, or clew itself on another machine. It is printed once. A token may never do
more than its account may at the moment that it is used.`,
		Example: `  clew token create "Open WebUI"
  clew token create notebook --scope read --scope ask --days 7
  clew token create backup --preset everything --account ada`,
		Do: (*Auth).makeToken,
	}
	ListTokens = operation.Op[*Auth, struct{}, []ShownToken]{
		Name: "token list", Short: "List the tokens of programs, newest first", Scope: operation.Admin, Routes: []string{"GET /tokens"},
		Do: (*Auth).listTokens,
		Text: operation.Table("ID\tNAME\tTOKEN\tACCOUNT\tWORKSPACE\tSCOPES\tEXPIRES\tLAST USED", "There are no tokens.", func(t ShownToken) []any {
			used := "never"
			if !t.Used.IsZero() {
				used = t.Used.Format(time.DateTime)
			}
			return []any{t.ID, t.Name, t.Prefix + "…", cmp.Or(t.Account, "-"), t.Workspace, words(t.Scopes), t.Expires.Format(time.DateOnly), used}
		}),
	}
	ShowToken = operation.Op[*Auth, struct{}, UsedToken]{
		Name: "token show", Short: "Show the token that is used, and what it may do now", Scope: operation.Any, Routes: []string{"GET /me"}, Example: "  clew --server https://clew.example.org token show",
		Long: `Show the token of this call: its account, its workspace, its scopes as far as the
account may have them now, and when it expires. On the library's own machine
commands need no token.`,
		Do: func(a *Auth, ctx context.Context, _ struct{}) (UsedToken, error) {
			x, ok := AccessOf(ctx)
			if !ok {
				return UsedToken{}, domain.Errorf(domain.Unsupported, "No token is used here: commands on the library's own machine may do everything. Name a server with --server.")
			}
			w, err := a.Ledger.Workspace(ctx, x.Token.Workspace)
			return UsedToken{x.Token.ID, x.Token.Name, x.Token.Account, w.Name, x.Scopes(), x.Token.ExpiresAt}, err
		},
		Text: operation.Line(func(t UsedToken) string {
			return fmt.Sprintf("%s %s may %s in the workspace %s until %s.", t.ID, t.Name, words(t.Scopes), t.Workspace, t.Expires.Format(time.DateOnly))
		}),
	}
	RevokeToken = operation.Op[*Auth, oneToken, operation.Nothing]{
		Name: "token revoke", Short: "Revoke a token at once, and stop what is asked with it", Scope: operation.Admin, Routes: []string{"DELETE /tokens/{id}"}, Example: "  clew token revoke t0123456789abcdef0123",
		Do: func(a *Auth, ctx context.Context, in oneToken) (none operation.Nothing, err error) {
			of, err := a.tokensOf(ctx)
			if err == nil {
				err = a.Ledger.RemoveToken(ctx, domain.WorkspaceOf(ctx), of, in.ID)
			}
			if err == nil {
				a.Log.InfoContext(ctx, "token revoked", "id", in.ID, "by", domain.PersonOf(ctx))
			}
			return none, err
		},
	}
)

// TokenOperations are what can be done with tokens.
func TokenOperations() []operation.Operation[*Auth] {
	return []operation.Operation[*Auth]{MakeToken, ListTokens, ShowToken, RevokeToken}
}

// tokensOf returns the account whose tokens the person of a context may see, or "" for those of all accounts.
func (a *Auth) tokensOf(ctx context.Context) (string, error) {
	account, err := a.caller(ctx)
	if account.Name == "" || account.Role.Includes(domain.Admin) {
		return "", err
	}
	return account.Name, err
}

// caller returns the account of the person of a context with its role in the workspace, or the zero Account if there is none.
func (a *Auth) caller(ctx context.Context) (ledger.Account, error) {
	if x, program := AccessOf(ctx); program && x.Token.Account == "" {
		return ledger.Account{}, nil
	}
	account, err := a.Account(ctx, domain.PersonOf(ctx))
	if domain.KindOf(err) == domain.NotFound {
		return ledger.Account{}, nil
	}
	return account, err
}

func (a *Auth) listTokens(ctx context.Context, _ struct{}) ([]ShownToken, error) {
	of, err := a.tokensOf(ctx)
	if err != nil {
		return nil, err
	}
	w, err := a.Ledger.Workspace(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return nil, err
	}
	all, err := a.Ledger.Tokens(ctx, w.ID, of)
	return lists.Map(all, func(t ledger.Token) ShownToken { return shownToken(t, w) }), err
}

func (a *Auth) makeToken(ctx context.Context, in TokenWanted) (NewToken, error) {
	name := domain.OneLine(in.Name)
	switch {
	case name == "" || len(name) > MaxName:
		return NewToken{}, domain.Errorf(domain.Invalid, "A token needs a name of 1 to %d characters, such as the program that uses it.", MaxName)
	case in.Days < 1 || in.Days > MaxTokenDays:
		return NewToken{}, domain.Errorf(domain.Invalid, "A token lasts 1 to %d days.", MaxTokenDays)
	}
	account, err := a.owner(ctx, in.Account)
	if err != nil {
		return NewToken{}, err
	}
	scopes, err := in.scopes(account.Role)
	if err != nil {
		return NewToken{}, err
	}
	x, program := AccessOf(ctx)
	for _, s := range scopes {
		if err := s.Check(account.Role); err != nil {
			return NewToken{}, domain.Errorf(domain.Forbidden, "A token may not do more than you: the scope %s is not yours in this workspace.", s)
		}
		if program && x.Check(s) != nil {
			return NewToken{}, x.Check(s)
		}
	}
	w, err := a.Ledger.Workspace(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return NewToken{}, err
	}
	secret, err := newToken(a.Random)
	if err != nil {
		return NewToken{}, err
	}
	hash := tokenHash(secret)
	names := lists.Map(scopes, func(s operation.Scope) string { return string(s) })
	t := ledger.Token{
		ID: "t" + hash[:12], Workspace: w.ID, Account: account.Name, Name: name, Prefix: secret[:shownDigits], Hash: hash, Scopes: names,
		CreatedAt: a.Now(), ExpiresAt: a.Now().AddDate(0, 0, in.Days),
	}
	if err := a.Ledger.AddToken(ctx, t); err != nil {
		return NewToken{}, err
	}
	a.Log.InfoContext(ctx, "token made", "id", t.ID, "account", t.Account, "scopes", scopes, "by", domain.PersonOf(ctx))
	return NewToken{shownToken(t, w), secret}, nil
}

// owner returns the account that a new token belongs to: that of the person, or the named one if nobody is signed in.
func (a *Auth) owner(ctx context.Context, named string) (ledger.Account, error) {
	caller, err := a.caller(ctx)
	switch {
	case err != nil || named == "" || normal(named) == caller.Name:
		return caller, err
	case caller.Name != "":
		return caller, domain.Errorf(domain.Forbidden, "A token belongs to the account that makes it, %s.", caller.Name)
	}
	return a.Account(ctx, named)
}

// scopes returns the scopes that are wanted, in the order of operation.Scopes. A preset has those that the role may have.
func (w TokenWanted) scopes(role domain.Role) ([]operation.Scope, error) {
	wanted := map[operation.Scope]bool{}
	presets := Presets()
	if preset := w.Preset; preset != "" || len(w.Scopes) == 0 {
		of, known := presets[cmp.Or(preset, "read-and-ask")]
		if !known {
			return nil, domain.Errorf(domain.Invalid, "There is no preset %q. Choose one of %s.", preset, strings.Join(slices.Sorted(maps.Keys(presets)), ", "))
		}
		for _, s := range of {
			wanted[s] = s.Check(role) == nil
		}
	}
	for _, s := range w.Scopes {
		if !slices.Contains(operation.Scopes(), operation.Scope(s)) {
			return nil, domain.Errorf(domain.Invalid, "There is no scope %q. clew token create --help lists them.", s)
		}
		wanted[operation.Scope(s)] = true
	}
	scopes := slices.DeleteFunc(operation.Scopes(), func(s operation.Scope) bool { return !wanted[s] })
	if len(scopes) == 0 {
		return nil, domain.Errorf(domain.Invalid, "A token needs a scope: choose what it may do.")
	}
	return scopes, nil
}
