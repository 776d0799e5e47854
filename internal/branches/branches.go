// Package branches answers questions again with something changed, from the start
// or from a step of an earlier run. Each such run is a branch of the question's
// turn and has its own answer. The turn and its run are left alone.
//
// A branch that begins at a step goes on from a copy of the state there, so nothing
// before the step is computed or paid again.
package branches

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Purpose says what a branch is for. Branches of every purpose run the same way.
type Purpose string

// The purposes.
const (
	Fork   Purpose = "fork"   // a person changed something at a step
	Method Purpose = "method" // to compare methods of searching
	Replay Purpose = "replay" // to compare with what was recorded
	Again  Purpose = "again"  // models are asked again although their answers are recorded
	Edit   Purpose = ledger.PurposeEdit
)

// attempts limits how often a run is tried while a model does not answer, as of a
// question.
const attempts = 2

// priority puts branches, which people wait for, before documents and after
// questions.
const priority = 9

// Params configures a Service. All fields are required but Models and
// MaxWaiting.
type Params struct {
	Ledger     *ledger.Ledger
	Queue      *job.Queue
	Hub        *trace.Hub
	Asked      stategraph.Runnable[answer.State] // answers questions
	Answerer   Answerer
	Prompts    *prompts.Book
	Models     []string // that answer by the settings; none in the built-in mode
	Vectors    bool     // there is an embedding model
	MaxWaiting int      // branches of one person in the queue; 0 means no limit
	IDs        domain.IDs
	Now        domain.Clock

	// Graph returns the graph of answers with another model for all roles, unless it is
	// "", and with other prompts.
	Graph func(model string, book *prompts.Book) (stategraph.Runnable[answer.State], error)
}

// An Answerer carries out runs that answer, see questions.Service.
type Answerer interface {
	// Begin returns the input of a run about a message.
	Begin(ctx context.Context, m ledger.Message, id domain.RunID) (answer.Begin, error)
	// Check returns a question as it is stored.
	Check(ctx context.Context, w domain.WorkspaceID, question string, scope domain.Scope) (string, error)
	// Answer carries out an attempt at an answer by g.
	Answer(ctx context.Context, a *run.Attempt, g stategraph.Runnable[answer.State], start answer.State, opts ...stategraph.RunOption) (answer.Result, error)
}

// A Service starts branches and carries them out.
type Service struct{ Params }

// New returns a Service.
func New(p Params) *Service { return &Service{p} }

// Begin is the input of a branch.
type Begin struct {
	Workspace domain.WorkspaceID
	Message   domain.MessageID // may be left out with a parent
	Parent    domain.RunID     // an answer's or a branch's, at one of whose steps to begin; "" begins at the start of the graph
	Step      int              // of the parent, as its page numbers them
	Purpose   Purpose
	Changes   Changes
	Form      domain.FormKey // of the form that starts it; "" for none
	Runs      job.Adder      // the queue when nil
}

// Start stores a branch together with its run, and does not wait for the answer. The
// error is NotFound when there is no such message, parent or step, and TooMany when
// the queue has no room. A form that was sent before starts nothing: Start returns the
// branch that it started then. Changes of a fork that can't be made are Invalid; the error
// then holds [Problems].
func (s *Service) Start(ctx context.Context, begin Begin) (ledger.Branch, error) {
	key, err := begin.formKey()
	if err != nil {
		return ledger.Branch{}, err
	}
	var b ledger.Branch
	before, err := s.Queue.Once(ctx, begin.Workspace, key, func() (err error) {
		b, err = s.start(ctx, begin, key)
		return err
	})
	if err != nil || before == "" {
		return b, err
	}
	return s.Ledger.Branch(ctx, begin.Workspace, domain.BranchID(before))
}

// formKey returns what identifies the form that starts the branch.
func (b Begin) formKey() (string, error) {
	changes, err := json.Marshal(b.Changes)
	if err != nil {
		return "", fmt.Errorf("encode the changes of a branch: %w", err)
	}
	return b.Form.Of(Kind, string(b.Message), string(b.Parent), strconv.Itoa(b.Step), string(b.Purpose), string(changes)), nil
}

