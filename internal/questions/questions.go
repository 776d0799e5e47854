// Package questions asks questions of the library: it keeps conversations, queues the runs that
// answer, and carries them out, whether they answer a message as it was asked, with changes (a
// branch), or a question of an evaluation.
package questions

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// MaxQuestion is the longest question in code points.
const MaxQuestion = answer.MaxQuestion

// remembered is how many earlier exchanges of a conversation the graph sees.
const remembered = 4

// priority puts questions, which people wait for, before documents.
const priority = 10

// attempts limits how often a run is tried while a model does not answer. Few: a person is waiting, and can ask again.
const attempts = 2

// Params configures a Service. All fields are required but Models, MaxLoops, MaxWaiting,
// Timeout, WebSearch, Budget and Admit.
type Params struct {
	Ledger      *ledger.Ledger
	Queue       *job.Queue
	Hub         *trace.Hub
	Evaluation  *evaluation.Service
	Graph       stategraph.Runnable[answer.State]
	Retriever   answer.Retriever // finds passages that a person may add
	Documents   Documents        // for scopes
	Prompts     *prompts.Book
	Models      []string      // that answer, by the settings; none in the built-in mode
	Vectors     bool          // there is an embedding model
	MaxLoops    int           // rewordings of a question; 0 allows none
	MinRelevant int           // how many relevant passages are enough for an answer
	AtOnce      int           // passages graded at the same time
	MaxWaiting  int           // maximum of waiting questions and branches per person; 0 means no limit
	Timeout     time.Duration // for one question once work on it starts; 0 means none
	UndoTime    time.Duration // how long the deletion of a conversation can be undone
	IDs         domain.IDs
	Now         domain.Clock

	WebSearch string // host of the web search; "" if there is none

	// GraphBy returns the graph of answers for a setting, ignoring its method and loops, and with prompts.
	GraphBy func(evaluation.Setting, *prompts.Book) (stategraph.Runnable[answer.State], error)

	// Budget returns the most that an answer may cost. Nil means no limit.
	Budget func(ctx context.Context, w domain.WorkspaceID) (answer.Budget, error)

	// Admit returns a context in which an answer is paid for to its end, or an error that names the
	// cap that does not let it begin. A nil Admit allows all.
	Admit func(ctx context.Context, w domain.WorkspaceID) (context.Context, error)
}

// A Service asks questions and answers them.
type Service struct {
	Params

	mu   sync.Mutex
	last struct { // the graph made last, for the questions of one evaluation
		evaluation domain.EvaluationID
		graph      stategraph.Runnable[answer.State]
	}
}

// New returns a Service.
func New(p Params) *Service { return &Service{Params: p} }

// A Question is a person's question with its options.
type Question struct {
	Workspace    domain.WorkspaceID
	Conversation domain.ConversationID // "" begins a new one
	Text         string
	Method       domain.MethodName // of searching
	Scope        domain.Scope      // within which to ask
	Follows      domain.RunID      // whose answer it follows; "" for the last one in the conversation
	Temporary    bool              // the conversation that it begins is hidden, and deleted after temporaryFor
	Options
	Form domain.FormKey // of the form that asks it; "" if there is none
	Runs job.Adder      // nil means the queue
}

// formKey identifies the form that asks q.
func (q Question) formKey() string {
	return q.Form.Of(slices.Concat([]string{Kind, string(q.Conversation), q.Text, string(q.Method), string(q.Follows), q.String()}, q.Scope.Terms())...)
}

// temporaryFor is how long a temporary conversation is there, hidden, with the run of its answer.
const temporaryFor = 24 * time.Hour

// Start stores a question together with the run that answers it, and does not wait for the answer. An empty question
// is Invalid, as is one to be searched in a way that there is not; a long one is TooLarge, and one for which the queue has no room TooMany.
// A form that was sent before asks nothing: Start returns the question that it asked then.
func (s *Service) Start(ctx context.Context, q Question) (ledger.Answer, error) {
	var m ledger.Answer
	before, err := s.Queue.Once(ctx, q.Workspace, q.formKey(), func() (err error) {
		m, err = s.start(ctx, q)
		return err
	})
	if err != nil || before == "" {
		return m, err
	}
	return s.Ledger.Message(ctx, q.Workspace, domain.MessageID(before))
}

