package qdrant

import (
	"context"
	"fmt"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
)

// Cursor implements vectorstore.Reader.
func (x *index) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	var at position
	err := x.read(ctx, func(g *edition) (err error) {
		at, err = x.position(ctx, g, w)
		return err
	})
	return at.cursor, err
}

// position is the cursor of a workspace, with the mark of the batch that moved it.
type position struct {
	cursor int64
	batch  string
}

func (s *server) position(ctx context.Context, g *edition, w domain.WorkspaceID) (position, error) {
	var points []*qdrant.RetrievedPoint
	err := s.call(ctx, reading, "read the cursor", func(ctx context.Context) (err error) {
		points, err = s.client.Get(ctx, &qdrant.GetPoints{
			CollectionName: g.of(cursors), Ids: []*qdrant.PointId{pointID(w, "")}, WithPayload: qdrant.NewWithPayload(true),
		})
		return err
	})
	if err != nil || len(points) == 0 {
		return position{}, err
	}
	payload := points[0].GetPayload()
	return position{payload[fieldCursor].GetIntegerValue(), payload[fieldBatch].GetStringValue()}, nil
}

// move moves the cursor from b.After to b.Cursor unless another process moved it
// meanwhile, and returns where it is. It is the last write of a batch, awaited
// and in the strongest order: a reader that sees the cursor sees the points.
func (b *batch) move(ctx context.Context) (position, error) {
	payload, err := qdrant.TryValueMap(map[string]any{fieldWorkspace: string(b.workspace), fieldCursor: b.Cursor, fieldBatch: b.mark})
	if err != nil {
		return position{}, err
	}
	id := pointID(b.workspace, "")
	unmoved := qdrant.NewMatchInt(fieldCursor, b.After)
	err = b.call(ctx, writing, "move the cursor", func(ctx context.Context) error {
		if b.After == 0 { // the point may not be there, which the condition lets pass
			_, err := b.client.Upsert(ctx, &qdrant.UpsertPoints{
				CollectionName: b.edition.of(cursors), Wait: new(true), Ordering: ordering(qdrant.WriteOrderingType_Strong),
				Points:       []*qdrant.PointStruct{{Id: id, Payload: payload, Vectors: qdrant.NewVectorsMap(nil)}},
				UpdateFilter: of(b.workspace, unmoved),
			})
			return err
		}
		_, err := b.client.SetPayload(ctx, &qdrant.SetPayloadPoints{
			CollectionName: b.edition.of(cursors), Wait: new(true), Ordering: ordering(qdrant.WriteOrderingType_Strong), Payload: payload,
			PointsSelector: qdrant.NewPointsSelectorFilter(of(b.workspace, qdrant.NewHasID(id), unmoved)),
		})
		return err
	})
	if err != nil {
		return position{}, fmt.Errorf("finish a batch: %w", err)
	}
	return b.position(ctx, b.edition, b.workspace)
}

func ordering(t qdrant.WriteOrderingType) *qdrant.WriteOrdering {
	return &qdrant.WriteOrdering{Type: t}
}
