package questions

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
)

// MaxWebWords is the maximum length of the text sent to a web search, in code points.
const MaxWebWords = 400

// A WebQuestion is one that the web is to be searched for.
type WebQuestion struct {
	Workspace domain.WorkspaceID
	Run       domain.RunID   // that found no answer in the library
	Question  string         // in place of that of the run, or ""
	Form      domain.FormKey // of the form that asks it, or "" if there is none
	Runs      job.Adder      // the queue when nil
}

// AskWeb starts a branch that asks the web what the library could not answer. The error is Invalid where no web search is set
// and for too many words, and Conflict for a run that has an answer or none yet.
func (s *Service) AskWeb(ctx context.Context, q WebQuestion) (ledger.Answer, error) {
	if s.WebSearch == "" {
		return ledger.Answer{}, domain.Errorf(domain.Invalid, "No web search is set. Whoever runs Clew can name a SearXNG in WEB_SEARCH_URL.")
	}
	a, err := s.Answered(ctx, q.Workspace, q.Run)
	if err != nil {
		return a, err
	}
	if !MayAskWeb(a) {
		return a, domain.Errorf(domain.Conflict, "The web is searched only for a question that has been asked and that the library could not answer.")
	}
	v := Variation{Workspace: q.Workspace, Message: a.Message, Purpose: Web, Form: q.Form, Runs: q.Runs}
	words := a.Question
	if q.Question != "" {
		words = q.Question
	}
	if words, err = s.Check(ctx, q.Workspace, words, domain.Scope{}); err != nil {
		return a, err
	}
	if n := domain.Runes(words); n > MaxWebWords {
		return a, domain.Errorf(domain.TooLarge, "A web search takes at most %d characters, and this has %d. Send fewer words.", MaxWebWords, n)
	}
	m, err := s.Ledger.Message(ctx, q.Workspace, a.Message)
	if err != nil {
		return a, err
	}
	if words != m.Question {
		v.Changes.Question = words
	}
	b, err := s.Vary(ctx, v)
	b.Conversation = m.Conversation
	return b, err
}

// MayAskWeb reports whether the web may be searched after an answer: it found nothing.
func MayAskWeb(a ledger.Answer) bool {
	return a.Status == ledger.MessageDone && !a.Withheld && len(a.Citations) == 0 && len(a.Figures) == 0
}

// OfWeb reports whether an answer is the web's, and not the library's.
func OfWeb(a ledger.Answer) bool {
	return a.Purpose == string(Web) || slices.ContainsFunc(a.Citations, domain.Citation.OfWeb)
}
