package projection_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// TestOrderDoesNotMatterToNeo4j is TestOrderDoesNotMatter on a real server,
// with a few fixed histories.
func TestOrderDoesNotMatterToNeo4j(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	at := servers.Neo4j(t)
	store, err := neo4j.Open(t.Context(), neo4j.Options{URL: at.URL, User: at.User, Password: at.Password, Database: at.Database})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	entities := 0
	history := rapid.Custom(func(rt *rapid.T) string {
		b, fresh := benchOn(t, newIsolated(t, store, "a")), benchOn(t, newIsolated(t, store, "b"))
		d := anyHistory(rt, b, fresh, 15)
		entities += b.everything().Stats.Entities
		return d
	})
	for seed := range 8 {
		if d := history.Example(seed); d != "" {
			t.Errorf("history %d differs from a fresh library (-fresh +this):\n%s", seed, d)
		}
	}
	if entities < 20 {
		t.Errorf("got %d entities left in all: the test proves little", entities)
	}
}

// TestABatchTakesFewRoundTrips counts what a projector asks of a Neo4j for a few
// documents beside others.
func TestABatchTakesFewRoundTrips(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	at := servers.Neo4j(t)
	address, tap := servers.TapNeo4j(t, at.URL)
	store, err := neo4j.Open(t.Context(), neo4j.Options{URL: address, User: at.User, Password: at.Password, Database: at.Database})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	b := benchOn(t, newIsolated(t, store, "few"))
	put := func(from, n int) {
		for i := from; i < from+n; i++ {
			d, v := text(domain.DocumentID(fmt.Sprint("d", i)), fmt.Sprint("notes ", i), "[Person:Ann] -KNOWS- [Person:Bo]", fmt.Sprintf("[Person:Ann] -SAW- [Person:C%d]", i))
			v.graphs[1].Names = append(v.graphs[1].Names, domain.GraphNode{Name: fmt.Sprint("Oslo ", i), Label: "Place", Spans: []domain.Span{{Start: 0, End: 2}}})
			b.ledger.put(d, v)
		}
		b.apply()
	}
	put(0, 8)
	for _, c := range []struct {
		what              string
		from, n           int
		trips, statements int
	}{
		{"eight more", 8, 8, 18, 16},
		{"eight read again", 4, 8, 19, 17},
	} {
		tap.Take()
		put(c.from, c.n)
		trips, runs := tap.Take()
		statements := 0
		for s, n := range runs {
			t.Logf("%s: %d %.150s", c.what, n, s)
			if s != "BEGIN" && s != "COMMIT" {
				statements += n
			}
		}
		t.Logf("%s: %d round trips, %d statements", c.what, trips, statements)
		if runs["BEGIN"] != 1 || runs["COMMIT"] != 1 {
			t.Errorf("%s: %d transactions begun and %d committed, want one", c.what, runs["BEGIN"], runs["COMMIT"])
		}
		if trips > c.trips || statements > c.statements {
			t.Errorf("%s: %d round trips and %d statements, want at most %d and %d", c.what, trips, statements, c.trips, c.statements)
		}
	}
}

// isolated maps a test's workspace to a separate one on a shared server.
type isolated struct {
	graphstore.Store
	room domain.WorkspaceID
}

// newIsolated returns an empty workspace for a test.
func newIsolated(t *testing.T, s graphstore.Store, name string) isolated {
	a := isolated{s, domain.WorkspaceID(fmt.Sprint(t.Name(), " ", name))}
	if err := a.Reset(t.Context(), ws, 0); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a isolated) Apply(ctx context.Context, _ domain.WorkspaceID, b graphstore.Batch) error {
	return a.Store.Apply(ctx, a.room, b)
}

func (a isolated) Reset(ctx context.Context, _ domain.WorkspaceID, token int64) error {
	return a.Store.Reset(ctx, a.room, token)
}

func (a isolated) Cursor(ctx context.Context, _ domain.WorkspaceID) (int64, error) {
	return a.Store.Cursor(ctx, a.room)
}

func (a isolated) Stats(ctx context.Context, _ domain.WorkspaceID) (graphstore.Stats, error) {
	return a.Store.Stats(ctx, a.room)
}

func (a isolated) Entity(ctx context.Context, _ domain.WorkspaceID, id domain.EntityID) (domain.Entity, error) {
	return a.Store.Entity(ctx, a.room, id)
}

func (a isolated) Entities(ctx context.Context, _ domain.WorkspaceID, q graphstore.EntityQuery) ([]domain.Entity, int, error) {
	return a.Store.Entities(ctx, a.room, q)
}

func (a isolated) Labels(ctx context.Context, _ domain.WorkspaceID) ([]graphstore.LabelCount, error) {
	return a.Store.Labels(ctx, a.room)
}

func (a isolated) ByKey(ctx context.Context, _ domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	return a.Store.ByKey(ctx, a.room, keys)
}

func (a isolated) Relations(ctx context.Context, _ domain.WorkspaceID, id domain.EntityID, limit int) ([]graphstore.Edge, error) {
	return a.Store.Relations(ctx, a.room, id, limit)
}

func (a isolated) Links(ctx context.Context, _ domain.WorkspaceID, id domain.EntityID, limit int) ([]graphstore.Link, error) {
	return a.Store.Links(ctx, a.room, id, limit)
}

func (a isolated) InDocument(ctx context.Context, _ domain.WorkspaceID, id domain.DocumentID) ([]graphstore.Entity, error) {
	return a.Store.InDocument(ctx, a.room, id)
}

func (a isolated) CountIn(ctx context.Context, _ domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID]int, error) {
	return a.Store.CountIn(ctx, a.room, documents)
}

func (a isolated) Chunks(ctx context.Context, _ domain.WorkspaceID, q graphstore.ChunkQuery) ([]graphstore.AdjacentChunk, error) {
	return a.Store.Chunks(ctx, a.room, q)
}

func (a isolated) Near(ctx context.Context, _ domain.WorkspaceID, q graphstore.NearQuery) (graphstore.Near, error) {
	return a.Store.Near(ctx, a.room, q)
}

func (a isolated) Spelt(ctx context.Context, _ domain.WorkspaceID, words []string) ([]string, error) {
	return a.Store.Spelt(ctx, a.room, words)
}

func (a isolated) Keyed(ctx context.Context, _ domain.WorkspaceID, keys []string) ([]graphstore.Entity, error) {
	return a.Store.Keyed(ctx, a.room, keys)
}

func (a isolated) Notes(ctx context.Context, _ domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]byte, error) {
	return a.Store.Notes(ctx, a.room, documents)
}

func (a isolated) Adjacency(ctx context.Context, _ domain.WorkspaceID) (*graphstore.Adjacency, error) {
	return a.Store.Adjacency(ctx, a.room)
}

func (a isolated) Linked(ctx context.Context, _ domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]graphstore.Entity, error) {
	return a.Store.Linked(ctx, a.room, documents)
}

func (a isolated) Named(ctx context.Context, _ domain.WorkspaceID, ids []domain.EntityID) ([]domain.Entity, error) {
	return a.Store.Named(ctx, a.room, ids)
}

func (a isolated) Around(ctx context.Context, _ domain.WorkspaceID, ids []domain.EntityID, limit int) ([]graphstore.Edge, error) {
	return a.Store.Around(ctx, a.room, ids, limit)
}

func (a isolated) Stated(ctx context.Context, _ domain.WorkspaceID, relations []graphstore.RelationRef) ([]graphstore.Edge, error) {
	return a.Store.Stated(ctx, a.room, relations)
}