func (s *Service) start(ctx context.Context, q Question) (ledger.Answer, error) {
	text, err := s.Check(ctx, q.Workspace, q.Text, q.Scope)
	if err != nil {
		return ledger.Answer{}, err
	}
	if _, err := domain.FindMethod(string(q.Method)); err != nil {
		return ledger.Answer{}, err
	}
	if err := q.check(); err != nil {
		return ledger.Answer{}, err
	}
	if q.Rerank != nil && *q.Rerank && len(s.Models) == 0 && !s.Evaluation.Ranks {
		return ledger.Answer{}, domain.Errorf(domain.Invalid, "No model is connected that could put passages in order. Ask without that, or connect a model in Settings.")
	}
	if _, err := s.Allowed(ctx, q.Workspace, q.Budget); err != nil {
		return ledger.Answer{}, err
	}
	if q.Method == domain.MethodVectors && !s.Vectors {
		return ledger.Answer{}, retrieve.ErrNoVectors
	}
	m, begun, err := s.message(q, text)
	if err != nil {
		return m, err
	}
	if begun == nil {
		if m.Follows, err = s.follows(ctx, q); err != nil {
			return m, err
		}
	}
	given, err := input{Options: q.Options}.encoded()
	if err != nil {
		return m, err
	}
	return m, s.add(ctx, begun, m, q.Runs, job.Run{Kind: Kind, Subject: string(m.Message), Input: given, Priority: priority, FormKey: q.formKey()})
}

// add stores an answer together with its run. runs adds the run; nil means the queue, subject to its limits.
func (s *Service) add(ctx context.Context, begun *ledger.Conversation, a ledger.Answer, runs job.Adder, r job.Run) error {
	limit := job.Limit{}
	if runs == nil {
		runs = s.Queue
		limit = job.Limit{Workspace: a.Workspace, Kind: r.Kind, Each: s.MaxWaiting, Waiting: waiting[r.Kind], Setting: "MAX_WAITING_QUESTIONS"}
	}
	r.Workspace, r.ID, r.Title, r.MaxAttempts, r.CreatedAt = a.Workspace, a.Run, a.Question, attempts, a.CreatedAt
	err := s.Ledger.AddAnswerTx(ctx, begun, a, func(tx *sql.Tx) error {
		if err := s.Queue.AdmitTx(ctx, tx, limit); err != nil {
			return err
		}
		_, err := runs.AddTx(ctx, tx, r)
		return err
	})
	if err == nil {
		runs.Announce()
	}
	return err
}

// waiting describes what the runs of a kind wait for.
var waiting = map[string]string{Kind: "questions wait to be answered", BranchKind: "branches wait to be answered"}

// Check returns a question as it is stored. The error is Invalid for an empty question
// and for a scope without documents, and TooLarge for a long question.
func (s *Service) Check(ctx context.Context, w domain.WorkspaceID, question string, scope domain.Scope) (string, error) {
	text := domain.OneLine(strings.ToValidUTF8(question, ""))
	switch n := domain.Runes(text); {
	case n == 0:
		return "", domain.Errorf(domain.Invalid, "The question is empty. Write what you want to know.")
	case n > MaxQuestion:
		return "", domain.Errorf(domain.TooLarge, "The question has %d characters; the limit is %d. Ask for less at once, or add the long text as a document.", n, MaxQuestion)
	}
	_, err := s.Within(ctx, w, scope)
	return text, err
}

// follows returns the last run of the line of turns that a question continues.
func (s *Service) follows(ctx context.Context, q Question) (domain.RunID, error) {
	t, err := s.Tree(ctx, q.Workspace, q.Conversation)
	if err != nil {
		return "", err
	}
	if q.Follows != "" && !t.Holds(q.Follows) {
		return "", domain.Errorf(domain.Invalid, "The answer that this question follows is gone. Reload the conversation, and ask again.")
	}
	line := t.Line(q.Follows)
	if len(line) == 0 { // as for a conversation that does not exist
		return "", nil
	}
	return line[len(line)-1].Run, nil
}

// message returns the question as it is stored, and the conversation that it begins, if any.
func (s *Service) message(q Question, text string) (m ledger.Answer, begun *ledger.Conversation, err error) {
	now := s.Now()
	m = ledger.Answer{Workspace: q.Workspace, Conversation: q.Conversation, Question: text, Method: q.Method, Scope: q.Scope, Status: ledger.MessageWaiting, CreatedAt: now}
	if m.Message, err = s.IDs.Message(); err != nil {
		return m, nil, err
	}
	if m.Run, err = s.IDs.Run(); err != nil || m.Conversation != "" {
		return m, nil, err
	}
	m.Conversation, err = s.IDs.Conversation()
	begun = &ledger.Conversation{ID: m.Conversation, Workspace: q.Workspace, Title: text, CreatedAt: now, UpdatedAt: now}
	if q.Temporary {
		begun.DeleteAt = now.Add(temporaryFor)
	}
	return m, begun, err
}
