package main

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
)

// sumUpThemes has the model sum up the themes that have changed.
func (a *app) sumUpThemes(ctx context.Context) error {
	if !a.themes.SumsUp() {
		return domain.Errorf(domain.Invalid, "No model summarises themes: set THEMES_BY_MODEL=true, and LLM_PROVIDER.")
	}
	return a.carryOut(ctx, a.themes.Background, "Summing up")
}

// carryOut starts a run in the background and follows it. This process carries it out, unless a server does.
func (a *app) carryOut(ctx context.Context, b run.Background, doing string) (err error) {
	worker := a.worker(a.kinds().Concurrency(b.Kind))
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	r, err := b.Start(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return err
	}
	return a.followRun(ctx, r, doing)
}
