package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
)

// reports describes how runs went.
func (a *app) reports() *report.Runs {
	return &report.Runs{
		Queue: a.queue, Hub: a.hub, Kinds: a.kinds(), Loops: map[string]report.Loop{questions.Kind: a.loop(), questions.BranchKind: a.loop(), evaluation.Kind: a.loop()},
		Costs: a.costs, Ledger: a.ledger, Graph: a.graph, Now: a.env.now,
	}
}

// comparisons compare runs, and the answers to a question by each method.
func (a *app) comparisons() *questions.Comparisons {
	return &questions.Comparisons{Ledger: a.ledger, Queue: a.queue, Hub: a.hub, Kinds: a.kinds(), Prices: a.costs.Prices, Now: a.env.now}
}

// loop is how often a question may be reworded.
func (a *app) loop() report.Loop {
	return report.Loop{Node: answer.NodeTransform, Max: a.cfg.MaxLoops}
}

func runReplayCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay ID...",
		Short: "Replay answers with the recorded calls of models, and compare",
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

// byMethods prints the answers to a message's question by each method. It makes them
// first if there are none.
func (a *app) byMethods(ctx context.Context, id domain.MessageID, again, asJSON bool) error {
	m, err := a.ledger.Message(ctx, domain.WorkspaceOf(ctx), id)
	if err != nil {
		return err
	}
	by, err := a.questions.ByMethod(ctx, m.Workspace, id)
	if err == nil && (again || len(by) == 0) {
		if err = a.runMethods(ctx, id); err == nil {
			by, err = a.questions.ByMethod(ctx, m.Workspace, id)
		}
	}
	if err != nil {
		return err
	}
	c, err := a.comparisons().MethodsCompared(ctx, m, by)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(a.env.stdout, c)
	}
	return c.Print(a.env.stdout)
}

// runMethods answers a message's question by each method, in this process.
func (a *app) runMethods(ctx context.Context, id domain.MessageID) (err error) {
	if err := a.catchUp(ctx); err != nil {
		return err
	}
	worker := a.worker(nil)
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	started, err := a.questions.StartMethods(ctx, domain.WorkspaceOf(ctx), id, func() job.Adder { return worker.Take() })
	if err != nil {
		return err
	}
	failed := make([]error, len(started))
	var wg sync.WaitGroup
	for i, b := range started {
		wg.Go(func() {
			var r job.Run
			if r, failed[i] = worker.Do(ctx, b.Run); failed[i] == nil && r.Status.Pending() {
				failed[i] = a.giveUp(context.WithoutCancel(ctx), r)
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// untilItRests waits until a run that another process carries out has ended or
// waits for a person again.
func (a *app) untilItRests(ctx context.Context, id domain.RunID) (job.Run, error) {
	for item, err := range a.hub.Watch(ctx, domain.WorkspaceOf(ctx), id, 0) {
		if err != nil {
			return job.Run{}, err
		}
		for _, e := range item.Events {
			if e.Kind == trace.Settled {
				return a.queue.Get(ctx, domain.WorkspaceOf(ctx), id)
			}
		}
		if r, err := a.queue.Get(ctx, domain.WorkspaceOf(ctx), id); err != nil || r.Status.Asleep() {
			return r, err
		}
	}
	return job.Run{}, ctx.Err()
}

// printOutcome prints an answer, or what the run asks before there is one.
func (a *app) printOutcome(ctx context.Context, run job.Run, printed string, asJSON bool) error {
	if !run.Status.Asleep() {
		if run.Status.Pending() {
			return a.giveUp(context.WithoutCancel(ctx), run)
		}
		m, err := a.ledger.Answer(ctx, run.Workspace, run.ID)
		if err != nil {
			return err
		}
		return a.printAnswer(ctx, m, run, printed, asJSON)
	}
	asked, err := a.questions.Asking(ctx, run.Workspace, run.ID)
	switch {
	case err != nil:
		return err
	case asked == nil:
		return domain.Errorf(domain.Conflict, "Another process is carrying out run %s. clew run show %[1]s shows its progress.", run.ID)
	case asJSON:
		return printJSON(a.env.stdout, askedJSON{run.ID, *asked})
	}
	questions.PrintAsked(a.env.stdout, run.ID, *asked)
	return nil
}

// askedJSON is a question to a person as --json prints it.
type askedJSON struct {
	Run  domain.RunID  `json:"run"`
	Asks answer.Asking `json:"asks"`
}
