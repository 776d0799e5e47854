// Package present turns stored data into what several pages draw: turns of conversations, documents, entities and questions to
// try.
package present

import (
	"context"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
)

// A Part draws what the page of a run's subject shows of the run.
type Part struct {
	// Draw returns the part. live reports whether more follows without a
	// person's answer.
	Draw   func(ctx context.Context, r job.Run, v *trace.View) (part templ.Component, live bool, err error)
	Figure func(ctx context.Context, r job.Run, f domain.Figure) (templ.Component, error) // draws a chart; nil where there are none
}
