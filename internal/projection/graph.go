package projection

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// updateGraph folds the next changes into the graph, and returns the last of them.
func (p *Projector) updateGraph(ctx context.Context, ws domain.WorkspaceID, at Progress, token int64) (int64, error) {
	changes, err := p.Ledger.Changes(ctx, ws, at.Graph, p.Graph.MaxChanges())
	if err != nil {
		return 0, err
	}
	if len(changes) == 0 {
		return 0, missingChanges(at.Head, at.Graph)
	}
	b, err := p.foldChanges(ctx, ws, at.Graph, changes)
	if err != nil {
		return 0, err
	}
	b.Token = token
	return b.Cursor, p.Graph.Apply(ctx, ws, b)
}

// foldChanges works out what changes, or the first of them, do to a graph that is at
// the change after.
//
// What has to be read next depends on what was read before, so reading and pure
// planning take turns: a reader's methods read, an update's methods decide what
// is affected and compute the result.
func (p *Projector) foldChanges(ctx context.Context, ws domain.WorkspaceID, after int64, changes []ledger.Change) (graphstore.Batch, error) {
	u := newUpdate(ws, p.Key, p.tallied)
	u.after, u.empty, u.most = after, after == 0, p.chunks
	r := &reader{p.Params, u}
	for _, round := range []func(context.Context) error{
		func(ctx context.Context) error { return r.readChanges(ctx, changes) },
		r.readNames,     // the names that the documents touched earlier, and touch now
		r.readAdditions, // for names that documents only add to
		r.readSources,   // everything said about the other names
		func(context.Context) error { return u.foldNames() },
		r.readStatements, // with ends, names or evidence that may differ
		r.readNeighbours, // the other ends of these relations
	} {
		if err := round(ctx); err != nil {
			return graphstore.Batch{}, err
		}
	}
	return u.batch(), nil
}
