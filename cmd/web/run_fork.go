package main

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
)

// branch carries out, in this process, the branch that start stores, and prints its
// answer.
func (a *app) branch(ctx context.Context, asJSON bool, start func(job.Adder) (ledger.Answer, error)) error {
	run, printed, err := a.written(ctx, asJSON, func(runs job.Adder) (domain.RunID, error) {
		b, err := start(runs)
		return b.Run, err
	})
	if err != nil {
		return err
	}
	return a.printOutcome(ctx, run, printed, asJSON)
}
