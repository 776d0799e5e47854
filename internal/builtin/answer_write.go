package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// writer quotes the sentences that come nearest to a question.
type writer struct {
	*answerReader
	pace time.Duration
}

var _ answer.Writer = writer{}

// mostClose bounds the quotations besides the first.
const mostClose = 3

// Write quotes the nearest sentence, and those of other passages that are near.
func (w writer) Write(ctx context.Context, r answer.WriteRequest, pen answer.Pen, _ answer.Emit) (answer.Turn, error) {
	if turn, ok := charting(r); ok {
		return turn, nil
	}
	if r.Survey != nil {
		return w.survey(ctx, r, pen)
	}
	reading, err := w.read(ctx, r.Asked, r.Passages)
	if err != nil {
		return answer.Turn{}, err
	}
	if reading.table != nil {
		reading.table.quote(pen)
		return answer.Turn{Remarks: offers(r)}, nil
	}
	for i, s := range reading.quoted() {
		switch i {
		case 0:
			pen.Remark(answer.InLanguageOf(reading.speaks, answer.SaysMostLikely))
		case 1:
			pen.Remark(answer.InLanguageOf(reading.speaks, answer.SaysAlsoClose))
		}
		tie := reading.tieOf(s)
		q := reading.quotation(s, tie)
		if q.Close = i > 0; q.Close {
			q.Tie = tie
		}
		if err := domain.Sleep(ctx, w.pace*time.Duration(len(strings.Fields(q.Text)))); err != nil {
			return answer.Turn{}, err
		}
		pen.Quote(q)
	}
	return answer.Turn{Remarks: offers(r)}, nil
}

// quoted returns the sentences to quote: one of each passage, without repetition.
func (r *reading) quoted() []*candidate {
	var out []*candidate
	said, from := map[string]bool{}, map[int]bool{}
	add := func(s *candidate) {
		if s == nil || len(out) > mostClose || from[s.Passage] {
			return
		}
		if text := domain.OneLine(s.text); !said[text] {
			said[text], from[s.Passage] = true, true
			out = append(out, s)
		}
	}
	add(r.chain.tells)
	add(r.chain.before)
	for _, s := range r.ranked {
		add(s)
	}
	return out
}

// say writes words one by one at the writer's pace.
func (w writer) say(ctx context.Context, pen answer.Pen, words []string) error {
	for i, word := range words {
		if i < len(words)-1 {
			word += " "
		}
		pen.Write(word)
		if err := domain.Sleep(ctx, w.pace); err != nil {
			return err
		}
	}
	return nil
}

// supporter checks that claims are copied from what they cite.
type supporter struct{}

var _ answer.Supporter = supporter{}

// Support finds claims that one of their quotations has word for word.
func (supporter) Support(_ context.Context, _ answer.Asked, claims []answer.Claim, _ answer.Emit) ([]answer.Support, error) {
	out := make([]answer.Support, len(claims))
	for i, c := range claims {
		for _, q := range c.Quotes {
			out[i].OK = out[i].OK || strings.Contains(domain.OneLine(q), domain.OneLine(c.Text))
		}
	}
	return out, nil
}

// Limits on the text quoted with a sentence.
const (
	mostSaid  = 2   // sentences below a question
	mostBelow = 5   // items below the line that announces them
	longBelow = 600 // code points
)

// quotation returns a sentence as it is quoted: with the headings above it, and the lines that it announces.
func (r *reading) quotation(s *candidate, tie string) answer.Quotation {
	q := answer.Quotation{Passage: r.passages[s.Passage], Span: s.Span}
	if s.row {
		r.quoteRow(s, tie, &q)
		return q
	}
	parts, marked := r.parts(s), s
	switch first := parts[0]; {
	case parts[len(parts)-1] != s: // a heading, or similar
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
	q.Text = answer.Quoted(r.speaks, joined(parts))
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
	case head != nil && head.bare && (s.at == head.at+1 || !strings.Contains(r.between(head, s), "\n\n")):
		return []*candidate{head, s}
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

// between returns what stands between two sentences of a passage.
func (r *reading) between(a, b *candidate) string {
	p := r.passages[a.Passage]
	return domain.Span{Start: a.Span.End, End: b.Span.Start}.Shift(-p.Span.Start).Slice(p.Text)
}

// announces reports whether a heading asks for, or promises, what is below it.
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
		b.WriteString(domain.OneLine(itemMark.ReplaceAllString(s.text, "")))
	}
	return b.String()
}

