package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
)

func runContinueCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var drop, add []string
	var hint string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "continue ID",
		Short: "Let a run that waits for you go on",
		Long: `Let the run of a question that waits for you go on: after
clew ask --stop-before-writing to write, from the relevant passages or those that
you choose, and after clew ask --hint with words to search for once more. Without
either it answers with what there is. clew search --json finds passages to add.`,
		Example: `  clew run continue j0123456789abcdef0123 --drop c0123456789abcdef0123
  clew run continue j0123456789abcdef0123 --hint "Orrin Courier 1909"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				r := answer.Reply{Drop: chunkIDs(drop), Add: chunkIDs(add), Hint: hint}
				return a.continueRun(cmd.Context(), domain.RunID(args[0]), r, asJSON)
			})
		},
	}
	cmd.Flags().StringSliceVar(&drop, "drop", nil, "ids of passages not to write from")
	cmd.Flags().StringSliceVar(&add, "add", nil, "ids of passages to write from as well")
	cmd.Flags().StringVar(&hint, "hint", "", "other words or names for one more search")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func chunkIDs(list []string) (ids []domain.ChunkID) {
	for _, id := range list {
		ids = append(ids, domain.ChunkID(id))
	}
	return ids
}

// continueRun replies to a run and carries it on in this process, unless a server
// is faster.
func (a *app) continueRun(ctx context.Context, id domain.RunID, r answer.Reply, asJSON bool) (err error) {
	asked, err := a.queue.Get(ctx, domain.DefaultWorkspace, id)
	if err != nil {
		return err
	}
	if asked.Kind != questions.Kind {
		return domain.Errorf(domain.Invalid, "Only questions wait here. A summary waits for an edit on its page.")
	}
	worker := a.worker(nil)
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	if err := a.questions.Continue(ctx, domain.DefaultWorkspace, id, r); err != nil {
		return err
	}
	mine, err := worker.TakeUp(ctx, id)
	if err != nil {
		return err
	}
	words := a.printWords(ctx, id, asJSON)
	var run job.Run
	if mine {
		run, err = worker.Do(ctx, id)
	} else {
		run, err = a.untilItRests(ctx, id)
	}
	printed := words()
	if err != nil {
		return err
	}
	return a.printOutcome(ctx, run, printed, asJSON)
}

// untilItRests waits until a run that another process carries out has ended or
// waits for a person again.
func (a *app) untilItRests(ctx context.Context, id domain.RunID) (job.Run, error) {
	for item, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, id, 0) {
		if err != nil {
			return job.Run{}, err
		}
		for _, e := range item.Events {
			if e.Kind == trace.Settled {
				return a.queue.Get(ctx, domain.DefaultWorkspace, id)
			}
		}
		if r, err := a.queue.Get(ctx, domain.DefaultWorkspace, id); err != nil || r.Status.Asleep() {
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
	printAsked(a.env.stdout, run.ID, *asked)
	return nil
}

// askedJSON is a question to a person as --json prints it.
type askedJSON struct {
	Run  domain.RunID  `json:"run"`
	Asks answer.Asking `json:"asks"`
}

func printAsked(out io.Writer, id domain.RunID, asked answer.Asking) {
	fmt.Fprintln(out, "Waiting for you. These passages were found:")
	for _, g := range asked.Passages {
		fmt.Fprintf(out, "  %s  %s  %s: %s\n", g.Chunk, g.Said(), domain.Where(g.Name, g.Page, g.Place), g.Reason)
	}
	fmt.Fprintf(out, "Go on with\n  clew run continue %s [--drop PASSAGE] [--add PASSAGE]\n", id)
	if asked.Hints {
		fmt.Fprintf(out, "  clew run continue %s --hint WORDS\n", id)
	}
}
