package graphstoretest

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// testUnlisted leaves unlisted entities out of all but what retrieval reads.
func testUnlisted(t *testing.T, s *bench) {
	ctx, e := t.Context(), person()
	bob := entity("bob", mention("d1", "c1", 0), mention("d1", "c2", 9))
	bob.Unlisted, bob.AliasKeys, bob.Tally = true, []string{"bobby"}, "tally"
	e.Links = []graphstore.Link{mention("d1", "c1", 5)}
	check := func(want bool) {
		t.Helper()
		stored := bob.Entity
		same(s, "by key", must(s.ByKey(ctx, s.ws, []string{"key bob"}))(s), []domain.Entity{stored})
		same(s, "by the key of an alias", must(s.ByKey(ctx, s.ws, []string{"bobby"}))(s), []domain.Entity{stored})
		same(s, "named", must(s.Named(ctx, s.ws, []domain.EntityID{"e1", "bob"}))(s), []domain.Entity{stored, e.Entity})
		same(s, "links", must(s.Links(ctx, s.ws, "bob", 0))(s), bob.Links)
		same(s, "first link", must(s.Links(ctx, s.ws, "bob", 1))(s), bob.Links[:1])
		same(s, "linked", len(must(s.Linked(ctx, s.ws, []domain.DocumentID{"d1", "none"}))(s)["d1"]), 2)
		same(s, "keyed", must(s.Keyed(ctx, s.ws, []string{"key bob", "bobby"}))(s), []graphstore.Entity{{Entity: stored, Tally: "tally"}})
		a := must(s.Adjacency(ctx, s.ws))(s)
		same(s, "entities of adjacency", len(a.Entities), 2)
		same(s, "links of adjacency", len(a.Links), len(bob.Links)+1)
		same(s, "marked in adjacency", a.Entities[0].Unlisted, !want)
		found, count, in := []string{"Ann Lee"}, map[domain.DocumentID]int{"d1": 1}, 1
		if want {
			found, count, in = []string{"Ann Lee", "bob"}, map[domain.DocumentID]int{"d1": 2}, 2
		}
		listed := a.Listed()
		same(s, "listed in adjacency", []int{len(listed.Entities), len(listed.Relations)}, []int{in, len(a.Relations)})
		for _, l := range listed.Links {
			if listed.Entities[l.Entity].Unlisted {
				t.Error("a listed graph has a link to an unlisted entity")
			}
		}
		same(s, "list", s.names(ctx, graphstore.EntityQuery{Order: graphstore.ByName}), found)
		same(s, "most mentioned", len(s.names(ctx, graphstore.EntityQuery{})), in)
		same(s, "of the label", len(s.names(ctx, graphstore.EntityQuery{Labels: []string{"Thing"}})), in-1)
		same(s, "search", len(s.names(ctx, graphstore.EntityQuery{Text: "bob"})), in-1)
		_, total := listOf(s, graphstore.EntityQuery{})
		same(s, "total", total, in)
		same(s, "in the document", len(must(s.InDocument(ctx, s.ws, "d1"))(s)), in)
		same(s, "counted in the document", must(s.CountIn(ctx, s.ws, []domain.DocumentID{"d1"}))(s), count)
		same(s, "labels", len(must(s.Labels(ctx, s.ws))(s)), in)
		same(s, "stats", must(s.Stats(ctx, s.ws))(s).Entities, in)
		_, err := s.Entity(ctx, s.ws, "bob")
		same(s, "kind of error", domain.KindOf(err) == domain.NotFound, !want)
	}
	s.apply(graphstore.Batch{Documents: []graphstore.Document{document("d1", "c1", "c2")}, Entities: []graphstore.Entity{e, bob}})
	check(false)

	bob.Unlisted, bob.Label = false, "Thing"
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{bob}, Relations: []domain.Relation{relation("bob", "KNOWS", "e1", "c1")}})
	e.Relations = 0
	check(true)
	same(s, "relations", len(must(s.Relations(ctx, s.ws, "bob", 0))(s)), 1)

	bob.Unlisted, bob.Grown = true, true
	bob.Links = nil
	s.apply(graphstore.Batch{DeleteRelations: []graphstore.RelationRef{{ID: relation("bob", "KNOWS", "e1").ID, Source: "bob", Target: "e1"}}, Entities: []graphstore.Entity{bob}})
	bob.Links = []graphstore.Link{mention("d1", "c1", 0), mention("d1", "c2", 9)}
	check(false)

	bob.Grown, bob.Links = false, bob.Links[:1]
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{bob}})
	check(false)
	s.apply(graphstore.Batch{DeleteEntities: []domain.EntityID{"bob"}})
	same(s, "deleted", len(must(s.Linked(ctx, s.ws, []domain.DocumentID{"d1", "none"}))(s)["d1"]), 1)
	s.apply(graphstore.Batch{Entities: []graphstore.Entity{bob}})
	if err := s.Reset(ctx, s.ws, 0); err != nil {
		t.Fatal(err)
	}
	same(s, "emptied", len(must(s.ByKey(ctx, s.ws, []string{"key bob"}))(s)), 0)
}
