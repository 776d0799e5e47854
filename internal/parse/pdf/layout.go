package pdf

import (
	"cmp"
	"slices"
	"strings"
)

// segment is a stretch of a line without a wide gap.
type segment struct {
	text   strings.Builder
	x0, x1 float64
	y      float64
	size   float64
	end    string // text of the last glyph
}

// The gaps between glyphs, in units of their size: a space stands in one
// wider than wordGap, and a wider one than columnGap parts segments.
const (
	wordGap   = 0.14
	columnGap = 1.2
)

// segments joins marks in the order in which the page shows them.
func segments(marks []mark) []*segment {
	var out []*segment
	var s *segment
	for _, m := range marks {
		if s == nil || !s.continuedBy(m) {
			if strings.TrimSpace(m.text) == "" {
				continue
			}
			s = &segment{x0: m.x0, x1: m.x0, y: m.y, size: m.size}
			out = append(out, s)
		}
		s.add(m)
	}
	return out
}

// continuedBy reports whether m stands right behind s on its line.
func (s *segment) continuedBy(m mark) bool {
	size := max(s.size, m.size)
	gap := m.x0 - s.x1
	return m.y > s.y-0.4*size && m.y < s.y+0.6*size && gap > -0.5*size && gap < columnGap*size
}

// add appends a glyph.
func (s *segment) add(m mark) {
	if m.x0-s.x1 > wordGap*m.size && s.text.Len() > 0 && !strings.HasSuffix(s.end, " ") && !strings.HasPrefix(m.text, " ") {
		s.text.WriteByte(' ')
	}
	s.text.WriteString(m.text)
	if m.text != "" {
		s.end = m.text
	}
	if m.text != "" && strings.TrimSpace(m.text) == "" {
		return // a space at the end of a line makes it no longer
	}
	s.x1 = max(s.x1, m.x1)
	if m.size > s.size { // of a line that begins with a raised mark, the rest tells the place
		s.size, s.y = m.size, m.y
	}
}

// area is a part of a page.
type area []*segment

// lines are the lines of an area in reading order: column by column where it
// has columns of prose, else from top to bottom. It cuts the area in two as
// long as there is white space to cut at (recursive XY cut, Nagy and Seth,
// "Hierarchical representation of optically scanned documents", 1984).
func (a area) lines(depth int) [][]line {
	if depth < 40 && len(a) > 1 {
		if left, right, ok := a.columns(); ok {
			return append(left.lines(depth+1), right.lines(depth+1)...)
		}
		if top, bottom, ok := a.bands(); ok {
			return append(top.lines(depth+1), bottom.lines(depth+1)...)
		}
	}
	return [][]line{a.gather()}
}

// minColumn is how many lines a column of prose has at least.
const minColumn = 4

// columns cuts an area at its widest gutter, if there is prose on both sides
// of it. The cells of a table are not prose: they don't fill their column.
func (a area) columns() (left, right area, ok bool) {
	sorted := slices.Clone(a)
	slices.SortStableFunc(sorted, func(s, t *segment) int { return cmp.Compare(s.x0, t.x0) })
	widest, at, reach := 0.0, 0, sorted[0].x1
	for i, s := range sorted[1:] {
		if gap := s.x0 - reach; gap > widest {
			widest, at = gap, i+1
		}
		reach = max(reach, s.x1)
	}
	if widest < 0.8*a.size() || !area(sorted[:at]).isProse() || !area(sorted[at:]).isProse() {
		return nil, nil, false
	}
	inLeft := make(map[*segment]bool, at)
	for _, s := range sorted[:at] {
		inLeft[s] = true
	}
	for _, s := range a { // keeps the order of the page on each side
		if inLeft[s] {
			left = append(left, s)
		} else {
			right = append(right, s)
		}
	}
	return left, right, true
}

// isProse reports whether an area has several lines that mostly fill it.
func (a area) isProse() bool {
	lines := a.gather()
	x0, x1, sum := lines[0].x0, lines[0].x1, 0.0
	for _, l := range lines {
		x0, x1 = min(x0, l.x0), max(x1, l.x1)
		sum += l.x1 - l.x0
	}
	wide := x1-x0 > 8*a.size()
	return wide && len(lines) >= minColumn && sum > 0.6*(x1-x0)*float64(len(lines))
}

// bands cuts an area at its highest white band.
func (a area) bands() (top, bottom area, ok bool) {
	sorted := slices.Clone(a)
	slices.SortStableFunc(sorted, func(s, t *segment) int { return cmp.Compare(t.y, s.y) })
	widest, at, reach := 0.0, 0, sorted[0].y
	for i, s := range sorted[1:] {
		if gap := reach - (s.y + s.size); gap > widest {
			widest, at = gap, i+1
		}
		reach = min(reach, s.y)
	}
	if widest < 0.6*a.size() {
		return nil, nil, false
	}
	return sorted[:at], sorted[at:], true
}

// size is the median size of an area's segments.
func (a area) size() float64 {
	sizes := make([]float64, len(a))
	for i, s := range a {
		sizes[i] = s.size
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// line is a line of text.
type line struct {
	text   string
	x0, x1 float64
	y      float64
	size   float64
	cells  bool // parts of it stand wide apart, as in a table
}

// gather puts the segments of an area into lines, from top to bottom.
func (a area) gather() []line {
	sorted := slices.Clone(a)
	slices.SortStableFunc(sorted, func(s, t *segment) int { return cmp.Compare(t.y, s.y) })
	var rows []area
	for _, s := range sorted {
		if n := len(rows); n > 0 {
			first := rows[n-1][0]
			if first.y-s.y < 0.45*max(first.size, s.size) {
				rows[n-1] = append(rows[n-1], s)
				continue
			}
		}
		rows = append(rows, area{s})
	}
	lines := make([]line, len(rows))
	for i, row := range rows {
		lines[i] = row.line()
	}
	return lines
}

// line joins the segments of one line from left to right.
func (a area) line() line {
	slices.SortStableFunc(a, func(s, t *segment) int { return cmp.Compare(s.x0, t.x0) })
	l := line{x0: a[0].x0, x1: a[0].x1, y: a[0].y}
	for i, s := range a {
		gap := (s.x0 - l.x1) / s.size
		l.cells = l.cells || i > 0 && gap > columnGap && !isBullet(l.text+" ")
		if i > 0 && gap >= wordGap {
			l.text += " "
		}
		l.text += strings.TrimSpace(s.text.String())
		l.x1 = max(l.x1, s.x1)
		if s.size > l.size {
			l.size, l.y = s.size, s.y
		}
	}
	return l
}
