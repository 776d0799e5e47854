package graphstoretest

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

func testRelations(t *testing.T, s *bench) {
	ctx := t.Context()
	knows, likes := relation("ann", "KNOWS", "bob", "c1"), relation("bob", "LIKES", "ann", "c1", "c2")
	self, far := relation("ann", "IS", "ann", "c1"), relation("bob", "KNOWS", "cid", "c3")
	s.apply(graphstore.Batch{
		Entities:  []graphstore.Entity{entity("ann"), entity("bob"), entity("cid")},
		Relations: []domain.Relation{knows, likes, self, far},
	})
	edges := must(s.Relations(ctx, s.ws, "ann", 0))(s)
	want := []domain.Relation{likes, knows, self} // most evidence first, then by id
	if self.ID < knows.ID {
		want = []domain.Relation{likes, self, knows}
	}
	same(s, "relations", relationsOf(edges), want)
	same(s, "ends", [2]string{edges[0].From.Name, edges[0].To.Name}, [2]string{"bob", "ann"})
	same(s, "the first", len(must(s.Relations(ctx, s.ws, "ann", 1))(s)), 1)
	same(s, "relations of nobody", must(s.Relations(ctx, s.ws, "nobody", 0))(s), []graphstore.Edge(nil))
	same(s, "count of an entity", must(s.Entity(ctx, s.ws, "ann"))(s).Relations, 3)
	same(s, "count at the end of an edge", edges[0].From.Relations, 3)

	s.apply(graphstore.Batch{DeleteRelations: []graphstore.RelationRef{refOf(likes), {ID: "never was", Source: "ann", Target: "nobody"}}})
	same(s, "count after a delete", must(s.Entity(ctx, s.ws, "bob"))(s).Relations, 2)
	same(s, "stats", must(s.Stats(ctx, s.ws))(s).Relations, 3)
}

// testPeriods checks that relations keep their times, and that those that do not hold are left out.
func testPeriods(t *testing.T, s *bench) {
	ctx := t.Context()
	said := domain.Period{From: domain.Day{Year: 1890}, Until: domain.Day{Year: 1902}, At: domain.Span{Start: 4, End: 13}}
	runs, given, always := relation("ann", "RUNS", "bob", "c1"), relation("ann", "RUNS", "cid", "c1"), relation("ann", "KNOWS", "bob", "c1")
	runs.Evidence[0].Periods = []domain.Period{said}
	given.Properties = domain.Properties{{Key: domain.ValidKey, Value: "1903.."}}
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{entity("ann"), entity("bob"), entity("cid")}, Relations: []domain.Relation{runs, given, always}})
	for _, r := range relationsOf(must(s.Relations(ctx, s.ws, "ann", 0))(s)) {
		if r.ID == runs.ID {
			same(s, "with its sentence", r, runs)
		}
	}
	want := []graphstore.AdjacentRelation{
		{Source: 0, Target: 1, Type: "KNOWS", Evidence: 1}, {Source: 0, Target: 1, Type: "RUNS", Evidence: 1, Periods: "1890..1902"},
		{Source: 0, Target: 2, Type: "RUNS", Evidence: 1, Periods: "= 1903.."},
	}
	same(s, "in the whole", must(s.Adjacency(ctx, s.ws))(s).Relations, want)
	same(s, "in a part", must(s.Adjacent(ctx, s.ws, graphstore.AdjacentQuery{Entities: []domain.EntityID{"ann"}, Relations: 9}))(s).Relations, want)
	for year, related := range map[int][]string{0: {"key bob", "key bob", "key cid"}, 1880: {"key bob"}, 1900: {"key bob", "key bob"}, 1950: {"key bob", "key cid"}} {
		near := must(s.Near(ctx, s.ws, graphstore.NearQuery{Keys: []string{"key ann"}, Most: 9, AsOf: domain.Day{Year: year}}))(s)
		same(s, "near", near.Names[0].Related, related)
	}
}

func refOf(r domain.Relation) graphstore.RelationRef {
	return graphstore.RelationRef{ID: r.ID, Source: r.Source, Target: r.Target}
}

