package qdrant

import (
	"context"
	"fmt"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// batch is a batch being written to an edition.
type batch struct {
	*server
	vectorstore.Batch
	edition   *edition
	workspace domain.WorkspaceID
	mark      string // distinguishes it from all others
	began     position
	number    int64 // stored with its points; higher than the number of every batch that began earlier
	terms     map[vectorstore.Ref]terms
	lengths   map[vectorstore.Collection]lengths // including its points
}

// Apply implements vectorstore.Writer. A batch is entered into the cursors'
// point before its first write, which gives it a number. Points carry the number
// of the batch that wrote them, and no request changes points of a later batch.
// The cursor moves last; an interrupted batch is applied again as a whole. See
// ADR 0006.
func (x *index) Apply(ctx context.Context, w domain.WorkspaceID, in vectorstore.Batch) error {
	if err := x.apply(ctx, w, in); err != nil {
		return fmt.Errorf("apply to the search index: %w", err)
	}
	return nil
}

func (x *index) apply(ctx context.Context, w domain.WorkspaceID, in vectorstore.Batch) error {
	embedding, err := x.check(in)
	if err != nil {
		return err
	}
	g, err := x.look(ctx)
	if err != nil {
		return err
	}
	at, done, err := x.admit(ctx, g, w, in)
	if err != nil || done {
		return err
	}
	fits, err := x.fit(ctx, g, embedding)
	if err != nil {
		return err
	}
	if fits != g { // its cursor has another
		if at, done, err = x.admit(ctx, fits, w, in); err != nil || done {
			return err
		}
	}
	b := x.batch(fits, w, in)
	if err := b.begin(ctx, at, in.After, ""); err != nil {
		return err
	}
	return b.carryOut(ctx)
}

func (s *server) batch(g *edition, w domain.WorkspaceID, in vectorstore.Batch) *batch {
	return &batch{server: s, Batch: in, edition: g, workspace: w, mark: fmt.Sprintf("%s%016x", identity(in), s.Random())}
}

// identity begins the mark of a batch. A batch that is applied again has the
// same.
func identity(b vectorstore.Batch) string {
	return fmt.Sprintf("%d:%d-%d:", b.Token, b.After, b.Cursor)
}

// check validates a batch and returns the embedding of its vectors.
func (x *index) check(in vectorstore.Batch) (vectorstore.Embedding, error) {
	e := vectorstore.Embedding{Model: x.model}
	for _, p := range in.Upsert {
		if err := p.Collection.Check(); err != nil {
			return e, err
		}
		switch n := len(p.Vector); {
		case n == 0:
		case e.Dimension == 0:
			e.Dimension = n
		case n != e.Dimension:
			return e, dimensionError(n, e.Dimension)
		}
	}
	return e, nil
}

// admit returns the position of an edition from which a batch can begin, or
// done if the batch is applied already. It returns a conflict if the batch was
// overtaken.
func (x *index) admit(ctx context.Context, g *edition, w domain.WorkspaceID, in vectorstore.Batch) (at position, done bool, err error) {
	if g != nil {
		if at, err = x.position(ctx, g, w); err != nil {
			return at, false, err
		}
	}
	if err := x.own(w, at); err != nil {
		return at, false, err
	}
	switch {
	case at.token > in.Token:
		return at, false, late()
	case at.cursor == in.Cursor && at.endedAs(in):
		return at, true, nil
	case at.cursor != in.After:
		return at, false, conflict(at.cursor, in.After)
	}
	return at, false, nil
}

func late() error {
	return domain.Errorf(domain.Conflict, "The search index was changed under a later lease: another process is bringing it up to date.")
}

func conflict(at, after int64) error {
	return domain.Errorf(domain.Conflict, "The search index is at change %d, not at %d: another process is bringing it up to date.", at, after)
}

// carryOut writes the batch and moves the cursor.
func (b *batch) carryOut(ctx context.Context) error {
	if err := b.deleteDocuments(ctx); err != nil {
		return err
	}
	b.count()
	if err := b.upsert(ctx); err != nil {
		return err
	}
	if err := b.sweep(ctx, b.began.open); err != nil {
		return err
	}
	at, err := b.move(ctx)
	if err != nil {
		return err
	}
	if at.ended == b.mark {
		return nil
	}
	if slices.Contains(at.open, b.number) {
		if err := b.sweep(ctx, []int64{b.number}); err != nil {
			return err
		}
	}
	return conflict(at.cursor, b.After)
}

// sweep deletes the points of batches that began and never moved the cursor:
// some may belong to documents deleted since.
func (b *batch) sweep(ctx context.Context, numbers []int64) error {
	if len(numbers) == 0 {
		return nil
	}
	for _, c := range vectorstore.Collections() {
		if err := b.deleteWhere(ctx, b.edition.collection(c), of(b.workspace, qdrant.NewMatchInts(fieldNumber, numbers...))); err != nil {
			return err
		}
	}
	return nil
}

// Reset implements vectorstore.Writer. The cursor goes first: an interrupted
// reset must not leave a cursor that claims the points are complete. The next
// batch then removes what is left.
func (x *index) Reset(ctx context.Context, w domain.WorkspaceID, token int64) error {
	if err := x.reset(ctx, w, token); err != nil {
		return fmt.Errorf("reset the search index: %w", err)
	}
	return nil
}

func (x *index) reset(ctx context.Context, w domain.WorkspaceID, token int64) error {
	g, err := x.look(ctx)
	if err != nil || g == nil {
		return err
	}
	at, err := x.position(ctx, g, w)
	if err == nil {
		err = x.own(w, at)
	}
	if err != nil {
		return err
	}
	if at.token > token {
		return late()
	}
	return x.clear(ctx, g, w, at, token)
}

// clear deletes a workspace's points under a token.
func (x *index) clear(ctx context.Context, g *edition, w domain.WorkspaceID, at position, token int64) error {
	b := x.batch(g, w, vectorstore.Batch{Token: token})
	if err := b.begin(ctx, at, 0, b.mark); err != nil {
		return err
	}
	return b.deleteAll(ctx)
}
