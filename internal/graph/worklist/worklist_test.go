package worklist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/mine/extract"
)

// library is a small graph. Each mention names an entity's chunks, of which c1
// and c2 are in document d1, c3 in d2.
func library() *graphstore.Adjacency {
	a := &graphstore.Adjacency{Chunks: []graphstore.AdjacentChunk{{ID: "c1", Document: "d1"}, {ID: "c2", Document: "d1"}, {ID: "c3", Document: "d2"}}}
	for i, e := range []struct {
		name, label string
		chunks      []int32
		several     []string
	}{
		{"ann", "Person", []int32{0, 2}, []string{"birth_year", "trade"}}, // 0
		{"bern", "Place", []int32{0, 2}, nil},                             // 1
		{"bern city", "Place", []int32{2}, nil},                           // 2
		{"cork", "Place", []int32{2}, nil},                                // 3
		{"dora", domain.UnknownLabel, []int32{0, 1, 2}, nil},              // 4
		{"eve", domain.UnknownLabel, []int32{1}, nil},                     // 5
		{"fen", "Place", []int32{2}, nil},                                 // 6
	} {
		a.Entities = append(a.Entities, graphstore.AdjacentEntity{ID: domain.EntityID(e.name), Key: e.name, Name: e.name, Label: e.label, Several: e.several})
		for _, c := range e.chunks {
			a.Links = append(a.Links, graphstore.AdjacentLink{Entity: int32(i), Chunk: c, Kind: graphstore.LinkMention})
		}
	}
	a.Entities = append(a.Entities, graphstore.AdjacentEntity{ID: "letter 7", Key: "letter 7", Name: "Letter 7", Label: domain.UnknownLabel})
	a.Links = append(a.Links, graphstore.AdjacentLink{Entity: int32(len(a.Entities) - 1), Kind: graphstore.LinkTitle})
	return a
}

func relate(a *graphstore.Adjacency, source int32, kind string, target, evidence int32) {
	a.Relations = append(a.Relations, graphstore.AdjacentRelation{Source: source, Target: target, Type: kind, Evidence: evidence})
}

// lines describes the entries of a list.
func lines(l *Lists, name Name, f Filter) (out []string) {
	items, total := l.Page(name, f, 0, 0)
	for _, it := range items {
		line := fmt.Sprintf("%s %s", it.Entity, it.Chunk)
		if it.Property != "" {
			line += " " + it.Property
		}
		for _, r := range it.Relations {
			line += " → " + string(r.Target)
		}
		if it.Sure > 0 {
			line += fmt.Sprintf(" %.2f", it.Sure)
		}
		out = append(out, strings.TrimSpace(line))
	}
	if total != len(out) {
		out = append(out, fmt.Sprintf("of %d", total))
	}
	return out
}

func TestTheListsHoldWhatWantsAnEye(t *testing.T) {
	t.Parallel()
	a := library()
	relate(a, 0, "BORN_IN", 1, 2)
	relate(a, 0, "BORN_IN", 2, 1) // the same place by a longer name
	relate(a, 0, "BORN_IN", 3, 2)
	relate(a, 0, "FOUNDED", 1, 2) // two things may be founded
	relate(a, 0, "FOUNDED", 3, 2)
	relate(a, 0, "LEFT", 3, 1)
	a.Relations[len(a.Relations)-1].Confidence = 0.4
	relate(a, 0, "MET", 3, 2) // two passages state it
	a.Relations[len(a.Relations)-1].Confidence = 0.4
	relate(a, 4, "KNOWS", 3, 1)
	relate(a, 4, "KNOWS", 5, 1)
	l := New(a)
	for _, c := range []struct {
		list   Name
		filter Filter
		want   []string
	}{
		{Unlabelled, Filter{}, []string{"dora c1", "eve c2", "letter 7"}},
		{Unlabelled, Filter{Document: "d2"}, []string{"dora c3"}},
		{Orphans, Filter{}, []string{"fen c3"}},
		{Weak, Filter{}, []string{"ann c1 → cork 0.40", "dora c1 → eve 0.65", "dora c1 → cork 0.77"}},
		{Weak, Filter{Label: "Person"}, []string{"ann c1 → cork 0.40"}},
		{Contradictions, Filter{}, []string{"ann c1 birth_year", "ann c1 → bern → cork"}},
		{Once, Filter{}, []string{"bern city c3", "cork c3", "eve c2", "fen c3"}},
		{Once, Filter{Document: "d1"}, []string{"eve c2"}},
	} {
		if diff := cmp.Diff(c.want, lines(l, c.list, c.filter)); diff != "" {
			t.Errorf("%s %+v (-want +got)\n%s", c.list, c.filter, diff)
		}
	}
	if diff := cmp.Diff([]graphstore.LabelCount{{Label: "Place", Count: 3}, {Label: domain.UnknownLabel, Count: 1}}, l.Labels(Once)); diff != "" {
		t.Errorf("labels (-want +got)\n%s", diff)
	}
	page, total := l.Page(Once, Filter{}, 1, 2)
	if total != 4 || l.Count(Once) != 4 || len(page) != 2 || page[0].Entity != "cork" {
		t.Errorf("the second page is %+v of %d", page, total)
	}
}

