package diagram

import "slices"

// A Drawing holds the coordinates of a drawn state graph, in units of its view
// box.
type Drawing struct {
	Width, Height float64
	Lines         []Line
	Tips          []Point // arrowheads that point right; only loops have them
	Stops         []Stop
	Words         []Word
}

// Narrow reports whether a phone shows the whole width of a drawing.
func (d Drawing) Narrow() bool { return d.Width <= narrowest }

// A Line is an edge, or one strand of it, as the d attribute of an SVG path.
type Line struct {
	D   string
	Lit bool
}

// A Point is a position; Lit if the run has passed it.
type Point struct {
	X, Y float64
	Lit  bool
}

// A Stop is a node with its text.
type Stop struct {
	Point
	Node   string
	Kind   string
	Within string // node whose subgraph contains it
	R      float64
	State  State
	Times  int
	Name   Word
	Figure Word // time, count or remark; may be empty
}

// Diamond reports whether the stop is drawn as a diamond.
func (s Stop) Diamond() bool { return s.Kind == Branch }

// A Word is a piece of text.
type Word struct {
	X, Y float64
	End  bool // X is where the text ends
	Text string
}

// Measures of a drawing: rows of about 36 units, names to the right of the
// spine, figures flush right.
const (
	minWidth      = 360.0
	narrowest     = 366.0 // still shown without scrolling on a phone
	top           = 10.0
	foot          = 12.0
	laneStep      = 16.0
	loopStep      = 22.0
	loopReach     = 68.0 // from the spine to the first loop
	corner        = 12.0
	nameGap       = 18.0 // from the outermost lane to the names
	innerStep     = 12.0 // how far the names of a subgraph's nodes are indented
	strandGap     = 4.0
	strands       = 4 // maximum of lines drawn side by side
	radius        = 7.0
	small         = 4.0  // radius of start and end
	diamond       = 9.0  // half the diagonal of a branch
	leastName     = 14.0 // letters that always have room next to a loop
	leastPlain    = 8.0
	nameAdvance   = 6.1  // average advance of a letter in a name
	nameWidest    = 6.85 // the same in the widest font
	figureAdvance = 6.2  // the same for figures
	wordAdvance   = 5.0  // average advance of a letter in the name of an edge, which is in italics
	letterTop     = 9.0  // how far letters extend above their baseline
	letterFoot    = 3.0  // and below it
	figureGap     = 9.0  // minimum between a name and its figure
)

func radiusOf(kind string) float64 {
	switch kind {
	case Start, End:
		return small
	case Branch:
		return diamond
	}
	return radius
}

// Draw lays out a topology and lights what a run has reached. Visits and walks
// come in any order; those that match nothing in the topology are ignored.
func Draw(t Topology, visits []Visit, walked []Walk) Drawing { return draw(t, visits, walked, false) }

// DrawPlain is like [Draw], with plain words in place of the names of the graph.
func DrawPlain(t Topology, visits []Visit, walked []Walk) Drawing {
	return draw(t, visits, walked, true)
}

func draw(t Topology, visits []Visit, walked []Walk, plain bool) Drawing {
	g := analyse(t)
	g.plain = plain
	r := readProgress(g, visits, walked)
	p := place(g, r)
	d := Drawing{Width: p.width(g, r), Height: p.height()}
	labels := slices.Concat(d.forward(g, p, r), d.loops(g, p, r))
	d.stops(g, p, r)
	d.words(p, labels)
	return d
}