func relationsOf(edges []graphstore.Edge) []domain.Relation {
	var list []domain.Relation
	for _, e := range edges {
		list = append(list, e.Relation)
	}
	return list
}

func testRelationReplace(t *testing.T, s *bench) {
	ctx := t.Context()
	s.apply(graphstore.Batch{
		Entities:  []graphstore.Entity{entity("ann"), entity("bob")},
		Relations: []domain.Relation{relation("ann", "KNOWS", "bob", "c1", "c2")},
	})
	now := relation("ann", "KNOWS", "bob", "c3")
	now.Properties = domain.Properties{{Key: "since", Value: "1870"}, {Key: "type", Value: "not the type"}}
	s.apply(graphstore.Batch{Relations: []domain.Relation{now}})
	same(s, "relation", relationsOf(must(s.Relations(ctx, s.ws, "bob", 0))(s)), []domain.Relation{now})
	same(s, "evidence in adjacency", must(s.Adjacency(ctx, s.ws))(s).Relations,
		[]graphstore.AdjacentRelation{{Source: 0, Target: 1, Type: "KNOWS", Evidence: 1}})
	byHand := relation("bob", "LEADS", "ann")
	s.apply(graphstore.Batch{Relations: []domain.Relation{byHand}})
	same(s, "a relation without evidence", relationsOf(must(s.Relations(ctx, s.ws, "bob", 0))(s)), []domain.Relation{now, byHand})
}

// testRelationEnds writes a relation to a missing entity, and deletes an entity
// without deleting its relations.
func testRelationEnds(t *testing.T, s *bench) {
	ctx := t.Context()
	loose := relation("ann", "KNOWS", "nobody", "c1")
	s.apply(graphstore.Batch{
		Entities:  []graphstore.Entity{entity("ann"), entity("bob"), entity("cid")},
		Relations: []domain.Relation{loose, relation("ann", "KNOWS", "bob", "c1"), relation("bob", "LIKES", "ann", "c1"), relation("cid", "IS", "cid", "c1")},
	})
	same(s, "stats without the relation to nobody", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{Entities: 3, Relations: 3})
	same(s, "count", must(s.Entity(ctx, s.ws, "ann"))(s).Relations, 2)
	s.apply(graphstore.Batch{DeleteEntities: []domain.EntityID{"bob", "cid"}, DeleteRelations: []graphstore.RelationRef{refOf(loose)}})
	same(s, "stats without the entities", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{Entities: 1})
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{entity("bob")}})
	same(s, "relations when an entity returns", must(s.Relations(ctx, s.ws, "bob", 0))(s), []graphstore.Edge(nil))
}

func testAdjacency(t *testing.T, s *bench) {
	b := entity("b", mention("d2", "c1", 0), mention("d1", "c9", 0))
	b.AliasKeys = []string{"key of bee"}
	b.Properties = domain.Properties{{Key: "born", Value: "1815"}, {Key: "born", Value: "1816"}, {Key: "trade", Value: "founder"}}
	doubted, several := relation("a", "X", "b", "c9"), relation("a", "Y", "b", "c1", "c9")
	doubted.Properties = domain.Properties{{Key: "confidence", Value: "0.25"}, {Key: "confidence", Value: "0.5"}, {Key: "confidence", Value: "high"}, {Key: "since", Value: "1"}}
	several.Properties = domain.Properties{{Key: "confidence", Value: "0.5"}}
	s.apply(graphstore.Batch{
		Documents: []graphstore.Document{document("d2", "c1"), document("d1", "c9", "c5")},
		Entities:  []graphstore.Entity{b, entity("a", graphstore.Link{Chunk: "c9", Document: "d1", Kind: graphstore.LinkTitle})},
		Relations: []domain.Relation{
			relation("b", "X", "a", "c1"), several, doubted,
			relation("a", "X", "gone", "c1"),
		},
	})
	same(s, "adjacency", must(s.Adjacency(t.Context(), s.ws))(s), &graphstore.Adjacency{
		Cursor: 1,
		Entities: []graphstore.AdjacentEntity{
			{ID: "a", Label: "Thing", Key: "key a", Name: "a"}, {ID: "b", Label: "Thing", Key: "key b", Name: "b", AliasKeys: []string{"key of bee"}, Several: []string{"born"}},
		},
		Chunks: []graphstore.AdjacentChunk{{ID: "c9", Document: "d1"}, {ID: "c5", Document: "d1"}, {ID: "c1", Document: "d2"}},
		Links: []graphstore.AdjacentLink{
			{Chunk: 0, Entity: 0, Kind: graphstore.LinkTitle}, {Chunk: 0, Entity: 1, Kind: graphstore.LinkMention},
			{Chunk: 2, Entity: 1, Kind: graphstore.LinkMention},
		},
		Relations: []graphstore.AdjacentRelation{
			{Source: 0, Target: 1, Type: "X", Evidence: 1, Confidence: 0.5}, {Source: 0, Target: 1, Type: "Y", Evidence: 2}, {Source: 1, Target: 0, Type: "X", Evidence: 1},
		},
	})
}

