package pdf

import (
	"cmp"
	"slices"
	"strings"
)

// An area is the segments of a part of a page.
type area []*segment

// blocks returns the lines of an area in reading order, grouped into blocks.
// It cuts the area in two, preferring columns of prose to bands, as long as
// there is white space to cut at (recursive XY cut: Nagy and Seth,
// "Hierarchical representation of optically scanned documents", 1984).
func (a area) blocks(depth int) [][]line {
	if depth < 40 && len(a) > 1 {
		if left, right, ok := a.columns(); ok {
			return append(left.blocks(depth+1), right.blocks(depth+1)...)
		}
		if top, bottom, ok := a.bands(); ok {
			return append(top.blocks(depth+1), bottom.blocks(depth+1)...)
		}
	}
	return [][]line{a.lines()}
}

const minColumnLines = 4

// columns cuts an area at its widest gutter if there is prose on both sides and
// not the cells of a table. Segments across the gutter, such as titles, go to the
// left, or to the right if they are below everything there.
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
	if !left.isProse() || !right.isProse() || isTable(left.lines(), right.lines()) {
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

// strips is the number of vertical strips in which a gutter is searched.
const strips = 400

// gutter returns the middle of the widest vertical gap away from the edges. A
// few segments may cross it.
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

// isProse reports whether the lines of an area mostly fill it.
func (a area) isProse() bool {
	if len(a) < minColumnLines {
		return false
	}
	lines := a.lines()
	x0, x1, sum := lines[0].x0, lines[0].x1, 0.0
	for _, l := range lines {
		x0, x1 = min(x0, l.x0), max(x1, l.x1)
		sum += l.x1 - l.x0
	}
	wide := x1-x0 > 8*a.size()
	return wide && len(lines) >= minColumnLines && sum > 0.5*(x1-x0)*float64(len(lines))
}

// bands cuts an area at its widest horizontal gap. Lines that all stand that far
// apart, as vertical Japanese and drafts have them, stay together.
func (a area) bands() (top, bottom area, ok bool) {
	sorted := a.topDown()
	widest, at, reach := 0.0, 0, sorted[0].y
	var gaps []float64
	for i, s := range sorted[1:] {
		gap := reach - (s.y + s.size)
		if gap > widest {
			widest, at = gap, i+1
		}
		if gap > 0 {
			gaps = append(gaps, gap)
		}
		reach = min(reach, s.y)
	}
	if size := a.size(); widest < 0.6*size || widest < 1.2*size && widest < 1.2*quartile(gaps) {
		return nil, nil, false
	}
	return sorted[:at], sorted[at:], true
}

// quartile returns the value that a quarter of the others don't exceed, or 0.
func quartile(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/4]
}

func (a area) topDown() area {
	sorted := slices.Clone(a)
	slices.SortStableFunc(sorted, func(s, t *segment) int { return cmp.Compare(t.y, s.y) })
	return sorted
}

// size returns the median size of the segments.
func (a area) size() float64 {
	sizes := make([]float64, len(a))
	for i, s := range a {
		sizes[i] = s.size
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// A line is a line of text.
type line struct {
	text   string
	x0, x1 float64
	y      float64
	size   float64
	bold   bool // entirely
	cells  bool // has wide gaps, as in a table
}

// lines joins the segments of an area into lines, from top to bottom.
func (a area) lines() []line {
	rows := a.rows()
	lines := make([]line, len(rows))
	for i, row := range rows {
		lines[i] = row.line()
	}
	return lines
}

// rows groups the segments of an area by their height, from top to bottom.
func (a area) rows() []area {
	var rows []area
	for _, s := range a.topDown() {
		if n := len(rows); n > 0 {
			if first := rows[n-1][0]; first.y-s.y < 0.45*max(first.size, s.size) {
				rows[n-1] = append(rows[n-1], s)
				continue
			}
		}
		rows = append(rows, area{s})
	}
	return rows
}

// line joins the segments of one line from left to right.
func (a area) line() line {
	slices.SortStableFunc(a, func(s, t *segment) int { return cmp.Compare(s.x0, t.x0) })
	l := line{x0: a[0].x0, x1: a[0].x1, y: a[0].y, size: a[0].size, bold: true}
	longest := 0
	var text strings.Builder
	for i, s := range a {
		gap := (s.x0 - l.x1) / s.size
		l.cells = l.cells || i > 0 && gap > cellGap && !isBullet(text.String()[:min(text.Len(), 4)]+" ")
		words := strings.TrimSpace(s.text)
		if i > 0 && gap >= wordGap && (gap > wideGap || !joinsWide(text.String(), words)) {
			text.WriteByte(' ')
		}
		text.WriteString(words)
		l.x1 = max(l.x1, s.x1)
		l.bold = l.bold && s.bold == s.glyphs
		if len(words) > longest {
			longest, l.size, l.y = len(words), s.size, s.y
		}
	}
	l.text = text.String()
	return l
}
