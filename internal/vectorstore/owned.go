package vectorstore

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Owned is a store that is searched only while it belongs to the ledger that claimed
// it. Each search looks at the owner once it has ended: another library may take the
// store over at any time. The error then wraps domain.ErrForeign. Writers refuse by
// themselves, see Store.Claim.
//
// At, unless nil, says which workspace of the store is searched in place of another one: that of the documents which the viewer of
// ctx can read.
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
		over := o.Watch.Read(ctx, "index", name)
		defer func() { over(err) }()
	}
	if w, err = o.place(ctx, w); err != nil {
		return none, err
	}
	v, err = read(w)
	if _, foreign := o.Store.Cursor(ctx, w); foreign != nil {
		return none, foreign
	}
	return v, err
}

func (o Owned) place(ctx context.Context, w domain.WorkspaceID) (domain.WorkspaceID, error) {
	if o.At == nil {
		return w, nil
	}
	return o.At(ctx, w)
}

// Cursor implements Reader.
func (o Owned) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	w, err := o.place(ctx, w)
	if err != nil {
		return 0, err
	}
	return o.Store.Cursor(ctx, w)
}

// ForModel implements Store.
func (o Owned) ForModel(model string) Store { return Owned{o.Store.ForModel(model), o.At, o.Watch} }

// IDs implements Reader.
func (o Owned) IDs(ctx context.Context, w domain.WorkspaceID, c Collection) ([]string, error) {
	return ours(ctx, o, "IDs", w, func(w domain.WorkspaceID) ([]string, error) { return o.Store.IDs(ctx, w, c) })
}

// Lexical implements Reader.
func (o Owned) Lexical(ctx context.Context, w domain.WorkspaceID, q LexicalQuery) ([]Hit, error) {
	return ours(ctx, o, "Lexical", w, func(w domain.WorkspaceID) ([]Hit, error) { return o.Store.Lexical(ctx, w, q) })
}

// Dense implements Reader.
func (o Owned) Dense(ctx context.Context, w domain.WorkspaceID, q DenseQuery) ([]Hit, error) {
	return ours(ctx, o, "Dense", w, func(w domain.WorkspaceID) ([]Hit, error) { return o.Store.Dense(ctx, w, q) })
}

// Embedded implements Reader.
func (o Owned) Embedded(ctx context.Context, w domain.WorkspaceID, c Collection) (embedded, points int, err error) {
	embedded, err = ours(ctx, o, "Embedded", w, func(w domain.WorkspaceID) (n int, err error) {
		n, points, err = o.Store.Embedded(ctx, w, c)
		return n, err
	})
	if err != nil {
		points = 0
	}
	return embedded, points, err
}