func testAround(t *testing.T, s *bench) {
	ctx := t.Context()
	knows, likes := relation("ann", "KNOWS", "bob", "c1"), relation("bob", "LIKES", "ann", "c1", "c2")
	self, far := relation("cid", "IS", "cid", "c1", "c2", "c3", "c4"), relation("dan", "KNOWS", "cid", "c1", "c2", "c3")
	s.apply(graphstore.Batch{
		Entities:  []graphstore.Entity{entity("ann"), entity("bob"), entity("cid"), entity("dan")},
		Relations: []domain.Relation{knows, likes, self, far},
	})
	around := func(limit int, ids ...domain.EntityID) []domain.Relation {
		return relationsOf(must(s.Around(ctx, s.ws, ids, limit))(s))
	}
	same(s, "around one", around(0, "ann"), []domain.Relation{likes, knows})
	same(s, "around both ends, each once", around(0, "ann", "bob", "ann", "nobody"), []domain.Relation{likes, knows})
	same(s, "around all, most evidence first", around(0, "ann", "cid"), []domain.Relation{self, far, likes, knows})
	same(s, "the first two", around(2, "ann", "cid"), []domain.Relation{self, far})
	same(s, "around nobody", around(0), []domain.Relation(nil))
	edges := must(s.Around(ctx, s.ws, []domain.EntityID{"dan"}, 0))(s)
	same(s, "ends", [2]string{edges[0].From.Name, edges[0].To.Name}, [2]string{"dan", "cid"})
	same(s, "relations are not counted", edges[0].From.Relations, 0)

	other := s.other()
	same(s, "another workspace", must(s.Around(ctx, other.ws, []domain.EntityID{"ann"}, 0))(s), []graphstore.Edge(nil))
}

func testStated(t *testing.T, s *bench) {
	ctx := t.Context()
	knows, likes := relation("ann", "KNOWS", "bob", "c1"), relation("bob", "LIKES", "ann", "c1", "c2")
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{entity("ann"), entity("bob")}, Relations: []domain.Relation{knows, likes, relation("ann", "IS", "ann", "c1")}})
	want := []domain.Relation{knows, likes}
	if likes.ID < knows.ID {
		want = []domain.Relation{likes, knows}
	}
	never := graphstore.RelationRef{ID: "never was", Source: "ann", Target: "bob"}
	edges := must(s.Stated(ctx, s.ws, []graphstore.RelationRef{refOf(likes), never, refOf(knows), refOf(likes)}))(s)
	same(s, "relations, each once, by id", relationsOf(edges), want)
	same(s, "ends", edges[0].From.Name+" "+edges[0].To.Name, string(edges[0].Source+" "+edges[0].Target))
	same(s, "relations are not counted", edges[0].From.Relations, 0)
	same(s, "none", must(s.Stated(ctx, s.ws, nil))(s), []graphstore.Edge(nil))
	same(s, "another workspace", must(s.Stated(ctx, s.other().ws, []graphstore.RelationRef{refOf(knows)}))(s), []graphstore.Edge(nil))
}
