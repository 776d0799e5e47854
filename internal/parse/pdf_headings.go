package parse

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/parse/pdf"
)

// headingLevels tells the headings of a PDF, which does not mark them, by
// their letters: those clearly larger than most of the text, or all bold.
type headingLevels struct {
	bySize map[int]int // by size as roundSize gives it
	bold   int         // of bold ones in the size of the text; 0 when there are none
}

// maxSizes is how many sizes of heading are told apart.
const maxSizes = 4

// levelsOf gives the sizes of a document's headings a level each, the largest
// the first, and bold ones the level below.
func levelsOf(contents []pdf.Content) headingLevels {
	chars, bold, total := make(map[int]int), 0, 0
	for _, c := range contents {
		for _, p := range c.Paragraphs {
			n := utf8.RuneCountInString(p.Text)
			chars[roundSize(p.Size)] += n
			total += n
			if p.Bold {
				bold += n
			}
		}
	}
	body := 0
	for _, size := range slices.Sorted(maps.Keys(chars)) {
		if chars[size] > chars[body] {
			body = size
		}
	}
	levels := headingLevels{bySize: largerSizes(contents, body)}
	if 3*bold < total {
		levels.bold = 1
		for _, level := range levels.bySize {
			levels.bold = max(levels.bold, level+1)
		}
	}
	return levels
}

// largerSizes gives the sizes of headings that are larger than the body's a
// level each.
func largerSizes(contents []pdf.Content, body int) map[int]int {
	larger := make(map[int]bool)
	for _, c := range contents {
		for _, p := range c.Paragraphs {
			if size := roundSize(p.Size); 20*size >= 23*body && likeHeading(p) {
				larger[size] = true
			}
		}
	}
	levels := make(map[int]int)
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(larger))) {
		levels[size] = min(len(levels)+1, maxSizes)
	}
	return levels
}

// of is the level of a paragraph, 0 when it is no heading.
func (l headingLevels) of(p pdf.Paragraph) int {
	if !likeHeading(p) {
		return 0
	}
	if level := l.bySize[roundSize(p.Size)]; level > 0 {
		return level
	}
	if p.Bold && utf8.RuneCountInString(p.Text) <= 120 && !strings.Contains(p.Text, "\n") && !strings.ContainsAny(p.Text[len(p.Text)-1:], ".,;:!?") {
		return l.bold
	}
	return 0
}

// roundSize is a size of letters in half points, which is as exact as sizes
// are meant.
func roundSize(points float64) int { return int(2*points + 0.5) }

// likeHeading reports whether a paragraph in large letters reads like a
// heading: short, with words in it, and neither a table nor a list.
func likeHeading(p pdf.Paragraph) bool {
	letters := 0
	for _, r := range p.Text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 2 && utf8.RuneCountInString(p.Text) <= 200 && strings.Count(p.Text, "\n") < 4 && !p.Table && !bullets.MatchString(p.Text)
}
