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
	known, near := partsOf(from), neighbours{lines: from}
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
			line.Parts = near.parts(line.Text)
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

// neighbours are lines with their terms, once they are needed.
type neighbours struct {
	lines []Line
	terms []map[string]bool
}

// mostNear bounds the parts of a sentence that names none itself.
const mostNear = 4

// parts are those of the lines that share most words with a sentence, none when
// none shares any.
func (x *neighbours) parts(sentence string) []int {
	if x.terms == nil {
		for _, l := range x.lines {
			x.terms = append(x.terms, termsOf(l.Text))
		}
	}
	terms := termsOf(sentence)
	parts, most := []int{}, 0
	for i, l := range x.lines {
		n := shared(terms, x.terms[i])
		if n == 0 || n < most {
			continue
		}
		if n > most {
			parts, most = []int{}, n
		}
		for _, p := range l.Parts {
			if len(parts) < mostNear && !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// termsOf are the terms of a text, each once.
func termsOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range prose.Terms(text) {
		set[t] = true
	}
	return set
}

// shared counts the terms that two sets have in common.
func shared(a, b map[string]bool) int {
	n := 0
	for t := range a {
		if b[t] {
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

// told is a sentence of a part with its terms.
type told struct {
	span  domain.Span // in the document
	terms map[string]bool
}

// sentencesOf are the sentences of a part's text.
func sentencesOf(text string, at int) []told {
	var out []told
	for _, span := range prose.Sentences(text) {
		out = append(out, told{span.Shift(at), termsOf(span.Slice(text))})
	}
	return out
}

// supporting is the sentence that shares most words with a claim, the shorter
// one where two share as many; the whole part when none shares any.
func supporting(claim map[string]bool, part []told, whole domain.Span) domain.Span {
	best, most := whole, 0.0
	for _, s := range part {
		n := shared(claim, s.terms)
		if score := float64(n) + 1/float64(2+len(s.terms)); n > 0 && score > most {
			best, most = s.span, score
		}
	}
	return best
}
