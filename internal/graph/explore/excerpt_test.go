package explore_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/explore/exploretest"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/sqlite"
)

// stored returns a reader of a store that holds a.
func stored(t *testing.T, a *graphstore.Adjacency) explore.Reader {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "graph.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	b := graphstore.Batch{Cursor: 1, Entities: make([]graphstore.Entity, len(a.Entities))}
	for i, e := range a.Entities {
		b.Entities[i].Entity = domain.Entity{ID: e.ID, Label: e.Label, Key: e.Key, Name: e.Name}
	}
	for _, c := range a.Chunks {
		if n := len(b.Documents); n == 0 || b.Documents[n-1].ID != c.Document {
			b.Documents = append(b.Documents, graphstore.Document{ID: c.Document})
		}
		d := &b.Documents[len(b.Documents)-1]
		d.Chunks = append(d.Chunks, graphstore.Chunk{ID: c.ID, Ordinal: len(d.Chunks)})
	}
	for _, l := range a.Links {
		e, c := &b.Entities[l.Entity], a.Chunks[l.Chunk]
		if n := len(e.Links); n == 0 || e.Links[n-1].Document != c.Document {
			e.Documents++
		}
		e.Chunks++
		e.Links = append(e.Links, graphstore.Link{Chunk: c.ID, Document: c.Document, Kind: l.Kind})
	}
	for _, r := range a.Relations {
		source, target := a.Entities[r.Source].ID, a.Entities[r.Target].ID
		b.Relations = append(b.Relations, domain.Relation{ID: domain.NewRelationID(source, r.Type, target), Source: source, Target: target, Type: r.Type, Evidence: make([]domain.Evidence, r.Evidence)})
	}
	if err := s.Apply(t.Context(), "w", b); err != nil {
		t.Fatal(err)
	}
	return explore.Reader{Graph: s}
}

// TestAPartShowsWhatTheWholeShows compares each view of a part of the graph with the same view of the whole.
func TestAPartShowsWhatTheWholeShows(t *testing.T) {
	t.Parallel()
	a := exploretest.Graph(300, 700)
	for i := range int32(len(a.Chunks)) { // names that are mentioned together several times
		for k := range int32(3) {
			l := graphstore.AdjacentLink{Chunk: i, Entity: (i/3*5 + k*7) % int32(len(a.Entities)), Kind: graphstore.LinkMention}
			if !slices.ContainsFunc(a.Links, func(have graphstore.AdjacentLink) bool { return have.Chunk == l.Chunk && have.Entity == l.Entity }) {
				a.Links = append(a.Links, l)
			}
		}
	}
	slices.SortFunc(a.Links, func(x, y graphstore.AdjacentLink) int {
		return slices.Compare([]int32{x.Chunk, x.Entity}, []int32{y.Chunk, y.Entity})
	})
	r, ctx, g := stored(t, a), domain.WithWorkspace(t.Context(), "w"), explore.New(a)
	if g.Ties() == 0 {
		t.Fatal("nothing is tied")
	}
	documents := map[domain.DocumentID]bool{"d000001": true, "d000002": true}
	filters := map[string]explore.Filter{
		"all": {}, "together": {Together: true}, "evidence": {Evidence: 2}, "labels": {Labels: []string{"Person", "Place"}, Together: true},
		"documents": {Documents: documents, Together: true}, "types": {Types: []string{"KNOWS", "PART_OF"}},
	}
	for name, f := range filters {
		for i := 0; i < len(a.Entities); i += 41 {
			id, other := a.Entities[i].ID, a.Entities[(i*7+13)%len(a.Entities)].ID
			path := g.Path(f, id, other)
			got, err := r.Path(ctx, f, id, other)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, path) {
				t.Errorf("%s: the path from %s to %s is %v, want %v", name, id, other, got, path)
			}
			for steps := range explore.MaxSteps {
				q := explore.Query{Filter: f, At: ids(id), Steps: steps, Path: path, Open: ids(other)}
				want, took := g.Around(q)
				view, steps, err := r.Around(ctx, q)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, view); diff != "" || steps != took {
					t.Fatalf("%s, %d steps for %d around %s: (-want +got)\n%s", name, steps, took, id, diff)
				}
			}
		}
	}
	for _, e := range a.Entities {
		got, err := r.Companions(ctx, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if want := g.Companions(e.ID); !reflect.DeepEqual(got, want) {
			t.Errorf("the companions of %s are %v, want %v", e.ID, got, want)
		}
	}
	testDocuments(t, r, g, a)
}