// TestASchemaSaysWhatAnEntityHasOneOf goes by a schema besides the usual kinds.
func TestASchemaSaysWhatAnEntityHasOneOf(t *testing.T) {
	t.Parallel()
	a := library()
	relate(a, 1, "CHAIRED_BY", 0, 1)
	relate(a, 1, "CHAIRED_BY", 4, 1) // without a label, so no contradiction
	relate(a, 1, "HELD_IN", 2, 1)
	relate(a, 1, "HELD_IN", 3, 1)
	relate(a, 2, "HELD_IN", 1, 1)
	relate(a, 2, "HELD_IN", 3, 1)
	relate(a, 3, "NEAR", 1, 1) // which makes no difference to where something is held
	l := New(a)
	schema := extract.Schema{
		Labels: []extract.LabelRule{{Name: "Person", Properties: []extract.PropertyRule{{Key: "Trade", One: extract.AtMostOne}}}, {Name: "Place", Properties: []extract.PropertyRule{{Key: "size", One: extract.AtMostOne}}}},
		Types:  []extract.TypeRule{{Name: "held in", One: extract.AtMostOne}, {Name: "chaired by", One: extract.AtMostOne}, {Name: "NEAR"}},
	}
	want := []string{"ann c1 birth_year", "ann c1 trade", "bern c1 → bern city → cork", "bern city c3 → bern → cork"}
	if diff := cmp.Diff(want, lines(l.By([]extract.Schema{{}, schema}), Contradictions, Filter{})); diff != "" {
		t.Errorf("by a schema (-want +got)\n%s", diff)
	}
	if got := lines(l.By([]extract.Schema{{Types: []extract.TypeRule{{Name: "NEAR"}}}}), Contradictions, Filter{}); len(got) != 1 {
		t.Errorf("by a schema that says nothing of it: %q", got)
	}
	several := extract.Schema{
		Labels: []extract.LabelRule{{Name: "Person", Properties: []extract.PropertyRule{{Key: "birth_year", One: extract.Several}}}},
		Types:  []extract.TypeRule{{Name: "born in", One: extract.Several}},
	}
	relate(a, 0, "BORN_IN", 1, 1)
	relate(a, 0, "BORN_IN", 2, 1)
	if got := lines(New(a).By([]extract.Schema{several}), Contradictions, Filter{}); len(got) != 0 {
		t.Errorf("by a schema that allows several: %q", got)
	}
	once := extract.Schema{Types: []extract.TypeRule{{Name: "born in", One: extract.AtMostOne}}}
	relate(a, 0, "BORN_IN", 3, 1)
	if got := lines(New(a).By([]extract.Schema{once, several}), Contradictions, Filter{}); len(got) != 1 {
		t.Errorf("by one schema that allows several and one that does not: %q", got)
	}
	items, _ := l.By([]extract.Schema{schema}).Page(Contradictions, Filter{}, 1, 1)
	if want := []domain.ChunkID{"c1", "c3"}; !slices.Equal(items[0].Chunks, want) || items[0].Property != "trade" {
		t.Errorf("the values of %+v are looked for elsewhere than in %q", items[0], want)
	}
}

