package questions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
)

// A Purpose is the purpose of a branch. Branches of every purpose run the same way.
type Purpose string

// The purposes.
const (
	Fork   Purpose = "fork"   // a person changed something at a step
	Method Purpose = "method" // to compare methods of searching
	Replay Purpose = "replay" // to compare with what was recorded
	Again  Purpose = "again"  // models are asked again although their answers are recorded
	Web    Purpose = "web"    // the web is searched, because the library has no answer
	Edit   Purpose = ledger.PurposeEdit
)

// A Variation says how a message is asked otherwise: in other words, by another method, from a step of another run, or as
// a replay. Its run is a branch of the message with an answer of its own; the message and its other answers stay as they
// are. One that begins at a step goes on from a copy of the state there, so nothing before it is computed or paid again.
type Variation struct {
	Workspace domain.WorkspaceID
	Message   domain.MessageID // optional with a parent
	Parent    domain.RunID     // run of an answer or branch, at one of whose steps to begin; "" for the start of the graph
	Step      int              // of the parent, as its page numbers them
	Purpose   Purpose
	Changes   Changes
	Form      domain.FormKey // of the form that starts it; "" if there is none
	Runs      job.Adder      // nil means the queue
}

// Vary stores a branch together with its run, and does not wait for the answer. The
// error is NotFound when there is no such message, parent or step, and TooMany when
// the queue has no room. A form that was sent before starts nothing: Vary returns the
// branch that it started then. Changes of a fork that can't be made are Invalid; the error
// then holds [Problems].
func (s *Service) Vary(ctx context.Context, v Variation) (ledger.Answer, error) {
	key, err := v.formKey()
	if err != nil {
		return ledger.Answer{}, err
	}
	var b ledger.Answer
	before, err := s.Queue.Once(ctx, v.Workspace, key, func() (err error) {
		b, err = s.vary(ctx, v, key)
		return err
	})
	if err != nil || before == "" {
		return b, err
	}
	return s.Ledger.Branch(ctx, v.Workspace, domain.BranchID(before))
}

// formKey identifies the form that starts the branch.
func (v Variation) formKey() (string, error) {
	changes, err := json.Marshal(v.Changes)
	if err != nil {
		return "", fmt.Errorf("encode the changes of a branch: %w", err)
	}
	return v.Form.Of(BranchKind, string(v.Message), string(v.Parent), strconv.Itoa(v.Step), string(v.Purpose), string(changes)), nil
}

func (s *Service) vary(ctx context.Context, v Variation, key string) (ledger.Answer, error) {
	b := ledger.Answer{
		Workspace: v.Workspace, Message: v.Message, Parent: v.Parent, Step: v.Step, Purpose: string(v.Purpose),
		Person: domain.PersonOf(ctx), Status: ledger.MessageWaiting, CreatedAt: s.Now(),
	}
	var err error
	if b.Parent != "" {
		var p Point
		p, err = s.At(ctx, b.Workspace, b.Parent, b.Step)
		if err != nil {
			return b, err
		}
		b.Message, b.Super = p.Message, p.Super
		b.Question, b.Scope = p.asked()
		if v.Purpose == Fork {
			if p.State.Web && len(p.State.Pages) == 0 {
				return b, domain.Errorf(domain.Invalid, "What goes to the web search can't be changed from a step. Search the web again, or fork at a later step.")
			}
			if v.Changes, err = s.check(ctx, b.Workspace, p, v.Changes); err != nil {
				return b, err
			}
		}
	}
	if b.Parent == "" {
		m, err := s.Ledger.Message(ctx, b.Workspace, b.Message)
		if err != nil {
			return b, err
		}
		b.Question, b.Scope = m.Question, m.Scope
	}
	if v.Purpose == Web {
		b.Scope = domain.Scope{}
	}
	b.Question = cmp.Or(v.Changes.Question, b.Question)
	if v.Changes.Scope != nil {
		b.Scope = *v.Changes.Scope
	}
	return s.store(ctx, b, v, key)
}

// store gives a branch its ids and stores it with its run.
func (s *Service) store(ctx context.Context, b ledger.Answer, v Variation, key string) (_ ledger.Answer, err error) {
	if b.Changes, err = json.Marshal(v.Changes); err != nil {
		return b, fmt.Errorf("encode the changes of a branch: %w", err)
	}
	if b.Branch, err = s.IDs.Branch(); err != nil {
		return b, err
	}
	if b.Run, err = s.IDs.Run(); err != nil {
		return b, err
	}
	return b, s.add(ctx, nil, b, v.Runs, job.Run{Kind: BranchKind, Subject: string(b.Branch), Priority: priority - 1, FormKey: key})
}

