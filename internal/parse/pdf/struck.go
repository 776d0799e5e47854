package pdf

import (
	"cmp"
	"math"
	"slices"
)

// strike marks the characters that a line crosses out, and reports whether there
// are any. Only a line that begins and ends with text that fills it counts: others
// belong to tables, forms and drawings.
func (in *interpreter) strike() (found bool) {
	if len(in.canvas.rules) == 0 {
		return false
	}
	var rows [4][]*char // by their turns, from the lowest
	largest := 0.0
	for i := range in.chars {
		if c := &in.chars[i]; !blank(c.text) {
			rows[c.turn] = append(rows[c.turn], c)
			largest = max(largest, c.size)
		}
	}
	for turn, row := range rows {
		slices.SortFunc(row, func(a, b *char) int { return cmp.Compare(a.y, b.y) })
		for _, r := range in.canvas.rules {
			x0, y0 := turned(r.x0, r.y0, turn)
			x1, y1 := turned(r.x1, r.y1, turn)
			if x0, x1 = min(x0, x1), max(x0, x1); math.Abs(y1-y0) > 0.02*(x1-x0) {
				continue
			}
			at, _ := slices.BinarySearchFunc(row, y0-strikeHigh*largest, func(c *char, y float64) int { return cmp.Compare(c.y, y) })
			for _, c := range crossed(row[at:], rule{x0, y0, x1, y1, r.thickness}) {
				c.struck, found = true, true
			}
		}
	}
	return found
}

// How high above the baseline a line crosses text out, and how thick it is at
// most, relative to the size.
const (
	strikeLow   = 0.12
	strikeHigh  = 0.5
	strikeThick = 0.16
)

// crossed returns the characters of rows, which begin below a rule, that it
// crosses out.
func crossed(rows []*char, r rule) []*char {
	var under []*char
	x0, x1, filled, size := r.x1, r.x0, 0.0, 0.0
	for _, c := range rows {
		above := (r.y0 - c.y) / c.size
		if above < 0 {
			break
		}
		if middle := (c.x0 + c.x1) / 2; above < strikeLow || above > strikeHigh || r.thickness > strikeThick*c.size || middle < r.x0 || middle > r.x1 {
			continue
		}
		under = append(under, c)
		x0, x1, filled, size = min(x0, c.x0), max(x1, c.x1), filled+c.x1-c.x0, max(size, c.size)
	}
	if len(under) < 2 || math.Abs(x0-r.x0) > 0.7*size || math.Abs(x1-r.x1) > 0.7*size || filled < 0.6*(r.x1-r.x0) {
		return nil
	}
	return under
}
