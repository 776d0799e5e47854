package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Repeat is a line at the edge of pages that other pages have at the same
// height.
type Repeat struct {
	Text   string // of its first page
	Number bool   // only the number of the page
	Pages  int
}

// minRepeats is how many pages have a line before it is one that repeats.
const minRepeats = 3

// DropRunning drops running headers and footers from drafts of pages, which are
// in order, and returns what it dropped. A line runs if at least three pages have
// it at the same height, parted from the rest by a gap; a number in it may count
// the pages. A page that would be left with nothing at all keeps its lines.
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

// A runningKey is what lines of several pages have in common.
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

// runningKeys returns the keys of a segment on the page of an index: its text,
// and its text with each number in it taken as that of the page.
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

// isNumber reports whether a line says nothing but a number.
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
	return sum, strings.EqualFold(roman(sum), s)
}

// maxEdge is the most lines of a header or a footer.
const maxEdge = 3

// edges returns what stands at the top and the bottom of a page, parted from the
// rest by a gap, and is no larger than the rest.
func (d Draft) edges() (found area) {
	if len(d.areas) == 0 {
		return nil
	}
	upright := d.areas[0]
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
	areas := make([]area, 0, len(d.areas))
	for _, a := range d.areas {
		var kept area
		for _, s := range a {
			if runs[s] {
				dropped = append(dropped, s)
			} else {
				kept = append(kept, s)
			}
		}
		if len(kept) > 0 {
			areas = append(areas, kept)
		}
	}
	if len(areas) == 0 && d.content.Images == 0 {
		return nil
	}
	d.areas = areas
	return dropped
}
