package diagram

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A WalkNode is an entity or a passage on the way from a question to a passage.
type WalkNode struct {
	Key     string // identifies the thing
	Name    string
	Label   string // of an entity; "" for a passage
	Passage bool
	Chunk   domain.ChunkID  // of a passage that has a page
	Entity  domain.EntityID // of an entity that has a page
	Rank    int             // of a passage that was found; 0 for those on the way
}

// A WalkPath leads from the question to a passage that was found, its last node.
type WalkPath struct {
	Nodes []WalkNode
	Only  bool // found only through the graph
}

// A DrawnWalk is the picture of a search: the question at the left, the passages found in a column at the right, in
// order, and the links to them between.
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
	Text string // the name, shortened if necessary
	Only bool
}

// Measures of a walk.
const (
	walkWidth  = 1000.0
	walkRow    = 40.0
	walkTop    = 26.0
	walkLeft   = 16.0
	walkRight  = 640.0 // left edge of the passages found; their names follow
	walkLetter = 7.2   // the width of most letters
	maxName    = 46    // code points of a found passage's name
)

// twig is a node of the tree that the paths make together.
type twig struct {
	node  WalkNode
	depth int
	x, y  float64
	rows  []int
	only  bool
	twigs []*twig
}

// DrawWalk lays out the paths to the passages of a search. Paths that begin alike
// share their beginning.
func DrawWalk(paths []WalkPath) DrawnWalk {
	root, deep := &twig{x: walkLeft}, 0
	for row, p := range paths {
		root.grow(p, row)
		deep = max(deep, len(p.Nodes)-1)
	}
	w := DrawnWalk{Width: walkWidth}
	w.Height = root.settle(deep+1) + walkTop
	w.Root = Point{X: root.x, Y: root.y}
	w.draw(root, (walkRight-walkLeft)/float64(deep+1))
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
			next = &twig{node: n, depth: i + 1}
			at.twigs = append(at.twigs, next)
		}
		at = next
	}
	at.rows, at.only = append(at.rows, row), p.Only
}

// find returns the twig of a node. The passage that a path ends at has its own.
func (t *twig) find(n WalkNode, last bool) *twig {
	return lists.First(t.twigs, func(x *twig) bool { return x.node.Key == n.Key && (x.node.Rank > 0) == last })
}

// settle gives every twig its height: passages that of their row, the others the middle of the rows they lead to, but
// separate from those of the same depth. It returns the greatest height.
func (t *twig) settle(depths int) float64 {
	columns := make([][]*twig, depths)
	lowest := t.place(columns)
	for _, column := range columns {
		slices.SortStableFunc(column, func(a, b *twig) int { return cmp.Compare(a.y, b.y) })
		for i := 1; i < len(column); i++ {
			column[i].y = max(column[i].y, column[i-1].y+walkRow)
			lowest = max(lowest, column[i].y)
		}
	}
	return lowest
}

// place puts the twig in the middle of its rows and in the column of its depth, and
// returns the greatest height.
func (t *twig) place(columns [][]*twig) float64 {
	t.y = walkTop
	if len(t.rows) > 0 {
		t.y += walkRow * float64(slices.Min(t.rows)+slices.Max(t.rows)) / 2
	}
	if t.node.Rank == 0 {
		columns[t.depth] = append(columns[t.depth], t)
	}
	lowest := t.y
	for _, x := range t.twigs {
		lowest = max(lowest, x.place(columns))
	}
	return lowest
}

func (w *DrawnWalk) draw(from *twig, column float64) {
	for _, t := range from.twigs {
		t.x = walkLeft + column*float64(t.depth)
		room := int(column / walkLetter)
		if t.node.Rank > 0 {
			t.x, room = walkRight, maxName
		}
		w.Lines = append(w.Lines, WalkLine{sway(from.x, from.y, t.x, t.y), t.only})
		w.Stops = append(w.Stops, WalkStop{WalkNode: t.node, X: t.x, Y: t.y, Text: shortened(t.node.Name, room), Only: t.only})
		w.draw(t, column)
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
