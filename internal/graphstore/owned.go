package graphstore

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Owned is a store that is read only while it belongs to the ledger that claimed it.
// Each read looks at the owner once it has ended: another library may take the store
// over at any time, and a list of its entities looks like one of ours. The error then
// wraps domain.ErrForeign. Writers refuse by themselves, see Writer.
type Owned struct{ Store }

var _ Store = Owned{}

// ours returns what was read, unless the store belongs to another ledger.
func ours[T any](ctx context.Context, s Store, w domain.WorkspaceID, v T, err error) (T, error) {
	if _, foreign := s.Cursor(ctx, w); foreign != nil {
		var none T
		return none, foreign
	}
	return v, err
}

// Stats implements Reader.
func (o Owned) Stats(ctx context.Context, w domain.WorkspaceID) (Stats, error) {
	v, err := o.Store.Stats(ctx, w)
	return ours(ctx, o.Store, w, v, err)
}

// Entity implements Reader.
func (o Owned) Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.Entity, error) {
	v, err := o.Store.Entity(ctx, w, id)
	return ours(ctx, o.Store, w, v, err)
}

// Entities implements Reader.
func (o Owned) Entities(ctx context.Context, w domain.WorkspaceID, q EntityQuery) ([]domain.Entity, int, error) {
	v, total, err := o.Store.Entities(ctx, w, q)
	if v, err = ours(ctx, o.Store, w, v, err); err != nil {
		total = 0
	}
	return v, total, err
}

// Labels implements Reader.
func (o Owned) Labels(ctx context.Context, w domain.WorkspaceID) ([]LabelCount, error) {
	v, err := o.Store.Labels(ctx, w)
	return ours(ctx, o.Store, w, v, err)
}

// ByKey implements Reader.
func (o Owned) ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	v, err := o.Store.ByKey(ctx, w, keys)
	return ours(ctx, o.Store, w, v, err)
}

// Named implements Reader.
func (o Owned) Named(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID) ([]domain.Entity, error) {
	v, err := o.Store.Named(ctx, w, ids)
	return ours(ctx, o.Store, w, v, err)
}

// Relations implements Reader.
func (o Owned) Relations(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]Edge, error) {
	v, err := o.Store.Relations(ctx, w, id, limit)
	return ours(ctx, o.Store, w, v, err)
}

// Around implements Reader.
func (o Owned) Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]Edge, error) {
	v, err := o.Store.Around(ctx, w, ids, limit)
	return ours(ctx, o.Store, w, v, err)
}

// Stated implements Reader.
func (o Owned) Stated(ctx context.Context, w domain.WorkspaceID, relations []RelationRef) ([]Edge, error) {
	v, err := o.Store.Stated(ctx, w, relations)
	return ours(ctx, o.Store, w, v, err)
}

// Links implements Reader.
func (o Owned) Links(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]Link, error) {
	v, err := o.Store.Links(ctx, w, id, limit)
	return ours(ctx, o.Store, w, v, err)
}

// InDocument implements Reader.
func (o Owned) InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]Entity, error) {
	v, err := o.Store.InDocument(ctx, w, id)
	return ours(ctx, o.Store, w, v, err)
}

// CountIn implements Reader.
func (o Owned) CountIn(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID]int, error) {
	v, err := o.Store.CountIn(ctx, w, documents)
	return ours(ctx, o.Store, w, v, err)
}

// Held implements Reader.
func (o Owned) Held(ctx context.Context, w domain.WorkspaceID, chunks []domain.ChunkID) ([]domain.ChunkID, error) {
	v, err := o.Store.Held(ctx, w, chunks)
	return ours(ctx, o.Store, w, v, err)
}

// Adjacency implements Reader.
func (o Owned) Adjacency(ctx context.Context, w domain.WorkspaceID) (*Adjacency, error) {
	v, err := o.Store.Adjacency(ctx, w)
	return ours(ctx, o.Store, w, v, err)
}