// TestTimesThatDoNotMeet: what holds one after the other is no contradiction, and neither is what a person decided about.
func TestTimesThatDoNotMeet(t *testing.T) {
	t.Parallel()
	schema := []extract.Schema{{Types: []extract.TypeRule{{Name: "held in", One: extract.AtMostOne}, {Name: "founded in", One: extract.AtMostOne}}}}
	for _, c := range []struct {
		kind, one, other string
		want             int
	}{
		{"HELD_IN", "", "1903..", 1}, {"HELD_IN", "1890..", "1903..", 1}, {"HELD_IN", "1890..1902", "1903..", 0}, {"HELD_IN", "1890..", "= 1903..", 0}, {"HELD_IN", "=", "", 0},
		{"FOUNDED_IN", "1890", "1903", 1}, // once
	} {
		a := library()
		relate(a, 1, c.kind, 2, 1)
		relate(a, 1, c.kind, 3, 1)
		for i := range a.Relations {
			if r := &a.Relations[i]; r.Type == c.kind && r.Target == 2 {
				r.Periods = c.one
			} else if r.Type == c.kind && r.Target == 3 {
				r.Periods = c.other
			}
		}
		if got := len(lines(New(a).By(schema), Contradictions, Filter{})) - len(lines(New(library()), Contradictions, Filter{})); got != c.want {
			t.Errorf("%s %q and %q: %d contradictions, want %d", c.kind, c.one, c.other, got, c.want)
		}
	}
}

func TestAPlaceWithinAPlaceContradictsNothing(t *testing.T) {
	t.Parallel()
	a := library()
	relate(a, 0, "BORN_IN", 1, 1)
	relate(a, 0, "BORN_IN", 3, 1)
	relate(a, 3, "LOCATED_IN", 1, 1)
	if got := lines(New(a), Contradictions, Filter{}); len(got) != 1 {
		t.Errorf("contradictions: %q, want the property only", got)
	}
}

func TestWhatAnEntityHasOneOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"BORN_IN": true, "DIED_ON": true, "PLACE_OF_BIRTH": true, "FOUNDED_IN": true, "FOUNDED": false, "FOUNDED_BY": false, "BUILT": false, "WORKED_IN": false, "BORN": true,
	} {
		if passive(name) != want {
			t.Errorf("%s has one target: %v, want %v", name, !want, want)
		}
	}
	for name, want := range map[string]bool{"birth_year": true, "Date of death": true, "trade": false, "founded by": false} {
		if single(name) != want {
			t.Errorf("%s has one value: %v, want %v", name, !want, want)
		}
	}
}

func TestWhatIsSettledIsLeftOut(t *testing.T) {
	t.Parallel()
	stated := func(evidence ...int) (edges []graphstore.Edge) {
		for _, n := range evidence {
			edges = append(edges, graphstore.Edge{Relation: domain.Relation{Evidence: make([]domain.Evidence, n)}})
		}
		return edges
	}
	for name, c := range map[string]struct {
		entry Entry
		want  bool
	}{
		"a label given":       {Entry{List: Unlabelled, Label: "Person"}, true},
		"no label yet":        {Entry{List: Unlabelled, Label: domain.UnknownLabel}, false},
		"a relation gone":     {Entry{List: Weak}, true},
		"stated elsewhere":    {Entry{List: Weak, edges: stated(2)}, true},
		"stated once":         {Entry{List: Weak, edges: stated(1)}, false},
		"one of two left":     {Entry{List: Contradictions, edges: stated(1)}, true},
		"two places of birth": {Entry{List: Contradictions, edges: stated(1, 1)}, false},
		"one value left":      {Entry{List: Contradictions, Values: []string{"1815"}}, true},
		"two values":          {Entry{List: Contradictions, Values: []string{"1815", "1816"}}, false},
		"named once":          {Entry{List: Once}, false},
	} {
		if got := c.entry.settled(); got != c.want {
			t.Errorf("%s: settled %v, want %v", name, got, c.want)
		}
	}
}
