package answer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Shares of a sentence's words that passages must say before the sentence is taken to
// be from them: of all, and of those that the question does not have.
const (
	enoughSaid = 0.6
	enoughNew  = 0.5
)

// mostSources bounds the passages that one sentence gets.
const mostSources = 3

// attribute gives each sentence without a mark those of the passages that say it, if
// there are any: small models forget them. Names and numbers must all be there.
func (c *composer) attribute(question string, passages []domain.Passage) {
	t := c.text()
	plain := c.plain.String()
	asked := termSet(question)
	var read []reading
	sentences := c.sentences()
	for i, span := range c.spans() {
		text := span.Slice(plain)
		if s := sentences[i]; len(s.Citations) > 0 || s.Remark {
			continue
		}
		if read == nil {
			read = readings(passages)
		}
		for _, source := range sourcesOf(newClaim(text, asked), asked, read) {
			n := c.number(source.passage, source.span)
			t.Marks = append(t.Marks, Mark{span.End, n})
		}
	}
	if len(t.Marks) == len(c.marks) {
		return
	}
	t.Citations = c.citations
	slices.SortStableFunc(t.Marks, func(a, b Mark) int { return a.At - b.At })
	c.become(resumeComposer(t.renumbered(), c.emit))
}

// renumbered numbers the citations by their first marks, and leaves out what no mark
// names.
func (t Text) renumbered() Text {
	numbers := map[int]int{}
	var citations []domain.Citation
	marks := slices.Clone(t.Marks)
	for i, m := range marks {
		if numbers[m.N] == 0 {
			numbers[m.N] = len(citations) + 1
			cited := t.Citations[m.N-1]
			cited.N = numbers[m.N]
			citations = append(citations, cited)
		}
		marks[i].N = numbers[m.N]
	}
	t.Marks, t.Citations = marks, citations
	return t
}

// claim is what a sentence says: its terms, of which some are new beside the
// question, and its names and numbers.
type claim struct{ terms, fresh, exact map[string]bool }

func newClaim(text string, asked map[string]bool) claim {
	c := claim{terms: termSet(text), fresh: map[string]bool{}, exact: exactWords(text)}
	for t := range c.terms {
		if !asked[t] {
			c.fresh[t] = true
		}
	}
	return c
}

func termSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range prose.Terms(withoutThousands(text)) {
		set[t] = true
	}
	return set
}

// exactWords returns the terms of a sentence's numbers, and of its names but for a
// first word, whose capital says nothing.
func exactWords(text string) map[string]bool {
	set := map[string]bool{}
	for i, w := range prose.Words(withoutThousands(text)) {
		number := strings.ContainsFunc(w.Text, unicode.IsDigit)
		if number || i > 0 && prose.IsCapitalised(w.Text) {
			for _, t := range prose.Terms(w.Text) {
				set[t] = true
			}
		}
	}
	return set
}

// withoutThousands writes 1,812 as 1812.
func withoutThousands(text string) string {
	var b strings.Builder
	runes := []rune(text)
	digit := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsDigit(runes[i]) }
	for i, r := range runes {
		group := (r == ',' || r == '\u00a0' || r == '\u202f' || r == '’') && digit(i-1) && digit(i+1) && digit(i+2) && digit(i+3) && !digit(i+4)
		if !group {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// reading is a passage with what it says.
type reading struct {
	domain.Passage
	sentences  []said
	all, title map[string]bool // all is with title and headings
}

// weight returns what a word of a claim counts for finding its sentence: little if the
// title says it, which stands above all sentences.
func (r reading) weight(c claim, term string) float64 {
	switch {
	case r.title[term]:
		return 0.25
	case c.fresh[term]:
		return 2
	}
	return 1
}

// said is a sentence of a passage.
type said struct {
	span  domain.Span // in the document
	terms map[string]bool
}

func readings(passages []domain.Passage) []reading {
	all := make([]reading, len(passages))
	for i, p := range passages {
		r := reading{Passage: p, title: termSet(p.Title), all: termSet(strings.Join(append([]string{p.Title, p.Text}, p.Headings...), "\n"))}
		for _, span := range prose.Sentences(p.Text) {
			r.sentences = append(r.sentences, said{span.Shift(p.Span.Start), termSet(span.Slice(p.Text))})
		}
		all[i] = r
	}
	return all
}

// source is a sentence of a passage.
type source struct {
	passage domain.Passage
	span    domain.Span
}

// sourcesOf returns the sentences of passages that say a claim together, none if they
// don't.
func sourcesOf(c claim, asked map[string]bool, read []reading) []source {
	var out []source
	covered, exact := map[string]bool{}, map[string]bool{}
	for len(out) < mostSources && !c.said(covered, exact) {
		r, s, gain := c.best(asked, read, covered, exact)
		if gain == 0 {
			break
		}
		out = append(out, source{r.Passage, s.span})
		for t := range c.terms {
			covered[t] = covered[t] || s.terms[t] || asked[t] && r.all[t] || c.exact[t] && r.all[t]
		}
		for t := range c.exact {
			exact[t] = exact[t] || r.all[t]
		}
	}
	if !c.said(covered, exact) {
		return nil
	}
	return out
}

// best returns the sentence that adds most to what is covered, of which it adds gain.
// What the question says decides among equals.
func (c claim) best(asked map[string]bool, read []reading, covered, exact map[string]bool) (reading, said, int) {
	var in reading
	var best said
	most, gained := 0.0, 0
	for _, r := range read {
		for _, s := range r.sentences {
			if gain, score := c.adds(asked, r, s, covered, exact); gain > 0 && score > most {
				in, best, most, gained = r, s, score, gain
			}
		}
	}
	return in, best, gained
}

// adds returns how many words of a claim a sentence adds to what is covered, and how
// well it fits.
func (c claim) adds(asked map[string]bool, r reading, s said, covered, exact map[string]bool) (gain int, score float64) {
	for t := range c.terms {
		if s.terms[t] && !covered[t] {
			gain++
			score += r.weight(c, t)
		}
	}
	for t := range c.exact {
		if r.all[t] && !exact[t] {
			score++
		}
	}
	return gain, score + 0.1*float64(common(asked, r.all)+common(asked, s.terms)) + 0.1/float64(1+len(s.terms))
}

// said reports whether what is covered is enough.
func (c claim) said(covered, exact map[string]bool) bool {
	for t := range c.exact {
		if !exact[t] {
			return false
		}
	}
	return len(c.terms) > 0 && share(c.terms, covered) >= enoughSaid && share(c.fresh, covered) >= enoughNew
}

// share returns the share of a set's words that are covered; 1 of none.
func share(set, covered map[string]bool) float64 {
	if len(set) == 0 {
		return 1
	}
	return float64(common(set, covered)) / float64(len(set))
}

// common counts the words of a set that another has.
func common(set, other map[string]bool) int {
	n := 0
	for t := range set {
		if other[t] {
			n++
		}
	}
	return n
}
