package projection

import (
	"context"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// A Part is a part of the graph: all entities of some keys with their links, and
// all relations with one of them at an end.
type Part struct {
	Keys      []string
	Entities  []graphstore.Entity
	Relations []domain.Relation
}

// Without returns the part of the graph that entries of the curation log are
// about as it would be without them. The graph has to be up to date.
func (p *Projector) Without(ctx context.Context, ws domain.WorkspaceID, entries map[int64]bool) (Part, error) {
	if len(entries) == 0 {
		return Part{}, nil
	}
	ctx = domain.WithReader(ctx, "")
	log, keys, err := p.decisions(ctx, ws)
	if err != nil {
		return Part{}, err
	}
	u := newUpdate(ws, p.Key, p.tallied)
	whole := fold.NewCurationLog(log, keys)
	for seq := range entries {
		u.touched = append(u.touched, whole.Subjects(seq)...)
	}
	slices.Sort(u.touched)
	u.log = fold.NewCurationLog(slices.DeleteFunc(log, func(c ledger.Curation) bool { return entries[c.Seq] }), keys)
	r := &reader{p.Params, u}
	if err := r.readPart(ctx); err != nil {
		return Part{}, err
	}
	s := u.curated()
	s.Apply(u.log)
	shown := s.Entities()
	part := Part{Keys: u.keys, Relations: s.Relations(u.names, shown, u.affects)}
	for _, id := range slices.Sorted(maps.Keys(shown)) {
		if u.affects(s.FactKey(id)) {
			part.Entities = append(part.Entities, shown[id])
		}
	}
	return part, nil
}

// readPart reads the sources of the touched entities' families, and the
// statements about them.
func (r *reader) readPart(ctx context.Context) error {
	if err := r.widen(ctx, map[string]bool{}); err != nil {
		return err
	}
	if err := r.readKeys(ctx, r.u.keys); err != nil {
		return err
	}
	return r.readAbout(ctx)
}
