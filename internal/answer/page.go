package answer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// page is the Pen of a run: it numbers citations by first use, and shows the
// text word by word.
type page struct {
	emit      Emit
	shown     strings.Builder // with marks
	plain     strings.Builder // without
	runes     int             // of plain
	last      string          // shown
	marked    bool            // a mark was shown last
	citations []domain.Citation
	marks     []Mark
	remarks   []domain.Span // in plain
}

var _ Pen = (*page)(nil)

func newPage(emit Emit) *page { return &page{emit: emit, citations: []domain.Citation{}} }

// openPage goes on where a text stands, without showing again what it holds.
func openPage(t Text, emit Emit) *page {
	p := newPage(func(string, any) {})
	p.citations = append(p.citations, t.Citations...)
	p.remarks = slices.Clone(t.Remarks)
	at := 0
	for _, m := range t.Marks {
		p.Write(domain.Span{Start: at, End: m.At}.Slice(t.Plain))
		p.mark(m)
		at = m.At
	}
	p.Write(domain.Span{Start: at, End: domain.Runes(t.Plain)}.Slice(t.Plain))
	p.emit = emit
	return p
}

// text is the page as it is kept.
func (p *page) text() Text {
	return Text{Plain: p.plain.String(), Marks: append([]Mark{}, p.marks...), Citations: p.citations, Remarks: p.remarks}
}

// Write takes a piece of text down and shows it, one token a word.
func (p *page) Write(text string) {
	p.plain.WriteString(text)
	p.runes += utf8.RuneCountInString(text)
	for _, word := range words(text) {
		if p.marked && !parts(word) {
			word = " " + word
		}
		p.marked = false
		p.show(word)
	}
}

// parts reports whether nothing has to stand between a mark and text.
func parts(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r) || unicode.IsPunct(r) && !strings.ContainsRune("([\"“‘«„", r)
}

// words cuts text behind the white space that follows each word.
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

// paragraph begins a paragraph, unless the page is empty.
func (p *page) paragraph() {
	if p.runes > 0 {
		p.Write("\n\n")
	}
}

// paragraphs is the number of paragraphs so far.
func (p *page) paragraphs() int {
	said := p.sentences()
	if len(said) == 0 {
		return 0
	}
	return said[len(said)-1].Paragraph + 1
}

// remark adds, as a paragraph at the end, what is to be said of the library or
// the search itself.
func (p *page) remark(sentences []string) {
	if len(sentences) == 0 {
		return
	}
	p.paragraph()
	from := p.runes
	p.Write(strings.Join(sentences, " "))
	p.remarks = append(p.remarks, domain.Span{Start: from, End: p.runes})
}

// remarked reports whether a sentence is a remark.
func (p *page) remarked(at domain.Span, text string) bool {
	return apologises(text) || slices.ContainsFunc(p.remarks, func(r domain.Span) bool { return r.Contains(at) })
}

// declines says that there is nothing to answer from. The sentence is about
// the library and not from it: it cites nothing.
func (p *page) declines(w Writing) {
	words := SaysNothing
	if !w.Searched {
		words = SaysEmpty
	}
	p.remark(append([]string{words}, w.Missing...))
}

func (p *page) show(text string) {
	p.last = text
	p.shown.WriteString(text)
	p.emit(domain.EventToken, domain.Token{Text: text})
}

// Cite puts the number of the citation behind what was written last. A span
// that is not within the passage cites the whole passage.
func (p *page) Cite(passage domain.Passage, span domain.Span) {
	if span.Empty() || !passage.Span.Contains(span) {
		span = passage.Span
	}
	p.mark(Mark{p.runes, p.number(passage, span)})
}

// mark shows a mark, once in a place.
func (p *page) mark(m Mark) {
	if slices.Contains(p.marks, m) {
		return
	}
	p.marks = append(p.marks, m)
	gap := " "
	if p.marked || p.last == "" || strings.HasSuffix(p.last, " ") || strings.HasSuffix(p.last, "\n") {
		gap = ""
	}
	p.marked = true
	p.show(fmt.Sprintf("%s[%d]", gap, m.N))
}

// number is the citation's number: that of its first use.
func (p *page) number(passage domain.Passage, span domain.Span) int {
	for _, c := range p.citations {
		if c.Chunk == passage.ID && c.Span == span {
			return c.N
		}
	}
	n := len(p.citations) + 1
	p.citations = append(p.citations, domain.Citation{
		N: n, Document: passage.Name, DocumentID: passage.Document, Chunk: passage.ID, Page: passage.Page, Span: span,
		Text: span.Shift(-passage.Span.Start).Slice(passage.Text),
	})
	return n
}

// answer is the text with its marks.
func (p *page) answer() string { return strings.TrimSpace(p.shown.String()) }

// sentences parts the text and gives each sentence the marks that stand in it
// or right behind it.
func (p *page) sentences() []domain.Sentence {
	plain := p.plain.String()
	spans := prose.Sentences(plain)
	out := make([]domain.Sentence, 0, len(spans))
	for i, span := range spans {
		next := p.runes + 1
		if i+1 < len(spans) {
			next = spans[i+1].Start
		}
		s := domain.Sentence{Text: oneLine(span.Slice(plain)), Citations: []int{}}
		s.Remark = p.remarked(span, s.Text)
		if i > 0 {
			s.Paragraph = out[i-1].Paragraph
			between := domain.Span{Start: spans[i-1].End, End: span.Start}
			if strings.Count(between.Slice(plain), "\n") > 1 {
				s.Paragraph++
			}
		}
		for _, m := range p.marks {
			if m.At > span.Start && m.At <= next && !slices.Contains(s.Citations, m.N) {
				s.Citations = append(s.Citations, m.N)
			}
		}
		out = append(out, s)
	}
	return out
}
