package summarize

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// writeText joins sentences, each followed by its numbers as in "It burned down
// in 1871. [3][4]".
func writeText[S any](sentences []S, parts func(S) (text string, numbers []int, paragraph int)) string {
	var b strings.Builder
	last := 0
	for i, s := range sentences {
		text, numbers, paragraph := parts(s)
		switch {
		case i == 0:
		case paragraph > last:
			b.WriteString("\n\n")
		default:
			b.WriteByte(' ')
		}
		last = paragraph
		b.WriteString(text)
		for j, n := range numbers {
			if j == 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "[%d]", n)
		}
	}
	return b.String()
}

// textOf joins sentences without marks.
func textOf(sentences []Sentence) string {
	return writeText(sentences, func(s Sentence) (string, []int, int) { return s.Text, nil, s.Paragraph })
}

// Marked returns the text of a summary with marks, the numbers of the parts,
// after each sentence. ParseMarked is its inverse.
func (s Summary) Marked() string {
	return writeText(s.Sentences, func(s Sentence) (string, []int, int) { return s.Text, s.Parts, s.Paragraph })
}

var bullet = regexp.MustCompile(`^(?:[-*•]|#+)\s+`)

// ParseMarked parses an account of other sentences: its sentences with the
// parts that their marks name. Marks that none of the sources has are dropped.
// A sentence without marks gets the parts of the sources that share most of
// its words.
func ParseMarked(text string, sources []Sentence) []Sentence {
	plain, found := cutMarks(text, sources)
	known, index := partsOf(sources), sourceIndex{sentences: sources}
	spans := prose.Sentences(plain)
	var out []Sentence
	paragraph := 0
	for i, span := range spans {
		next := domain.Runes(plain) + 1
		if i+1 < len(spans) {
			next = spans[i+1].Start
		}
		if i > 0 && strings.Count(domain.Span{Start: spans[i-1].End, End: span.Start}.Slice(plain), "\n") > 1 {
			paragraph++
		}
		s := Sentence{Text: bullet.ReplaceAllString(oneLine(span.Slice(plain)), ""), Parts: []int{}, Paragraph: paragraph}
		if s.Text == "" {
			continue
		}
		for _, m := range found {
			if m.at > span.Start && m.at <= next && slices.Contains(known, m.part) && !slices.Contains(s.Parts, m.part) {
				s.Parts = append(s.Parts, m.part)
			}
		}
		if len(s.Parts) == 0 {
			s.Parts = index.nearest(s.Text)
		}
		s.Span = verbatimSpan(s, sources)
		out = append(out, s)
	}
	return out
}

// A mark is the number of a part at a position in the text without marks, in
// code points.
type mark struct{ at, part int }

// cutMarks removes from a text the marks that may name parts of the sources.
func cutMarks(text string, sources []Sentence) (plain string, found []mark) {
	var b strings.Builder
	runes := 0
	f := markFilter(sources, func(words string) {
		b.WriteString(words)
		runes += domain.Runes(words)
	}, func(numbers []int) {
		for _, n := range numbers {
			found = append(found, mark{runes, n})
		}
	})
	f.Write(text)
	f.Close()
	return b.String(), found
}

// markFilter returns the filter of an account of sources.
func markFilter(sources []Sentence, words func(string), cite func([]int)) *llm.MarkFilter {
	most := 0
	for _, n := range partsOf(sources) {
		most = max(most, n)
	}
	return &llm.MarkFilter{Most: most, Words: words, Cite: cite}
}

// verbatimSpan returns the span of the last source that a sentence repeats word
// for word, or nil.
func verbatimSpan(s Sentence, sources []Sentence) *domain.Span {
	for _, source := range slices.Backward(sources) {
		if source.Span != nil && source.Text == s.Text && slices.Equal(source.Parts, s.Parts) {
			return source.Span
		}
	}
	return nil
}

// partsOf returns the distinct parts of sentences.
func partsOf(sentences []Sentence) []int {
	var out []int
	for _, s := range sentences {
		for _, p := range s.Parts {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// sentencesOf concatenates the sentences of summaries.
func sentencesOf(summaries []Summary) []Sentence {
	var out []Sentence
	for _, s := range summaries {
		out = append(out, s.Sentences...)
	}
	return out
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