// below returns what follows a heading directly: the first sentence, the answer to a question, or the items of a list.
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
	for i := head.at + 1; i < len(all) && len(out) < most; i++ {
		next := &all[i]
		runes += domain.Runes(next.text)
		if len(out) > 0 && (runes > longBelow || list && !next.item || next.head != out[0].head) || next.row {
			break
		}
		out = append(out, next)
	}
	return out
}

// quoteRow quotes the requested cell of a row, with its column's heading and the other cells, or else the whole row.
func (r *reading) quoteRow(s *candidate, tie string, q *answer.Quotation) {
	row, heads := chart.Cells(s.text), r.heads(s)
	at := r.askedCell(s, tie, row, heads)
	byHead := at > 0 && at < len(heads) && r.askedIn(heads[at].Text) > 0 // the cells in between say something else
	var rest []string
	for i, c := range row {
		switch {
		case i == at || c.Text == "":
		case at >= 0 && i < len(heads) && len(rest) > 0 && !r.isAsked(c.Text) && (byHead || len(row) > 4):
		default:
			rest = append(rest, c.Text)
		}
	}
	if at < 0 {
		q.Text = strings.Join(rest, " — ")
		return
	}
	q.Marks = []domain.Span{row[at].Span.Shift(s.Span.Start)}
	if at < len(heads) && heads[at].Text != "" {
		rest = append([]string{heads[at].Text}, rest...)
	}
	q.Text = row[at].Text
	if len(rest) > 0 {
		q.Text += " — " + strings.Join(rest, ", ")
	}
}

// askedIn returns how many words of a text are in the question.
func (r *reading) askedIn(text string) (n int) {
	for _, t := range prose.Words(text) {
		if !isStop(t.Text) && r.isAsked(t.Text) {
			n++
		}
	}
	return n
}

// askedCell returns the index of the cell that answers best: under a heading that the question names, or of the kind that
// it asks for, or -1.
func (r *reading) askedCell(s *candidate, tie string, row, heads []chart.Cell) int {
	best, most := -1, 0
	for i, c := range row {
		if c.Text == "" || r.isAsked(c.Text) || r.interval(s).Overlaps(c.Span) && !c.Span.Empty() {
			continue
		}
		fits := 1
		if i < len(heads) {
			if n := r.askedIn(heads[i].Text); n > 0 {
				fits += 1 + n
			}
		}
		one := &candidate{text: c.Text, names: prose.Names(c.Text)}
		if r.offers(one, tie) {
			fits += 2
		}
		if i > 0 {
			fits++ // the first cell usually names the row's subject
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

// survey writes the sentences that represent each part of a library: a paragraph for each and the names of the parts at
// the end, or quotations below the name of each.
func (w writer) survey(ctx context.Context, r answer.WriteRequest, pen answer.Pen) (answer.Turn, error) {
	quotes := r.Survey.Way == answer.ByEntities || r.Survey.Way == answer.BySides
	var names []string
	for _, part := range r.Survey.Parts {
		begun := false
		for _, l := range part.Lines {
			at := slices.IndexFunc(r.Passages, func(p domain.Passage) bool { return p.ID == l.Chunk })
			if at < 0 {
				continue // deleted in the meantime
			}
			switch {
			case quotes && !begun:
				pen.Remark(part.Names[0] + ":")
			case quotes:
			case begun:
				pen.Write(" ")
			case len(names) > 0:
				pen.Write("\n\n")
			}
			if !begun {
				begun, names = true, append(names, list(part.Names))
			}
			if err := w.cite(ctx, r, pen, r.Passages[at], l.Span, quotes); err != nil {
				return answer.Turn{}, err
			}
		}
	}
	if quotes {
		return answer.Turn{}, nil
	}
	what := answer.SaysDocuments
	if r.Survey.Way == answer.ByCommunities {
		what = answer.SaysThemes
	}
	return answer.Turn{Remarks: []string{fmt.Sprintf(answer.InLanguageOf(r.Question, what), strings.Join(names, "; "))}}, nil
}

// cite writes a span of a passage at the writer's pace, as a quotation or as text.
func (w writer) cite(ctx context.Context, r answer.WriteRequest, pen answer.Pen, p domain.Passage, span domain.Span, quotes bool) error {
	text := strings.Fields(span.Shift(-p.Span.Start).Slice(p.Text))
	if !quotes {
		if err := w.say(ctx, pen, text); err != nil {
			return err
		}
		pen.Cite(p, span)
		return nil
	}
	if err := domain.Sleep(ctx, w.pace*time.Duration(len(text))); err != nil {
		return err
	}
	pen.Quote(answer.Quotation{Text: answer.Quoted(r.Question, strings.Join(text, " ")), Passage: p, Span: span})
	return nil
}

// list joins words by commas and a last "and".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
