package pdf

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// The limits of a tree of page labels.
const (
	maxLabelNodes = 10_000
	maxLabelDepth = 32
	maxPrefix     = 64 // bytes
)

// labels is how the pages from one on are numbered (section 12.4.2).
type labels struct {
	from   int // index of the first page
	style  name
	prefix string
	start  int
}

// Labels returns what the file calls each of its first pages, as "iv" or "A-3",
// or nil if it doesn't say.
func (f *File) Labels(pages int) []string {
	var ranges []labels
	nodes := 0
	f.readLabels(f.dict(f.trailer["Root"])["PageLabels"], 0, &nodes, &ranges)
	if len(ranges) == 0 {
		return nil
	}
	slices.SortStableFunc(ranges, func(a, b labels) int { return cmp.Compare(a.from, b.from) })
	names := make([]string, pages)
	at := labels{style: "D", start: 1}
	for i := range names {
		for len(ranges) > 0 && ranges[0].from <= i {
			at, ranges = ranges[0], ranges[1:]
		}
		names[i] = at.name(i)
	}
	return names
}

// readLabels reads a node of the number tree (section 7.9.7).
func (f *File) readLabels(o object, depth int, nodes *int, ranges *[]labels) {
	d := f.dict(o)
	if *nodes++; d == nil || depth > maxLabelDepth || *nodes > maxLabelNodes {
		return
	}
	for _, kid := range f.array(d["Kids"]) {
		f.readLabels(kid, depth+1, nodes, ranges)
	}
	for nums := f.array(d["Nums"]); len(nums) >= 2 && len(*ranges) < maxLabelNodes; nums = nums[2:] {
		entry := f.dict(nums[1])
		if entry == nil {
			continue
		}
		l := labels{from: integer(f.resolve(nums[0])), start: 1}
		l.style, _ = f.resolve(entry["S"]).(name)
		if prefix, ok := f.resolve(entry["P"]).(text); ok {
			l.prefix = textString(prefix[:min(len(prefix), maxPrefix)])
		}
		if start := f.resolve(entry["St"]); start != nil {
			l.start = integer(start)
		}
		*ranges = append(*ranges, l)
	}
}

// name returns the label of the page of an index.
func (l labels) name(page int) string {
	n := l.start + page - l.from
	switch l.style {
	case "D":
		return l.prefix + strconv.Itoa(n)
	case "R":
		return l.prefix + strings.ToUpper(roman(n))
	case "r":
		return l.prefix + roman(n)
	case "A":
		return l.prefix + strings.ToUpper(letters(n))
	case "a":
		return l.prefix + letters(n)
	}
	return l.prefix
}

// roman returns n in small Roman numerals, or in Arabic ones where they would be
// long.
func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	marks := []string{"m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"}
	var b strings.Builder
	for i, v := range values {
		for ; n >= v; n -= v {
			b.WriteString(marks[i])
		}
	}
	return b.String()
}

// letters returns a to z, then aa to zz, and so on.
func letters(n int) string {
	if n < 1 || n > 26*20 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('a'+(n-1)%26)), 1+(n-1)/26)
}
