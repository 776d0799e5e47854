package qdrant

import (
	"context"
	"slices"
	"sync"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

const (
	deleteAtOnce = 500     // documents deleted by one request
	upsertAtOnce = 256     // points written by one request
	upsertBytes  = 4 << 20 // its approximate size
	upserts      = 4       // concurrent requests
)

// deleteWhere deletes the points that match a filter. It returns an error for a
// filter without a workspace, which would match points of other workspaces.
//
// Every write is awaited: the server would acknowledge it before it is carried
// out, and the cursor must not overtake it. Writes are ordered by each shard's
// leader, so that no replica sees an upsert before the delete it follows.
func (s *server) deleteWhere(ctx context.Context, collection string, filter *qdrant.Filter) error {
	confined := slices.ContainsFunc(filter.GetMust(), func(c *qdrant.Condition) bool {
		return c.GetField().GetKey() == fieldWorkspace && c.GetField().GetMatch().GetKeyword() != ""
	})
	if !confined {
		return domain.Errorf(domain.Internal, "Points were to be deleted without saying of which workspace.")
	}
	return s.call(ctx, writing, "delete points", func(ctx context.Context) error {
		_, err := s.client.Delete(ctx, &qdrant.DeletePoints{
			CollectionName: collection, Points: qdrant.NewPointsSelectorFilter(filter),
			Wait: new(true), Ordering: ordering(qdrant.WriteOrderingType_Medium),
		})
		return err
	})
}

// deleteDocuments deletes what earlier batches wrote of the documents. A batch
// from the beginning deletes everything, which an interrupted reset may have
// left.
func (b *batch) deleteDocuments(ctx context.Context) error {
	if b.After == 0 {
		return b.deleteAll(ctx)
	}
	ids := slices.DeleteFunc(slices.Clone(b.DeleteDocuments), func(id domain.DocumentID) bool { return id == "" })
	for some := range slices.Chunk(ids, deleteAtOnce) {
		if err := b.deleteAll(ctx, inDocuments(some)...); err != nil {
			return err
		}
	}
	return nil
}

// deleteAll deletes the points of earlier batches that meet conditions. Those of
// this one stay, so that a request that comes twice does no harm.
func (b *batch) deleteAll(ctx context.Context, which ...*qdrant.Condition) error {
	for _, c := range vectorstore.Collections() {
		if err := b.deleteWhere(ctx, b.edition.collection(c), before(b.number, b.workspace, which...)); err != nil {
			return err
		}
	}
	return nil
}

// upsert writes the points by concurrent requests: their order does not matter.
func (b *batch) upsert(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	free := make(chan struct{}, upserts)
	for _, c := range vectorstore.Collections() {
		for some := range b.portions(c) {
			points, err := b.encodeAll(some)
			if err != nil {
				cancel(err)
			}
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				break // running requests are waited for
			}
			wg.Go(func() {
				defer func() { <-free }()
				if err := b.send(ctx, c, points); err != nil {
					cancel(err)
				}
			})
		}
	}
	wg.Wait()
	return context.Cause(ctx)
}

// send writes points and removes vectors that they no longer have: an upsert to
// an optimised segment replaces the payload and the given vectors only.
func (b *batch) send(ctx context.Context, c vectorstore.Collection, points []*qdrant.PointStruct) error {
	if err := b.put(ctx, c, points); err != nil {
		return err
	}
	for _, name := range []string{dense, bm25} {
		if name == dense && b.edition.embedding.Dimension == 0 {
			continue
		}
		var without []*qdrant.PointId
		for _, p := range points {
			if p.GetVectors().GetVectors().GetVectors()[name] == nil {
				without = append(without, p.GetId())
			}
		}
		if err := b.strip(ctx, c, name, without); err != nil {
			return err
		}
	}
	return nil
}

// strip removes a named vector from points.
func (b *batch) strip(ctx context.Context, c vectorstore.Collection, vector string, ids []*qdrant.PointId) error {
	if len(ids) == 0 {
		return nil
	}
	had := before(b.number+1, b.workspace, qdrant.NewHasID(ids...), qdrant.NewHasVector(vector))
	return b.call(ctx, writing, "take vectors off points", func(ctx context.Context) error {
		_, err := b.client.DeleteVectors(ctx, &qdrant.DeletePointVectors{
			CollectionName: b.edition.collection(c), PointsSelector: qdrant.NewPointsSelectorFilter(had),
			Vectors: &qdrant.VectorsSelector{Names: []string{vector}},
			Wait:    new(true), Ordering: ordering(qdrant.WriteOrderingType_Medium),
		})
		return err
	})
}

func (b *batch) put(ctx context.Context, c vectorstore.Collection, points []*qdrant.PointStruct) error {
	return b.call(ctx, writing, "write points", func(ctx context.Context) error {
		_, err := b.client.Upsert(ctx, &qdrant.UpsertPoints{
			CollectionName: b.edition.collection(c), Points: points, UpdateFilter: before(b.number+1, b.workspace),
			Wait: new(true), Ordering: ordering(qdrant.WriteOrderingType_Medium),
		})
		return err
	})
}

// portions yields the points of a collection in portions of one request. Of
// several points with one id only the last is written.
func (b *batch) portions(c vectorstore.Collection) func(yield func([]vectorstore.Point) bool) {
	last := map[string]int{}
	for i, p := range b.Upsert {
		if p.Collection == c {
			last[p.ID] = i
		}
	}
	return func(yield func([]vectorstore.Point) bool) {
		var some []vectorstore.Point
		bytes := 0
		for i, p := range b.Upsert {
			if p.Collection != c || last[p.ID] != i {
				continue
			}
			size := 4*len(p.Vector) + 2*len(p.Text)
			if len(some) == upsertAtOnce || len(some) > 0 && bytes+size > upsertBytes {
				if !yield(some) {
					return
				}
				some, bytes = nil, 0
			}
			some, bytes = append(some, p), bytes+size
		}
		if len(some) > 0 {
			yield(some)
		}
	}
}

func (b *batch) encodeAll(points []vectorstore.Point) ([]*qdrant.PointStruct, error) {
	out := make([]*qdrant.PointStruct, len(points))
	for i, p := range points {
		var err error
		if out[i], err = b.encode(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}