func (s *Service) start(ctx context.Context, begin Begin, key string) (ledger.Branch, error) {
	b := ledger.Branch{
		Workspace: begin.Workspace, Message: begin.Message, Parent: begin.Parent, Step: begin.Step, Purpose: string(begin.Purpose),
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
		if begin.Purpose == Fork {
			if begin.Changes, err = s.check(ctx, b.Workspace, p, begin.Changes); err != nil {
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
	b.Question = cmp.Or(begin.Changes.Question, b.Question)
	if begin.Changes.Scope != nil {
		b.Scope = *begin.Changes.Scope
	}
	return s.store(ctx, b, begin, key)
}

// store gives a branch its ids and stores it with its run.
func (s *Service) store(ctx context.Context, b ledger.Branch, begin Begin, key string) (_ ledger.Branch, err error) {
	if b.Changes, err = json.Marshal(begin.Changes); err != nil {
		return b, fmt.Errorf("encode the changes of a branch: %w", err)
	}
	if b.ID, err = s.IDs.Branch(); err != nil {
		return b, err
	}
	if b.Run, err = s.IDs.Run(); err != nil {
		return b, err
	}
	return b, s.add(ctx, b, begin.Runs, key)
}

func (s *Service) add(ctx context.Context, b ledger.Branch, runs job.Adder, key string) error {
	limit := job.Limit{}
	if runs == nil {
		runs = s.Queue
		limit = job.Limit{Kind: Kind, Each: s.MaxWaiting, Waiting: "branches wait to be answered", Setting: "MAX_WAITING_QUESTIONS"}
	}
	err := s.Ledger.AddBranchTx(ctx, b, func(tx *sql.Tx) error {
		if err := s.Queue.AdmitTx(ctx, tx, limit); err != nil {
			return err
		}
		_, err := runs.AddTx(ctx, tx, job.Run{
			Workspace: b.Workspace, ID: b.Run, Kind: Kind, Subject: string(b.ID), Title: b.Question, Priority: priority, MaxAttempts: attempts, CreatedAt: b.CreatedAt, FormKey: key,
		})
		return err
	})
	if err == nil {
		runs.Announce()
	}
	return err
}

// A Point is a step of a run about a message, at which a branch can begin.
type Point struct {
	Message domain.MessageID
	Super   int      // the step, as the run's graph counts super-steps
	Nodes   []string // that ran in it; the start for step 0
	State   answer.State
}

// asked returns the question at the point, and within what it is asked.
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
	var p Point
	if p.Message, err = s.MessageOf(ctx, r); err != nil {
		return p, err
	}
	events, err := s.Hub.Events(ctx, w, id, 0)
	if err != nil {
		return p, err
	}
	if len(events) == 0 {
		return p, domain.Errorf(domain.NotFound, "The steps of this run are gone: it has read a document that was deleted, or has not begun.")
	}
	moments, view := trace.Moments(id, s.Asked.Topology(), events)
	m, err := trace.MomentAt(moments, step)
	if err != nil {
		return p, err
	}
	if len(m.Within) > 0 || m.Shared {
		return p, domain.Errorf(domain.Invalid, "Step %d is inside %s. Fork at a step before or after it.", step, view.Steps[m.Rows[0]-1].Path[0])
	}
	at, err := s.Asked.CheckpointAt(ctx, string(id), m.Super)
	p.Super, p.Nodes, p.State = m.Super, at.Nodes, at.State
	return p, run.InWords(err)
}

// MessageOf returns the message that a run answers, as asked or as a branch. The
// error is Invalid for a run that answers none.
func (s *Service) MessageOf(ctx context.Context, r job.Run) (domain.MessageID, error) {
	switch r.Kind {
	case answer.Name:
		return domain.MessageID(r.Subject), nil
	case Kind:
		b, err := s.Ledger.Branch(ctx, r.Workspace, domain.BranchID(r.Subject))
		return b.Message, err
	}
	return "", domain.Errorf(domain.Invalid, "Only answers have branches, and this run is none.")
}

// Delete deletes a branch and those that begin at its steps. Their runs stop.
func (s *Service) Delete(ctx context.Context, w domain.WorkspaceID, id domain.BranchID) error {
	return s.Ledger.DeleteBranch(ctx, w, id)
}
