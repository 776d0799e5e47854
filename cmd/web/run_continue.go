package main

import (
	"context"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
)

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
