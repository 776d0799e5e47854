package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/read/parse/script"
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

// Columns of prose have at least minColumnLines, or fewer whose words show that each line continues the one above.
const (
	minColumnLines  = 4
	fewestLines     = 3
	minWordsOfProse = 4 // in a line, on average
)

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
	if len(a) < fewestLines {
		return false
	}
	lines := a.lines()
	x0, x1, sum := lines[0].x0, lines[0].x1, 0.0
	for _, l := range lines {
		x0, x1 = min(x0, l.x0), max(x1, l.x1)
		sum += l.x1 - l.x0
	}
	wide := x1-x0 > 8*a.size()
	return wide && (len(lines) >= minColumnLines || runsOn(lines)) && sum > 0.5*(x1-x0)*float64(len(lines))
}

// runsOn reports whether a sentence begins in the first of a few lines and goes on in another. Lines of an address and
// cells of a table don't.
func runsOn(lines []line) bool {
	if len(lines) < fewestLines {
		return false
	}
	words := 0
	for _, l := range lines {
		words += len(strings.Fields(l.text))
	}
	return words >= minWordsOfProse*len(lines) && !unicode.IsLower(firstRune(lines[0].text)) &&
		slices.ContainsFunc(lines[1:], func(l line) bool { return unicode.IsLower(firstRune(l.text)) })
}

// bands cuts an area at its widest horizontal gap. Lines that are all that far apart, as in vertical Japanese and
// drafts, stay together.
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
	bold   bool // all of it
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

// stem is how far left of the middle of a vertical line the baseline of Latin
// words in it is taken to be, relative to their size.
const stem = 0.36

// readHeights reads how far the glyphs of a vertical font advance, which is down
// the page (section 9.7.4.3). Only heights that all glyphs share, and lists, are
// read.
func (f *File) readHeights(t *font, d dict) {
	t.missing = -1000
	if heights := f.array(d["DW2"]); len(heights) == 2 {
		t.missing = number(f.resolve(heights[1]))
	}
	w := f.array(d["W2"])
	for len(w) >= 2 {
		first := integer(f.resolve(w[0]))
		if list := f.array(w[1]); list != nil {
			for i := 0; i+2 < min(len(list), 3*maxGlyphs); i += 3 {
				t.widths[first+i/3] = number(f.resolve(list[i]))
			}
			w = w[2:]
			continue
		}
		if len(w) < 5 {
			return
		}
		height := number(f.resolve(w[2]))
		for i := first; i <= min(integer(f.resolve(w[1])), first+maxGlyphs); i++ {
			t.widths[i] = height
		}
		w = w[5:]
	}
}

// stacked turns signs that are placed one below the other, as programs do that
// know nothing of vertical fonts, into vertical lines, where most signs of the page
// are placed so.
func stacked(chars []char) {
	down, across := 0, 0
	for i := 1; i < len(chars); i++ {
		if a, b := chars[i-1], chars[i]; isWide(lastRune(a.text)) && isWide(firstRune(b.text)) {
			switch {
			case below(a, b):
				down++
			case a.turn == b.turn && b.x0 >= a.x0 && b.x0-a.x1 < a.size && math.Abs(a.y-b.y) < 0.2*a.size:
				across++
			}
		}
	}
	if down < 3 || down <= 2*across {
		return
	}
	was := false // whether the previous sign, as placed, is above this one
	for i := range chars {
		next := i+1 < len(chars) && below(chars[i], chars[i+1])
		if was || next {
			chars[i].stand()
		}
		was = next
	}
}

// below reports whether b is placed directly below a.
func below(a, b char) bool {
	drop := (a.y - b.y) / max(a.size, b.size)
	return a.turn == b.turn && drop > 0.5 && drop < 1.6 && math.Abs(a.x0+a.x1-b.x0-b.x1) < 0.6*a.size
}

// stand turns an upright character into one of a vertical line.
func (c *char) stand() {
	middle := (c.x0 + c.x1) / 2
	c.x0, c.x1, c.y = -(c.y + 0.88*c.size), -(c.y - 0.12*c.size), middle-stem*c.size
	c.turn = (c.turn + 3) % 4
}

