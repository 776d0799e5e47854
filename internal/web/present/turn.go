package present

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
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

// Turn returns a question with its answer.
func Turn(m ledger.Answer, v *trace.View, now time.Time) partial.TurnProps {
	p := partial.TurnProps{
		Conversation: m.Conversation, Message: m.Message, Run: m.Run, Question: m.Question, Status: statuses[m.Status],
		Text: m.Text, Sentences: m.Sentences, Citations: m.Citations, Problem: m.Problem,
		Figures: Figures(m, v), Took: v.Took(now), Tokens: v.Tokens(), After: v.Last, Found: Found(m, v),
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
	var made []domain.Figure
	for _, f := range v.Figures {
		if f.Status == domain.FigureDone {
			made = append(made, f)
		}
	}
	return made
}

// Stations returns the visited nodes of a run, each once, for the one-line
// trace.
func Stations(v *trace.View) []partial.StripProps {
	var stations []partial.StripProps
	at := map[string]int{}
	for _, s := range v.Steps {
		if s.Node == stategraph.Start || s.Node == stategraph.End || len(s.Path) > 0 {
			continue
		}
		i, ok := at[s.Node]
		if !ok {
			i = len(stations)
			at[s.Node] = i
			stations = append(stations, partial.StripProps{Node: s.Node, Said: diagram.Plain(v.Graph, s.Node).Done})
		}
		stations[i].State, stations[i].Times = state(s.State), stations[i].Times+1
	}
	return stations
}
