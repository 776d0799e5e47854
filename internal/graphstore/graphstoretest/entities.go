package graphstoretest

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// person returns an entity with every field set.
func person() graphstore.Entity {
	e := entity("Ann Lee", mention("d1", "c1", 0))
	e.Entity = domain.Entity{
		ID: "e1", Label: "Person", Key: "ann lee", Name: "Ann Lee", Aliases: []string{"A. Lee", "Señora Lee"},
		Properties: domain.Properties{{Key: "born", Value: "1815"}, {Key: "born", Value: "\"1816\"\n"}},
		Mentions:   4, Chunks: 3, Documents: 2,
	}
	e.AliasKeys = []string{"a lee", "senora lee"}
	return e
}

func testEntity(t *testing.T, s *bench) {
	ctx, e := t.Context(), person()
	s.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c1")}, Entities: []graphstore.Entity{e}})
	same(s, "entity", must(s.Entity(ctx, s.ws, "e1"))(s), e.Entity)
	_, err := s.Entity(ctx, s.ws, "nobody")
	same(s, "kind of error", domain.KindOf(err), domain.NotFound)
	if _, ok := domain.MessageOf(err); !ok {
		t.Error("the error has no user-facing sentence")
	}
}

func testNamed(t *testing.T, s *bench) {
	ctx, e := t.Context(), person()
	s.apply(graphstore.Batch{
		Entities:  []graphstore.Entity{entity("bob"), e},
		Relations: []domain.Relation{relation("bob", "KNOWS", string(e.ID), "c1")},
	})
	named := func(ids ...domain.EntityID) []domain.Entity { return must(s.Named(ctx, s.ws, ids))(s) }
	same(s, "by id, each once, without relations", named("e1", "nobody", "bob", "e1"), []domain.Entity{entity("bob").Entity, e.Entity})
	same(s, "nobody", named(), []domain.Entity(nil))
	same(s, "another workspace", must(s.Named(ctx, s.other().ws, []domain.EntityID{"e1"}))(s), []domain.Entity(nil))
}

func testEntityReplace(t *testing.T, s *bench) {
	ctx, e := t.Context(), person()
	s.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c1", "c2")}, Entities: []graphstore.Entity{e}})
	e.Name, e.Aliases, e.AliasKeys, e.Properties = "Anne Lee", []string{"Annie"}, []string{"annie"}, nil
	e.Links = []graphstore.Link{mention("d1", "c2", 11)}
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{e}})
	same(s, "entity", must(s.Entity(ctx, s.ws, "e1"))(s), e.Entity)
	same(s, "links", must(s.Links(ctx, s.ws, "e1", 0))(s), e.Links)
	same(s, "search for the new words", s.names(ctx, graphstore.EntityQuery{Text: "annie"}), []string{"Anne Lee"})
	same(s, "search for the old words", s.names(ctx, graphstore.EntityQuery{Text: "señora"}), nil)
	same(s, "old alias key", must(s.ByKey(ctx, s.ws, []string{"senora lee"}))(s), []domain.Entity(nil))
	same(s, "new alias key", entityNames(must(s.ByKey(ctx, s.ws, []string{"annie"}))(s)), []string{"Anne Lee"})
	changed := e
	changed.Links = []graphstore.Link{{Chunk: "c2", Document: "d1", Kind: graphstore.LinkMention | graphstore.LinkTitled, Spans: e.Links[0].Spans}}
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{changed}})
	same(s, "links of another kind", must(s.Links(ctx, s.ws, "e1", 0))(s), changed.Links)
}

// testNotes keeps what the projector notes about documents.
func testNotes(t *testing.T, s *bench) {
	ctx := t.Context()
	one, two := document("d1", "c1"), document("d2", "c2")
	one.Notes = []byte{0, 1, 0xff, '"'}
	s.apply(graphstore.Batch{Documents: []graphstore.Document{one, two}})
	notes := func(of *bench) map[domain.DocumentID][]byte {
		return must(of.Notes(ctx, of.ws, []domain.DocumentID{"d1", "d2", "d9"}))(s)
	}
	same(s, "notes", notes(s), map[domain.DocumentID][]byte{"d1": one.Notes})
	same(s, "notes of another workspace", len(notes(s.other())), 0)
	one.Notes, two.Notes = []byte("other"), []byte("more")
	s.apply(graphstore.Batch{Documents: []graphstore.Document{one, two}})
	same(s, "replaced", notes(s), map[domain.DocumentID][]byte{"d1": one.Notes, "d2": two.Notes})
	s.apply(graphstore.Batch{DeleteDocuments: []domain.DocumentID{"d1"}})
	same(s, "gone with the document", notes(s), map[domain.DocumentID][]byte{"d2": two.Notes})
}

