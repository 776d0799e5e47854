package builtin

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
)

// writer answers in whole sentences of the sources.
type writer struct {
	*answerReader
	pace time.Duration
}

var _ answer.Writer = writer{}

// Write writes the sentences of the evidence, the one that answers last, each with
// its source. If the passages hold no evidence, because another grader accepted
// them, it writes the sentences that cover most of the question.
func (w writer) Write(ctx context.Context, r answer.WriteRequest, pen answer.Pen, _ answer.Emit) (answer.Turn, error) {
	if turn, ok := charting(r); ok {
		return turn, nil
	}
	if r.Survey != nil {
		return w.survey(ctx, r, pen)
	}
	reading := w.read(r.Question, r.Passages)
	evidence := reading.evidence
	if len(evidence) == 0 {
		reading = readIn(reading.findings, reading.question, 1)
		if evidence = reading.evidence; len(evidence) == 0 {
			evidence = reading.closest()
		}
	}
	verdict := reading.verdict
	for i, e := range evidence {
		s := &reading.propositions[e]
		text := answerMark.ReplaceAllString(s.text, "")
		if verdict != "" && !begins(text, verdict) {
			pen.Write(verdict + ": ")
		}
		verdict = ""
		if i > 0 {
			pen.Write(" ")
		}
		if err := w.say(ctx, pen, strings.Fields(text)); err != nil {
			return answer.Turn{}, err
		}
		pen.Cite(r.Passages[s.passage], s.span)
	}
	return answer.Turn{Remarks: offers(r)}, nil
}

// answerMark matches what marks a sentence as an item or as an FAQ's answer.
var answerMark = regexp.MustCompile(`^\s*(A\d*[:.]|[-*•])\s+`)

// say writes words one by one at the writer's pace.
func (w writer) say(ctx context.Context, pen answer.Pen, words []string) error {
	for i, word := range words {
		if i < len(words)-1 {
			word += " "
		}
		pen.Write(word)
		if err := pause(ctx, w.pace); err != nil {
			return err
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mostClosest bounds the sentences of an answer without evidence.
const mostClosest = 3

// closest returns, for each passage, the sentence that covers most of the
// question.
func (r *reading) closest() []int {
	best := make([]int, len(r.passages))
	most := make([]int, len(r.passages))
	for i := range best {
		best[i] = -1
	}
	all := elementsOf(r.pieces)
	for i := range r.propositions {
		s := &r.propositions[i]
		has := s.says(all)
		if best[s.passage] < 0 || has > most[s.passage] {
			best[s.passage], most[s.passage] = i, has
		}
	}
	var out []int
	for _, b := range best {
		if b >= 0 && len(out) < mostClosest {
			out = append(out, b)
		}
	}
	return out
}

// supporter checks that a sentence says nothing beyond its quotations.
type supporter struct{}

var _ answer.Supporter = supporter{}

// enough is the share of a sentence's words that its quotations must contain.
const enough = 0.8

// Support compares each claim with its quotations: they must contain all its
// names and numbers and most of its other words.
func (supporter) Support(_ context.Context, _ answer.Asked, claims []answer.Claim, _ answer.Emit) ([]answer.Support, error) {
	out := make([]answer.Support, len(claims))
	for i, c := range claims {
		out[i].OK = supported(c)
	}
	return out, nil
}

func supported(c answer.Claim) bool {
	claim := readFindings([]domain.Passage{{Chunk: domain.Chunk{Text: c.Text, Span: domain.Span{End: domain.Runes(c.Text)}}}})
	var quotes []domain.Passage
	for _, q := range c.Quotes {
		quotes = append(quotes, domain.Passage{Chunk: domain.Chunk{Text: q, Span: domain.Span{End: domain.Runes(q)}}})
	}
	source := readFindings(quotes)
	var has, all int
	for i := range claim.propositions {
		for t, forms := range claim.propositions[i].forms {
			if first := i == 0 && t == 0; first && (claim.propositions[i].opensWith() == claim.propositions[i].tokens[0].Text) {
				continue // a verdict on what the quotation says
			}
			if forms == nil || isStop(claim.propositions[i].tokens[t].Text) {
				continue
			}
			there := source.has(forms)
			if !there && exact(claim.propositions[i].tokens[t].Text) {
				return false
			}
			all++
			if there {
				has++
			}
		}
	}
	return all > 0 && float64(has) >= enough*float64(all)
}

// has reports whether any word of the findings shares a form.
func (f *findings) has(forms []string) bool {
	for _, c := range f.context {
		if shareForm(c, forms) {
			return true
		}
	}
	return false
}
