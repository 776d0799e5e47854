// Package ask is what a person does with questions: ask, stop, look back. It
// keeps conversations, queues the runs that answer, and carries them out.
package ask

import (
	"context"
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
	CreateConversation(ctx context.Context, c ledger.Conversation) error
	Conversation(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) (ledger.Conversation, error)
	AddMessage(ctx context.Context, m ledger.Message) error
	Message(ctx context.Context, w domain.WorkspaceID, id domain.MessageID) (ledger.Message, error)
	Messages(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) ([]ledger.Message, error)
	UpdateMessage(ctx context.Context, w domain.WorkspaceID, id domain.MessageID, change func(*ledger.Message)) (ledger.Message, error)
}

// Queue is what ask needs of the queue of runs.
type Queue interface {
	Add(ctx context.Context, r job.Run) (job.Run, error)
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

// Ask carries out what people ask.
type Ask struct{ Params }

// New makes an Ask.
func New(p Params) *Ask { return &Ask{p} }

// Question is what a person asks.
type Question struct {
	Workspace    domain.WorkspaceID
	Conversation domain.ConversationID // "" begins a new one
	Text         string
	Enqueue      func(context.Context, job.Run) (job.Run, error) // in place of the queue's Add, for a process that answers itself
}

// Start keeps a question and queues the run that answers it; it does not wait.
// A question that is empty or too long is an error of kind Invalid or
// TooLarge.
func (a *Ask) Start(ctx context.Context, q Question) (ledger.Message, error) {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(q.Text, "")), " ")
	switch {
	case text == "":
		return ledger.Message{}, domain.Errorf(domain.Invalid, "The question is empty: write what you want to know.")
	case domain.Runes(text) > MaxQuestion:
		return ledger.Message{}, domain.Errorf(domain.TooLarge, "The question has %d characters, the most is %d. Ask for less at once, or add the long text as a document.", domain.Runes(text), MaxQuestion)
	}
	m, err := a.message(ctx, q, text)
	if err != nil {
		return m, err
	}
	enqueue := a.Queue.Add
	if q.Enqueue != nil {
		enqueue = q.Enqueue
	}
	_, err = enqueue(ctx, job.Run{
		Workspace: m.Workspace, ID: m.Run, Kind: Kind, Subject: string(m.ID), Priority: priority, MaxAttempts: attempts, CreatedAt: m.CreatedAt,
	})
	return m, err
}

// message keeps the question, in a new conversation when it begins one.
func (a *Ask) message(ctx context.Context, q Question, text string) (ledger.Message, error) {
	m := ledger.Message{Workspace: q.Workspace, Conversation: q.Conversation, Question: text, Status: ledger.MessageWaiting, CreatedAt: a.Now()}
	var err error
	if m.ID, err = a.IDs.Message(); err != nil {
		return m, err
	}
	if m.Run, err = a.IDs.Run(); err != nil {
		return m, err
	}
	if m.Conversation == "" {
		m.Conversation, err = a.begin(ctx, q.Workspace, text)
	} else {
		_, err = a.Ledger.Conversation(ctx, q.Workspace, q.Conversation)
	}
	if err != nil {
		return m, err
	}
	return m, a.Ledger.AddMessage(ctx, m)
}

func (a *Ask) begin(ctx context.Context, w domain.WorkspaceID, title string) (domain.ConversationID, error) {
	id, err := a.IDs.Conversation()
	if err != nil {
		return "", err
	}
	now := a.Now()
	return id, a.Ledger.CreateConversation(ctx, ledger.Conversation{ID: id, Workspace: w, Title: title, CreatedAt: now, UpdatedAt: now})
}

// Stop ends the run that answers a message, within a second. What has been
// written so far stays, marked as stopped.
func (a *Ask) Stop(ctx context.Context, w domain.WorkspaceID, id domain.MessageID) error {
	m, err := a.Ledger.Message(ctx, w, id)
	if err != nil {
		return err
	}
	return a.Queue.Stop(ctx, w, m.Run)
}
