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
	glyphs int
	bold   int  // glyphs in bold
	votes  int  // glyphs of that size, less those of others
	space  bool // a space was shown last
}

// The gaps between glyphs, in units of their size: one wider than wordGap, or
// than spaceGap where a space was shown, parts words; one wider than columnGap
// parts segments; one wider than cellGap, which justified text does not reach,
// parts the cells of a table.
const (
	wordGap   = 0.14
	spaceGap  = 0.04
	columnGap = 1.2
	cellGap   = 2
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

// add appends a glyph. A space between words is told by the gap that it
// leaves, because some programs set spaces that the next glyph covers.
func (s *segment) add(m mark) {
	if m.text != "" && strings.TrimSpace(m.text) == "" {
		s.space = true
		if m.x1-m.x0 < 0.01*m.size { // the font does not tell how wide it is
			s.x1 -= wordGap * m.size
		}
		return
	}
	gap := (m.x0 - s.x1) / m.size
	if s.text.Len() > 0 && (gap > wordGap || s.space && gap > spaceGap) {
		s.text.WriteByte(' ')
	}
	s.space = false
	s.glyphs++
	if m.bold {
		s.bold++
	}
	s.text.WriteString(m.text)
	s.x1 = max(s.x1, m.x1)
	s.vote(m)
}

// vote makes the size and baseline of most glyphs those of the segment: a
// bullet may be larger than its line, a raised mark is smaller and higher.
func (s *segment) vote(m mark) {
	if m.size == s.size {
		s.votes++
		return
	}
	s.votes--
	if s.votes < 0 {
		s.size, s.y, s.votes = m.size, m.y, 1
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
// What lies across the gutter, such as a title or a page's number, goes to the
// left, or to the right if it stands below all that is there.
func (a area) columns() (left, right area, ok bool) {
	x, ok := a.gutter()
	if !ok {
		return nil, nil, false
	}
	var across area
	for _, s := range a {
		switch {
		case s.x1 <= x:
			left = append(left, s)
		case s.x0 >= x:
			right = append(right, s)
		default:
			across = append(across, s)
		}
	}
	if !left.isProse() || !right.isProse() {
		return nil, nil, false
	}
	lowest := slices.MinFunc(right, func(s, t *segment) int { return cmp.Compare(s.y, t.y) }).y
	for _, s := range across {
		if s.y < lowest {
			right = append(right, s)
		} else {
			left = append(left, s)
		}
	}
	return left, right, true
}

// strips is into how many strips an area is divided to look for a gutter.
const strips = 400

// gutter is the middle of the widest upright strip, away from the edges, that
// hardly a segment lies across.
func (a area) gutter() (float64, bool) {
	x0, x1 := a[0].x0, a[0].x1
	for _, s := range a {
		x0, x1 = min(x0, s.x0), max(x1, s.x1)
	}
	width := (x1 - x0) / strips
	if width <= 0 {
		return 0, false
	}
	var covered [strips + 1]int
	for _, s := range a {
		for i := int((s.x0 - x0) / width); i <= int((s.x1-x0)/width); i++ {
			covered[i]++
		}
	}
	from, widest, start := 0, 0, -1
	for i := strips / 5; i <= strips*4/5; i++ {
		if covered[i] > len(a)/12 {
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
		if i-start+1 > widest {
			from, widest = start, i-start+1
		}
	}
	return x0 + width*(float64(from)+float64(widest)/2), float64(widest)*width > 0.8*a.size()
}

// isProse reports whether an area has several lines that mostly fill it.
func (a area) isProse() bool {
	if len(a) < minColumn {
		return false
	}
	lines := a.gather()
	x0, x1, sum := lines[0].x0, lines[0].x1, 0.0
	for _, l := range lines {
		x0, x1 = min(x0, l.x0), max(x1, l.x1)
		sum += l.x1 - l.x0
	}
	wide := x1-x0 > 8*a.size()
	return wide && len(lines) >= minColumn && sum > 0.5*(x1-x0)*float64(len(lines))
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
	bold   bool // all of it
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
	l := line{x0: a[0].x0, x1: a[0].x1, y: a[0].y, size: a[0].size, bold: true}
	longest := 0
	for i, s := range a {
		gap := (s.x0 - l.x1) / s.size
		l.cells = l.cells || i > 0 && gap > cellGap && !isBullet(l.text+" ")
		if i > 0 && gap >= wordGap {
			l.text += " "
		}
		words := strings.TrimSpace(s.text.String())
		l.text += words
		l.x1 = max(l.x1, s.x1)
		l.bold = l.bold && s.bold == s.glyphs
		if len(words) > longest {
			longest, l.size, l.y = len(words), s.size, s.y
		}
	}
	return l
}
