package graphstoretest

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

func testDocumentDelete(t *testing.T, s *bench) {
	ctx := t.Context()
	s.apply(graphstore.Batch{
		Documents: []graphstore.Document{document("d1", "c1", "c2"), document("d2", "c3")},
		Entities:  []graphstore.Entity{entity("ann", mention("d1", "c1", 0), mention("d1", "c2", 10), mention("d2", "c3", 0))},
	})
	s.apply(graphstore.Batch{DeleteDocuments: []domain.DocumentID{"d1", "never was"}})
	same(s, "stats", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{Documents: 1, Chunks: 1, Entities: 1})
	same(s, "links", must(s.Links(ctx, s.ws, "ann", 0))(s), []graphstore.Link{mention("d2", "c3", 0)})
	same(s, "entities of the document that is gone", must(s.InDocument(ctx, s.ws, "d1"))(s), []graphstore.Entity(nil))
	a := must(s.Adjacency(ctx, s.ws))(s)
	same(s, "chunks", a.Chunks, []graphstore.AdjacentChunk{{ID: "c3", Document: "d2"}})
	same(s, "links of adjacency", a.Links, []graphstore.AdjacentLink{{Kind: graphstore.LinkMention}})
	// Deletes come before upserts.
	s.apply(graphstore.Batch{DeleteDocuments: []domain.DocumentID{"d2"}, Documents: []graphstore.Document{document("d2", "c3")}})
	same(s, "documents after delete and upsert", must(s.Stats(ctx, s.ws))(s).Documents, 1)
	same(s, "links after delete and upsert", must(s.Links(ctx, s.ws, "ann", 0))(s), []graphstore.Link(nil))
}

func testDocumentReplace(t *testing.T, s *bench) {
	ctx := t.Context()
	s.apply(graphstore.Batch{
		Documents: []graphstore.Document{document("d1", "c1", "c2", "c3")},
		Entities:  []graphstore.Entity{entity("ann", mention("d1", "c1", 0), mention("d1", "c3", 20))},
	})
	s.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c4", "c3")}})
	a := must(s.Adjacency(ctx, s.ws))(s)
	same(s, "chunks", a.Chunks, []graphstore.AdjacentChunk{{ID: "c4", Document: "d1"}, {ID: "c3", Document: "d1"}})
	same(s, "links of the chunk that stayed", must(s.Links(ctx, s.ws, "ann", 0))(s), []graphstore.Link{mention("d1", "c3", 20)})
}

func testHeld(t *testing.T, s *bench) {
	ctx := t.Context()
	s.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c2", "c1", "c3")}})
	same(s, "held", must(s.Held(ctx, s.ws, []domain.ChunkID{"c3", "nobody", "c1", "c3"}))(s), []domain.ChunkID{"c1", "c3"})
	same(s, "held of none", must(s.Held(ctx, s.ws, nil))(s), []domain.ChunkID(nil))
}

func testLinks(t *testing.T, s *bench) {
	ctx := t.Context()
	titled := graphstore.Link{Chunk: "c1", Document: "d2", Kind: graphstore.LinkTitle | graphstore.LinkTitled}
	missing := mention("d9", "c9", 0)
	s.apply(graphstore.Batch{
		Documents: []graphstore.Document{document("d2", "c2", "c1"), document("d1", "c3")},
		Entities:  []graphstore.Entity{entity("ann", mention("d1", "c3", 4), titled, mention("d2", "c2", 7), missing)},
	})
	want := []graphstore.Link{mention("d1", "c3", 4), mention("d2", "c2", 7), titled}
	same(s, "links by document and ordinal, without a chunk that is not held", must(s.Links(ctx, s.ws, "ann", 0))(s), want)
	same(s, "the first two", must(s.Links(ctx, s.ws, "ann", 2))(s), want[:2])
	same(s, "links of nobody", must(s.Links(ctx, s.ws, "nobody", 0))(s), []graphstore.Link(nil))
}

func testInDocument(t *testing.T, s *bench) {
	ctx := t.Context()
	title := graphstore.Link{Chunk: "c1", Document: "d1", Kind: graphstore.LinkTitle}
	s.apply(graphstore.Batch{
		Documents: []graphstore.Document{document("d1", "c1", "c2"), document("d2", "c3")},
		Entities: []graphstore.Entity{
			entity("title", title),
			entity("late", mention("d1", "c2", 15)),
			entity("early", mention("d1", "c1", 2), mention("d1", "c2", 12), mention("d2", "c3", 0)),
			entity("elsewhere", mention("d2", "c3", 1)),
		},
	})
	found := must(s.InDocument(ctx, s.ws, "d1"))(s)
	var names []string
	for _, e := range found {
		names = append(names, e.Name)
	}
	same(s, "entities by first span, those without one last", names, []string{"early", "late", "title"})
	same(s, "links in this document", found[0].Links, []graphstore.Link{mention("d1", "c1", 2), mention("d1", "c2", 12)})
	same(s, "counts are those of the whole library", found[0].Mentions, 3)
}
