// Package present turns stored data into the parts that several pages draw: turns of conversations,
// documents, entities and questions to try.
package present

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/partial"
)

var statuses = map[ledger.MessageStatus]partial.TurnStatus{
	ledger.MessageWaiting:   partial.TurnWaiting,
	ledger.MessageAnswering: partial.TurnAnswering,
	ledger.MessageAsking:    partial.TurnAnswering, // until its reply is on its way, see AsksProps
	ledger.MessageDone:      partial.TurnDone,
	ledger.MessageStopped:   partial.TurnStopped,
	ledger.MessageFailed:    partial.TurnFailed,
}

// StatusOf returns how the pages show the status of an answer.
func StatusOf(s ledger.MessageStatus) partial.TurnStatus { return statuses[s] }

// Turn returns a question with its answer, and what a search found for it, see report.FoundFor.
func Turn(m ledger.Answer, v *trace.View, found *outline.Found, now time.Time) partial.TurnProps {
	p := partial.TurnProps{
		Conversation: m.Conversation, Message: m.Message, Run: m.Run, Question: m.Question, Status: statuses[m.Status],
		Text: m.Text, Sentences: m.Sentences, Citations: m.Citations, Problem: m.Problem,
		Figures: Figures(m, v), Took: v.Took(now), Tokens: v.Tokens(), After: v.Last, Found: found,
	}
	p.Ending = !p.Unanswered() && v.State == trace.Working
	return p
}

// Figures returns the charts of an answer: the stored ones of a finished
// answer, and before that from its run's events. A stopped or failed answer has
// only its finished charts.
func Figures(m ledger.Answer, v *trace.View) []domain.Figure {
	switch m.Status {
	case ledger.MessageDone:
		return m.Figures
	case ledger.MessageWaiting, ledger.MessageAnswering, ledger.MessageAsking:
		return v.Figures
	}
	return lists.Filter(v.Figures, func(f domain.Figure) bool { return f.Status == domain.FigureDone })
}
