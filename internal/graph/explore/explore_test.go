package explore_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/explore/exploretest"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/testkit/race"
)

// small returns a graph of the given relations, each written source, type,
// target. Entities are named like their ids. Each document has one chunk that
// mentions the listed entities.
func small(relations [][3]string, documents map[string][]string) *explore.Graph {
	a := &graphstore.Adjacency{Cursor: 1}
	at := map[string]int32{}
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, r := range relations {
		add(r[0])
		add(r[2])
	}
	for _, list := range documents {
		for _, name := range list {
			add(name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		at[name] = int32(i)
		a.Entities = append(a.Entities, graphstore.AdjacentEntity{ID: domain.EntityID(name), Label: "Person", Key: name, Name: name})
	}
	for _, r := range relations {
		a.Relations = append(a.Relations, graphstore.AdjacentRelation{Source: at[r[0]], Target: at[r[2]], Type: r[1], Evidence: 1})
	}
	slices.SortFunc(a.Relations, func(x, y graphstore.AdjacentRelation) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Target, y.Target), cmp.Compare(x.Type, y.Type))
	})
	var ids []string
	for id := range documents {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i, id := range ids {
		a.Chunks = append(a.Chunks, graphstore.AdjacentChunk{ID: domain.ChunkID("c" + id), Document: domain.DocumentID(id)})
		slices.Sort(documents[id])
		for _, name := range documents[id] {
			a.Links = append(a.Links, graphstore.AdjacentLink{Chunk: int32(i), Entity: at[name], Kind: graphstore.LinkMention})
		}
	}
	return explore.New(a)
}

func names(v explore.View) []string {
	out := []string{}
	for _, n := range v.Nodes {
		out = append(out, n.Name)
	}
	slices.Sort(out)
	return out
}

func ids(list ...domain.EntityID) []domain.EntityID { return list }

// street is a chain of houses with a side street.
var street = [][3]string{{"a", "NEXT", "b"}, {"b", "NEXT", "c"}, {"c", "NEXT", "d"}, {"d", "NEXT", "e"}, {"b", "SEES", "f"}, {"f", "OWNS", "a"}}

func TestAroundTakesAsManyStepsAsAsked(t *testing.T) {
	t.Parallel()
	g := small(street, nil)
	for steps, want := range map[int][]string{1: {"a", "b", "f"}, 2: {"a", "b", "c", "f"}, 3: {"a", "b", "c", "d", "f"}, 9: {"a", "b", "c", "d", "f"}} {
		v, _ := g.Around(explore.Query{At: ids("a"), Steps: steps})
		if got := names(v); !slices.Equal(got, want) || v.Found != len(want) {
			t.Errorf("%d steps: got %v of %d, want %v", steps, got, v.Found, want)
		}
	}
	v, _ := g.Around(explore.Query{At: ids("a"), Steps: 1, Open: ids("b")})
	if got := names(v); !slices.Equal(got, []string{"a", "b", "c", "f"}) {
		t.Errorf("with b opened: got %v", got)
	}
	if v, _ := g.Around(explore.Query{At: ids("nobody")}); len(v.Nodes) != 0 {
		t.Errorf("an unknown centre: got %v", names(v))
	}
}

