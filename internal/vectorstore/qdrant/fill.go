package qdrant

import (
	"context"
	"fmt"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// filling is a Fill on its way.
type filling struct {
	*index
	workspace     domain.WorkspaceID
	after, cursor int64
	name          string // what its points are marked with

	edition *edition
	begun   position // where the workspace stood; who empties or moves it changes that
	wrote   bool
}

// Fill implements vectorstore.Writer. A part is written like a batch that never
// gets to move the cursor. Before and after each one the cursor is looked at:
// when somebody else moved it, what this one wrote may stand beside what they
// deleted, and the cursor goes back to where all of it will be compared again.
func (x *index) Fill(ctx context.Context, w domain.WorkspaceID, after, cursor int64, pieces func(write func(vectorstore.Batch) error) error) error {
	at, err := x.Cursor(ctx, w)
	if err != nil || at >= cursor {
		return err
	}
	f := &filling{index: x, workspace: w, after: after, cursor: cursor, name: fmt.Sprintf("%d-%016x", cursor, x.Random())}
	err = pieces(func(b vectorstore.Batch) error { return f.write(ctx, b) })
	if err == nil && !f.wrote {
		err = f.write(ctx, vectorstore.Batch{})
	}
	if err != nil {
		return err
	}
	if err := f.finish(ctx); err != nil {
		return fmt.Errorf("fill the search index: %w", err)
	}
	return nil
}

// write writes one part.
func (f *filling) write(ctx context.Context, in vectorstore.Batch) error {
	in.After, in.Cursor = f.after, f.cursor
	embedding, err := f.check(in)
	if err != nil {
		return err
	}
	if err := f.enter(ctx, embedding); err != nil {
		return err
	}
	b := &batch{server: f.server, Batch: in, edition: f.edition, workspace: f.workspace, name: f.name}
	err = b.write(ctx)
	f.wrote = true
	if err == nil {
		err = f.undisturbed(ctx)
	}
	if err != nil {
		return fmt.Errorf("fill the search index: %w", err)
	}
	return nil
}

// enter finds the edition for vectors of e, and notes where the workspace
// stands in it.
func (f *filling) enter(ctx context.Context, e vectorstore.Embedding) error {
	g, err := f.look(ctx)
	if err != nil {
		return err
	}
	if g, err = f.fit(ctx, g, e); err != nil {
		return err
	}
	switch {
	case f.edition == nil:
		f.edition = g
		if f.after == 0 {
			if err := f.begin(ctx); err != nil {
				return err
			}
		}
		if f.begun, err = f.position(ctx, g, f.workspace); err != nil {
			return err
		}
	case g.name != f.edition.name:
		return domain.Errorf(domain.Conflict, "The search index began anew while it was filled.")
	}
	return f.undisturbed(ctx)
}

// begin gives a workspace that was never written a cursor at 0, so that it can
// be told from the same one emptied and begun again.
func (f *filling) begin(ctx context.Context) error {
	payload, err := qdrant.TryValueMap(map[string]any{fieldWorkspace: string(f.workspace), fieldCursor: 0, fieldBatch: f.name})
	if err != nil {
		return err
	}
	return f.call(ctx, writing, "begin to fill", func(ctx context.Context) error {
		_, err := f.client.Upsert(ctx, &qdrant.UpsertPoints{
			CollectionName: f.edition.of(cursors), Wait: new(true), Ordering: ordering(qdrant.WriteOrderingType_Strong),
			Points:       []*qdrant.PointStruct{{Id: pointID(f.workspace, ""), Payload: payload, Vectors: qdrant.NewVectorsMap(nil)}},
			UpdateFilter: of(f.workspace, qdrant.NewMatchInt(fieldCursor, -1)), // of none that is there
		})
		return err
	})
}

// undisturbed reports, as a conflict, that somebody else moved the cursor.
func (f *filling) undisturbed(ctx context.Context) error {
	at, err := f.position(ctx, f.edition, f.workspace)
	switch {
	case err != nil:
		return err
	case at == f.begun && at.cursor == f.after:
		return nil
	case f.wrote:
		return f.overtaken(ctx, at)
	}
	return conflict(at.cursor, f.after)
}

// overtaken takes the cursor back, unless who moved it wrote the same, or
// emptied the index.
func (f *filling) overtaken(ctx context.Context, at position) error {
	if at.cursor != f.cursor && at.cursor > f.after {
		if err := f.move(ctx, at, f.after); err != nil {
			return err
		}
	}
	return conflict(at.cursor, f.after)
}

// finish moves the cursor.
func (f *filling) finish(ctx context.Context) error {
	if err := f.move(ctx, f.begun, f.cursor); err != nil {
		return err
	}
	at, err := f.position(ctx, f.edition, f.workspace)
	if err != nil || at.cursor == f.cursor { // by this one, or by another process with the same changes
		return err
	}
	return f.overtaken(ctx, at)
}

// move takes the cursor from where somebody left it to somewhere else, unless
// it has been moved since.
func (f *filling) move(ctx context.Context, from position, to int64) error {
	payload, err := qdrant.TryValueMap(map[string]any{fieldCursor: to, fieldBatch: f.name})
	if err != nil {
		return err
	}
	unmoved := of(f.workspace, qdrant.NewHasID(pointID(f.workspace, "")), qdrant.NewMatchInt(fieldCursor, from.cursor), qdrant.NewMatchKeyword(fieldBatch, from.batch))
	return f.call(ctx, writing, "move the cursor", func(ctx context.Context) error {
		_, err := f.client.SetPayload(ctx, &qdrant.SetPayloadPoints{
			CollectionName: f.edition.of(cursors), Wait: new(true), Ordering: ordering(qdrant.WriteOrderingType_Strong), Payload: payload,
			PointsSelector: qdrant.NewPointsSelectorFilter(unmoved),
		})
		return err
	})
}