func testDocuments(t *testing.T, r explore.Reader, g *explore.Graph, a *graphstore.Adjacency) {
	t.Helper()
	ctx := domain.WithWorkspace(t.Context(), "w")
	for i := 0; i < len(a.Chunks); i += 7 {
		f := explore.Filter{Documents: map[domain.DocumentID]bool{a.Chunks[i].Document: true}}
		part, err := r.Part(ctx, f, 18)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g.Part(f, 18), part); diff != "" {
			t.Fatalf("the part of %v differs (-want +got):\n%s", slices.Collect(maps.Keys(f.Documents)), diff)
		}
		f = explore.Filter{Passages: []domain.ChunkID{a.Chunks[i].ID, a.Chunks[(i+1)%len(a.Chunks)].ID}}
		first := a.Entities[a.Links[i].Entity].ID
		related, err := r.Related(ctx, f, 6, first)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g.Related(f, 6, first), related); diff != "" {
			t.Fatalf("what is related in %v differs (-want +got):\n%s", fmt.Sprint(f.Passages), diff)
		}
	}
}

// slowly is a store whose whole graph takes a while to read.
type slowly struct {
	graphstore.Reader
	reads int
}

func (s *slowly) Adjacency(ctx context.Context, w domain.WorkspaceID) (*graphstore.Adjacency, error) {
	s.reads++
	time.Sleep(1100 * time.Millisecond)
	return s.Reader.Adjacency(ctx, w)
}

// TestALargeGraphIsDividedNowAndThen changes a graph that takes long to read. Its communities are kept for a while, but not if an
// entity of the overview is gone.
func TestALargeGraphIsDividedNowAndThen(t *testing.T) {
	t.Parallel()
	stored := stored(t, exploretest.Graph(60, 90))
	store, ctx := stored.Graph.(graphstore.Store), domain.WithWorkspace(t.Context(), "w")
	slow := &slowly{Reader: store}
	r := explore.Reader{Graph: store, Library: explore.NewLibrary(slow, 1, shared(t))}
	divided := func(behind bool, reads int) *explore.Divided {
		t.Helper()
		d, got, err := r.Divided(ctx)
		if err != nil || got != behind || slow.reads != reads {
			t.Fatalf("behind %v after %d reads, %v; want %v after %d", got, slow.reads, err, behind, reads)
		}
		return d
	}
	apply := func(b graphstore.Batch) {
		t.Helper()
		if err := store.Apply(ctx, "w", b); err != nil {
			t.Fatal(err)
		}
	}
	first := divided(false, 1)
	apply(graphstore.Batch{After: 1, Cursor: 2, Entities: []graphstore.Entity{{Entity: domain.Entity{ID: "new", Label: "Thing", Key: "new", Name: "New"}}}})
	if second := divided(true, 1); second != first {
		t.Error("the graph was divided again")
	}
	gone := first.Overview.Nodes[0].ID
	apply(graphstore.Batch{After: 2, Cursor: 3, DeleteEntities: []domain.EntityID{gone}})
	third := divided(false, 2)
	if slices.ContainsFunc(third.Overview.Nodes, func(n explore.Node) bool { return n.ID == gone }) {
		t.Errorf("%s is still shown", gone)
	}
}

// TestALargeGraphIsReadNowAndThen takes views of the whole of a graph that takes long to read. What was read is used for a while, but
// not if an entity of the view is gone.
func TestALargeGraphIsReadNowAndThen(t *testing.T) {
	t.Parallel()
	stored := stored(t, exploretest.Graph(60, 90))
	store, ctx := stored.Graph.(graphstore.Store), domain.WithWorkspace(t.Context(), "w")
	slow := &slowly{Reader: store}
	r := explore.Reader{Graph: store, Library: explore.NewLibrary(slow, 1, shared(t))}
	all := func(behind bool, reads int) explore.View {
		t.Helper()
		v, got, err := r.Wide(ctx, func(g *explore.Graph) explore.View { return g.All(explore.Filter{}) })
		if err != nil || got != behind || slow.reads != reads {
			t.Fatalf("behind %v after %d reads, %v; want %v after %d", got, slow.reads, err, behind, reads)
		}
		return v
	}
	apply := func(b graphstore.Batch) {
		t.Helper()
		if err := store.Apply(ctx, "w", b); err != nil {
			t.Fatal(err)
		}
	}
	first := all(false, 1)
	all(false, 1)
	apply(graphstore.Batch{After: 1, Cursor: 2, Entities: []graphstore.Entity{{Entity: domain.Entity{ID: "new", Label: "Thing", Key: "new", Name: "New"}}}})
	if diff := cmp.Diff(first, all(true, 1)); diff != "" {
		t.Errorf("the view is another one (-first +second)\n%s", diff)
	}
	gone := first.Nodes[0].ID
	apply(graphstore.Batch{After: 2, Cursor: 3, DeleteEntities: []domain.EntityID{gone}})
	if slices.ContainsFunc(all(false, 2).Nodes, func(n explore.Node) bool { return n.ID == gone }) {
		t.Errorf("%s is still shown", gone)
	}
}