// maxCellWords is how many words the cells of a table have on average, at most.
const maxCellWords = 5

// isTable reports whether the lines on both sides of a gutter are cells that share rows, rather than two columns of
// prose: figures on one side, or short words that start each line on both.
func isTable(left, right []line) bool {
	if sharedRows(left, right) < 0.7*float64(min(len(left), len(right))) {
		return false
	}
	return mostlyFigures(left) || mostlyFigures(right) || beginAnew(left) && beginAnew(right)
}

// sharedRows returns how many lines of one side are at the height of one of the other. Both run from top to bottom.
func sharedRows(left, right []line) (shared float64) {
	for len(left) > 0 && len(right) > 0 {
		apart := left[0].y - right[0].y
		switch {
		case math.Abs(apart) < 0.3*max(left[0].size, right[0].size):
			shared++
			left, right = left[1:], right[1:]
		case apart > 0:
			left = left[1:]
		default:
			right = right[1:]
		}
	}
	return shared
}

// mostlyFigures reports whether half of the lines say numbers, with no more
// letters than a unit or the name of a month has.
func mostlyFigures(lines []line) bool {
	figures := 0
	for _, l := range lines {
		letters, digits := 0, 0
		for _, r := range l.text {
			switch {
			case unicode.IsDigit(r):
				digits++
			case unicode.IsLetter(r):
				letters++
			}
		}
		if letters < digits || letters == 0 {
			figures++
		}
	}
	return 2*figures >= len(lines)
}

// beginAnew reports whether the lines are short and none continues the one above, as lines of prose do: each begins
// with a capital letter or a digit. In scripts without case this is unknown.
func beginAnew(lines []line) bool {
	words, anew, on := 0, 0, 0
	for _, l := range lines {
		words += len(strings.Fields(l.text))
		r, _ := utf8.DecodeRuneInString(l.text)
		switch {
		case unicode.IsUpper(r), unicode.IsDigit(r):
			anew++
		default:
			on++
		}
	}
	return words <= maxCellWords*len(lines) && on*10 <= anew
}

