package diagram

import (
	"fmt"
	"unicode/utf8"
)

// A WalkNode is an entity or a passage on the way from a question to a passage.
type WalkNode struct {
	Key     string // the same for the same thing
	Name    string
	Label   string // of an entity; "" for a passage
	Passage bool
	URL     string
	Rank    int // of a passage that was found; 0 on the way
}

// A WalkPath leads from the question to a passage that was found, its last node.
type WalkPath struct {
	Nodes []WalkNode
	Only  bool // found over the graph alone
}

// A DrawnWalk is the picture of a search: the question at the left, the passages found in a column
// at the right, in their order, and what leads to them between.
type DrawnWalk struct {
	Width, Height float64
	Root          Point
	Lines         []WalkLine
	Stops         []WalkStop
}

// A WalkLine joins two stops. Only lines lead only to passages that the graph alone
// found.
type WalkLine struct {
	D    string
	Only bool
}

// A WalkStop is a drawn node.
type WalkStop struct {
	WalkNode
	X, Y float64
	Text string // the name, as far as there is room
	Only bool
}

// Measures of a walk.
const (
	walkWidth  = 1000.0
	walkRow    = 40.0
	walkTop    = 26.0
	walkLeft   = 16.0
	walkRight  = 640.0 // where the passages found stand; their names follow
	walkLetter = 7.2   // the width of most letters
	maxName    = 46    // code points of the name of a passage found
)

// twig is a node of the tree that the paths make together.
type twig struct {
	node  WalkNode
	stop  int // index of its stop; -1 for the question
	x     float64
	rows  []int
	only  bool
	twigs []*twig
}

// DrawWalk lays out the paths to the passages of a search. Paths that begin alike
// share their beginning.
func DrawWalk(paths []WalkPath) DrawnWalk {
	root, deep := &twig{stop: -1, x: walkLeft}, 0
	for row, p := range paths {
		root.grow(p, row)
		deep = max(deep, len(p.Nodes)-1)
	}
	w := DrawnWalk{Width: walkWidth, Height: 2*walkTop + walkRow*float64(max(0, len(paths)-1)), Root: Point{X: walkLeft}}
	w.Root.Y = root.y()
	column := (walkRight - walkLeft) / float64(deep+1)
	w.draw(root, 1, column)
	return w
}

// grow adds the rest of a path that ends in a row.
func (t *twig) grow(p WalkPath, row int) {
	at := t
	for i, n := range p.Nodes {
		at.rows = append(at.rows, row)
		at.only = (at.only || len(at.rows) == 1) && p.Only
		last := i == len(p.Nodes)-1
		next := at.find(n, last)
		if next == nil {
			next = &twig{node: n}
			at.twigs = append(at.twigs, next)
		}
		at = next
	}
	at.rows, at.only = append(at.rows, row), p.Only
}

// find returns the twig of a node. The passage that a path ends at has its own.
func (t *twig) find(n WalkNode, last bool) *twig {
	for _, x := range t.twigs {
		if x.node.Key == n.Key && (x.node.Rank > 0) == last {
			return x
		}
	}
	return nil
}

// y is between the first and the last row that the twig leads to.
func (t *twig) y() float64 {
	if len(t.rows) == 0 {
		return walkTop
	}
	first, last := t.rows[0], t.rows[0]
	for _, r := range t.rows {
		first, last = min(first, r), max(last, r)
	}
	return walkTop + walkRow*float64(first+last)/2
}

func (w *DrawnWalk) draw(from *twig, depth int, column float64) {
	for _, t := range from.twigs {
		t.x = walkLeft + column*float64(depth)
		room := int(column / walkLetter)
		if t.node.Rank > 0 {
			t.x, room = walkRight, maxName
		}
		w.Lines = append(w.Lines, WalkLine{sway(from.x, from.y(), t.x, t.y()), t.only})
		w.Stops = append(w.Stops, WalkStop{WalkNode: t.node, X: t.x, Y: t.y(), Text: shortened(t.node.Name, room), Only: t.only})
		w.draw(t, depth+1, column)
	}
}

func sway(x1, y1, x2, y2 float64) string {
	middle := (x1 + x2) / 2
	return fmt.Sprintf("M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f", x1, y1, middle, y1, middle, y2, x2, y2)
}

func shortened(name string, room int) string {
	if utf8.RuneCountInString(name) <= room {
		return name
	}
	return string([]rune(name)[:max(1, room-1)]) + "…"
}
