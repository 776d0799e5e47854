package graphstoretest

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

func testNear(t *testing.T, s *bench) {
	ctx := t.Context()
	title := graphstore.Link{Chunk: "c2", Document: "d1", Kind: graphstore.LinkTitle | graphstore.LinkMention}
	ann, namesake := entity("ann", mention("d1", "c1", 0), title, mention("d2", "c3", 0)), entity("ann2", mention("d2", "c3", 5))
	ann.AliasKeys, ann.Chunks = []string{"key of annie", "key of anna"}, 3
	namesake.Key, namesake.Chunks, namesake.Unlisted = ann.Key, 1, true
	bob, cid := entity("bob", mention("d1", "c1", 7)), entity("cid")
	bob.Chunks = 1
	s.apply(graphstore.Batch{
		Documents: []graphstore.Document{document("d1", "c1", "c2"), document("d2", "c3")},
		Entities:  []graphstore.Entity{ann, namesake, bob, cid},
		Relations: []domain.Relation{relation("ann", "KNOWS", "bob", "c1"), relation("bob", "LIKES", "ann", "c1"), relation("cid", "KNOWS", "ann", "c1")},
	})
	at := func(chunk domain.ChunkID, document domain.DocumentID) graphstore.AdjacentChunk {
		return graphstore.AdjacentChunk{ID: chunk, Document: document}
	}
	want := graphstore.Near{
		Names: []graphstore.NearName{
			{
				Entity: "ann", Key: "key ann", Name: "ann", Passages: 3, Related: []string{"key bob", "key bob", "key cid"},
				Links: []graphstore.NearLink{{AdjacentChunk: at("c1", "d1"), Kind: graphstore.LinkMention}, {AdjacentChunk: at("c2", "d1"), Kind: title.Kind}, {AdjacentChunk: at("c3", "d2"), Kind: graphstore.LinkMention}},
			},
			{Entity: "ann2", Key: "key ann", Name: "ann2", Passages: 1, Links: []graphstore.NearLink{{AdjacentChunk: at("c3", "d2"), Kind: graphstore.LinkMention}}},
			{Entity: "cid", Key: "key cid", Name: "cid", Related: []string{"key ann"}},
		},
		Chunks: []graphstore.NearChunk{
			{AdjacentChunk: at("c1", "d1"), Links: []graphstore.NamedLink{
				{Key: "key ann", AliasKeys: ann.AliasKeys, Passages: 3, Kind: graphstore.LinkMention}, {Key: "key bob", Passages: 1, Kind: graphstore.LinkMention},
			}},
			{AdjacentChunk: at("c3", "d2"), Links: []graphstore.NamedLink{
				{Key: "key ann", Passages: 1, Kind: graphstore.LinkMention}, {Key: "key ann", AliasKeys: ann.AliasKeys, Passages: 3, Kind: graphstore.LinkMention},
			}},
		},
	}
	q := graphstore.NearQuery{Keys: []string{"key cid", "nobody", "key ann", "key of annie"}, Chunks: []domain.ChunkID{"c3", "c9", "c1"}, Most: 3}
	same(s, "near", must(s.Near(ctx, s.ws, q))(s), want)
	q.Most, q.Chunks = 1, nil
	few := must(s.Near(ctx, s.ws, q))(s).Names
	same(s, "a name in more passages", few[0], graphstore.NearName{Entity: "ann", Key: "key ann", Name: "ann", Passages: 3})
	same(s, "links of a name in as many", len(few[1].Links), 1)
	q.Keys = []string{"key bob"}
	same(s, "at most one related name more", len(must(s.Near(ctx, s.ws, q))(s).Names[0].Related), 2)
	same(s, "nothing", must(s.Near(ctx, s.ws, graphstore.NearQuery{Most: 3}))(s), graphstore.Near{})
}

func testSpelt(t *testing.T, s *bench) {
	ctx := t.Context()
	named := func(id, name, key string, unlisted bool) graphstore.Entity {
		e := entity(id)
		e.Name, e.Key, e.Unlisted = name, key, unlisted
		return e
	}
	lind := named("e2", "Anna Lind", "anna lind", false)
	lind.Aliases, lind.AliasKeys = []string{"Nightingale"}, []string{"nightingale"}
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{named("e1", "Karsholm", "karsholm", true), lind, named("e3", "Lina Karsholt", "lina karsholt", false)}})
	for words, want := range map[[2]string][]string{
		{"karshlom", "karsholmm"}:  {"karsholm"},
		{"karshol", "x+y"}:         {"karsholm", "karsholt"},
		{"karsholm", "lind"}:       {"karsholm", "lind"},
		{"nihtingale", "barsholm"}: {"nightingale"},
		{"", "bridge"}:             nil,
	} {
		same(s, words[0]+" and "+words[1], must(s.Spelt(ctx, s.ws, words[:]))(s), want)
	}
	same(s, "no words", must(s.Spelt(ctx, s.ws, nil))(s), []string(nil))
}
