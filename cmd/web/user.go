package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

func userCommand(s env, load func() (config.Config, error)) *cobra.Command {
	user := &cobra.Command{Use: "user", Short: "Manage accounts"}
	user.AddCommand(&cobra.Command{
		Use:   "add NAME",
		Short: "Create an account or change its password",
		Long: `Create an account, or change the password of an existing one. On a terminal the
command prompts for the password; otherwise it reads the first line of standard
input. Once there is an account, the web pages require signing in.`,
		Example: `  clew user add ada
  echo "$PASSWORD" | clew user add ada`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			password, err := s.password()
			if err != nil {
				return err
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer a.Close()
			if err := a.auth.SetPassword(cmd.Context(), args[0], password); err != nil {
				return err
			}
			fmt.Fprintf(s.stdout, "%s can now sign in.\n", args[0])
			return nil
		},
	})
	return user
}

// password prompts twice on a terminal and otherwise reads one line.
func (s env) password() (string, error) {
	in, ok := s.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		line, err := bufio.NewReader(s.stdin).ReadString('\n')
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
