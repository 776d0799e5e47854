package builtin

import (
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
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
	for i, s := range reading.quoted() {
		switch i {
		case 0:
			pen.Remark(answer.InLanguageOf(r.Question, answer.SaysMostLikely))
		case 1:
			pen.Remark(answer.InLanguageOf(r.Question, answer.SaysAlsoClose))
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

// quoted returns the sentences to quote: one of each passage, none twice.
func (r *reading) quoted() []*candidate {
	var out []*candidate
	said, from := map[string]bool{}, map[int]bool{}
	add := func(s *candidate) {
		if s == nil || len(out) > mostClose || from[s.Passage] {
			return
		}
		if text := words(s.text); !said[text] {
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

// supporter checks that claims are copies of what they cite.
type supporter struct{}

var _ answer.Supporter = supporter{}

// Support finds claims that one of their quotations has word for word.
func (supporter) Support(_ context.Context, _ answer.Asked, claims []answer.Claim, _ answer.Emit) ([]answer.Support, error) {
	out := make([]answer.Support, len(claims))
	for i, c := range claims {
		for _, q := range c.Quotes {
			out[i].OK = out[i].OK || strings.Contains(words(q), words(c.Text))
		}
	}
	return out, nil
}

// words returns a text with single spaces.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }
