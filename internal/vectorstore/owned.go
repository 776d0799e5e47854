package vectorstore

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Owned is a store that is searched only while it belongs to the ledger that claimed
// it. Each search looks at the owner once it has ended: another library may take the
// store over at any time. The error then wraps domain.ErrForeign. Writers refuse by
// themselves, see Store.Claim.
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

// ForModel implements Store.
func (o Owned) ForModel(model string) Store { return Owned{o.Store.ForModel(model)} }

// IDs implements Reader.
func (o Owned) IDs(ctx context.Context, w domain.WorkspaceID, c Collection) ([]string, error) {
	v, err := o.Store.IDs(ctx, w, c)
	return ours(ctx, o.Store, w, v, err)
}

// Lexical implements Reader.
func (o Owned) Lexical(ctx context.Context, w domain.WorkspaceID, q LexicalQuery) ([]Hit, error) {
	v, err := o.Store.Lexical(ctx, w, q)
	return ours(ctx, o.Store, w, v, err)
}

// Dense implements Reader.
func (o Owned) Dense(ctx context.Context, w domain.WorkspaceID, q DenseQuery) ([]Hit, error) {
	v, err := o.Store.Dense(ctx, w, q)
	return ours(ctx, o.Store, w, v, err)
}

// Embedded implements Reader.
func (o Owned) Embedded(ctx context.Context, w domain.WorkspaceID, c Collection) (embedded, points int, err error) {
	embedded, points, err = o.Store.Embedded(ctx, w, c)
	if embedded, err = ours(ctx, o.Store, w, embedded, err); err != nil {
		points = 0
	}
	return embedded, points, err
}
