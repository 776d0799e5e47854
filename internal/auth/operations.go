package auth

import (
	"cmp"
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// Listed is an account in a list.
type Listed struct {
	Name     string      `json:"name"`
	Role     domain.Role `json:"role"`
	Added    time.Time   `json:"added"`
	Sessions int         `json:"sessions"`
	Used     time.Time   `json:"used,omitzero"` // the last time any of them was used
}

type named struct {
	Name string `json:"name" arg:"NAME" trail:"" doc:"name of an account"`
}

type adding struct {
	named
	Password string      `json:"password" secret:"" doc:"its password"`
	Role     domain.Role `json:"role" trail:"" doc:"reader, contributor, curator or admin of the workspace, or owner (the first account is an owner, others are contributors)"`
}

type passwording struct {
	named
	Password string `json:"password" secret:"" doc:"its password"`
}

type promoting struct {
	named
	Role domain.Role `json:"role" arg:"ROLE" trail:"how" doc:"member or owner"`
}

type speaking struct {
	Language string `json:"language" arg:"LANGUAGE" trail:"" doc:"en, de, or browser for what the browser asks for"`
	Account  string `json:"account" trail:"" doc:"account whose pages; only for those who run commands on the library"`
}

// Account is an account that something was done with.
type Account struct {
	Name string `json:"name"`
}

// Removal removes an account.
var Removal = operation.Op[*Auth, named, Account]{
	Name: "user remove", Scope: operation.Install, Routes: []string{"DELETE /users/{name}"}, Short: "Remove an account, which ends its sessions", Example: "  clew user remove bob",
	Long: `Remove an account. Its sessions end; documents, questions and answers stay. The
last owner can't be removed.`,
	Do: func(a *Auth, ctx context.Context, in named) (Account, error) {
		return done(in.Name, a.Remove(ctx, domain.PersonOf(ctx), in.Name))
	},
	Text: operation.Line(func(a Account) string { return a.Name + " was removed." }),
}

// PasswordChange sets the password of another account. One changes one's own with the current one, see ChangePassword.
var PasswordChange = operation.Op[*Auth, passwording, Account]{
	Name: "user password", Scope: operation.Install, Routes: []string{"PUT /users/{name}/password"}, Short: "Change an account's password, which ends its sessions", Example: `  echo "$PASSWORD" | clew user password ada`,
	Long: `Change the password of an account. On a terminal the command prompts for it;
otherwise it reads the first line of standard input. The account's sessions end.`,
	Do: func(a *Auth, ctx context.Context, in passwording) (Account, error) {
		if normal(in.Name) == domain.PersonOf(ctx) {
			return Account{}, domain.Errorf(domain.Conflict, "Change your own password on the page of your account.")
		}
		return done(in.Name, a.SetPassword(ctx, domain.PersonOf(ctx), in.Name, in.Password))
	},
	Text: operation.Line(func(a Account) string { return a.Name + " has a new password. Its sessions have ended." }),
}

// RoleChange changes the role of an account.
var RoleChange = operation.Op[*Auth, promoting, Account]{
	Name: "user role", Scope: operation.Install, Routes: []string{"PUT /users/{name}/role"}, Short: "Change what an account may do in the workspace", Example: "  clew user role bob curator",
	Long: `Change what an account may do in the workspace: as a reader ask and read, as a
contributor also add documents, as a curator also change the graph, the schema and
prompts, as an admin everything in it. An owner may do everything in all workspaces,
and make backups. There is always an owner.`,
	Do: func(a *Auth, ctx context.Context, in promoting) (Account, error) {
		return done(in.Name, a.SetRole(ctx, domain.PersonOf(ctx), in.Name, in.Role))
	},
	Text: operation.Line(func(a Account) string { return "The role of " + a.Name + " was changed." }),
}

// LanguageChoice sets the language of the pages for one's own account.
var LanguageChoice = operation.Op[*Auth, speaking, Account]{
	Name: "user language", Scope: operation.Ask, Routes: []string{"PUT /me/language"}, Short: "Choose the language of the pages for an account", Example: `  clew user language de --account ada`,
	Long: `Choose the language in which an account sees the pages. What commands and the API
say, and what is recorded of a run, is in English.`,
	Do: func(a *Auth, ctx context.Context, in speaking) (Account, error) {
		caller, err := a.caller(ctx)
		if err != nil {
			return Account{}, err
		}
		name := normal(cmp.Or(in.Account, caller.Name))
		switch {
		case name == "":
			return Account{}, domain.Errorf(domain.Invalid, "Name the account with --account.")
		case caller.Name != "" && name != caller.Name:
			return Account{}, domain.Errorf(domain.Forbidden, "Everybody chooses the language of their own pages.")
		}
		return done(name, a.SetLanguage(ctx, name, in.Language))
	},
	Text: operation.Line(func(a Account) string { return "The language of " + a.Name + " was set." }),
}

// Operations returns the operations on accounts.
func Operations() []operation.Operation[*Auth] {
	return []operation.Operation[*Auth]{
		operation.Op[*Auth, struct{}, []Listed]{
			Name: "user list", Scope: operation.Install, Routes: []string{"GET /users"}, Short: "List the accounts, their roles and sessions",
			Do: func(a *Auth, ctx context.Context, _ struct{}) ([]Listed, error) {
				all, err := a.Accounts(ctx)
				list := make([]Listed, len(all))
				for i, u := range all {
					list[i] = Listed{Name: u.Name, Role: u.Role, Added: u.CreatedAt, Sessions: u.Sessions}
					if u.Sessions > 0 {
						list[i].Used = u.UsedAt
					}
				}
				return list, err
			},
			Text: operation.Table("NAME\tROLE\tADDED\tSESSIONS\tLAST USED", "There are no accounts: everybody who reaches the pages can do everything.", func(u Listed) []any {
				used := "-"
				if u.Sessions > 0 {
					used = u.Used.Format(time.DateTime)
				}
				return []any{u.Name, u.Role, u.Added.Format(time.DateOnly), u.Sessions, used}
			}),
		},
		operation.Op[*Auth, adding, Account]{
			Name: "user add", Scope: operation.Install, Routes: []string{"POST /users"}, Short: "Create an account",
			Long: `Create an account. On a terminal the command prompts for the password; otherwise
it reads the first line of standard input. Once there is an account, the web
pages require signing in. clew user role --help says what each role may do.`,
			Example: `  clew user add ada
  echo "$PASSWORD" | clew user add bob --role owner`,
			Do: func(a *Auth, ctx context.Context, in adding) (Account, error) {
				return done(in.Name, a.Add(ctx, domain.PersonOf(ctx), in.Name, in.Password, in.Role))
			},
			Text: operation.Line(func(a Account) string { return a.Name + " can now sign in." }),
		},
		PasswordChange,
		RoleChange,
		LanguageChoice,
		Removal,
	}
}

func done(name string, err error) (Account, error) {
	if err != nil {
		return Account{}, err
	}
	return Account{normal(name)}, nil
}
