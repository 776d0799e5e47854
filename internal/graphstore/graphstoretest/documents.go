package graphstoretest

import (
	"fmt"
	"strings"
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

// testMany writes, changes and deletes more rows in one batch than fit into one
// statement.
func testMany(t *testing.T, s *bench) {
	const n = 1500
	ctx := t.Context()
	var b graphstore.Batch
	for i := range n {
		d, c, e := domain.DocumentID(fmt.Sprintf("d%04d", i)), domain.ChunkID(fmt.Sprintf("c%04d", i)), fmt.Sprintf("e%04d", i)
		b.Documents = append(b.Documents, document(d, c))
		b.Entities = append(b.Entities, entity(e, mention(d, c, 0)))
		if i > 0 {
			b.Relations = append(b.Relations, relation(fmt.Sprintf("e%04d", i-1), "NEXT", e, c))
		}
	}
	s.apply(b)
	same(s, "stats", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{Documents: n, Chunks: n, Entities: n, Relations: n - 1})
	same(s, "by all keys", len(must(s.ByKey(ctx, s.ws, keysOf(b.Entities)))(s)), n)
	for i := range b.Entities {
		b.Entities[i].Links[0].Kind |= graphstore.LinkTitle
	}
	s.apply(graphstore.Batch{Entities: b.Entities})
	a := must(s.Adjacency(ctx, s.ws))(s)
	same(s, "links", []int{len(a.Links), int(a.Links[n-1].Kind)}, []int{n, int(graphstore.LinkMention | graphstore.LinkTitle)})
	var gone graphstore.Batch
	for i, d := range b.Documents[1:] {
		gone.DeleteDocuments = append(gone.DeleteDocuments, d.ID)
		gone.DeleteEntities = append(gone.DeleteEntities, b.Entities[i+1].ID)
		gone.DeleteRelations = append(gone.DeleteRelations, refOf(b.Relations[i]))
	}
	s.apply(gone)
	same(s, "stats when all but one are gone", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{Documents: 1, Chunks: 1, Entities: 1})
}

func keysOf(entities []graphstore.Entity) []string {
	var keys []string
	for _, e := range entities {
		keys = append(keys, e.Key)
	}
	return keys
}

func testChunks(t *testing.T, s *bench) {
	ctx := t.Context()
	s.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c2", "c1", "c3"), document("d2", "c4")}})
	chunks := func(q graphstore.ChunkQuery) string {
		var found []string
		for _, c := range must(s.Chunks(ctx, s.ws, q))(s) {
			found = append(found, string(c.ID)+" of "+string(c.Document))
		}
		return strings.Join(found, ", ")
	}
	same(s, "by id", chunks(graphstore.ChunkQuery{IDs: []domain.ChunkID{"c4", "nobody", "c1", "c4"}}), "c1 of d1, c4 of d2")
	same(s, "of a document", chunks(graphstore.ChunkQuery{Documents: []domain.DocumentID{"d1", "d9"}, Limit: 2}), "c1 of d1, c2 of d1")
	same(s, "all", chunks(graphstore.ChunkQuery{}), "c1 of d1, c2 of d1, c3 of d1, c4 of d2")
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
	same(s, "how many there are in each", must(s.CountIn(ctx, s.ws, []domain.DocumentID{"d1", "d2", "gone"}))(s), map[domain.DocumentID]int{"d1": 2, "d2": 2})
}