// A Point is a step of a run about a message, at which a branch can start.
type Point struct {
	Message domain.MessageID
	Super   int      // the step, in super-steps of the run's graph
	Nodes   []string // that ran in it; the start for step 0
	State   answer.State
}

// asked returns the question at the point, and its scope.
func (p Point) asked() (string, domain.Scope) {
	if scope := p.State.UserContext.Scope; scope != nil {
		return p.State.Question, *scope
	}
	return p.State.Question, domain.Scope{}
}

// At returns a step of a run that answers a question, as pages number them. The
// error is NotFound when there is no such run or step, or its state is no longer
// kept, and Invalid for a step inside a node.
func (s *Service) At(ctx context.Context, w domain.WorkspaceID, id domain.RunID, step int) (Point, error) {
	r, err := s.Queue.Get(ctx, w, id)
	if err != nil {
		return Point{}, err
	}
	a, err := s.answerOf(ctx, r)
	if err != nil {
		return Point{}, err
	}
	p := Point{Message: a.Message}
	events, err := s.Hub.Events(ctx, w, id, 0)
	if err != nil {
		return p, err
	}
	if len(events) == 0 {
		return p, domain.Errorf(domain.NotFound, "The steps of this run are gone: it read a document that has been deleted, or it has not started.")
	}
	moments, view := trace.Moments(id, s.Graph.Topology(), events)
	if view.Withheld {
		return p, trace.ErrWithheld
	}
	m, err := trace.MomentAt(moments, step)
	if err != nil {
		return p, err
	}
	if len(m.Within) > 0 || m.Shared {
		return p, domain.Errorf(domain.Invalid, "Step %d is inside %s. Fork at a step before or after it.", step, view.Steps[m.Rows[0]-1].Path[0])
	}
	at, err := s.Graph.CheckpointAt(ctx, string(id), m.Super)
	p.Super, p.Nodes, p.State = m.Super, at.Nodes, at.State
	return p, run.InWords(err)
}

// answerOf returns the answer of a run to a message, as asked or as a branch. The error is Invalid for a run that answers none.
func (s *Service) answerOf(ctx context.Context, r job.Run) (ledger.Answer, error) {
	if r.Kind != Kind && r.Kind != BranchKind {
		return ledger.Answer{}, domain.Errorf(domain.Invalid, "Only answers have branches, and this run is not an answer.")
	}
	return s.Ledger.Answer(ctx, r.Workspace, r.ID)
}

// Answered returns the answer of a run to a message, as asked or as a branch. The error is Invalid for a run that answers none.
func (s *Service) Answered(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (ledger.Answer, error) {
	r, err := s.Queue.Get(ctx, w, id)
	if err != nil {
		return ledger.Answer{}, err
	}
	return s.answerOf(ctx, r)
}

// DeleteBranch deletes a branch and those that begin at its steps. Their runs stop.
func (s *Service) DeleteBranch(ctx context.Context, w domain.WorkspaceID, id domain.BranchID) error {
	return s.Ledger.DeleteBranch(ctx, w, id)
}

// An Edited question replaces a message's, from the start.
type Edited struct {
	Workspace domain.WorkspaceID
	Message   domain.MessageID
	Question  string
	Scope     domain.Scope   // within which to ask
	Form      domain.FormKey // of the form that asks it; "" if there is none
	Runs      job.Adder      // nil means the queue
}

// AskAgain starts a branch that asks a question in place of a message's. Asked in the
// same words within the same scope, models answer once more. The turns that follow the
// message's other answers stay with those. The error is NotFound when there is no such
// message, and otherwise as for a first question.
func (s *Service) AskAgain(ctx context.Context, e Edited) (ledger.Answer, error) {
	m, err := s.Ledger.Message(ctx, e.Workspace, e.Message)
	if err != nil {
		return ledger.Answer{}, err
	}
	v := Variation{Workspace: e.Workspace, Message: e.Message, Purpose: Edit, Form: e.Form, Runs: e.Runs}
	text, err := s.Check(ctx, e.Workspace, e.Question, e.Scope)
	if err != nil {
		return ledger.Answer{}, err
	}
	if text != m.Question {
		v.Changes.Question = text
	}
	if !slices.Equal(e.Scope.Terms(), m.Scope.Terms()) {
		v.Changes.Scope = &e.Scope
	}
	return s.Vary(ctx, v)
}
