package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/compare"
)

func runReplayCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay ID...",
		Short: "Run answers again with the recorded calls of models, and compare",
		Long: `Run answers again from what they began with, with the recorded answers of models,
which costs nothing, and compare what each node wrote. Durations are not compared.
A model that would be asked something else is not asked: the node counts as
different. The exit status is 1 if any node did something else, so that your own
questions can be a regression test.`,
		Example: `  clew run replay j0123456789abcdef0123
  clew run list --kind answer --json | jq -r '.[].id' | xargs clew run replay`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.onDesk(cmd, load, "", func(ctx context.Context, d desk) error {
				var list []questions.ReplayedRun
				differ := 0
				for _, id := range args {
					r, err := operated[questions.ReplayedRun](ctx, d, "run replay", map[string]string{"run": id, "wait": "0"}, &teller{env: s})
					if err != nil {
						return err
					}
					list = append(list, r)
					if !r.Same {
						differ++
					}
				}
				if err := printReplays(s.stdout, list, asJSON); err != nil || differ == 0 {
					return err
				}
				return domain.Errorf(domain.Conflict, "%s did not do the same.", domain.Counted(differ, "run", "runs"))
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonArray)
	return onServer(cmd)
}

func printReplays(out io.Writer, list []questions.ReplayedRun, asJSON bool) error {
	if asJSON {
		return printJSON(out, list)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range list {
		fmt.Fprintf(table, "%s\n", r.Run)
		for _, n := range r.Nodes {
			fmt.Fprintf(table, "  %s\t%s\t%s\n", n.Mark, n.Name, told(n))
		}
	}
	return table.Flush()
}

// told describes how a node did something else, or "" if it did the same.
func told(n compare.Node) string {
	switch d := n.Difference; {
	case n.Problem != "":
		return n.Problem
	case d == nil:
		return ""
	default:
		return fmt.Sprintf("%s: %s → %s", d.Path, cmp.Or(string(d.Before), "nothing"), cmp.Or(string(d.After), "nothing"))
	}
}
