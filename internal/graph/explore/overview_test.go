package explore_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/explore/exploretest"
)

// inside reports whether a point lies in a closed curve.
func inside(outline []explore.Point, p explore.Point) bool {
	in := false
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < (b.X-a.X)*(p.Y-a.Y)/(b.Y-a.Y)+a.X {
			in = !in
		}
	}
	return in
}

// TestTheOverviewIsReadable checks what can be seen: names stand in their region and on
// nothing else, regions keep apart, and neighbours have different tints.
func TestTheOverviewIsReadable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "entities")
		v := explore.New(exploretest.Graph(n, rapid.IntRange(0, 2*n).Draw(t, "relations"))).Overview(explore.Filter{Together: true})
		if len(v.In) != len(v.Nodes) {
			t.Fatalf("%d nodes, %d places of nodes", len(v.Nodes), len(v.In))
		}
		for i, a := range v.Nodes {
			p := v.Places[v.In[i]]
			if !inside(p.Outline, a.Point) || !inside(p.Outline, p.Title) {
				t.Fatalf("%s or the name of its region is not inside the region", a.Name)
			}
			for j, b := range v.Nodes[:i] {
				wide := 3.2 * float64(len(a.Name)+len(b.Name))
				if math.Abs(a.X-b.X) < wide && math.Abs(a.Y-b.Y) < 24 {
					t.Fatalf("%s at %v and %s at %v lie on each other, in regions %d and %d", a.Name, a.Point, b.Name, b.Point, v.In[i], v.In[j])
				}
			}
		}
		for i, p := range v.Places {
			if p.Tint < 1 || p.Tint > explore.Tints {
				t.Fatalf("a region has the tint %d", p.Tint)
			}
			for _, q := range v.Places[:i] {
				gap := math.Inf(1)
				for _, a := range p.Outline {
					if inside(q.Outline, a) {
						t.Fatalf("the regions of %s and %s overlap", p.Lead, q.Lead)
					}
					for _, b := range q.Outline {
						gap = min(gap, math.Hypot(a.X-b.X, a.Y-b.Y))
					}
				}
				if p.Tint == q.Tint && gap < 24 {
					t.Fatalf("the neighbours %s and %s have the same tint, %.0f apart", p.Lead, q.Lead, gap)
				}
			}
		}
	})
}

func TestRoadsGatherWhatJoinsPlaces(t *testing.T) {
	t.Parallel()
	// Two triangles, joined by two relations and by a pair that is mentioned together.
	relations := [][3]string{{"a", "SEES", "x"}, {"a", "OWNS", "x"}}
	for _, kind := range []string{"NEXT", "KNOWS", "LIKES"} {
		for _, ends := range []string{"ab", "bc", "ca", "xy", "yz", "zx"} {
			relations = append(relations, [3]string{ends[:1], kind, ends[1:]})
		}
	}
	g := small(relations, passages("b y", "b y", "q", "r", "s"))
	for together, mentions := range map[bool]int{true: 1, false: 0} {
		v := g.Overview(explore.Filter{Together: together})
		if len(v.Places) != 2 || len(v.Roads) != 1 {
			t.Fatalf("%d places, roads %+v", len(v.Places), v.Roads)
		}
		if r := v.Roads[0]; r.Facts != 2 || r.Mentions != mentions || r.Under {
			t.Errorf("together %v: the road is %+v", together, r)
		}
		if v.Places[0].Facts != 9 || v.Places[1].Facts != 9 || v.Loose != 3 || v.LooseLead != "q" {
			t.Errorf("facts %d and %d, %d loose with %s", v.Places[0].Facts, v.Places[1].Facts, v.Loose, v.LooseLead)
		}
	}
}

// TestWhatHangsByMentionsAloneIsLooseWithoutThem has names without any relation.
func TestWhatHangsByMentionsAloneIsLooseWithoutThem(t *testing.T) {
	t.Parallel()
	g := small([][3]string{{"a", "NEXT", "b"}}, passages("b y", "b y", "q", "r", "s", "a"))
	for together, want := range map[bool]int{true: 3, false: 4} {
		f := explore.Filter{Together: together}
		v := g.Overview(f)
		if v.Loose != want || len(v.Places) != 1 || v.Places[0].Members != 6-want {
			t.Errorf("together %v: %d loose, %+v", together, v.Loose, v.Places)
		}
		if listed := g.Community(f, v.LooseLead); listed.Found != want {
			t.Errorf("together %v: %d loose names are listed, want %d", together, listed.Found, want)
		}
	}
}
