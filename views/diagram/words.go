package diagram

import (
	"cmp"
	"github.com/clewhq/clew/internal/domain/lists"
	"iter"
	"math"
	"slices"
	"unicode/utf8"
)

// A label is the text of an edge, and its possible places, the best first.
type label struct {
	text  string
	below int // node above whose name it is placed if no other place is free; -1 if there is none
	at    iter.Seq[Word]
}

// beside yields the places beside an upright line: first those near y, then farther along
// it, at the right of it before the left, and last those beyond the bow of an edge between the same nodes.
// Nearly always the first is free, so the others are put in order for whom it is not.
func beside(text string, x, from, to, y float64) iter.Seq[Word] {
	const step, gap, aside, bow, beyond = 4.0, 10.0, 10.0, 28.0, 1000.0
	type place struct {
		Word
		cost float64
	}
	first, last := from+14, to-6
	return func(yield func(Word) bool) {
		best := first
		for at := first; at <= last; at += step {
			if math.Abs(at-y) < math.Abs(best-y) {
				best = at
			}
		}
		if best > last || !yield(Word{x + gap, best, false, text}) {
			return
		}
		var places []place
		for at := first; at <= last; at += step {
			places = append(places,
				place{Word{x + gap, at, false, text}, math.Abs(at - y)},
				place{Word{x - gap, at, true, text}, math.Abs(at-y) + aside},
				place{Word{x - bow, at, true, text}, math.Abs(at-y) + beyond})
		}
		slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.cost, b.cost) })
		for _, p := range places[1:] {
			if !yield(p.Word) {
				return
			}
		}
	}
}

// A box is the space that a word or a node takes up.
type box struct{ left, top, right, bottom float64 }

// letters returns how many letters a text has.
func letters(text string) int { return utf8.RuneCountInString(text) }

func boxOf(w Word, advance float64) box {
	width := float64(letters(w.Text)) * advance
	if w.End {
		return box{w.X - width, w.Y - letterTop, w.X, w.Y + letterFoot}
	}
	return box{w.X, w.Y - letterTop, w.X + width, w.Y + letterFoot}
}

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// crossed reports whether a line enters the box.
func (b box) crossed(line []XY) bool {
	for i := 1; i < len(line); i++ {
		if b.cut(line[i-1], line[i]) {
			return true
		}
	}
	return false
}

// cut reports whether the straight line from p to q enters the box.
func (b box) cut(p, q XY) bool {
	from, to := 0.0, 1.0
	for _, side := range [][2]float64{{p.X - q.X, p.X - b.left}, {q.X - p.X, b.right - p.X}, {p.Y - q.Y, p.Y - b.top}, {q.Y - p.Y, b.bottom - p.Y}} {
		direction, distance := side[0], side[1]
		switch {
		case direction == 0 && distance < 0:
			return false
		case direction < 0:
			from = max(from, distance/direction)
		case direction > 0:
			to = min(to, distance/direction)
		}
	}
	return from < to
}

// taken holds the boxes that labels keep clear of.
type taken struct {
	boxes []box
	lines [][]XY
}

// free reports whether a label fits in a box.
func (t taken) free(b box) bool {
	return !slices.ContainsFunc(t.boxes, b.overlaps) && !slices.ContainsFunc(t.lines, b.crossed)
}

// words puts each label beside its line, where it overlaps no line, name or label. If there is no such place, the label
// is above the name of the node that its line leads to.
func (d *Drawing) words(p *placement, labels []label) {
	var t taken
	t.lines = lists.Flat(d.Lines, func(l Line) [][]XY { return Flatten(l.D) })
	for _, s := range d.Stops {
		t.boxes = append(t.boxes, box{s.X - s.R, s.Y - s.R, s.X + s.R, s.Y + s.R}, boxOf(s.Name, nameAdvance), boxOf(s.Figure, figureAdvance))
	}
	for _, l := range labels {
		w := d.free(t, l)
		if w.Text == "" {
			w = p.above(t, l)
		}
		t.boxes = append(t.boxes, boxOf(w, wordAdvance))
		d.Words = append(d.Words, w)
	}
}

// free returns the first free place of a label, or zero if there is none.
func (d *Drawing) free(t taken, l label) Word {
	for w := range l.at {
		if b := boxOf(w, wordAdvance); b.left >= 0 && b.right <= d.Width && t.free(b) {
			return w
		}
	}
	return Word{}
}

// above returns the lowest place of a label above the name of its node that no other word
// takes.
func (p *placement) above(t taken, l label) Word {
	if l.below < 0 {
		for w := range l.at {
			return w
		}
	}
	w := Word{p.nameX - 6, p.y[l.below] - 18, false, l.text}
	for slices.ContainsFunc(t.boxes, boxOf(w, wordAdvance).overlaps) && w.Y > top {
		w.Y -= 13
	}
	return w
}
