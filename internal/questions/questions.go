// Package ask is what a person does with questions: ask, stop, look back. It
// keeps conversations, queues the runs that answer, and carries them out.
package questions

import (
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/trace"
)

// Kind is the kind of run that answers a question. Its subject is the message.
const Kind = "answer"

// MaxQuestion is the longest question in code points.
const MaxQuestion = 4000

// remembered is how many exchanges before a question are handed to the graph.
const remembered = 4

// priority puts questions, which people wait for, before documents.
const priority = 10

// attempts is how often a run is tried while a model does not answer. Few: a
// person is waiting, and can ask again.
const attempts = 2

// Ledger is what ask needs of the ledger.
type Ledger interface {
	AddMessageAnd(ctx context.Context, begin *ledger.Conversation, m ledger.Message, more func(*sql.Tx) error) error
	Message(ctx context.Context, w domain.WorkspaceID, id domain.MessageID) (ledger.Message, error)
	Messages(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) ([]ledger.Message, error)
	UpdateMessage(ctx context.Context, w domain.WorkspaceID, id domain.MessageID, change func(*ledger.Message)) (ledger.Message, error)
}

// Runs takes in a run together with what it is about.
type Runs interface {
	AddWithin(ctx context.Context, tx *sql.Tx, r job.Run) (job.Run, error)
	Announce() // once that is committed
}

// Queue is what ask needs of the queue of runs, which is in the ledger's
// database.
type Queue interface {
	Runs
	Stop(ctx context.Context, w domain.WorkspaceID, id domain.RunID) error
}

// Threads forget a run that is over.
type Threads interface {
	Delete(ctx context.Context, thread string) error
}

// Params are what ask works with. All are required but Threads, which may be
// nil, and MaxLoops, which may be 0.
type Params struct {
	Ledger      Ledger
	Queue       Queue
	Hub         *trace.Hub
	Graph       *stategraph.Graph[answer.State]
	Threads     Threads // where the graph keeps its runs
	MaxLoops    int
	MinRelevant int
	AtOnce      int // passages graded at the same time
	IDs         domain.IDs
	Now         func() time.Time
	Log         *slog.Logger
}

// Service carries out what people ask.
type Service struct{ Params }

// New makes an Ask.
func New(p Params) *Service { return &Service{p} }

// Question is what a person asks.
type Question struct {
	Workspace    domain.WorkspaceID
	Conversation domain.ConversationID // "" begins a new one
	Text         string
	Runs         Runs // in place of the queue, for a process that answers itself; may be nil
}

// Start keeps a question together with the run that answers it, and does not
// wait: a process that is killed leaves both or neither. A question that is
// empty or too long is an error of kind Invalid or TooLarge.
func (a *Service) Start(ctx context.Context, q Question) (ledger.Message, error) {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(q.Text, "")), " ")
	switch {
	case text == "":
		return ledger.Message{}, domain.Errorf(domain.Invalid, "The question is empty: write what you want to know.")
	case domain.Runes(text) > MaxQuestion:
		return ledger.Message{}, domain.Errorf(domain.TooLarge, "The question has %d characters, the most is %d. Ask for less at once, or add the long text as a document.", domain.Runes(text), MaxQuestion)
	}
	m, begin, err := a.message(q, text)
	if err != nil {
		return m, err
	}
	runs := q.Runs
	if runs == nil {
		runs = a.Queue
	}
	err = a.Ledger.AddMessageAnd(ctx, begin, m, func(tx *sql.Tx) error {
		_, err := runs.AddWithin(ctx, tx, job.Run{
			Workspace: m.Workspace, ID: m.Run, Kind: Kind, Subject: string(m.ID), Priority: priority, MaxAttempts: attempts, CreatedAt: m.CreatedAt,
		})
		return err
	})
	if err == nil {
		runs.Announce()
	}
	return m, err
}

// message is the question as it is kept, and the conversation that it begins,
// if any.
func (a *Service) message(q Question, text string) (m ledger.Message, begin *ledger.Conversation, err error) {
	now := a.Now()
	m = ledger.Message{Workspace: q.Workspace, Conversation: q.Conversation, Question: text, Status: ledger.MessageWaiting, CreatedAt: now}
	if m.ID, err = a.IDs.Message(); err != nil {
		return m, nil, err
	}
	if m.Run, err = a.IDs.Run(); err != nil || m.Conversation != "" {
		return m, nil, err
	}
	m.Conversation, err = a.IDs.Conversation()
	return m, &ledger.Conversation{ID: m.Conversation, Workspace: q.Workspace, Title: text, CreatedAt: now, UpdatedAt: now}, err
}

// Stop ends the run that answers a message, within a second. What has been
// written so far stays, marked as stopped.
func (a *Service) Stop(ctx context.Context, w domain.WorkspaceID, id domain.MessageID) error {
	m, err := a.Ledger.Message(ctx, w, id)
	if err != nil {
		return err
	}
	return a.Queue.Stop(ctx, w, m.Run)
}
