package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/run/job"
)

func summarizeCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	var given summaries.Ordering
	cmd := &cobra.Command{
		Use:   "summarize [DOCUMENT...]",
		Short: "Summarise documents, or the whole library",
		Long: `Summarise documents, given by name or id, or those with a tag (--tag), or all
(--all). Each sentence is followed by the numbers of its sources, which are
listed below. The command needs no server but may run beside one; the web pages
show the summary afterwards. With --review it stops before its last step: clew
summaries continue goes on.`,
		Example: `  clew summarize minutes.docx --length short
  clew summarize letters.pdf replies.pdf --focus "who owes money to whom"
  clew summarize --tag minutes
  clew summarize --all --json | jq -r .summary`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer a.Close()
			given.Documents = args
			return a.summarize(domain.WithWorkspace(cmd.Context(), domain.DefaultWorkspace), given, asJSON)
		},
	}
	flagsOf(cmd, &given)
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// summaryDesk is where summaries are ordered by the names of documents.
func (a *app) summaryDesk() summaries.Desk {
	return summaries.Desk{Service: a.summaries, Documents: a.documents}
}

// summarize runs the summary in this process and prints it.
func (a *app) summarize(ctx context.Context, given summaries.Ordering, asJSON bool) (err error) {
	desk := a.summaryDesk()
	o, err := desk.Order(ctx, given)
	if err != nil {
		return err
	}
	worker := a.worker(nil)
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	o.Runs = worker.Take()
	s, err := a.summaries.Start(ctx, o)
	if err != nil {
		return err
	}
	run, err := worker.Do(ctx, s.Run)
	if err == nil && run.Status.Pending() && run.Status != job.Asking {
		err = a.giveUp(context.WithoutCancel(ctx), run)
	}
	if err != nil {
		return err
	}
	if run.Status != job.Done && run.Status != job.Asking {
		return domain.Errorf(domain.Unavailable, "The summary was not made: %s", cmp.Or(run.Problem, "it was stopped."))
	}
	if s, err = a.ledger.Summary(ctx, s.Workspace, s.ID); err != nil {
		return err
	}
	made, err := desk.Summed(ctx, s)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.env.stdout, made)
	}
	for _, w := range made.Warnings {
		fmt.Fprintln(a.env.stderr, w)
	}
	made.Warnings = nil
	return summaries.PrintSummed(a.env.stdout, made)
}
