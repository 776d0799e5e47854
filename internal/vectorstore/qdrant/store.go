package qdrant

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

var _ vectorstore.Store = (*Store)(nil)

// Store is the live edition on a Qdrant server. It is safe for concurrent use,
// and several processes may use the same server.
type Store struct {
	*index
}

// Close ends the connections.
func (s *Store) Close() error {
	err := s.client.Close()
	if s.outage != nil {
		s.outage.End()
	}
	return err
}

// ForModel implements vectorstore.Store.
func (s *Store) ForModel(model string) vectorstore.Store {
	if model == s.model {
		return s
	}
	return &Store{&index{server: s.server, model: model}}
}

// index is the live edition, or that of a build.
type index struct {
	*server
	model string   // of the vectors written to it; "" if unknown
	fixed *edition // of a build; nil for the live one

	mu    sync.Mutex
	known *edition // the live one as of seen
	seen  time.Time
}

// cacheFor is how long the live edition is cached. After a switch the previous
// one is deleted, so that using it is an error rather than a wrong answer.
const cacheFor = 5 * time.Second

// current returns the edition to read from, or nil without one.
func (x *index) current(ctx context.Context) (*edition, error) {
	if x.fixed != nil {
		return x.fixed, nil
	}
	x.mu.Lock()
	known, seen := x.known, x.seen
	x.mu.Unlock()
	if known != nil && x.Now().Sub(seen) < cacheFor {
		return known, nil
	}
	return x.look(ctx)
}

// look returns the live edition according to the server.
func (x *index) look(ctx context.Context) (*edition, error) {
	if x.fixed != nil {
		return x.fixed, nil
	}
	x.mu.Lock()
	known := x.known
	x.mu.Unlock()
	g, err := x.live(ctx, known)
	if err != nil {
		return nil, fmt.Errorf("look for the live index: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.known, x.seen = g, x.Now()
	return g, nil
}

// read runs f on the current edition, if there is one. If that was deleted by a
// switch to a build, it runs f on the new one.
func (x *index) read(ctx context.Context, f func(*edition) error) error {
	g, err := x.current(ctx)
	if err != nil || g == nil {
		return err
	}
	err = f(g)
	if !isGone(err) || x.fixed != nil {
		return err
	}
	if g, err = x.look(ctx); err != nil || g == nil {
		return err
	}
	return f(g)
}

// Exact implements vectorstore.Reader: the server approximates.
func (x *index) Exact() bool { return false }

// Embedding implements vectorstore.Reader.
func (x *index) Embedding(ctx context.Context) (vectorstore.Embedding, error) {
	if _, err := x.look(ctx); err != nil {
		return vectorstore.Embedding{}, err
	}
	var e vectorstore.Embedding
	err := x.read(ctx, func(g *edition) error {
		held, err := x.holdsVectors(ctx, g)
		if held {
			e = g.embedding
		}
		return err
	})
	return e, err
}

// Embedded implements vectorstore.Reader.
func (x *index) Embedded(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) (embedded, points int, err error) {
	if err := c.Check(); err != nil {
		return 0, 0, err
	}
	err = x.read(ctx, func(g *edition) error {
		if points, err = x.count(ctx, g.collection(c), of(w)); err != nil || g.embedding.Dimension == 0 {
			return err
		}
		embedded, err = x.count(ctx, g.collection(c), of(w, qdrant.NewHasVector(dense)))
		return err
	})
	return embedded, points, err
}

// count counts the points of a collection that pass a filter.
func (s *server) count(ctx context.Context, collection string, filter *qdrant.Filter) (n int, err error) {
	err = s.call(ctx, reading, "count points", func(ctx context.Context) error {
		counted, err := s.client.Count(ctx, &qdrant.CountPoints{CollectionName: collection, Filter: filter, Exact: new(true)})
		n = int(counted)
		return err
	})
	return n, err
}

// holdsVectors reports whether a point of any workspace has a vector.
func (s *server) holdsVectors(ctx context.Context, g *edition) (bool, error) {
	if g.embedding.Dimension == 0 {
		return false, nil
	}
	for _, c := range vectorstore.Collections() {
		var points []*qdrant.RetrievedPoint
		err := s.call(ctx, reading, "look for vectors", func(ctx context.Context) (err error) {
			points, err = s.client.Scroll(ctx, &qdrant.ScrollPoints{
				CollectionName: g.collection(c), Filter: &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewHasVector(dense)}}, Limit: new(uint32(1)),
				WithPayload: qdrant.NewWithPayload(false), WithVectors: qdrant.NewWithVectors(false),
			})
			return err
		})
		if err != nil || len(points) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// idsPage is the number of ids in one response.
const idsPage = 5_000

// IDs implements vectorstore.Reader.
func (x *index) IDs(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) ([]string, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	var ids []string
	err := x.read(ctx, func(g *edition) error {
		ids = nil
		request := &qdrant.ScrollPoints{
			CollectionName: g.collection(c), Filter: of(w), Limit: new(uint32(idsPage)),
			WithPayload: qdrant.NewWithPayloadInclude(fieldID), WithVectors: qdrant.NewWithVectors(false),
		}
		for {
			var points []*qdrant.RetrievedPoint
			var next *qdrant.PointId
			err := x.call(ctx, reading, "list points", func(ctx context.Context) (err error) {
				points, next, err = x.client.ScrollAndOffset(ctx, request)
				return err
			})
			if err != nil {
				return err
			}
			for _, p := range points {
				ids = append(ids, p.GetPayload()[fieldID].GetStringValue())
			}
			if next == nil {
				return nil
			}
			request.Offset = next
		}
	})
	slices.Sort(ids)
	return ids, err
}
