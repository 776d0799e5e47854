package summarize

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// textOf is what lines say, without marks.
func textOf(lines []Line) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteString(gap(lines[i-1], line))
		}
		b.WriteString(line.Text)
	}
	return b.String()
}

// Marked is what a summary says with the numbers of the parts behind each
// sentence, as in "It burned down in 1871. [3][4]". ReadMarked reads it back.
func (s Summary) Marked() string {
	var b strings.Builder
	for i, line := range s.Lines {
		if i > 0 {
			b.WriteString(gap(s.Lines[i-1], line))
		}
		b.WriteString(line.Text)
		for j, p := range line.Parts {
			if j == 0 {
				b.WriteByte(' ')
			}
			b.WriteString("[" + strconv.Itoa(p) + "]")
		}
	}
	return b.String()
}

// gap is what stands between two lines.
func gap(before, after Line) string {
	if after.Paragraph > before.Paragraph {
		return "\n\n"
	}
	return " "
}

// The marks of parts, and what models think aloud before they answer.
var (
	marks   = regexp.MustCompile(`\s*\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\]`)
	digits  = regexp.MustCompile(`\d+`)
	thought = regexp.MustCompile(`(?s)<think(ing)?>.*?(</think(ing)?>|$)`)
	bullet  = regexp.MustCompile(`^(?:[-*•]|#+)\s+`)
)

// ReadMarked reads an account that was made of other lines: its sentences with
// the parts that their marks name. A mark that none of the others has is
// dropped. A sentence without a mark, or one whose marks all were dropped,
// takes the parts of those lines that share most of its words.
func ReadMarked(text string, from []Line) []Line {
	text = thought.ReplaceAllString(text, "")
	plain, found := unmarked(text)
	known := partsOf(from)
	spans := prose.Sentences(plain)
	var out []Line
	paragraph := 0
	for i, span := range spans {
		next := domain.Runes(plain) + 1
		if i+1 < len(spans) {
			next = spans[i+1].Start
		}
		line := Line{Text: bullet.ReplaceAllString(oneLine(span.Slice(plain)), ""), Parts: []int{}}
		if i > 0 && strings.Count(domain.Span{Start: spans[i-1].End, End: span.Start}.Slice(plain), "\n") > 1 {
			paragraph++
		}
		line.Paragraph = paragraph
		for _, m := range found {
			if m.at > span.Start && m.at <= next && slices.Contains(known, m.part) && !slices.Contains(line.Parts, m.part) {
				line.Parts = append(line.Parts, m.part)
			}
		}
		if len(line.Parts) == 0 {
			line.Parts = nearest(line.Text, from)
		}
		if line.Text != "" {
			out = append(out, line)
		}
	}
	return verbatim(out, from)
}

// mark is a part's number at its place in the text without marks, in code
// points.
type mark struct{ at, part int }

// unmarked takes the marks out of a text.
func unmarked(text string) (plain string, found []mark) {
	var b strings.Builder
	last, runes := 0, 0
	take := func(s string) {
		b.WriteString(s)
		runes += domain.Runes(s)
	}
	for _, place := range marks.FindAllStringIndex(text, -1) {
		take(text[last:place[0]])
		for _, d := range digits.FindAllString(text[place[0]:place[1]], -1) {
			if n, err := strconv.Atoi(d); err == nil {
				found = append(found, mark{runes, n})
			}
		}
		last = place[1]
	}
	take(text[last:])
	return b.String(), found
}

// verbatim gives back their place in the document to lines that were taken
// over word for word.
func verbatim(lines, from []Line) []Line {
	for i, line := range lines {
		for _, f := range from {
			if f.Span != nil && f.Text == line.Text && slices.Equal(f.Parts, line.Parts) {
				lines[i].Span = f.Span
			}
		}
	}
	return lines
}

// partsOf are the parts that lines name, each once.
func partsOf(lines []Line) []int {
	var out []int
	for _, line := range lines {
		for _, p := range line.Parts {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// nearest are the parts of the lines that share most words with a sentence,
// none when none shares any.
func nearest(sentence string, from []Line) []int {
	terms := prose.Terms(sentence)
	parts, most := []int{}, 0
	for _, f := range from {
		switch n := shared(terms, prose.Terms(f.Text)); {
		case n > most:
			parts, most = slices.Clone(f.Parts), n
		case n == most && n > 0:
			for _, p := range f.Parts {
				if !slices.Contains(parts, p) {
					parts = append(parts, p)
				}
			}
		}
	}
	return parts
}

// shared counts the terms that two lists have in common, each once.
func shared(a, b []string) int {
	n := 0
	for i, t := range a {
		if slices.Contains(b, t) && !slices.Contains(a[:i], t) {
			n++
		}
	}
	return n
}

// linesOf are all lines of several summaries.
func linesOf(list []Summary) []Line {
	var out []Line
	for _, s := range list {
		out = append(out, s.Lines...)
	}
	return out
}

// oneLine is text without line breaks and runs of spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// supporting is the sentence of a part that shares most words with a claim, the
// shorter one where two share as many; the whole part when none shares any.
func supporting(claim, text string, whole domain.Span) domain.Span {
	terms := prose.Terms(claim)
	best, most := whole, 0.0
	for _, span := range prose.Sentences(text) {
		said := prose.Terms(span.Slice(text))
		if n := shared(terms, said); n > 0 && float64(n)+1/float64(1+len(said)) > most {
			best, most = span.Shift(whole.Start), float64(n)+1/float64(1+len(said))
		}
	}
	return best
}
