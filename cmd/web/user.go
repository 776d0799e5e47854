package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

// operator stands for whoever can run commands on the library, in the log.
const operator = "clew user"

func userCommand(s env, load func() (config.Config, error)) *cobra.Command {
	user := &cobra.Command{Use: "user", Short: "Manage accounts"}
	// with runs f on the opened program.
	with := func(f func(ctx context.Context, a *app, args []string) error) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := load()
			if err != nil {
				return err
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, a.Close()) }()
			return f(cmd.Context(), a, args)
		}
	}
	user.AddCommand(addUserCommand(s, with), &cobra.Command{
		Use: "list", Short: "List the accounts, their roles and sessions", Args: cobra.NoArgs,
		RunE: with(func(ctx context.Context, a *app, _ []string) error { return a.listUsers(ctx) }),
	}, &cobra.Command{
		Use: "password NAME", Short: "Change an account's password, which ends its sessions",
		Long: `Change the password of an account. On a terminal the command prompts for it;
otherwise it reads the first line of standard input. The account's sessions end.`,
		Args: cobra.ExactArgs(1),
		RunE: with(func(ctx context.Context, a *app, args []string) error {
			password, err := s.password()
			if err == nil {
				err = a.auth.SetPassword(ctx, operator, args[0], password)
			}
			if err == nil {
				fmt.Fprintf(s.stdout, "%s has a new password. Its sessions have ended.\n", args[0])
			}
			return err
		}),
	}, &cobra.Command{
		Use: "remove NAME", Short: "Remove an account, which ends its sessions",
		Long: `Remove an account. Its sessions end; documents, questions and answers stay. The
last owner can't be removed.`,
		Args: cobra.ExactArgs(1),
		RunE: with(func(ctx context.Context, a *app, args []string) error {
			err := a.auth.Remove(ctx, operator, args[0])
			if err == nil {
				fmt.Fprintf(s.stdout, "%s was removed.\n", args[0])
			}
			return err
		}),
	})
	return user
}

func addUserCommand(s env, with func(func(ctx context.Context, a *app, args []string) error) func(*cobra.Command, []string) error) *cobra.Command {
	var role string
	add := &cobra.Command{
		Use:   "add NAME",
		Short: "Create an account",
		Long: `Create an account. On a terminal the command prompts for the password; otherwise
it reads the first line of standard input. Once there is an account, the web
pages require signing in. Members can do everything but settings, checks,
rebuilds, backups and accounts, which are the owners'.`,
		Example: `  clew user add ada
  echo "$PASSWORD" | clew user add bob --role owner`,
		Args: cobra.ExactArgs(1),
		RunE: with(func(ctx context.Context, a *app, args []string) error {
			password, err := s.password()
			if err == nil {
				err = a.auth.Add(ctx, operator, args[0], password, domain.Role(role))
			}
			if err == nil {
				fmt.Fprintf(s.stdout, "%s can now sign in.\n", args[0])
			}
			return err
		}),
	}
	add.Flags().StringVar(&role, "role", "", "member or owner (the first account is an owner, others are members)")
	return add
}

// listUsers prints one line for each account.
func (a *app) listUsers(ctx context.Context) error {
	accounts, err := a.auth.Accounts(ctx)
	if err != nil {
		return err
	}
	if len(accounts) == 0 {
		fmt.Fprintln(a.env.stdout, "There is no account: everybody who reaches the pages can do everything.")
		return nil
	}
	w := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tROLE\tADDED\tSESSIONS\tLAST USED")
	for _, u := range accounts {
		used := "-"
		if u.Sessions > 0 {
			used = u.UsedAt.Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", u.Name, u.Role, u.CreatedAt.Format(time.DateOnly), u.Sessions, used)
	}
	return w.Flush()
}

// password prompts twice on a terminal and otherwise reads one line.
func (s env) password() (string, error) {
	in, ok := s.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(s.stdin, maxKey)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var typed [2]string
	for i, prompt := range []string{"Password: ", "Repeat: "} {
		fmt.Fprint(s.stderr, prompt)
		b, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(s.stderr)
		if err != nil {
			return "", err
		}
		typed[i] = string(b)
	}
	if typed[0] != typed[1] {
		return "", domain.Errorf(domain.Invalid, "The passwords do not match. Nothing was changed.")
	}
	return typed[0], nil
}
