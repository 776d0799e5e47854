package curate

import (
	"context"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// latest is higher than every number of the log.
const latest = math.MaxInt64

// A Line is an entry of the log with its sentence.
type Line struct {
	fold.Effect
	Text string // a sentence without its full stop
}

// Changes lists entries of the log, newest first, and the number of all.
func (c *Curator) Changes(ctx context.Context, w domain.WorkspaceID, offset, limit int) ([]Line, int, error) {
	log, err := c.Ledger.Curations(ctx, w, latest)
	if err != nil {
		return nil, 0, err
	}
	total := len(log)
	slices.Reverse(log)
	lines, err := c.lines(ctx, w, log[min(offset, total):min(offset+limit, total)])
	return lines, total, err
}

// Change returns an entry of the log, or an error of kind NotFound.
func (c *Curator) Change(ctx context.Context, w domain.WorkspaceID, seq int64) (Line, error) {
	log, err := c.Ledger.Curations(ctx, w, seq)
	if err != nil {
		return Line{}, err
	}
	if len(log) == 0 || log[len(log)-1].Seq != seq {
		return Line{}, domain.Errorf(domain.NotFound, "The list of changes has no entry %d.", seq)
	}
	lines, err := c.lines(ctx, w, log[len(log)-1:])
	if err != nil {
		return Line{}, err
	}
	return lines[0], nil
}

func (c *Curator) lines(ctx context.Context, w domain.WorkspaceID, entries []ledger.Curation) ([]Line, error) {
	effects, err := c.Projector.Effects(ctx, w, entries)
	lines := make([]Line, len(entries))
	for i, e := range entries {
		effect := effects[e.Seq]
		lines[i] = Line{effect, inWords(effect)}
	}
	return lines, err
}
