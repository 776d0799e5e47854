package answer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
)

// composer builds the text of an answer. It numbers citations by first use, and
// emits the text word by word.
type composer struct {
	emit      Emit            // nil emits nothing
	marked    strings.Builder // with marks
	plain     strings.Builder // without
	runes     int             // length of plain
	last      string          // token emitted
	afterMark bool            // the last token was a mark
	citations []domain.Citation
	told      int // number of them emitted
	marks     []Mark
	remarks   []domain.Span // in plain
	quotes    []domain.Span // in plain
}

var _ Pen = (*composer)(nil)

// resumeComposer returns a composer that continues t, without emitting it again.
func resumeComposer(t Text, emit Emit) *composer {
	c := &composer{citations: append([]domain.Citation{}, t.Citations...)}
	c.remarks, c.quotes = slices.Clone(t.Remarks), slices.Clone(t.Quotes)
	at := 0
	for _, m := range t.Marks {
		c.Write(domain.Span{Start: at, End: m.At}.Slice(t.Plain))
		c.mark(m)
		at = m.At
	}
	c.Write(domain.Span{Start: at, End: domain.Runes(t.Plain)}.Slice(t.Plain))
	c.emit = emit
	return c
}

// become takes over the text of another composer. A strings.Builder must not be copied.
func (c *composer) become(o *composer) {
	marked, plain := o.marked.String(), o.plain.String()
	*c = composer{
		emit: o.emit, runes: o.runes, last: o.last, afterMark: o.afterMark,
		citations: o.citations, told: o.told, marks: o.marks, remarks: o.remarks, quotes: o.quotes,
	}
	c.marked.WriteString(marked)
	c.plain.WriteString(plain)
}

// restore replaces the text by an earlier one, and shows it.
func (c *composer) restore(t Text) {
	emit := c.emit
	c.become(resumeComposer(t, nil))
	if c.emit = emit; emit != nil {
		emit(domain.EventToken, domain.Token{Anew: true, Text: c.marked.String(), Cited: slices.Clone(c.citations)})
		c.told = len(c.citations)
	}
}

// Anew implements Pen.
func (c *composer) Anew() { c.restore(Text{}) }

func (c *composer) text() Text {
	return Text{Plain: c.plain.String(), Marks: append([]Mark{}, c.marks...), Citations: c.citations, Remarks: c.remarks, Quotes: c.quotes}
}

// Write adds text and emits it, one token per word.
func (c *composer) Write(text string) {
	c.plain.WriteString(text)
	c.runes += utf8.RuneCountInString(text)
	for _, word := range words(text) {
		if c.afterMark && !separates(word) {
			word = " " + word
		}
		c.afterMark = false
		c.show(word)
	}
}

// separates reports whether text can follow a mark without a space.
func separates(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r) || unicode.IsPunct(r) && !strings.ContainsRune("([\"“‘«„", r)
}

// words cuts text after the white space that follows each word.
func words(text string) []string {
	const space = " \n\t"
	var out []string
	for text != "" {
		lead := len(text) - len(strings.TrimLeft(text, space))
		word := strings.IndexAny(text[lead:], space)
		if word < 0 {
			return append(out, text)
		}
		end := len(text) - len(strings.TrimLeft(text[lead+word:], space))
		out, text = append(out, text[:end]), text[end:]
	}
	return out
}

// paragraph starts a paragraph, unless the text is empty.
func (c *composer) paragraph() {
	if c.runes > 0 {
		c.Write("\n\n")
	}
}

// paragraphs counts the paragraphs so far.
func (c *composer) paragraphs() int {
	said := c.sentences()
	if len(said) == 0 {
		return 0
	}
	return said[len(said)-1].Paragraph + 1
}

// remark adds sentences about the library or the search, as a paragraph.
func (c *composer) remark(sentences []string) {
	if len(sentences) == 0 {
		return
	}
	c.paragraph()
	from := c.runes
	c.Write(strings.Join(sentences, " "))
	c.remarks = append(c.remarks, domain.Span{Start: from, End: c.runes})
}

// Remark implements Pen.
func (c *composer) Remark(sentence string) { c.remark([]string{sentence}) }

