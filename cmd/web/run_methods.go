package main

import (
	"context"
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
)

func (a *app) comparisons() *questions.Comparisons {
	return &questions.Comparisons{Ledger: a.ledger, Queue: a.queue, Hub: a.hub, Kinds: a.kinds(), Prices: a.costs.Prices, Now: a.env.now}
}

func runMethodsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, again bool
	cmd := &cobra.Command{
		Use:   "methods ID",
		Short: "Compare the answers to a question by each method of searching",
		Long: `Compare the answers to the question of a run: by words only, by vectors where
there is an embedding model, by both, over the graph, and by the whole loop. It
answers the question by each method once and keeps the answers with the turn;
--again answers it anew. The turn's own answer stays as it is.`,
		Example: "  clew run methods j0123456789abcdef0123",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				sides, err := a.comparisons().Sides(cmd.Context(), domain.DefaultWorkspace, domain.RunID(args[0]))
				if err != nil {
					return err
				}
				if sides[0].Message == "" {
					return domain.Errorf(domain.Invalid, "Run %s does not answer a question: its kind is %s.", args[0], sides[0].Run.Kind)
				}
				return a.byMethods(cmd.Context(), sides[0].Message, again, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&again, "again", false, "answer again by each method")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// byMethods prints the answers to a message's question by each method. It makes them
// first if there are none.
func (a *app) byMethods(ctx context.Context, id domain.MessageID, again, asJSON bool) error {
	m, err := a.ledger.Message(ctx, domain.DefaultWorkspace, id)
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
	started, err := a.questions.StartMethods(ctx, domain.DefaultWorkspace, id, func() job.Adder { return worker.Take() })
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
