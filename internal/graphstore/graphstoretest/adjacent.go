package graphstoretest

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// testAdjacent reads parts of a graph in which ann knows bob and cid, who are related to dan.
func testAdjacent(t *testing.T, s *bench) {
	ann, bob := entity("ann", mention("d1", "c1", 0), mention("d2", "c3", 0)), entity("bob", mention("d1", "c1", 7), mention("d1", "c2", 7))
	eve := entity("eve", mention("d1", "c2", 0))
	eve.Unlisted = true
	ann.Documents, bob.Documents = 2, 1
	all := graphstore.Batch{
		Documents: []graphstore.Document{document("d1", "c2", "c1"), document("d2", "c3")},
		Entities:  []graphstore.Entity{ann, bob, entity("cid"), entity("dan"), eve},
		Relations: []domain.Relation{
			relation("ann", "KNOWS", "bob", "c1"), relation("cid", "KNOWS", "ann", "c1", "c2"), relation("cid", "LIKES", "ann", "c1"),
			relation("bob", "KNOWS", "dan", "c2"), relation("dan", "IS", "dan", "c2"),
		},
	}
	s.apply(all)
	s.other().apply(all)
	of := func(name string, passages, documents, relations int32) graphstore.AdjacentEntity {
		return graphstore.AdjacentEntity{ID: domain.EntityID(name), Label: "Thing", Name: name, Passages: passages, Documents: documents, Relations: relations}
	}
	at := func(chunk domain.ChunkID, document domain.DocumentID) graphstore.AdjacentChunk {
		return graphstore.AdjacentChunk{ID: chunk, Document: document}
	}
	const named = graphstore.LinkMention
	same(s, "types", must(s.Types(t.Context(), s.ws))(s), []graphstore.TypeCount{{Type: "KNOWS", Count: 3}, {Type: "IS", Count: 1}, {Type: "LIKES", Count: 1}})
	for what, c := range map[string]struct {
		q    graphstore.AdjacentQuery
		want graphstore.Adjacency
	}{
		"entities": {graphstore.AdjacentQuery{Entities: []domain.EntityID{"dan", "ann", "nobody", "eve"}}, graphstore.Adjacency{
			Entities: []graphstore.AdjacentEntity{of("ann", 2, 2, 3), of("dan", 0, 0, 2)},
		}},
		"relations": {graphstore.AdjacentQuery{Entities: []domain.EntityID{"ann"}, Relations: 9}, graphstore.Adjacency{
			Entities:  []graphstore.AdjacentEntity{of("ann", 2, 2, 3), of("bob", 2, 1, 2), of("cid", 0, 0, 2)},
			Relations: []graphstore.AdjacentRelation{{Source: 0, Target: 1, Type: "KNOWS", Evidence: 1}, {Source: 2, Target: 0, Type: "KNOWS", Evidence: 2}, {Source: 2, Target: 0, Type: "LIKES", Evidence: 1}},
		}},
		"few relations": {graphstore.AdjacentQuery{Entities: []domain.EntityID{"ann"}, Relations: 1}, graphstore.Adjacency{
			Entities:  []graphstore.AdjacentEntity{of("ann", 2, 2, 3), of("bob", 2, 1, 2), of("cid", 0, 0, 2)},
			Relations: []graphstore.AdjacentRelation{{Source: 0, Target: 1, Type: "KNOWS", Evidence: 1}, {Source: 2, Target: 0, Type: "KNOWS", Evidence: 2}},
		}},
		"passages": {graphstore.AdjacentQuery{Entities: []domain.EntityID{"ann"}, Passages: 2}, graphstore.Adjacency{
			Entities: []graphstore.AdjacentEntity{of("ann", 2, 2, 3), of("bob", 2, 1, 0)},
			Chunks:   []graphstore.AdjacentChunk{at("c1", "d1"), at("c3", "d2")},
			Links:    []graphstore.AdjacentLink{{Chunk: 0, Entity: 0, Kind: named}, {Chunk: 0, Entity: 1, Kind: named}, {Chunk: 1, Entity: 0, Kind: named}},
		}},
		"too many passages": {graphstore.AdjacentQuery{Entities: []domain.EntityID{"ann"}, Passages: 1}, graphstore.Adjacency{
			Entities: []graphstore.AdjacentEntity{of("ann", 2, 2, 3)},
		}},
		"chunks": {graphstore.AdjacentQuery{Chunks: []domain.ChunkID{"c2", "none"}}, graphstore.Adjacency{
			Entities: []graphstore.AdjacentEntity{of("bob", 2, 1, 0)},
			Chunks:   []graphstore.AdjacentChunk{at("c2", "d1")},
			Links:    []graphstore.AdjacentLink{{Chunk: 0, Entity: 0, Kind: named}},
		}},
		"a document": {graphstore.AdjacentQuery{Documents: []domain.DocumentID{"d1"}, Chunks: []domain.ChunkID{"c1"}}, graphstore.Adjacency{
			Entities: []graphstore.AdjacentEntity{of("ann", 2, 2, 0), of("bob", 2, 1, 0)},
			Chunks:   []graphstore.AdjacentChunk{at("c2", "d1"), at("c1", "d1")},
			Links:    []graphstore.AdjacentLink{{Chunk: 0, Entity: 1, Kind: named}, {Chunk: 1, Entity: 0, Kind: named}, {Chunk: 1, Entity: 1, Kind: named}},
		}},
		"nothing": {graphstore.AdjacentQuery{Relations: 9, Passages: 9, Counted: true}, graphstore.Adjacency{All: 3}},
	} {
		c.want.Cursor = 1
		same(s, what, must(s.Adjacent(t.Context(), s.ws, c.q))(s), &c.want)
	}
}
