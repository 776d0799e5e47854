package qdrant

import (
	"context"
	"fmt"

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
	mark      string // that its points carry
}

// Apply implements vectorstore.Writer. Points carry the cursor of the batch
// that wrote them, and no write changes points of a later batch. The cursor
// moves last; an interrupted batch is applied again as a whole. See ADR 0006.
func (x *index) Apply(ctx context.Context, w domain.WorkspaceID, in vectorstore.Batch) error {
	embedding, err := x.check(in)
	if err != nil {
		return err
	}
	g, err := x.look(ctx)
	if err != nil {
		return err
	}
	if behind, err := x.behind(ctx, g, w, in); err != nil || !behind {
		return err
	}
	if g, err = x.fit(ctx, g, embedding); err != nil {
		return err
	}
	if behind, err := x.behind(ctx, g, w, in); err != nil || !behind { // fit may have reset the cursor
		return err
	}
	b := &batch{server: x.server, Batch: in, edition: g, workspace: w, mark: fmt.Sprintf("%d-%016x", in.Cursor, x.Random())}
	if err := b.carryOut(ctx); err != nil {
		return fmt.Errorf("apply to the search index: %w", err)
	}
	return nil
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

// behind reports whether a batch is not applied yet. It returns a conflict if the
// batch was computed from another cursor.
func (x *index) behind(ctx context.Context, g *edition, w domain.WorkspaceID, in vectorstore.Batch) (bool, error) {
	var at position
	var err error
	if g != nil {
		if at, err = x.position(ctx, g, w); err != nil {
			return false, err
		}
	}
	if at.cursor >= in.Cursor {
		return false, nil
	}
	if at.cursor != in.After {
		return false, conflict(at.cursor, in.After)
	}
	return true, nil
}

func conflict(at, after int64) error {
	return domain.Errorf(domain.Conflict, "The search index is at change %d, not at %d: another process is bringing it up to date.", at, after)
}

// carryOut writes the batch and moves the cursor.
func (b *batch) carryOut(ctx context.Context) error {
	if err := b.deleteDocuments(ctx); err != nil {
		return err
	}
	if err := b.upsert(ctx); err != nil {
		return err
	}
	at, err := b.move(ctx)
	if err != nil {
		return err
	}
	if at.cursor == b.Cursor { // by this batch, or by another process with the same changes
		return nil
	}
	if err := b.withdraw(ctx); err != nil {
		return err
	}
	return conflict(at.cursor, b.After)
}

// withdraw deletes the points of a batch that another process overtook: some may
// have been deleted from the ledger since.
func (b *batch) withdraw(ctx context.Context) error {
	for _, c := range vectorstore.Collections() {
		if err := b.delete(ctx, c, qdrant.NewMatchKeyword(fieldBatch, b.mark)); err != nil {
			return err
		}
	}
	return nil
}

// Reset implements vectorstore.Writer. The cursor goes first: an interrupted
// reset must not leave a cursor that claims the points are complete.
func (x *index) Reset(ctx context.Context, w domain.WorkspaceID) error {
	g, err := x.look(ctx)
	if err != nil || g == nil {
		return err
	}
	names := []string{g.of(cursors)}
	for _, c := range vectorstore.Collections() {
		names = append(names, g.collection(c))
	}
	for _, name := range names {
		if err := x.deleteWhere(ctx, name, of(w)); err != nil {
			return fmt.Errorf("reset the search index: %w", err)
		}
	}
	return nil
}
