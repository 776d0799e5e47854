package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/schemas"
)

// applyFlags say how far clew schema apply goes.
type applyFlags struct {
	schemas.Applying

	queue bool // leave the reading to others
}

// apply has read again what the schemas in force change.
func (sh schemaShell) apply(f applyFlags) error {
	desk := schemas.TrialDesk{Trials: sh.trial, Schemas: sh.schemaDesk()}
	bill, err := desk.Apply(domain.WithWorkspace(sh.ctx, domain.DefaultWorkspace), f.Applying)
	if err != nil {
		return err
	}
	if sh.asJSON {
		err = printJSON(sh.env.stdout, bill)
	} else {
		err = bill.Print(sh.env.stdout)
	}
	if err != nil || f.Dry || len(bill.Queued) == 0 {
		return err
	}
	return sh.read(bill, f.queue)
}

// read follows the documents that are queued, and reads them unless another
// process does.
func (sh schemaShell) read(bill schemas.Bill, queue bool) (err error) {
	alive, err := sh.queue.LiveProcesses(sh.ctx, sh.process.Gone, aliveWithin)
	if err != nil {
		return err
	}
	say := func(format string, args ...any) {
		if !sh.asJSON {
			fmt.Fprintf(sh.env.stdout, format+"\n", args...)
		}
	}
	switch {
	case len(alive) > 0:
		say("Process %d on %s reads them, and continues if this command is stopped.", alive[0].PID, alive[0].Host)
	case queue:
		say("They wait for clew serve or clew work; neither is running.")
	default:
		say("Neither clew serve nor clew work is running, so this command reads them.")
		worker := sh.worker(sh.kinds().Concurrency(documents.Kind))
		if err := worker.Start(sh.ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(sh.ctx))) }()
	}
	if queue {
		return nil
	}
	return errors.Join(sh.followAll(bill.Queued), sh.followUp(sh.ctx))
}

// followAll shows the progress of documents until the last has been read.
func (sh schemaShell) followAll(ids []domain.DocumentID) error {
	failed := 0
	var waiting waits
	for i, id := range ids {
		d, err := sh.ledger.Document(sh.ctx, domain.DefaultWorkspace, id)
		if domain.KindOf(err) == domain.NotFound {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		result, err := sh.follow(sh.ctx, ingested{Document: d.Name, id: d.ID, run: d.Run}, !sh.asJSON, &waiting)
		if err != nil {
			return err
		}
		if !result.read() {
			failed++
		}
		if sh.asJSON {
			continue
		}
		result.Document = fmt.Sprintf("%d of %d: %s", i+1, len(ids), result.Document)
		sh.env.printIngested(result)
	}
	if failed > 0 {
		return domain.Errorf(domain.Invalid, "%d of %d documents were not read.", failed, len(ids))
	}
	return nil
}
