package diagram

// Drawing is where everything of a state graph stands, in the units of its
// view box.
type Drawing struct {
	Width, Height float64
	Lines         []Line
	Tips          []Point // heads of arrows that point to the right; only loops have them
	Stops         []Stop
	Words         []Word
}

// Line is one edge, or one strand of it, as the d attribute of an SVG path.
type Line struct {
	D   string
	Lit bool
}

// Point is a place with whether the thread has passed it.
type Point struct {
	X, Y float64
	Lit  bool
}

// Stop is a node with its lettering.
type Stop struct {
	Point
	Node   string
	Kind   string
	Within string // the node whose subgraph it belongs to
	R      float64
	State  State
	Times  int
	Name   Word
	Figure Word // time, count or remark; may be empty
}

// Diamond reports whether the stop is drawn as one.
func (s Stop) Diamond() bool { return s.Kind == Branch }

// Word is a piece of text.
type Word struct {
	X, Y float64
	End  bool // X is where the text ends
	Text string
}

// The measures of a drawing. They follow a table of 36-unit rows whose names
// stand right of the spine and whose figures are flush right.
const (
	minWidth  = 360.0
	top       = 10.0
	foot      = 12.0
	laneStep  = 16.0
	loopStep  = 22.0
	loopReach = 68.0 // from the spine to the first loop
	corner    = 12.0
	nameGap   = 18.0 // from the outermost lane to the names
	innerStep = 12.0 // how far names of a subgraph's nodes are moved in
	strandGap = 4.0
	strands   = 4 // most lines laid side by side
	radius    = 7.0
	small     = 4.0 // radius of start and end
	diamond   = 9.0 // half the diagonal of a branch
	letter    = 6.3 // widest average advance of a letter of a name
	figure    = 5.9 // the same for figures
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

// Draw places a topology and lights what a run has reached. The order of
// visits and walks does not matter; those that name nothing of the topology
// are left out.
func Draw(t Topology, visits []Visit, walked []Walk) Drawing {
	s := analyse(t)
	p := place(s)
	r := read(s, visits, walked)
	d := Drawing{Width: p.width(s, r), Height: p.height()}
	d.forward(s, p, r)
	d.loops(s, p, r)
	d.stops(s, p, r)
	return d
}