func TestOpeningMovesNothing(t *testing.T) {
	t.Parallel()
	g := explore.New(exploretest.Graph(400, 1500))
	all := g.All(explore.Filter{})
	centre := all.Nodes[0].ID
	before, steps := g.Around(explore.Query{At: ids(centre), Steps: 1})
	var open []domain.EntityID
	for _, n := range before.Nodes[1:min(4, len(before.Nodes))] {
		open = append(open, n.ID)
		after, _ := g.Around(explore.Query{At: ids(centre), Steps: steps, Open: open})
		for i, old := range before.Nodes {
			if after.Nodes[i].ID != old.ID || after.Nodes[i].Point != old.Point {
				t.Fatalf("%s was at %v and is %s at %v", old.Name, old.Point, after.Nodes[i].Name, after.Nodes[i].Point)
			}
		}
		before = after
	}
	if alone, _ := g.Around(explore.Query{At: ids(centre), Steps: steps}); len(before.Nodes) == len(alone.Nodes) {
		t.Error("opening showed nothing")
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	g := small(street, map[string][]string{"one": {"a", "b"}, "two": {"b", "c", "f"}})
	for name, c := range map[string]struct {
		filter explore.Filter
		want   []string
	}{
		"type":     {explore.Filter{Types: []string{"OWNS", "SEES"}}, []string{"a", "b", "f"}},
		"evidence": {explore.Filter{Evidence: 2}, []string{"a"}},
		"hidden":   {explore.Filter{Hide: ids("b")}, []string{"a", "f"}},
		"document": {explore.Filter{Documents: map[domain.DocumentID]bool{"one": true}}, []string{"a", "b"}},
		"label":    {explore.Filter{Labels: []string{"Place"}}, []string{"a"}},
	} {
		v, _ := g.Around(explore.Query{At: ids("a"), Steps: 2, Filter: c.filter})
		if got := names(v); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	g := small(append(street, [3]string{"y", "NEXT", "z"}), nil)
	if got := g.Path(explore.Filter{}, "a", "e"); !slices.Equal(got, ids("a", "b", "c", "d", "e")) {
		t.Errorf("got %v", got)
	}
	if got := g.Path(explore.Filter{Hide: ids("b")}, "a", "c"); got != nil {
		t.Errorf("without b: got %v", got)
	}
	if got := g.Path(explore.Filter{}, "a", "z"); got != nil {
		t.Errorf("to another component: got %v", got)
	}
	v, _ := g.Around(explore.Query{At: ids("a"), Steps: 1, Path: ids("a", "b", "c", "d", "e")})
	if got := names(v); !slices.Equal(got, []string{"a", "b", "c", "d", "e", "f"}) {
		t.Errorf("with the path: got %v", got)
	}
}

func TestTheSameGraphHasTheSamePicture(t *testing.T) {
	t.Parallel()
	one, two := explore.New(exploretest.Graph(900, 2600)), explore.New(exploretest.Graph(900, 2600))
	if !reflect.DeepEqual(one.Overview(explore.Filter{}), two.Overview(explore.Filter{})) {
		t.Error("the overviews differ")
	}
	all := one.All(explore.Filter{})
	if !reflect.DeepEqual(all, two.All(explore.Filter{})) {
		t.Error("the whole graphs differ")
	}
	q := explore.Query{At: ids(all.Nodes[3].ID), Steps: 2}
	a, _ := one.Around(q)
	b, _ := two.Around(q)
	if !reflect.DeepEqual(a, b) {
		t.Error("the neighbourhoods differ")
	}
}

func TestNothingIsLeftOutOrDrawnTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 120).Draw(t, "entities")
		a := exploretest.Graph(n, rapid.IntRange(0, 2*n).Draw(t, "relations"))
		g := explore.New(a)
		seen := map[domain.EntityID]bool{}
		over := g.Overview(explore.Filter{})
		members := 0
		for _, p := range over.Places {
			members += p.Members
			v := g.Community(explore.Filter{}, p.Lead)
			if len(v.Nodes) != p.Members {
				t.Fatalf("the place of %s has %d members and shows %d", p.Lead, p.Members, len(v.Nodes))
			}
			for _, node := range v.Nodes {
				if seen[node.ID] {
					t.Fatalf("%s is in two communities", node.ID)
				}
				seen[node.ID] = true
			}
		}
		if len(over.Places) == over.Found && members+over.Loose != n {
			t.Fatalf("the places have %d members, %d are loose, and the graph has %d", members, over.Loose, n)
		}
		if over.Loose > 0 {
			if v := g.Community(explore.Filter{}, over.LooseLead); v.Found != over.Loose {
				t.Fatalf("%d are loose and %d are listed", over.Loose, v.Found)
			}
		}
		all := g.All(explore.Filter{})
		kinds := 0
		for _, e := range all.Edges {
			kinds += len(e.Kinds)
		}
		if all.Found+all.Loose != n || kinds != len(a.Relations) || all.Relations != kinds {
			t.Fatalf("all shows %d entities and %d relations, and leaves out %d, want %d and %d", len(all.Nodes), kinds, all.Loose, n, len(a.Relations))
		}
	})
}

func TestNeighbourhoodsAreBounded(t *testing.T) {
	t.Parallel()
	var hub [][3]string
	for i := range 1203 {
		hub = append(hub, [3]string{"hub", "KNOWS", fmt.Sprintf("n%04d", i)})
	}
	v, steps := small(hub, nil).Around(explore.Query{At: ids("hub")})
	if len(v.Nodes) != explore.MaxNodes || v.Found != 1204 || steps != 1 {
		t.Errorf("got %d of %d entities in %d steps", len(v.Nodes), v.Found, steps)
	}
	for i, a := range v.Nodes {
		for _, b := range v.Nodes[:i] {
			if math.Hypot(a.X-b.X, a.Y-b.Y) < 12 {
				t.Fatalf("%s and %s stand on each other", a.Name, b.Name)
			}
		}
	}
}

// TestALargeGraphIsSmallOnTheWire measures the whole of 20,000 entities and
// 60,000 relations.
func TestALargeGraphIsSmallOnTheWire(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	a := exploretest.Graph(20_000, 60_000)
	began := time.Now()
	g := explore.New(a)
	read := time.Since(began)
	v := g.All(explore.Filter{})
	t.Logf("20,000 entities and 60,000 relations: prepared in %v, laid out in %v", read, time.Since(began)-read)
	began = time.Now()
	g.Around(explore.Query{At: ids(v.Nodes[0].ID), Steps: 3})
	t.Logf("a neighbourhood of three steps: %v; %d places", time.Since(began), g.Overview(explore.Filter{}).Found)
	plain, err := json.Marshal(v.Columns())
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(plain); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d compressed", len(plain), packed.Len())
	if packed.Len() > 1<<20 {
		t.Errorf("%d bytes compressed, want at most 1 MiB", packed.Len())
	}
}
