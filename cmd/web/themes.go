package main

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// sumUpThemes has the model sum up the themes that have changed.
func (a *app) sumUpThemes(ctx context.Context) error {
	if !a.themes.SumsUp() {
		return domain.Errorf(domain.Invalid, "No model sums up themes: set THEMES_BY_MODEL=true, and LLM_PROVIDER.")
	}
	return a.carryOut(ctx, a.themes.Background, "Summing up")
}
