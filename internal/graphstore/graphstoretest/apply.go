package graphstoretest

import (
	"context"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

func testCursor(t *testing.T, s *bench) {
	ctx := t.Context()
	same(s, "cursor of a workspace never written", must(s.Cursor(ctx, s.ws))(s), int64(0))
	b := graphstore.Batch{Cursor: 7, Documents: []graphstore.Document{document("d1", "c1")}, Entities: []graphstore.Entity{entity("ann")}}
	for range 2 { // its acknowledgement may have been lost
		if err := s.Apply(ctx, s.ws, b); err != nil {
			t.Fatal(err)
		}
		same(s, "cursor", must(s.Cursor(ctx, s.ws))(s), int64(7))
		same(s, "stats", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{Documents: 1, Chunks: 1, Entities: 1})
	}
	for _, late := range []graphstore.Batch{{Cursor: 6}, {After: 5, Cursor: 6}, {After: 5, Cursor: 7}} {
		late.DeleteDocuments = []domain.DocumentID{"d1"}
		err := s.Apply(ctx, s.ws, late)
		same(s, "kind of error of a batch that was overtaken", domain.KindOf(err), domain.Conflict)
	}
	same(s, "documents after late batches", must(s.Stats(ctx, s.ws))(s).Documents, 1)
}

func testConflict(t *testing.T, s *bench) {
	ctx := t.Context()
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{entity("ann")}})
	err := s.Apply(ctx, s.ws, graphstore.Batch{After: 0, Cursor: 5, DeleteEntities: []domain.EntityID{"ann"}})
	same(s, "kind of error", domain.KindOf(err), domain.Conflict)
	same(s, "cursor", must(s.Cursor(ctx, s.ws))(s), int64(1))
	same(s, "entities", must(s.Stats(ctx, s.ws))(s).Entities, 1)
}

func testReset(t *testing.T, s *bench) {
	ctx := t.Context()
	fill := graphstore.Batch{
		Documents: []graphstore.Document{document("d1", "c1")},
		Entities:  []graphstore.Entity{entity("ann", mention("d1", "c1", 0)), entity("bob")},
		Relations: []domain.Relation{relation("ann", "KNOWS", "bob", "c1")},
	}
	s.apply(fill)
	s.other().apply(fill)
	if err := s.Reset(ctx, s.ws, 0); err != nil {
		t.Fatal(err)
	}
	same(s, "cursor", must(s.Cursor(ctx, s.ws))(s), int64(0))
	same(s, "stats", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{})
	same(s, "search", s.names(ctx, graphstore.EntityQuery{Text: "ann"}), nil)
	full := graphstore.Stats{Documents: 1, Chunks: 1, Entities: 2, Relations: 1}
	same(s, "stats of the other workspace", must(s.Stats(ctx, s.other().ws))(s), full)
	s.apply(fill)
	same(s, "stats when filled again", must(s.Stats(ctx, s.ws))(s), full)
	same(s, "links when filled again", len(must(s.Links(ctx, s.ws, "ann", 0))(s)), 1)
}

// testWorkspaces writes the same ids into two workspaces.
func testWorkspaces(t *testing.T, s *bench) {
	ctx, other := t.Context(), s.other()
	s.apply(graphstore.Batch{
		Documents: []graphstore.Document{document("d1", "c1")},
		Entities:  []graphstore.Entity{entity("ann", mention("d1", "c1", 0)), entity("bob")},
		Relations: []domain.Relation{relation("ann", "KNOWS", "bob", "c1")},
	})
	same(s, "other's cursor", must(s.Cursor(ctx, other.ws))(s), int64(0))
	_, err := s.Entity(ctx, other.ws, "ann")
	same(s, "kind of error", domain.KindOf(err), domain.NotFound)
	same(s, "other's list", other.names(ctx, graphstore.EntityQuery{}), nil)
	same(s, "other's search", other.names(ctx, graphstore.EntityQuery{Text: "ann"}), nil)
	same(s, "other's keys", must(s.ByKey(ctx, other.ws, []string{"key ann"}))(s), []domain.Entity(nil))
	same(s, "other's links", must(s.Links(ctx, other.ws, "ann", 0))(s), []graphstore.Link(nil))
	same(s, "other's relations", must(s.Relations(ctx, other.ws, "ann", 0))(s), []graphstore.Edge(nil))
	same(s, "other's document", must(s.InDocument(ctx, other.ws, "d1"))(s), []graphstore.Entity(nil))
	same(s, "other's chunks", must(s.Chunks(ctx, other.ws, graphstore.ChunkQuery{IDs: []domain.ChunkID{"c1"}}))(s), []graphstore.AdjacentChunk(nil))
	same(s, "near in the other", must(s.Near(ctx, other.ws, graphstore.NearQuery{Keys: []string{"key ann"}, Chunks: []domain.ChunkID{"c1"}, Most: 9}))(s), graphstore.Near{})
	same(s, "words of the other", must(s.Spelt(ctx, other.ws, []string{"ann"}))(s), []string(nil))
	same(s, "other's adjacency", must(s.Adjacency(ctx, other.ws))(s), &graphstore.Adjacency{})

	other.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c1")}, Entities: []graphstore.Entity{entity("ann", mention("d1", "c1", 5))}})
	other.apply(graphstore.Batch{DeleteDocuments: []domain.DocumentID{"d1"}, DeleteEntities: []domain.EntityID{"ann"}})
	same(s, "stats", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{Documents: 1, Chunks: 1, Entities: 2, Relations: 1})
	same(s, "links", must(s.Links(ctx, s.ws, "ann", 0))(s), []graphstore.Link{mention("d1", "c1", 0)})
}

func testCancel(t *testing.T, s *bench) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Apply(ctx, s.ws, graphstore.Batch{Cursor: 1, Entities: []graphstore.Entity{entity("ann")}}); err == nil {
		t.Error("a cancelled Apply succeeded")
	}
	same(s, "stats", must(s.Stats(t.Context(), s.ws))(s), graphstore.Stats{})
	if _, err := s.Adjacency(ctx, s.ws); err == nil {
		t.Error("a cancelled read succeeded")
	}
}
