package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Limits of what is quoted with a sentence.
const (
	mostSaid  = 2   // sentences below a question
	mostBelow = 5   // items below the line that announces them
	longBelow = 600 // code points
)

// quotation returns a sentence as it is quoted: with what it stands under, and with what
// it announces.
func (r *reading) quotation(s *candidate, tie string) answer.Quotation {
	q := answer.Quotation{Passage: r.passages[s.Passage], Span: s.Span}
	if s.row {
		r.quoteRow(s, tie, &q)
		return q
	}
	parts, marked := r.parts(s), s
	switch first := parts[0]; {
	case parts[len(parts)-1] != s: // a heading, or as good as one
		q.Span = domain.Span{Start: first.Span.Start, End: parts[len(parts)-1].Span.End}
		if i := slices.IndexFunc(parts[1:], func(b *candidate) bool { return r.offers(b, tie) }); i >= 0 {
			marked = parts[1+i]
		} else if first == marked && !r.offers(first, tie) || !slices.Contains(parts, marked) {
			marked = parts[1]
		}
	case first.heads && first != s && slices.Contains(r.below(first), s) && !s.item:
		q.Span.Start = first.Span.Start
	case r.offers(first, tie) && !r.offers(s, tie):
		marked = first
	}
	q.Text = answer.Quoted(r.text, joined(parts))
	if at := r.marks(marked, tie); !at.Empty() {
		q.Marks = []domain.Span{at.Shift(marked.Span.Start)}
	}
	return q
}

// parts returns a sentence with those that it is quoted with, in order.
func (r *reading) parts(s *candidate) []*candidate {
	if over := r.referred(s); over != nil {
		return []*candidate{over, s}
	}
	head, itself := s.head, s.alone != 0
	switch {
	case s.heads:
		return append([]*candidate{s}, r.below(s)...)
	case head == nil || itself && !s.item && !head.announces():
		return []*candidate{s}
	}
	below := r.below(head)
	switch in := slices.Contains(below, s); {
	case in && (!itself || !s.item), !itself && s.Cosine == 0 && len(below) > 0:
		return append([]*candidate{head}, below...)
	case in || s.item:
		return []*candidate{head, s}
	}
	return []*candidate{s}
}

// announces reports whether a heading asks for, or promises, what stands below.
func (s *candidate) announces() bool {
	text := strings.TrimRight(s.text, " \t*_")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "?")
}

// joined returns sentences of a passage as one text. Where some are left out between
// them it has three points.
func joined(parts []*candidate) string {
	var b strings.Builder
	for i, s := range parts {
		switch before := parts[max(0, i-1)]; {
		case i == 0:
		case before.at+1 < s.at:
			b.WriteString(" … ")
		case before.item:
			b.WriteString("; ")
		case before.heads && !before.announces():
			b.WriteString(" — ")
		default:
			b.WriteString(" ")
		}
		b.WriteString(words(itemMark.ReplaceAllString(s.text, "")))
	}
	return b.String()
}

// below returns what stands right below a heading: the first sentence, the answer to a
// question, or the items of a list.
func (r *reading) below(head *candidate) []*candidate {
	most, list := 1, false
	if head.announces() {
		most = mostSaid
		if list = strings.HasSuffix(head.text, ":"); list {
			most = mostBelow
		}
	}
	var out []*candidate
	all, runes := r.sentences[head.Passage], domain.Runes(head.text)
	for i := head.at + 1; i < len(all) && len(out) < most && all[i].head == head; i++ {
		next := &all[i]
		runes += domain.Runes(next.text)
		if len(out) > 0 && (runes > longBelow || list && !next.item) || next.row {
			break
		}
		out = append(out, next)
	}
	return out
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
	byHead := at > 0 && at < len(heads) && r.askedIn(heads[at].text) > 0 // the cells between say something else
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
	q.Marks = []domain.Span{row[at].span.Shift(s.Span.Start)}
	if at < len(heads) && heads[at].text != "" {
		rest = append([]string{heads[at].text}, rest...)
	}
	q.Text = row[at].text
	if len(rest) > 0 {
		q.Text += " — " + strings.Join(rest, ", ")
	}
}

// askedIn returns how many words of a text the question says.
func (r *reading) askedIn(text string) (n int) {
	for _, t := range prose.Words(text) {
		if !isStop(t.Text) && r.isAsked(t.Text) {
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
			if n := r.askedIn(heads[i].text); n > 0 {
				fits += 1 + n
			}
		}
		one := &candidate{text: c.text, names: prose.Names(c.text)}
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
