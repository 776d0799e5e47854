package main

import (
	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/parse/child"
)

// parserName names the command that the program runs itself with to parse
// files. It reads no setting.
const parserName = "parser"

func parserCommand(s env) *cobra.Command {
	return &cobra.Command{
		Use:    parserName,
		Short:  "Parse files for another Clew (it starts this itself)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return child.Serve(s.stdin, s.stdout) },
	}
}
