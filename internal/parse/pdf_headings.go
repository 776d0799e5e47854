package parse

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/parse/pdf"
)

// headingLevels recognises the headings of a PDF, which does not mark them: they are clearly larger
// than most of the text, or bold.
type headingLevels struct {
	bySize map[int]int // by size as roundSize gives it
	bold   int         // of bold ones in the size of the text; 0 when there are none
}

const maxSizes = 4

// levelsOf assigns levels to the sizes of headings, the largest first, and the level below to bold
// ones.
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

// largerSizes assigns levels to the sizes of headings larger than the body.
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

// of returns the level of a paragraph, or 0 if it is no heading.
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

// roundSize rounds a font size to half points.
func roundSize(points float64) int { return int(2*points + 0.5) }

// likeHeading reports whether a paragraph is short, has words, and is neither a table nor a list.
func likeHeading(p pdf.Paragraph) bool {
	letters := 0
	for _, r := range p.Text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 2 && utf8.RuneCountInString(p.Text) <= 200 && strings.Count(p.Text, "\n") < 4 && !p.Table && !bullets.MatchString(p.Text)
}
