package main

import (
	"context"
	"errors"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

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
