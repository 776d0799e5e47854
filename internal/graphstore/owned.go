package graphstore

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Owned is a store that is read only while it belongs to the ledger that claimed it.
// Each read looks at the owner once it has ended: another library may take the store
// over at any time, and a list of its entities looks like one of ours. The error then
// wraps domain.ErrForeign. Writers refuse by themselves, see Writer.
//
// At, unless nil, says which workspace of the store is read in place of another one: that of the documents which the viewer of ctx
// can read.
//
// Watch, unless nil, is told of each read.
type Owned struct {
	Store
	At    func(ctx context.Context, w domain.WorkspaceID) (domain.WorkspaceID, error)
	Watch Watch
}

// A Watch observes reads of a store: it is called when a read begins, and the function that it returns when the read
// has ended.
type Watch interface {
	Read(ctx context.Context, store, read string) (over func(error))
}

var _ Store = Owned{}

// ours reads from the workspace that replaces w, unless the store belongs to another ledger.
func ours[T any](ctx context.Context, o Owned, name string, w domain.WorkspaceID, read func(domain.WorkspaceID) (T, error)) (v T, err error) {
	var none T
	if o.Watch != nil {
		over := o.Watch.Read(ctx, "graph", name)
		defer func() { over(err) }()
	}
	if w, err = o.Place(ctx, w); err != nil {
		return none, err
	}
	v, err = read(w)
	if _, foreign := o.Store.Cursor(ctx, w); foreign != nil {
		return none, foreign
	}
	return v, err
}

// Place returns the workspace of the store that the viewer of ctx reads in place of w.
func (o Owned) Place(ctx context.Context, w domain.WorkspaceID) (domain.WorkspaceID, error) {
	if o.At == nil {
		return w, nil
	}
	return o.At(ctx, w)
}

// Cursor implements Reader.
func (o Owned) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	w, err := o.Place(ctx, w)
	if err != nil {
		return 0, err
	}
	return o.Store.Cursor(ctx, w)
}

// Stats implements Reader.
func (o Owned) Stats(ctx context.Context, w domain.WorkspaceID) (Stats, error) {
	return ours(ctx, o, "Stats", w, func(w domain.WorkspaceID) (Stats, error) { return o.Store.Stats(ctx, w) })
}

// Entity implements Reader.
func (o Owned) Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.Entity, error) {
	return ours(ctx, o, "Entity", w, func(w domain.WorkspaceID) (domain.Entity, error) { return o.Store.Entity(ctx, w, id) })
}

// Entities implements Reader.
func (o Owned) Entities(ctx context.Context, w domain.WorkspaceID, q EntityQuery) ([]domain.Entity, int, error) {
	total := 0
	v, err := ours(ctx, o, "Entities", w, func(w domain.WorkspaceID) (v []domain.Entity, err error) {
		v, total, err = o.Store.Entities(ctx, w, q)
		return v, err
	})
	if err != nil {
		total = 0
	}
	return v, total, err
}

// Labels implements Reader.
func (o Owned) Labels(ctx context.Context, w domain.WorkspaceID) ([]LabelCount, error) {
	return ours(ctx, o, "Labels", w, func(w domain.WorkspaceID) ([]LabelCount, error) { return o.Store.Labels(ctx, w) })
}

// Types implements Reader.
func (o Owned) Types(ctx context.Context, w domain.WorkspaceID) ([]TypeCount, error) {
	return ours(ctx, o, "Types", w, func(w domain.WorkspaceID) ([]TypeCount, error) { return o.Store.Types(ctx, w) })
}

// ByKey implements Reader.
func (o Owned) ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	return ours(ctx, o, "ByKey", w, func(w domain.WorkspaceID) ([]domain.Entity, error) { return o.Store.ByKey(ctx, w, keys) })
}

// Named implements Reader.
func (o Owned) Named(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID) ([]domain.Entity, error) {
	return ours(ctx, o, "Named", w, func(w domain.WorkspaceID) ([]domain.Entity, error) { return o.Store.Named(ctx, w, ids) })
}

// Relations implements Reader.
func (o Owned) Relations(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]Edge, error) {
	return ours(ctx, o, "Relations", w, func(w domain.WorkspaceID) ([]Edge, error) { return o.Store.Relations(ctx, w, id, limit) })
}

// Around implements Reader.
func (o Owned) Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]Edge, error) {
	return ours(ctx, o, "Around", w, func(w domain.WorkspaceID) ([]Edge, error) { return o.Store.Around(ctx, w, ids, limit) })
}

// Stated implements Reader.
func (o Owned) Stated(ctx context.Context, w domain.WorkspaceID, relations []RelationRef) ([]Edge, error) {
	return ours(ctx, o, "Stated", w, func(w domain.WorkspaceID) ([]Edge, error) { return o.Store.Stated(ctx, w, relations) })
}

// Links implements Reader.
func (o Owned) Links(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]Link, error) {
	return ours(ctx, o, "Links", w, func(w domain.WorkspaceID) ([]Link, error) { return o.Store.Links(ctx, w, id, limit) })
}

// InDocument implements Reader.
func (o Owned) InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]Entity, error) {
	return ours(ctx, o, "InDocument", w, func(w domain.WorkspaceID) ([]Entity, error) { return o.Store.InDocument(ctx, w, id) })
}

// CountIn implements Reader.
func (o Owned) CountIn(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID]int, error) {
	return ours(ctx, o, "CountIn", w, func(w domain.WorkspaceID) (map[domain.DocumentID]int, error) {
		return o.Store.CountIn(ctx, w, documents)
	})
}

// Chunks implements Reader.
func (o Owned) Chunks(ctx context.Context, w domain.WorkspaceID, q ChunkQuery) ([]AdjacentChunk, error) {
	return ours(ctx, o, "Chunks", w, func(w domain.WorkspaceID) ([]AdjacentChunk, error) { return o.Store.Chunks(ctx, w, q) })
}

// Near implements Reader.
func (o Owned) Near(ctx context.Context, w domain.WorkspaceID, q NearQuery) (Near, error) {
	return ours(ctx, o, "Near", w, func(w domain.WorkspaceID) (Near, error) { return o.Store.Near(ctx, w, q) })
}

// Spelt implements Reader.
func (o Owned) Spelt(ctx context.Context, w domain.WorkspaceID, words []string) ([]string, error) {
	return ours(ctx, o, "Spelt", w, func(w domain.WorkspaceID) ([]string, error) { return o.Store.Spelt(ctx, w, words) })
}

// Adjacent implements Reader.
func (o Owned) Adjacent(ctx context.Context, w domain.WorkspaceID, q AdjacentQuery) (*Adjacency, error) {
	return ours(ctx, o, "Adjacent", w, func(w domain.WorkspaceID) (*Adjacency, error) { return o.Store.Adjacent(ctx, w, q) })
}

// Adjacency implements Reader.
func (o Owned) Adjacency(ctx context.Context, w domain.WorkspaceID) (*Adjacency, error) {
	return ours(ctx, o, "Adjacency", w, func(w domain.WorkspaceID) (*Adjacency, error) { return o.Store.Adjacency(ctx, w) })
}
