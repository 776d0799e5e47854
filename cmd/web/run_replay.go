package main

import (
	"cmp"
	"context"
	"errors"
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
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				var list []questions.ReplayedRun
				differ := 0
				for _, id := range args {
					r, err := a.replay(cmd.Context(), domain.RunID(id))
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
	return cmd
}

// replay replays a run in this process.
func (a *app) replay(ctx context.Context, id domain.RunID) (r questions.ReplayedRun, err error) {
	worker := a.worker(nil)
	if err := worker.Start(ctx); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	b, err := a.questions.StartReplay(ctx, domain.DefaultWorkspace, id, worker.Take())
	if err != nil {
		return r, err
	}
	ended, err := worker.Do(ctx, b.Run)
	if err != nil {
		return r, err
	}
	original, err := a.queue.Get(ctx, domain.DefaultWorkspace, id)
	if err != nil {
		return r, err
	}
	compared, err := a.questions.Replayed(ctx, original)
	if err != nil {
		return r, err
	}
	return questions.ReplayedRun{Run: id, Replay: b.Run, Same: compared.Same(), Nodes: compared.Nodes, Status: ended.Status}, nil
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
