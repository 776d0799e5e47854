package questions

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
)

// MaxHint is the longest hint in code points.
const MaxHint = answer.MaxHint

// Options say how a question is answered, and when a person is asked about it.
type Options struct {
	Review bool `json:"review,omitempty"` // before the answer is written
	Hint   bool `json:"hint,omitempty"`   // when nothing relevant was found

	MaxLoops *int `json:"max_loops,omitempty"` // how often the question may be reworded; nil means as in the settings
	Passages int  `json:"passages,omitempty"`  // maximum that are read; 0 means as in the settings

	Rerank      *bool `json:"rerank,omitempty"`       // whether a model puts results in order; nil means as in the settings
	Budget      int   `json:"budget,omitempty"`       // most tokens it may take; 0 means as the caps allow
	ContextOnly bool  `json:"context_only,omitempty"` // passages are found and graded, but nothing is written

	History []answer.Exchange `json:"history,omitempty"` // kept by a program, oldest first, in place of the conversation's
}

// None reports whether no option is set.
func (o Options) None() bool { return reflect.ValueOf(o).IsZero() }

// String returns the options as text that is the same for the same options.
func (o Options) String() string {
	b, err := json.Marshal(o)
	return string(b) + fmt.Sprint(err)
}

// MaxPassages is the maximum number of passages that a question may have read.
const MaxPassages = 50

// The minimum and maximum number of tokens that a question may be allowed.
const (
	MinBudget = 100
	MaxBudget = 10_000_000
)

// check fails with kind Invalid for options that can't be.
func (o Options) check() error {
	if o.Budget != 0 && (o.Budget < MinBudget || o.Budget > MaxBudget) {
		return domain.Errorf(domain.Invalid, "The budget of a question can be %s to %s tokens.", domain.Thousands(MinBudget), domain.Thousands(MaxBudget))
	}
	if o.ContextOnly && o.Review {
		return domain.Errorf(domain.Invalid, "Where only passages are asked for, there is no writing to stop before. Choose one of the two.")
	}
	if o.MaxLoops != nil && (*o.MaxLoops < 0 || *o.MaxLoops > answer.MostLoops) {
		return domain.Errorf(domain.Invalid, "A question can be reworded between 0 and %d times.", answer.MostLoops)
	}
	if o.Passages < 0 || o.Passages > MaxPassages {
		return domain.Errorf(domain.Invalid, "A question can read between 1 and %d passages.", MaxPassages)
	}
	return nil
}

// input is the input of a run that answers a question.
type input struct {
	Options
	Reply *reply `json:"reply,omitempty"` // the latest
}

// reply is a person's answer to a question of the run.
type reply struct {
	To string `json:"to"` // id of the question
	answer.Reply
}

// encoded returns the form of the input in the queue, or nil if there is none.
func (in input) encoded() (json.RawMessage, error) {
	if reflect.ValueOf(in).IsZero() {
		return nil, nil
	}
	return json.Marshal(in)
}

func inputOf(r job.Run) (in input, err error) {
	if len(r.Input) > 0 {
		if err = json.Unmarshal(r.Input, &in); err != nil {
			err = fmt.Errorf("decode the input of run %s: %w", r.ID, err)
		}
	}
	return in, err
}

// asks returns the question of a run to a person, and false if it asks nothing or has already been replied to.
func (s *Service) asks(ctx context.Context, r job.Run) (q stategraph.Question, in input, asks bool, err error) {
	if in, err = inputOf(r); err != nil || r.Status.Ended() || in.None() {
		return q, in, false, err
	}
	open, err := s.Graph.Questions(ctx, string(r.ID))
	if err != nil || len(open) == 0 {
		return q, in, false, err
	}
	return open[0], in, in.Reply == nil || in.Reply.To != open[0].ID, nil
}

