package builtin

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Limits of what is quoted with a sentence.
const (
	mostSaid    = 2   // sentences below a question
	mostBelow   = 5   // items below the line that announces them
	longBelow   = 600 // code points
	mostAbove   = 12  // sentences from an item up to the line it stands under
	longHeading = 14  // words
)

// quotation returns a sentence as it is quoted: with what it stands under, and with what
// it announces.
func (r *reading) quotation(s *candidate, tie string) answer.Quotation {
	q := answer.Quotation{Passage: r.passages[s.passage], Span: s.span}
	if s.row {
		r.quoteRow(s, tie, &q)
		return q
	}
	parts := []*candidate{s}
	marked := s
	if below := r.below(s); len(below) > 0 {
		parts = append(parts, below...)
		q.Span.End = below[len(below)-1].span.End
		if i := slices.IndexFunc(below, func(b *candidate) bool { return r.offers(b, tie) }); i >= 0 || !r.offers(s, tie) {
			marked = below[max(i, 0)]
		}
	} else if above := r.above(s); above != nil {
		parts = append([]*candidate{above}, parts...)
		if r.offers(above, tie) && !r.offers(s, tie) {
			marked = above
		}
	}
	q.Text = answer.Quoted(r.text, r.joined(parts))
	if at := r.marks(marked, tie); !at.Empty() {
		q.Marks = []domain.Span{at.Shift(marked.span.Start)}
	}
	return q
}

// joined returns sentences of a passage as one text. Where some are left out between
// them it has three points.
func (r *reading) joined(parts []*candidate) string {
	var b strings.Builder
	for i, s := range parts {
		text := strings.Join(strings.Fields(itemMark.ReplaceAllString(s.text, "")), " ")
		switch {
		case i == 0:
		case parts[i-1].at+1 < s.at:
			b.WriteString(" … ")
		case parts[i-1].item:
			b.WriteString("; ")
		case parts[i-1].line && !strings.HasSuffix(parts[i-1].text, ":"):
			b.WriteString(" — ")
		default:
			b.WriteString(" ")
		}
		b.WriteString(text)
	}
	return b.String()
}

// below returns what a heading, a line that announces a list, or a question of its
// document stands above.
func (r *reading) below(s *candidate) []*candidate {
	all := r.sentences[s.passage]
	announces := strings.HasSuffix(strings.TrimSpace(s.text), ":")
	if !announces && !s.question && !r.isHeading(s) {
		return nil
	}
	most := 1
	if announces {
		most = mostBelow
	} else if s.question {
		most = mostSaid
	}
	var out []*candidate
	runes := domain.Runes(s.text)
	for i := s.at + 1; i < len(all) && len(out) < most; i++ {
		next := &all[i]
		if !strings.ContainsFunc(next.text, unicode.IsLetter) && !numbers(next.text) { // it underlines a heading
			continue
		}
		runes += domain.Runes(next.text)
		if runes > longBelow && len(out) > 0 || next.row || next.question || announces && len(out) > 0 && !next.item && !next.line && !numbers(next.text) {
			break
		}
		out = append(out, next)
	}
	return out
}

// numbers reports whether a text is the number of an item.
func numbers(text string) bool { return itemMark.MatchString(text+" ") && len(text) < 5 }

// isHeading reports whether a sentence is a short line with text below it.
func (r *reading) isHeading(s *candidate) bool {
	all := r.sentences[s.passage]
	return s.line && !s.item && len(prose.Words(s.text)) <= longHeading && s.at+1 < len(all) && !all[s.at+1].row
}

// above returns the line that an item stands under, or the sentence that says what a
// pronoun at the beginning stands for; nil if there is none.
func (r *reading) above(s *candidate) *candidate {
	all := r.sentences[s.passage]
	if !s.item && !s.line {
		return r.referred(s)
	}
	for i := s.at - 1; i >= max(0, s.at-mostAbove); i-- {
		over := &all[i]
		switch {
		case strings.HasSuffix(strings.TrimSpace(over.text), ":"):
			return over
		case over.item || numbers(over.text) || !strings.ContainsFunc(over.text, unicode.IsLetter):
		case s.item && over.line && r.isHeading(over):
			return over
		case !over.line:
			return nil
		}
	}
	return nil
}

// referred returns the sentence that says what a pronoun at the beginning of a sentence
// stands for; nil if there is none.
func (r *reading) referred(s *candidate) *candidate {
	refers := func(s *candidate) bool {
		words := prose.Words(s.text)
		return len(words) > 0 && referring[strings.ToLower(words[0].Text)]
	}
	if s.line || s.row || !refers(s) {
		return nil
	}
	all := r.sentences[s.passage]
	for i := s.at - 1; i >= max(0, s.at-mostAbove) && !all[i].row && !all[i].line; i-- {
		if !refers(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// cell is a field of a row.
type cell struct {
	text string
	span domain.Span // in the row
}

// cells returns the fields of a row.
func cells(row string) []cell {
	var out []cell
	at := 0
	for part := range strings.SplitSeq(row, "|") {
		text := strings.TrimSpace(part)
		start := at + domain.Runes(part[:len(part)-len(strings.TrimLeft(part, " \t\n"))])
		if out = append(out, cell{text, domain.Span{Start: start, End: start + domain.Runes(text)}}); text == "" {
			out[len(out)-1].span = domain.Span{}
		}
		at += domain.Runes(part) + 1
	}
	return out
}

// quoteRow quotes the cell of a row that is asked for, with the head of its column and
// the other cells, or else the row.
func (r *reading) quoteRow(s *candidate, tie string, q *answer.Quotation) {
	row := cells(s.text)
	var heads []cell
	if h := r.heads(s); h != nil {
		heads = cells(h.text)
	}
	at := r.askedCell(s, tie, row, heads)
	byHead := at > 0 && at < len(heads) && r.named(heads[at].text) > 0 // the cells between say something else
	var rest []string
	for i, c := range row {
		switch {
		case i == at || c.text == "":
		case at >= 0 && i < len(heads) && len(rest) > 0 && !r.isAsked(c.text) && (byHead || len(row) > 4):
		default:
			rest = append(rest, c.text)
		}
	}
	if at < 0 {
		q.Text = strings.Join(rest, " — ")
		return
	}
	q.Marks = []domain.Span{row[at].span.Shift(s.span.Start)}
	if at < len(heads) && heads[at].text != "" {
		rest = append([]string{heads[at].text}, rest...)
	}
	q.Text = row[at].text
	if len(rest) > 0 {
		q.Text += " — " + strings.Join(rest, ", ")
	}
}

// named returns how many words of a text the question says.
func (r *reading) named(text string) (n int) {
	for _, t := range termsOf(text) {
		if r.words[t] {
			n++
		}
	}
	return n
}

// askedCell returns the cell that answers best: under a head that the question names, or
// of the kind that it asks for; -1 if there is none.
func (r *reading) askedCell(s *candidate, tie string, row, heads []cell) int {
	best, most := -1, 0
	for i, c := range row {
		if c.text == "" || r.isAsked(c.text) || r.interval(s).Overlaps(c.span) && !c.span.Empty() {
			continue
		}
		fits := 1
		if i < len(heads) {
			if n := r.named(heads[i].text); n > 0 {
				fits += 1 + n
			}
		}
		one := &candidate{passage: s.passage, text: c.text, names: prose.Names(c.text)}
		if r.offers(one, tie) {
			fits += 2
		}
		if i > 0 {
			fits++ // the first cell is most often what the row is about
		}
		if fits > most {
			best, most = i, fits
		}
	}
	if most < 3 {
		return -1
	}
	return best
}
