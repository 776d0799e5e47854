package maintenance_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/vectorstore"
)

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestFound(t *testing.T) {
	t.Parallel()
	one := maintenance.Found{maintenance.PointExtra: {"p1"}, maintenance.EntityMissing: {"e2", "e1", "e4", "e3"}}
	other := maintenance.Found{maintenance.EntityMissing: {"e4", "e9"}, maintenance.NodesDiffer: {""}}
	same(t, "both", one.Both(other), maintenance.Found{maintenance.EntityMissing: {"e4"}})
	same(t, "one of two", one.Join(maintenance.Found{maintenance.PointExtra: {"p2"}})[maintenance.PointExtra], []string{"p1", "p2"})
	var said []string
	for _, g := range one.Join(maintenance.Found{maintenance.NodesDiffer: {""}}).Groups() {
		said = append(said, g.String())
	}
	same(t, "in words", said, []string{
		"Graph: the number of documents or chunks is wrong.",
		"Graph: 4 entities are missing (e1, e2, e3, …).",
		"Search index: there is a point that nothing supports (p1).",
	})
}

// TestEveryProblemIsDescribed fails for a problem without a store or words.
func TestEveryProblemIsDescribed(t *testing.T) {
	t.Parallel()
	for _, p := range []maintenance.Problem{
		maintenance.GraphBehind, maintenance.GraphAhead, maintenance.EntityMissing, maintenance.EntityExtra, maintenance.EntityDiffers, maintenance.RelationMissing, maintenance.RelationExtra,
		maintenance.RelationDiffers, maintenance.LinkMissing, maintenance.LinkExtra, maintenance.LinkDiffers, maintenance.ChunkMissing, maintenance.ChunkExtra, maintenance.NodesDiffer,
		maintenance.VectorsBehind, maintenance.VectorsAhead, maintenance.PointMissing, maintenance.PointExtra, maintenance.PointDiffers, maintenance.ChunksMiscounted, maintenance.DocumentStranded,
		maintenance.DocumentUnheard, maintenance.ThreadWithoutRun, maintenance.RowWithoutParent, maintenance.TableDamaged, maintenance.GraphDamaged, maintenance.VectorsDamaged, maintenance.FileMissing, maintenance.FileChanged, maintenance.FileWithoutOwner,
	} {
		one, many := maintenance.Group{Problem: p, Count: 1}.String(), maintenance.Group{Problem: p, Count: 7}.String()
		if p.Store() == "" || len(one) < 20 || len(many) < 20 || slices.Contains([]rune(one+many), '%') {
			t.Errorf("%s is described as %q and %q", p, one, many)
		}
	}
}

// index has points by collection.
type index struct {
	vectorstore.Reader
	points map[vectorstore.Collection][]vectorstore.Point
}

func (x index) IDs(_ context.Context, _ domain.WorkspaceID, c vectorstore.Collection) ([]string, error) {
	var ids []string
	for _, p := range x.points[c] {
		ids = append(ids, p.ID)
	}
	return ids, nil
}

// complete is an index that lists its points completely.
type complete struct{ index }

func (x complete) Contents(_ context.Context, _ domain.WorkspaceID, c vectorstore.Collection, f func(vectorstore.Point) error) error {
	for _, p := range x.points[c] {
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

func TestCompareVectors(t *testing.T) {
	t.Parallel()
	point := func(id, text string, vector ...float32) vectorstore.Point {
		return vectorstore.Point{Ref: vectorstore.Ref{ID: id}, Text: text, Vector: vector}
	}
	want := index{points: map[vectorstore.Collection][]vectorstore.Point{
		vectorstore.Chunks:    {point("c1", "granite", 1), point("c2", "slate", 1), point("c3", "marble", 1)},
		vectorstore.Sentences: {point("c1#0", "granite")},
	}}
	got := index{points: map[vectorstore.Collection][]vectorstore.Point{
		vectorstore.Chunks:    {point("c1", "granite", 0.5), point("c2", "gneiss", 1), point("c3", "marble")},
		vectorstore.Sentences: {point("c9#0", "granite")},
	}}
	for _, tt := range []struct {
		name      string
		want, got vectorstore.Reader
		embedding bool
		found     maintenance.Found
	}{
		{"equal", complete{want}, complete{want}, false, maintenance.Found{}},
		{"embedding", complete{want}, complete{got}, true, maintenance.Found{
			maintenance.PointDiffers: {"c2"}, maintenance.PointMissing: {"c1#0"}, maintenance.PointExtra: {"c9#0"},
		}},
		{"complete", complete{want}, complete{got}, false, maintenance.Found{
			maintenance.PointDiffers: {"c2", "c3"}, maintenance.PointMissing: {"c1#0"}, maintenance.PointExtra: {"c9#0"},
		}},
		{"by ids", complete{want}, got, false, maintenance.Found{maintenance.PointMissing: {"c1#0"}, maintenance.PointExtra: {"c9#0"}}},
	} {
		found, err := maintenance.CompareVectors(t.Context(), "main", tt.want, tt.got, tt.embedding)
		if err != nil {
			t.Fatal(err)
		}
		for _, ids := range found {
			slices.Sort(ids)
		}
		same(t, tt.name, found, tt.found)
	}
}
