package projection

import (
	"context"
	"math"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// Effects returns the effects of entries of the curation log, by number. It applies the log to the entities that they
// are about.
func (p *Projector) Effects(ctx context.Context, ws domain.WorkspaceID, entries []ledger.Curation) (map[int64]fold.Effect, error) {
	ctx = domain.WithReader(ctx, "")
	log, keys, err := p.decisions(ctx, ws)
	if err != nil || len(log) == 0 {
		return nil, err
	}
	u := newUpdate(ws, p.Key, p.tallied)
	u.log = fold.NewCurationLog(log, keys)
	for _, c := range entries {
		u.touched = append(u.touched, u.log.Subjects(c.Seq)...)
	}
	if err := (&reader{p.Params, u}).readNamed(ctx); err != nil {
		return nil, err
	}
	return u.curated().Effects(u.log, entries), nil
}

// decisions returns the curation log, and the keys of the entities in it.
func (p *Projector) decisions(ctx context.Context, ws domain.WorkspaceID) ([]ledger.Curation, ledger.CuratedKeys, error) {
	log, err := p.Ledger.Curations(ctx, ws, math.MaxInt64)
	if err != nil || len(log) == 0 {
		return nil, ledger.CuratedKeys{}, err
	}
	keys, err := p.Ledger.CuratedKeys(ctx, ws)
	return log, keys, err
}

// readNamed reads what the touched entities are called and their statements.
// Where titles occur in other texts is left out: it gives no name.
func (r *reader) readNamed(ctx context.Context) error {
	if err := r.widen(ctx, map[string]bool{}); err != nil {
		return err
	}
	if _, err := r.readForms(ctx, r.u.keys); err != nil {
		return err
	}
	if err := r.dropAbsent(ctx, r.u.keys); err != nil {
		return err
	}
	return r.readAbout(ctx)
}

// readAbout reads the statements about the touched entities, and what is at
// their other ends.
func (r *reader) readAbout(ctx context.Context) error {
	rows, err := r.Ledger.Statements(ctx, r.u.Workspace, r.u.keys)
	if err != nil {
		return err
	}
	if r.u.statements, err = r.statementsInGraph(ctx, rows); err != nil {
		return err
	}
	return r.readNeighbours(ctx)
}
