package diagram_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/viewstest"
)

func stops(d diagram.Drawing) map[string]diagram.Stop {
	byName := map[string]diagram.Stop{}
	for _, s := range d.Stops {
		byName[s.Node] = s
	}
	return byName
}

func TestAnswerGraphStandsOnOneSpine(t *testing.T) {
	t.Parallel()
	d := diagram.Draw(viewstest.AnswerGraph(), nil, nil)
	got := map[string]float64{}
	for name, s := range stops(d) {
		got[name] = s.Y
		if name != "transform_query" && s.X != stops(d)["start"].X {
			t.Errorf("%s stands at %v, off the spine", name, s.X)
		}
	}
	want := map[string]float64{
		"start": 10, "condense": 42, "retrieve": 82, "grade_documents": 122, "decide": 162, "transform_query": 122,
		"generate": 206, "check_support": 242, "end": 272,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if loop := stops(d)["transform_query"]; loop.X >= stops(d)["start"].X-60 || !loop.Name.End {
		t.Errorf("the loop stands at %v, want it left of the spine with its name before it", loop.X)
	}
	if len(d.Tips) != 1 {
		t.Errorf("%d arrow heads, want one, at the end of the loop", len(d.Tips))
	}
}

func TestWordsOfTheBranchStandBesideTheirLines(t *testing.T) {
	t.Parallel()
	d := diagram.Draw(viewstest.AnswerGraph(), nil, nil)
	spine := stops(d)["decide"].X
	side := map[string]bool{}
	for _, w := range d.Words {
		side[w.Text] = w.X > spine
	}
	if diff := cmp.Diff(map[string]bool{"relevant": true, "irrelevant": false, "cap reached": false}, side); diff != "" {
		t.Errorf("right of the spine (-want +got):\n%s", diff)
	}
}

func TestEachPassLaysOneMoreStrand(t *testing.T) {
	t.Parallel()
	for times, want := range map[int]int{0: 0, 1: 1, 2: 2, 4: 4, 9: 4} {
		d := diagram.Draw(viewstest.AnswerGraph(), nil, []diagram.Walk{{From: "retrieve", To: "grade_documents", Times: times}})
		got := 0
		for _, l := range d.Lines {
			if l.Lit {
				got++
			}
		}
		if got != want {
			t.Errorf("%d passes lay %d strands, want %d", times, got, want)
		}
	}
}

func TestBranchIsSeenOnceItWasLeft(t *testing.T) {
	t.Parallel()
	d := diagram.Draw(viewstest.AnswerGraph(), nil, []diagram.Walk{
		{From: "decide", To: "transform_query", Label: "irrelevant", Times: 2}, {From: "decide", To: "generate", Label: "cap reached", Times: 1},
	})
	if s := stops(d)["decide"]; s.State != diagram.Seen || s.Times != 3 {
		t.Errorf("decide is %s %d times, want seen 3 times", s.State, s.Times)
	}
	if s := stops(d)["generate"]; s.State != diagram.Waiting {
		t.Errorf("generate is %s, want waiting: nobody said that it began", s.State)
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	visits := []diagram.Visit{
		{Node: "condense", State: diagram.Seen, Times: 1, Took: 340 * time.Millisecond}, {Node: "retrieve", State: diagram.Seen, Times: 2, Took: 177 * time.Millisecond},
		{Node: "decide", State: diagram.Seen, Times: 2, Note: "4 of 8 relevant"}, {Node: "generate", State: diagram.Now, Times: 1}, {Node: "nobody", State: diagram.Seen},
	}
	got := map[string]string{}
	for name, s := range stops(diagram.Draw(viewstest.AnswerGraph(), visits, nil)) {
		if s.Figure.Text != "" {
			got[name] = s.Figure.Text
		}
	}
	want := map[string]string{"condense": "340 ms", "retrieve": "2 times", "decide": "4 of 8 relevant"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestFanOutsStandInLanesOfTheirOwn(t *testing.T) {
	t.Parallel()
	d := diagram.Draw(viewstest.IngestGraph(), nil, nil)
	s := stops(d)
	if s["embed"].X <= s["extract"].X {
		t.Errorf("embed stands at %v, want it right of extract at %v", s["embed"].X, s["extract"].X)
	}
	if s["embed"].Y <= s["extract"].Y || s["embed"].Y >= s["resolve"].Y {
		t.Errorf("embed has height %v, want a row between extract and resolve", s["embed"].Y)
	}
	var words []string
	for _, w := range d.Words {
		words = append(words, w.Text)
	}
	if diff := cmp.Diff([]string{"each window", "each batch", "all recorded", "no text"}, words); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestTheOnlyWayOutOfANodeHasNoName(t *testing.T) {
	t.Parallel()
	named := func(edges ...diagram.Edge) (words []string, height float64) {
		d := diagram.Draw(diagram.Topology{Nodes: []diagram.Node{{Name: "start", Kind: diagram.Start}, {Name: "a"}, {Name: "b"}, {Name: "end", Kind: diagram.End}}, Edges: edges}, nil, nil)
		for _, w := range d.Words {
			words = append(words, w.Text)
		}
		return words, d.Height
	}
	rest := []diagram.Edge{{From: "a", To: "b"}, {From: "b", To: "end"}}
	words, alone := named(append(rest, diagram.Edge{From: "start", To: "a", Label: "first question", Conditional: true})...)
	if len(words) > 0 {
		t.Errorf("the only way is called %q", words)
	}
	if _, plain := named(append(rest, diagram.Edge{From: "start", To: "a"})...); plain != alone {
		t.Errorf("a drawing is %v high with a name that is not drawn, and %v without", alone, plain)
	}
	if words, _ = named(append(rest, diagram.Edge{From: "start", To: "a", Label: "first question"}, diagram.Edge{From: "start", To: "b", Label: "with history"})...); len(words) != 2 {
		t.Errorf("of two ways %q have a name", words)
	}
}

// TestTheAnswersGraphHasTheMeasuresOfItsDesign draws it in 360 units, and bows around the
// node that a first question goes past.
func TestTheAnswersGraphHasTheMeasuresOfItsDesign(t *testing.T) {
	t.Parallel()
	g := viewstest.AnswerGraph()
	visits := []diagram.Visit{
		{Node: "grade_documents", State: diagram.Seen, Times: 4, Took: 5100 * time.Millisecond}, {Node: "decide", State: diagram.Seen, Note: "4 of 8 relevant"},
		{Node: "condense", Note: "first question"},
	}
	plain := diagram.Draw(g, visits, nil)
	g.Edges = append(g.Edges, diagram.Edge{From: "start", To: "retrieve"})
	bowed := diagram.Draw(g, visits, []diagram.Walk{{From: "start", To: "retrieve", Times: 1}})
	for _, d := range []diagram.Drawing{plain, bowed} {
		s := stops(d)
		if d.Width != 360 || d.Height != 284 || !d.Narrow() || s["start"].X != 174 || s["transform_query"].X != 106 || s["retrieve"].Name.X != 192 {
			t.Errorf("%v by %v, with the spine at %v, the loop at %v, and names at %v", d.Width, d.Height, s["start"].X, s["transform_query"].X, s["retrieve"].Name.X)
		}
	}
	if x := stops(bowed)["condense"].Name.X; x != 208 {
		t.Errorf("the name beside the bow stands at %v", x)
	}
	lit := slices.DeleteFunc(bowed.Lines, func(l diagram.Line) bool { return !l.Lit })
	if len(lit) != 1 || lit[0].D != "M178 12C201 24 201 66 181 78" {
		t.Errorf("the bow is drawn as %v", lit)
	}
}

func TestLoopOnABranchAlone(t *testing.T) {
	t.Parallel()
	d := diagram.Draw(viewstest.SummaryGraph(), nil, []diagram.Walk{{From: "should_collapse", To: "collapse_summaries", Label: "too long", Times: 1}})
	s := stops(d)
	if c := s["collapse_summaries"]; c.Y != s["should_collapse"].Y || c.X >= s["should_collapse"].X {
		t.Errorf("the loop stands at %v, %v, want it left of its branch", c.X, c.Y)
	}
	if d.Width < 360 {
		t.Errorf("width %v, want at least 360", d.Width)
	}
}

// graphs draws random topologies: every node is reachable from start and leads
// to end, with bypasses, fan-outs and loops.
func graphs(t *rapid.T) diagram.Topology {
	n := rapid.IntRange(1, 9).Draw(t, "nodes")
	top := diagram.Topology{Nodes: []diagram.Node{{Name: "start", Kind: diagram.Start}}}
	kinds := []string{diagram.Ordinary, diagram.Task, diagram.Branch, diagram.Subgraph}
	for i := range n {
		top.Nodes = append(top.Nodes, diagram.Node{Name: fmt.Sprintf("n%d", i), Kind: rapid.SampledFrom(kinds).Draw(t, "kind")})
	}
	top.Nodes = append(top.Nodes, diagram.Node{Name: "end", Kind: diagram.End})
	add := func(from, to int, label string) {
		top.Edges = append(top.Edges, diagram.Edge{From: top.Nodes[from].Name, To: top.Nodes[to].Name, Label: label, Conditional: label != ""})
	}
	for i := 1; i <= n; i++ {
		add(rapid.IntRange(0, i-1).Draw(t, "from"), i, rapid.SampledFrom([]string{"", "yes"}).Draw(t, "label"))
		add(i, rapid.IntRange(i+1, n+1).Draw(t, "to"), "")
	}
	for range rapid.IntRange(0, 3).Draw(t, "loops") {
		from := rapid.IntRange(1, n).Draw(t, "back from")
		add(from, rapid.IntRange(1, from).Draw(t, "back to"), "again")
	}
	return top
}

var numbers = regexp.MustCompile(`-?[0-9.]+`)

func TestEveryGraphIsDrawnWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		top := graphs(t)
		d := diagram.Draw(top, nil, nil)
		if len(d.Stops) != len(top.Nodes) {
			t.Fatalf("%d of %d nodes are drawn", len(d.Stops), len(top.Nodes))
		}
		place := map[string]bool{}
		for _, s := range d.Stops {
			at := fmt.Sprintf("%.1f %.1f", s.X, s.Y)
			if place[at] {
				t.Fatalf("two nodes stand at %s", at)
			}
			place[at] = true
			if s.X < 0 || s.Y < 0 || s.X > d.Width || s.Y > d.Height {
				t.Fatalf("%s stands outside the picture: %v, %v of %v by %v", s.Node, s.X, s.Y, d.Width, d.Height)
			}
		}
		if len(d.Lines) < len(top.Edges) {
			t.Fatalf("%d lines for %d edges", len(d.Lines), len(top.Edges))
		}
		for _, l := range d.Lines {
			if strings.Contains(l.D, "NaN") || strings.Contains(l.D, "Inf") || len(numbers.FindAllString(l.D, -1)) < 2 {
				t.Fatalf("a line is drawn as %q", l.D)
			}
		}
	})
}

func TestStraightLinesPassThroughNoNode(t *testing.T) {
	t.Parallel()
	straight := regexp.MustCompile(`^M([0-9.]+) ([0-9.]+)V([0-9.]+)$`)
	rapid.Check(t, func(t *rapid.T) {
		d := diagram.Draw(graphs(t), nil, nil)
		for _, l := range d.Lines {
			m := straight.FindStringSubmatch(l.D)
			if m == nil {
				continue
			}
			x, y1, y2 := float(m[1]), float(m[2]), float(m[3])
			for _, s := range d.Stops {
				if s.X == x && s.Y > min(y1, y2) && s.Y < max(y1, y2) {
					t.Fatalf("the line %q passes through %s", l.D, s.Node)
				}
			}
		}
	})
}

func float(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return -1
	}
	return v
}

func TestNothingIsDrawnOfNothing(t *testing.T) {
	t.Parallel()
	d := diagram.Draw(diagram.Topology{}, []diagram.Visit{{Node: "a"}}, []diagram.Walk{{From: "a", To: "b", Times: 1}})
	if len(d.Stops)+len(d.Lines) != 0 {
		t.Errorf("drew %d nodes and %d lines of an empty topology", len(d.Stops), len(d.Lines))
	}
}

// crosses reports whether a line passes through the letters of a word.
func crosses(l diagram.Line, w diagram.Word) bool {
	width := 5.2 * float64(len([]rune(w.Text)))
	left, right := w.X, w.X+width
	if w.End {
		left, right = w.X-width, w.X
	}
	for _, line := range diagram.Flatten(l.D) {
		for i := 1; i < len(line); i++ {
			const pieces = 200
			for k := range pieces + 1 {
				t := float64(k) / pieces
				x, y := line[i-1].X+t*(line[i].X-line[i-1].X), line[i-1].Y+t*(line[i].Y-line[i-1].Y)
				if x > left && x < right && y > w.Y-8 && y < w.Y+2 {
					return true
				}
			}
		}
	}
	return false
}

// TestWordsOfBranchesLieAcrossNoLine adds to the loop a bypass around it, a second name of a
// line, and a loop with a name that is longer than there is room.
func TestWordsOfBranchesLieAcrossNoLine(t *testing.T) {
	t.Parallel()
	g := viewstest.AnswerGraph()
	g.Edges = append(g.Edges, diagram.Edge{From: "start", To: "generate", Label: "nothing to search"}, diagram.Edge{From: "start", To: "generate", Label: "counts of the graph"},
		diagram.Edge{From: "check_support", To: "generate", Label: "goes on writing"})
	for _, topology := range []diagram.Topology{g, viewstest.IngestGraph(), viewstest.SummaryGraph()} {
		d := diagram.Draw(topology, nil, nil)
		for i, w := range d.Words {
			for _, l := range d.Lines {
				if crosses(l, w) {
					t.Errorf("%s: %q at %v, %v lies across the line %s", topology.Name, w.Text, w.X, w.Y, l.D)
				}
			}
			for _, o := range d.Words[:i] {
				if math.Abs(o.Y-w.Y) < 12 && o.End == w.End && math.Abs(o.X-w.X) < 60 {
					t.Errorf("%s: %q and %q stand on each other", topology.Name, o.Text, w.Text)
				}
			}
		}
	}
	named := map[string]diagram.Word{}
	for _, w := range diagram.Draw(g, nil, nil).Words {
		named[w.Text] = w
	}
	s := stops(diagram.Draw(g, nil, nil))
	for _, text := range []string{"nothing to search", "counts of the graph"} {
		if w := named[text]; w.Y > s["decide"].Y {
			t.Errorf("%q stands at %v, below decide at %v, which it has nothing to do with", text, w.Y, s["decide"].Y)
		}
	}
	if w := named["relevant"]; w.Y < s["decide"].Y || w.Y > s["generate"].Y || math.Abs(w.X-s["decide"].X) > 30 {
		t.Errorf("relevant stands at %v, %v, away from its line at %v", w.X, w.Y, s["decide"].X)
	}
}

// TestNoLoopCrossesAName adds a loop around the one whose node has a name.
func TestNoLoopCrossesAName(t *testing.T) {
	t.Parallel()
	g := viewstest.AnswerGraph()
	g.Edges = append(g.Edges, diagram.Edge{From: "generate", To: "retrieve", Label: "again"})
	d := diagram.Draw(g, nil, nil)
	name := stops(d)["transform_query"].Name
	loops := 0
	for _, l := range d.Lines {
		turn := regexp.MustCompile(`H(-?[\d.]+)a12 12 0 0 1-12-12`).FindStringSubmatch(l.D)
		if turn == nil {
			continue
		}
		loops++
		x, err := strconv.ParseFloat(turn[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		if x -= 12; x < name.X && x > name.X-6.3*float64(len(name.Text)) {
			t.Errorf("a loop at %v crosses the name that ends at %v", x, name.X)
		}
		if x < 0 {
			t.Errorf("a loop at %v lies outside the drawing", x)
		}
	}
	if loops != 2 {
		t.Errorf("%d loops are drawn", loops)
	}
}

func TestAFoldedGraphLeadsOnFromTheNodesThatHoldSubgraphs(t *testing.T) {
	t.Parallel()
	whole := diagram.Topology{Name: "g", Nodes: []diagram.Node{
		{Name: "start", Kind: diagram.Start}, {Name: "ask"}, {Name: "ask/read", Within: "ask"}, {Name: "ask/write", Within: "ask"}, {Name: "report"}, {Name: "end", Kind: diagram.End},
	}, Edges: []diagram.Edge{
		{From: "start", To: "ask", Send: true}, {From: "ask", To: "ask/read"}, {From: "ask/read", To: "ask/write"},
		{From: "ask/read", To: "report", Label: "nothing", Conditional: true}, {From: "ask/write", To: "report"}, {From: "report", To: "end"},
	}}
	walked := []diagram.Walk{
		{From: "start", To: "ask", Times: 3}, {From: "ask", To: "ask/read", Times: 3}, {From: "ask/read", To: "ask/write", Times: 2},
		{From: "ask/read", To: "report", Label: "nothing", Times: 1}, {From: "ask/write", To: "report", Times: 2},
	}
	folded, walks := whole.Folded(walked)
	want := diagram.Topology{
		Name: "g", Nodes: []diagram.Node{{Name: "start", Kind: diagram.Start}, {Name: "ask"}, {Name: "report"}, {Name: "end", Kind: diagram.End}},
		Edges: []diagram.Edge{{From: "start", To: "ask", Send: true}, {From: "ask", To: "report"}, {From: "report", To: "end"}},
	}
	if diff := cmp.Diff(want, folded); diff != "" {
		t.Errorf("graph (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]diagram.Walk{{From: "start", To: "ask", Times: 3}, {From: "ask", To: "report", Times: 3}}, walks); diff != "" {
		t.Errorf("walks (-want +got):\n%s", diff)
	}
	if whole.Inner() != 2 || folded.Inner() != 0 {
		t.Errorf("%d and %d nodes of subgraphs, want 2 and 0", whole.Inner(), folded.Inner())
	}
}