// Quote implements Pen.
func (c *composer) Quote(q Quotation) {
	c.paragraph()
	from := c.runes
	c.Write(q.Text)
	c.quotes = append(c.quotes, domain.Span{Start: from, End: c.runes})
	n := c.number(q.Passage, q.Span)
	cited := &c.citations[n-1]
	cited.Marks, cited.Close, cited.Tie = q.Marks, q.Close, q.Tie
	c.mark(Mark{c.runes, n})
}

// isRemark reports whether a sentence is a remark.
func (c *composer) isRemark(at domain.Span, text string) bool {
	return apologises(text) || slices.ContainsFunc(c.remarks, func(r domain.Span) bool { return r.Contains(at) })
}

// decline says that there is nothing to answer from, without a citation. When searching for quotes, it names the words of
// the question that no document contains.
func (c *composer) decline(w Writing, quotes bool, words domain.Words) {
	says := SaysNothing
	switch {
	case w.Web && !w.Searched:
		says = SaysNoPage
	case w.Web:
		says = SaysNotOnWeb
	case w.Nowhere:
		says = SaysNowhere
	case !w.Searched:
		says = SaysEmpty
	case quotes:
		says = SaysNothingClose
	case w.Found > 0 && w.Scoped:
		says = SaysNotWithin
	case w.Found > 0:
		says = SaysNotOutright
	}
	c.remark(slices.Concat([]string{InLanguageOf(w.Question, says)}, saysOfWords(w, words), w.Missing))
}

// saysOfWords names the words that no document contains, and what may have been meant. What was not asked may contain them.
func saysOfWords(w Writing, words domain.Words) []string {
	var out, unknown []string
	question := w.Question
	for _, word := range words.Words {
		switch {
		case word.Documents > 0:
		case word.Meant != "" && !w.Scoped:
			out = append(out, fmt.Sprintf(InLanguageOf(question, saysMeant), Quoted(question, word.Text), Quoted(question, word.Meant)))
		default:
			unknown = append(unknown, Quoted(question, word.Text))
		}
	}
	says := saysUnknowns
	switch {
	case len(unknown) == 0:
		return out
	case w.Scoped:
		says = saysUnasked
	case len(unknown) == 1:
		says = saysUnknown
	}
	return append(out, fmt.Sprintf(InLanguageOf(question, says), strings.Join(unknown, ", ")))
}

// mostFound is the maximum number of passages quoted by a stopped answer.
const mostFound = 3

// stop says that the question's budget was used up, and quotes what was found so far.
func (c *composer) stop(w Writing, passages []domain.Passage) {
	words := saysStopped
	if len(passages) == 0 {
		words = saysStoppedEarly
	}
	for _, p := range passages[:min(len(passages), mostFound)] {
		span := bestSentence(w.Question, p)
		if span.Empty() {
			span = p.Span
		}
		c.paragraph()
		c.Write(domain.OneLine(span.Shift(-p.Span.Start).Slice(p.Text)))
		c.Cite(p, span)
	}
	c.remark(append([]string{fmt.Sprintf(InLanguageOf(w.Question, words), w.Budget.Says)}, w.Missing...))
}

// wroteNothing replaces an answer without words, whose marks would cite sources for nothing.
func (c *composer) wroteNothing(question string) {
	*c = composer{emit: c.emit, citations: []domain.Citation{}}
	c.remark([]string{InLanguageOf(question, SaysNoText)})
}

func (c *composer) show(text string) {
	c.last = text
	c.marked.WriteString(text)
	if c.emit != nil {
		c.emit(domain.EventToken, domain.Token{Text: text, Cited: slices.Clone(c.citations[c.told:])})
		c.told = len(c.citations)
	}
}

// Cite adds the citation's mark after the text so far. A span outside the passage
// cites the whole passage.
func (c *composer) Cite(passage domain.Passage, span domain.Span) {
	if span.Empty() || !passage.Span.Contains(span) {
		span = passage.Span
	}
	c.mark(Mark{c.runes, c.number(passage, span)})
}