// testEntityGrowth adds links to an entity.
func testEntityGrowth(t *testing.T, s *bench) {
	ctx, e := t.Context(), person()
	e.Tally = `{"a": "\"é"}`
	s.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c1"), document("d2", "c2")}, Entities: []graphstore.Entity{e, entity("bob", mention("d1", "c1", 5))}})
	tallies := func() map[domain.EntityID]string {
		found := map[domain.EntityID]string{}
		for _, one := range must(s.Keyed(ctx, s.ws, []string{"key bob", e.Key, "nobody", e.Key}))(s) {
			found[one.ID] = one.Tally
		}
		return found
	}
	same(s, "tallies", tallies(), map[domain.EntityID]string{"bob": "", "e1": e.Tally})
	same(s, "tallies of another workspace", len(must(s.other().Keyed(ctx, s.other().ws, []string{e.Key}))(s)), 0)

	grown, old := e, e.Links
	grown.Name, grown.Mentions, grown.Documents, grown.Grown, grown.Tally = "Anne Lee", 5, 3, true, "more"
	grown.Links = []graphstore.Link{mention("d2", "c2", 7), mention("d3", "c3", 0)}
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{grown}})
	same(s, "entity", must(s.Entity(ctx, s.ws, "e1"))(s), grown.Entity)
	same(s, "links", must(s.Links(ctx, s.ws, "e1", 0))(s), append(old, grown.Links[0]))
	same(s, "tallies", tallies(), map[domain.EntityID]string{"bob": "", "e1": "more"})

	unknown := entity("carl", mention("d2", "c2", 0))
	unknown.Grown = true
	e.Tally = ""
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{unknown, e}})
	same(s, "links of one that was not there", must(s.Links(ctx, s.ws, "carl", 0))(s), unknown.Links)
	same(s, "links of what replaces it", must(s.Links(ctx, s.ws, "e1", 0))(s), old)
	same(s, "tallies", tallies(), map[domain.EntityID]string{"bob": "", "e1": ""})
}

func testEntityDelete(t *testing.T, s *bench) {
	ctx := t.Context()
	s.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c1")}, Entities: []graphstore.Entity{person(), entity("bob", mention("d1", "c1", 5))}})
	s.apply(graphstore.Batch{DeleteEntities: []domain.EntityID{"e1", "nobody"}})
	same(s, "list", s.names(ctx, graphstore.EntityQuery{}), []string{"bob"})
	same(s, "search", s.names(ctx, graphstore.EntityQuery{Text: "ann"}), nil)
	same(s, "links", must(s.Links(ctx, s.ws, "e1", 0))(s), []graphstore.Link(nil))
	same(s, "keys", must(s.ByKey(ctx, s.ws, []string{"ann lee", "a lee"}))(s), []domain.Entity(nil))
	same(s, "entities of the document", len(must(s.InDocument(ctx, s.ws, "d1"))(s)), 1)
	same(s, "links of adjacency", len(must(s.Adjacency(ctx, s.ws))(s).Links), 1)
}