// Asking returns the question of a run to a person, or nil if it asks nothing.
func (s *Service) Asking(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (*answer.Asking, error) {
	r, err := s.Queue.Get(ctx, w, id)
	if err != nil {
		return nil, err
	}
	return s.AskingOf(ctx, r)
}

// AskingOf is Asking for a run that has been read.
func (s *Service) AskingOf(ctx context.Context, r job.Run) (*answer.Asking, error) {
	q, _, asks, err := s.asks(ctx, r)
	if err != nil || !asks {
		return nil, err
	}
	var a answer.Asking
	if err := json.Unmarshal(q.Payload, &a); err != nil {
		return nil, fmt.Errorf("decode what run %s asks: %w", r.ID, err)
	}
	return &a, nil
}

// Continue continues a run with a person's reply. Conflict means that the run no longer asks anything, NotFound that a
// passage to add is not in the library, Invalid or TooLarge that the hint can't be used.
func (s *Service) Continue(ctx context.Context, w domain.WorkspaceID, id domain.RunID, given answer.Reply) error {
	r, err := s.Queue.Get(ctx, w, id)
	if err != nil {
		return err
	}
	if err := s.Ledger.MayChange(ctx, w, id); err != nil {
		return err
	}
	q, in, asks, err := s.asks(ctx, r)
	switch {
	case err != nil:
		return err
	case !asks:
		return nothingAsked()
	}
	if given, err = s.checked(ctx, w, q, given); err != nil {
		return err
	}
	in.Reply = &reply{To: q.ID, Reply: given}
	after, err := in.encoded()
	if err != nil {
		return err
	}
	replied, err := s.Queue.Reply(ctx, w, id, r.Input, after)
	switch {
	case err != nil:
		return err
	case !replied:
		return nothingAsked()
	}
	_, err = s.Ledger.UpdateAnswer(ctx, w, id, func(m *ledger.Answer) {
		if m.Status == ledger.MessageAsking {
			m.Status = ledger.MessageWaiting
		}
	})
	return err
}

func nothingAsked() error {
	return domain.Errorf(domain.Conflict, "This question no longer waits for anybody. Look at its answer.")
}

// checked converts a reply to the form that the graph takes.
func (s *Service) checked(ctx context.Context, w domain.WorkspaceID, q stategraph.Question, r answer.Reply) (answer.Reply, error) {
	r.Hint = domain.OneLine(strings.ToValidUTF8(r.Hint, ""))
	var a answer.Asking
	if err := json.Unmarshal(q.Payload, &a); err != nil {
		return r, fmt.Errorf("decode a question: %w", err)
	}
	if a.Summaries != nil {
		return ofSummary(a, r)
	}
	switch {
	case len(r.Texts) > 0:
		return r, domain.Errorf(domain.Invalid, "This question waits for passages, not for the draft of a summary.")
	case domain.Runes(r.Hint) > MaxHint:
		return r, domain.Errorf(domain.TooLarge, "The hint has %d characters; the limit is %d. A few words or names are enough.", domain.Runes(r.Hint), MaxHint)
	case r.Hint != "" && !a.Hints:
		return r, domain.Errorf(domain.Invalid, "This question has had %d hints, which is the limit. Have it answered with what there is, or ask another.", answer.MaxHints)
	}
	named := slices.Concat(r.Drop, r.Add)
	passages, err := s.Ledger.Passages(ctx, w, named)
	if err != nil {
		return r, err
	}
	for _, id := range named {
		if slices.Contains(r.Drop, id) && slices.Contains(r.Add, id) {
			return r, domain.Errorf(domain.Invalid, "The passage %s can't be both added and left out. Choose one.", id)
		}
		here := slices.ContainsFunc(passages, func(p domain.Passage) bool { return p.ID == id })
		found := slices.ContainsFunc(a.Passages, func(g domain.Grading) bool { return g.Chunk == id }) // it may have been deleted since
		if !here && !found {
			return r, domain.Errorf(domain.NotFound, "The library has no passage %s.", id)
		}
	}
	return r, nil
}

// ofSummary returns a reply to the draft of a summary: its texts, or others in their place.
func ofSummary(a answer.Asking, r answer.Reply) (answer.Reply, error) {
	if r.Hint != "" || len(r.Drop)+len(r.Add) > 0 {
		return r, domain.Errorf(domain.Invalid, "A summary waits for its draft, not for passages or a hint. Give texts in place of those of the draft, or nothing to keep them.")
	}
	given := slices.Concat(r.Texts, a.Summaries[min(len(r.Texts), len(a.Summaries)):])
	return answer.Reply{Texts: given}, summarize.Draft{Summaries: a.Summaries}.Check(given)
}

// answered returns the option that passes a person's reply to the graph, or none without a reply.
func (s *Service) answered(ctx context.Context, r job.Run, in input) ([]stategraph.RunOption, error) {
	if in.Reply == nil {
		return nil, nil
	}
	open, err := s.Graph.Questions(ctx, string(r.ID))
	if err != nil || len(open) == 0 || open[0].ID != in.Reply.To {
		return nil, err
	}
	if in.Reply.Texts != nil { // of a summary
		return []stategraph.RunOption{stategraph.Answer(in.Reply.To, in.Reply.Texts)}, nil
	}
	return []stategraph.RunOption{stategraph.Answer(in.Reply.To, in.Reply.Reply)}, nil
}

// maxFound is how many passages Find lists.
const maxFound = 8

// Find searches the library for passages that a person may add, best first.
func (s *Service) Find(ctx context.Context, w domain.WorkspaceID, text string) ([]domain.Passage, error) {
	text = domain.Cut(strings.ToValidUTF8(strings.TrimSpace(text), ""), MaxHint)
	if text == "" {
		return nil, nil
	}
	found, err := s.Retriever.Retrieve(ctx, w, retrieve.Query{Text: text, Limit: maxFound})
	if err != nil {
		return nil, err
	}
	ids := lists.Map(found.Passages, func(p domain.FoundPassage) domain.ChunkID { return p.Chunk })
	return s.Ledger.Passages(ctx, w, ids)
}