// mark adds a mark, once per position.
func (c *composer) mark(m Mark) {
	if slices.Contains(c.marks, m) {
		return
	}
	c.marks = append(c.marks, m)
	gap := " "
	if c.afterMark || c.last == "" || strings.HasSuffix(c.last, " ") || strings.HasSuffix(c.last, "\n") {
		gap = ""
	}
	c.afterMark = true
	c.show(fmt.Sprintf("%s[%d]", gap, m.N))
}

// number returns the citation's number, and adds the citation on its first use.
func (c *composer) number(passage domain.Passage, span domain.Span) int {
	for _, known := range c.citations {
		if known.Chunk == passage.ID && known.Span == span {
			return known.N
		}
	}
	n := len(c.citations) + 1
	c.citations = append(c.citations, domain.Citation{
		N: n, Document: passage.Name, DocumentID: passage.Document, Version: passage.Version, Chunk: passage.ID, Page: passage.PageOf(span), Place: passage.Place(span), Span: span,
		Text: span.Shift(-passage.Span.Start).Slice(passage.Text), Web: passage.Web,
	})
	return n
}

// answer returns the text with its marks.
func (c *composer) answer() string { return strings.TrimSpace(c.marked.String()) }

// spans returns the sentences of the plain text. A quotation is one.
func (c *composer) spans() []domain.Span {
	var out []domain.Span
	left := c.quotes
	for _, s := range prose.Sentences(c.plain.String()) {
		for len(left) > 0 && left[0].Start <= s.Start {
			out, left = append(out, left[0]), left[1:]
		}
		if len(out) == 0 || s.Start >= out[len(out)-1].End {
			out = append(out, s)
		}
	}
	return out
}

// sentences splits the text into sentences, each with the marks in it or right
// after it.
func (c *composer) sentences() []domain.Sentence {
	plain := c.plain.String()
	spans := c.spans()
	out := make([]domain.Sentence, 0, len(spans))
	for i, span := range spans {
		next := c.runes + 1
		if i+1 < len(spans) {
			next = spans[i+1].Start
		}
		s := domain.Sentence{Text: domain.OneLine(span.Slice(plain)), Citations: []int{}}
		s.Remark, s.Quote = c.isRemark(span, s.Text), slices.Contains(c.quotes, span)
		if i > 0 {
			s.Paragraph = out[i-1].Paragraph
			between := domain.Span{Start: spans[i-1].End, End: span.Start}
			if strings.Count(between.Slice(plain), "\n") > 1 {
				s.Paragraph++
			}
		}
		for _, m := range c.marks {
			if (m.At > span.Start || i == 0) && m.At <= next && !slices.Contains(s.Citations, m.N) {
				s.Citations = append(s.Citations, m.N)
			}
		}
		out = append(out, s)
	}
	return out
}

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

// renumbered numbers the citations by their first marks, and drops those without a mark.
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

// claim holds the terms of a sentence, which of them are not in the question, and its names and numbers.
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
	return lists.Set(prose.Terms(withoutThousands(text)))
}

// exactWords returns the terms of a sentence's numbers and names, except a capitalised first word.
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

// reading is a passage with its sentences.
type reading struct {
	domain.Passage
	sentences  []said
	all, title map[string]bool // all includes title and headings
}

// weight returns the weight of a claim's word in finding its sentence. Words of the title count little, because the title
// stands above all sentences.
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

// sourcesOf returns the sentences of passages that together state a claim, or none if they don't.
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

// best returns the sentence that adds most to what is covered, and its gain. The words of the question break ties.
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

// adds returns the number of a claim's words that a sentence newly covers, and how well it fits.
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

// said reports whether enough of the claim is covered.
func (c claim) said(covered, exact map[string]bool) bool {
	for t := range c.exact {
		if !exact[t] {
			return false
		}
	}
	return len(c.terms) > 0 && share(c.terms, covered) >= enoughSaid && share(c.fresh, covered) >= enoughNew
}

// share returns the share of a set's words that are covered, or 1 if the set is empty.
func share(set, covered map[string]bool) float64 {
	if len(set) == 0 {
		return 1
	}
	return float64(common(set, covered)) / float64(len(set))
}

// common counts the words that two sets share.
func common(set, other map[string]bool) int {
	n := 0
	for t := range set {
		if other[t] {
			n++
		}
	}
	return n
}
