package present

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/partial"
)

// TestWaysAreLitAsRecorded: the latest search counts, a passage found by its own words
// has no way, and a line is lit only between neighbours on one way.
func TestWaysAreLitAsRecorded(t *testing.T) {
	t.Parallel()
	v := &trace.View{Steps: []*trace.Step{
		{Found: []domain.FoundPassage{{Chunk: "c1", Path: []domain.Hop{{Entity: "gone"}}}}},
		{Found: []domain.FoundPassage{
			{Chunk: "c1", Path: []domain.Hop{{Entity: "a"}, {Entity: "b", From: "c9"}}}, {Chunk: "c2"}, {Chunk: "c3", Path: []domain.Hop{{Entity: "c"}}},
		}},
	}}
	ways, from := Ways(v, []domain.ChunkID{"c1", "c2"})
	if diff := cmp.Diff([][]domain.EntityID{{"a", "b"}}, ways); diff != "" || !cmp.Equal(from, []domain.ChunkID{"c9"}) {
		t.Errorf("over %v, ways (-want +got)\n%s", from, diff)
	}
	p := &partial.GraphPictureProps{
		Dots:  []partial.GraphDot{{ID: "a"}, {ID: "b", X: 10}, {ID: "c", X: 20}},
		Lines: [][4]int{{10, 0, 0, 0}, {10, 0, 20, 0}, {0, 0, 20, 0}},
	}
	Light(p, append(ways, []domain.EntityID{"c"}, []domain.EntityID{"away", "c"}))
	if diff := cmp.Diff([][4]int{{10, 0, 0, 0}}, p.Lit); diff != "" || !p.Dots[0].Lit || !p.Dots[1].Lit || !p.Dots[2].Lit {
		t.Errorf("dots %+v, lines (-want +got)\n%s", p.Dots, diff)
	}
}