// strike marks the characters that a line crosses out, and reports whether there
// are any. Only a line that begins and ends with text that fills it counts: others
// belong to tables, forms and drawings.
func (in *interpreter) strike() (found bool) {
	if len(in.canvas.rules) == 0 {
		return false
	}
	var rows [4][]*char // by turn, starting with the lowest
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

// crossed returns the characters of rows that a rule crosses out. The rows begin below the rule.
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

// A Repeat is a line at the edge of pages that other pages have at the same
// height.
type Repeat struct {
	Text   string // of its first page
	Number bool   // only the page number
	Pages  int
}

// minRepeats is how many pages have a line before it is one that repeats.
const minRepeats = 3

// DropRunning drops running headers and footers from drafts of pages, which are in order, and returns what it dropped.
// A line is running if at least three pages have it at the same height, separated from the rest by a gap; a number in
// it may count the pages. A page that would be left empty keeps its lines.
func DropRunning(drafts []Draft) []Repeat {
	seen := make(map[runningKey][]*segment)
	for i, d := range drafts {
		for _, s := range d.edges() {
			for _, key := range s.runningKeys(i) {
				seen[key] = append(seen[key], s)
			}
		}
	}
	runs := make(map[*segment]bool)
	for _, segments := range seen {
		for _, s := range segments {
			runs[s] = runs[s] || len(segments) >= minRepeats
		}
	}
	found := make(map[string]*Repeat)
	var order []*Repeat
	for i, d := range drafts {
		for _, s := range d.drop(runs) {
			text := strings.TrimSpace(s.text)
			key := text
			number := isNumber(text)
			if counted := pageNumbers.ReplaceAllString(text, "#"); number || counted != text && len(seen[runningKey{text, s.height()}]) < minRepeats {
				key = counted
			}
			if number {
				key = "#"
			}
			if found[key] == nil {
				found[key] = &Repeat{Text: text, Number: number}
				order = append(order, found[key])
			}
			found[key].Pages++
		}
		drafts[i] = d
	}
	var repeats []Repeat
	for _, r := range order {
		repeats = append(repeats, *r)
	}
	slices.SortStableFunc(repeats, func(a, b Repeat) int { return cmp.Compare(b.Pages, a.Pages) })
	return repeats
}

// A runningKey identifies lines repeated on several pages.
type runningKey struct {
	text string
	y    int
}

// height returns the height of a segment's baseline, in steps of two points.
func (s *segment) height() int { return int(math.Round(s.y / 2)) }

var pageNumbers = regexp.MustCompile(`\d{1,6}|\b[ivxlc]{1,8}\b`)

// maxRunningText bounds the lines that are compared, in bytes, and maxNumbers the
// numbers in one that may be that of the page.
const (
	maxRunningText = 300
	maxNumbers     = 4
)

// runningKeys returns the keys of a segment on the page with an index: its text, and its text with each number in it
// read as the page number.
func (s *segment) runningKeys(page int) []runningKey {
	text := strings.TrimSpace(s.text)
	if len(text) > maxRunningText {
		return nil
	}
	keys := []runningKey{{text, s.height()}}
	for _, at := range pageNumbers.FindAllStringIndex(text, maxNumbers) {
		n, ok := numberOf(text[at[0]:at[1]])
		if ok {
			keys = append(keys, runningKey{text[:at[0]] + "\x00" + strconv.Itoa(n-page) + "\x00" + text[at[1]:], s.height()})
		}
	}
	return keys
}

// isNumber reports whether a line consists only of a number.
func isNumber(text string) bool {
	return strings.Trim(pageNumbers.ReplaceAllString(text, ""), " -–—[]().|") == ""
}

// numberOf returns the value of an Arabic or a small Roman number.
func numberOf(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, true
	}
	sum, before := 0, 0
	for _, r := range slices.Backward([]byte(s)) {
		n := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100}[r]
		if n < before {
			n = -n
		}
		sum, before = sum+n, max(n, before)
	}
	return sum, strings.EqualFold(script.LowerRoman.Text(sum), s)
}

// maxEdge is the maximum number of lines of a header or a footer.
const maxEdge = 3

// edges returns the lines at the top and the bottom of a page that are separated from the rest by a gap, and are no
// larger than the rest.
func (d Draft) edges() (found area) {
	if len(d.areas) == 0 {
		return nil
	}
	upright := d.areas[0].area
	rows := upright.rows()
	usual := rowGap(rows)
	top := slices.Clone(edge(rows, usual))
	slices.Reverse(rows)
	for _, row := range append(top, edge(rows, usual)...) {
		for _, s := range row {
			if s.size <= 1.2*upright.size() && !slices.Contains(found, s) {
				found = append(found, s)
			}
		}
	}
	return found
}

// edge returns the first rows if a gap parts them from the others, which are more.
func edge(rows []area, usual float64) []area {
	for i := range min(maxEdge, (len(rows)-1)/2) {
		gap := math.Abs(rows[i][0].y - rows[i+1][0].y)
		if gap > 1.5*max(rows[i].size(), rows[i+1].size()) && gap > 1.2*usual {
			return rows[: i+1 : i+1]
		}
	}
	return nil
}

// rowGap returns the distance between rows that a quarter of them keep, as lines
// of text do.
func rowGap(rows []area) float64 {
	var gaps []float64
	for i := 1; i < len(rows); i++ {
		gaps = append(gaps, rows[i-1][0].y-rows[i][0].y)
	}
	return quartile(gaps)
}

// drop removes segments from a page and returns them.
func (d *Draft) drop(runs map[*segment]bool) (dropped area) {
	areas := make([]aligned, 0, len(d.areas))
	for _, a := range d.areas {
		kept := aligned{upright: a.upright}
		for _, s := range a.area {
			if runs[s] {
				dropped = append(dropped, s)
			} else {
				kept.area = append(kept.area, s)
			}
		}
		if len(kept.area) > 0 {
			areas = append(areas, kept)
		}
	}
	if len(areas) == 0 && d.content.Images == 0 {
		return nil
	}
	d.areas = areas
	return dropped
}