func testEntityList(t *testing.T, s *bench) {
	ctx := t.Context()
	var all []graphstore.Entity
	for _, row := range []struct {
		id, name, label string
		mentions        int
	}{{"e1", "delta", "Thing", 1}, {"e2", "alpha", "Thing", 1}, {"e4", "bravo", "Place", 5}, {"e3", "bravo", "Thing", 5}} {
		e := entity(row.name)
		e.ID, e.Label, e.Mentions = domain.EntityID(row.id), row.label, row.mentions
		all = append(all, e)
	}
	s.apply(graphstore.Batch{Entities: all})
	ids := func(q graphstore.EntityQuery) []string {
		list, total := listOf(s, q)
		if q.Limit == 0 && q.Offset == 0 && total != len(list) {
			t.Errorf("%+v: got total %d, listed %d", q, total, len(list))
		}
		return list
	}
	same(s, "by mentions, then name, then id", ids(graphstore.EntityQuery{}), []string{"e3", "e4", "e2", "e1"})
	same(s, "by name", ids(graphstore.EntityQuery{Order: graphstore.ByName}), []string{"e2", "e3", "e4", "e1"})
	same(s, "all but the first", ids(graphstore.EntityQuery{Offset: 1}), []string{"e4", "e2", "e1"})
	same(s, "of a label", ids(graphstore.EntityQuery{Labels: []string{"Place"}}), []string{"e4"})
	same(s, "of one label or another", ids(graphstore.EntityQuery{Labels: []string{"Nothing", "Thing"}}), []string{"e3", "e2", "e1"})
	same(s, "second page", ids(graphstore.EntityQuery{Limit: 2, Offset: 2}), []string{"e2", "e1"})
	_, total := listOf(s, graphstore.EntityQuery{Limit: 1, Offset: 9, Labels: []string{"Thing"}})
	same(s, "total beyond the last page", total, 3)
	same(s, "cursor", must(s.Cursor(ctx, s.ws))(s), int64(1))
}

func listOf(s *bench, q graphstore.EntityQuery) (ids []string, total int) {
	s.Helper()
	list, total, err := s.Entities(s.Context(), s.ws, q)
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range list {
		ids = append(ids, string(e.ID))
	}
	return ids, total
}

func testEntitySearch(t *testing.T, s *bench) {
	zurich := entity("Université de Zürich")
	zurich.Aliases = []string{"UZH", "Turicum College"}
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{zurich, entity("Zebra"), entity("O'Neill-Smith"), entity("東京都 Tower"), entity("ΑΘΗΝΑ Ёлка")}})
	for _, c := range []struct {
		text string
		want []string
	}{
		{"z", []string{"Université de Zürich", "Zebra"}},
		{"  ZUR  univ ", []string{"Université de Zürich"}},
		{"zürich", []string{"Université de Zürich"}},
		{"turi", []string{"Université de Zürich"}},
		{"univ turi", []string{"Université de Zürich"}}, // across name and alias
		{"urich", nil},   // not a prefix
		{"zur zeb", nil}, // every word must match
		{"o'neill", []string{"O'Neill-Smith"}},
		{"smith", []string{"O'Neill-Smith"}},
		{"東京", []string{"東京都 Tower"}},
		{"αθηνα", []string{"ΑΘΗΝΑ Ёлка"}},
		{"ёлк", []string{"ΑΘΗΝΑ Ёлка"}},
		{"ZÜRICH ZÜRICH", []string{"Université de Zürich"}},
		{strings.Repeat("z ", 2000), []string{"Université de Zürich", "Zebra"}},
		{strings.Repeat("z", 2000), nil},
		{"zebra " + strings.Repeat("zeb ze ", 25_000), []string{"Zebra"}},
		{`"zebra" OR (`, nil},
		{`zebra*`, []string{"Zebra"}},
		{"-!?", nil},
	} {
		same(s, "search for "+c.text, s.names(t.Context(), graphstore.EntityQuery{Text: c.text, Order: graphstore.ByName}), c.want)
	}
	same(s, "blank text selects all", len(s.names(t.Context(), graphstore.EntityQuery{Text: "  "})), 5)
}

func testByKey(t *testing.T, s *bench) {
	named := func(id, key string, mentions int, aliases ...string) graphstore.Entity {
		e := entity(id)
		e.Key, e.Mentions, e.AliasKeys = key, mentions, aliases
		return e
	}
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{
		named("e1", "mercury", 1), named("e2", "mercury", 3), named("e0", "mercury", 1), named("e3", "hermes", 1, "mercury", "hermes"), named("e4", "venus", 9),
	}})
	found := must(s.ByKey(t.Context(), s.ws, []string{"mercury", "nobody", "mercury"}))(s)
	same(s, "by key, mentions, id", entityNames(found), []string{"e3", "e2", "e0", "e1"})
	s.apply(graphstore.Batch{Relations: []domain.Relation{relation("e1", "KNOWS", "e2")}})
	same(s, "the same with relations", must(s.ByKey(t.Context(), s.ws, []string{"mercury"}))(s), found)
	same(s, "no keys", must(s.ByKey(t.Context(), s.ws, nil))(s), []domain.Entity(nil))
}
