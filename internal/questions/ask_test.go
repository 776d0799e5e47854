package questions_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/stategraphtest"
	"github.com/clewhq/clew/internal/testkit"
)

const (
	foundry = "The Carrow Foundry cast the bells of Osterby. It burned down in the year of the flood.\n"
	school  = "Agnes Lovibond taught arithmetic at the school. She retired to Highmoor.\n"
)

// open opens a library of two documents.
func open(t *testing.T, o testkit.Options) *testkit.App {
	t.Helper()
	a := testkit.Open(t, o)
	for name, text := range map[string]string{"foundry.txt": foundry, "school.txt": school} {
		if d := a.Read(t, name, text); d.Status != domain.DocumentReady {
			t.Fatalf("got %s with status %s: %s", name, d.Status, d.Problem)
		}
	}
	return a
}

func start(t *testing.T, a *testkit.App, in domain.ConversationID, question string) ledger.Answer {
	t.Helper()
	m, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Conversation: in, Text: question})
	testkit.Must(t, err)
	return m
}

func message(t *testing.T, a *testkit.App, id domain.MessageID) ledger.Answer {
	t.Helper()
	m, err := a.Ledger.Message(t.Context(), testkit.Workspace, id)
	testkit.Must(t, err)
	return m
}

func TestAQuestionIsAnsweredFromTheLibrary(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "  Who   taught\narithmetic? ")
	if m.Status != ledger.MessageDone || m.Question != "Who taught arithmetic?" {
		t.Fatalf("got status %s, question %q", m.Status, m.Question)
	}
	if m.Text != "Agnes Lovibond taught arithmetic at the school. [1]" {
		t.Errorf("got answer %q", m.Text)
	}
	if len(m.Citations) != 1 || len(m.Sentences) != 1 || !m.Sentences[0].Supported {
		t.Fatalf("got citations %+v, sentences %+v", m.Citations, m.Sentences)
	}
	c := m.Citations[0]
	text, err := a.Ledger.Text(t.Context(), testkit.Workspace, c.DocumentID)
	testkit.Must(t, err)
	if c.Text != "Agnes Lovibond taught arithmetic at the school." || c.Span.Slice(text.Content) != c.Text || c.Document != "school.txt" {
		t.Errorf("got citation %+v", c)
	}
	conversation, err := a.Ledger.Conversation(t.Context(), testkit.Workspace, m.Conversation)
	testkit.Must(t, err)
	if conversation.Title != "Who taught arithmetic?" {
		t.Errorf("got conversation title %q", conversation.Title)
	}
}

// TestAQuestionIsSearchedByItsMethod expects the method on the message, in the
// search and in the state, which runs on other processes read it from.
func TestAQuestionIsSearchedByItsMethod(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Walk: true})
	a.Read(t, "school.txt", school)
	for method, want := range map[domain.MethodName][]domain.MethodName{
		domain.MethodWords:  {domain.MethodWords},
		domain.MethodHybrid: {domain.MethodWords, domain.MethodVectors, domain.MethodHybrid},
		domain.MethodWalk:   {domain.MethodWords, domain.MethodVectors, domain.MethodWalk},
	} {
		m, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: "Who taught arithmetic?", Method: method})
		testkit.Must(t, err)
		a.Watch(t, m.Run)
		if got := message(t, a, m.Message); got.Method != method || got.Text != "Agnes Lovibond taught arithmetic at the school. [1]" {
			t.Errorf("%s: method %q, answer %q", method, got.Method, got.Text)
		}
		events, err := a.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0)
		testkit.Must(t, err)
		var got []domain.MethodName
		for _, s := range trace.Fold(m.Run, a.Answer.Topology(), events).Steps {
			for _, m := range s.Methods {
				got = append(got, m.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: methods of the trace (-want +got)\n%s", method, diff)
		}
	}
}

func TestQuestionTheLibraryCannotAnswer(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "Which submarine sank in the flood?")
	if m.Status != ledger.MessageDone || m.Text != answer.SaysNotOutright || len(m.Citations) != 0 {
		t.Errorf("got status %s, answer %q, %d citations", m.Status, m.Text, len(m.Citations))
	}
	events, err := a.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0)
	testkit.Must(t, err)
	visits := map[string]int{}
	for _, node := range trace.Fold(m.Run, a.Answer.Topology(), events).Path() {
		visits[node]++
	}
	want := map[string]int{"retrieve": 4, "grade_documents": 4, "transform_query": 3, "generate": 1, "check_support": 1}
	if diff := cmp.Diff(want, visits); diff != "" {
		t.Errorf("visits (-want +got)\n%s", diff)
	}
}

func TestRefusedQuestions(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	for _, tt := range []struct {
		name string
		q    questions.Question
		kind domain.Kind
		says string
	}{
		{"empty", questions.Question{Text: ""}, domain.Invalid, "empty"},
		{"white space", questions.Question{Text: " \n\t "}, domain.Invalid, "empty"},
		{"not UTF-8", questions.Question{Text: "\xff\xfe"}, domain.Invalid, "empty"},
		{"100 KB", questions.Question{Text: strings.Repeat("why ", 25_000)}, domain.TooLarge, "99999 characters; the limit is 4000"},
		{"one over", questions.Question{Text: strings.Repeat("ä", questions.MaxQuestion+1)}, domain.TooLarge, "4001"},
		{"no such method", questions.Question{Text: "Who?", Method: "magic"}, domain.Invalid, "magic"},
		{"vectors needs an embedding model", questions.Question{Text: "Who?", Method: domain.MethodVectors}, domain.Invalid, "EMBED_MODEL"},
		{"no such conversation", questions.Question{Text: "Who?", Conversation: "k0"}, domain.NotFound, "k0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Workspace = testkit.Workspace
			_, err := a.Questions.Start(t.Context(), tt.q)
			if domain.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got error %v of kind %d", err, domain.KindOf(err))
			}
		})
	}
	_, conversations, err := a.Ledger.Conversations(t.Context(), testkit.Workspace, 0, 0)
	testkit.Must(t, err)
	runs, err := a.Queue.List(t.Context(), testkit.Workspace, job.Query{})
	testkit.Must(t, err)
	if conversations != 0 || len(runs) != 0 {
		t.Errorf("got %d conversations and %d runs left, want none", conversations, len(runs))
	}
	if _, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: strings.Repeat("ä", questions.MaxQuestion)}); err != nil {
		t.Errorf("longest allowed question: %v", err)
	}
}

func TestTwoQuestionsAtOnceDoNotMix(t *testing.T) {
	t.Parallel()
	turn := make(chan struct{})
	var mu sync.Mutex
	writing := map[string]bool{}
	roles := &testkit.Roles{Word: func(ctx context.Context, question, _ string) error {
		mu.Lock()
		writing[question] = true
		if len(writing) == 2 && turn != nil {
			close(turn)
			turn = nil
		}
		both := turn
		mu.Unlock()
		if both == nil {
			return nil
		}
		select { // each answer has begun while the other is being written
		case <-both:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	a := open(t, testkit.Options{Roles: roles})
	var wg sync.WaitGroup
	answers := make([]ledger.Answer, 2)
	for i, q := range []string{"Who taught arithmetic?", "What did the foundry burn in?"} {
		wg.Go(func() { answers[i] = a.Answered(t, "", q) })
	}
	wg.Wait()
	for i, want := range []string{"Agnes Lovibond taught arithmetic at the school. [1]", "The Carrow Foundry cast the bells of Osterby. [1]"} {
		if answers[i].Text != want {
			t.Errorf("got answer %d = %q, want %q", i, answers[i].Text, want)
		}
	}
}

func TestStopKeepsThePartWritten(t *testing.T) {
	t.Parallel()
	third := make(chan struct{})
	var words atomic.Int64
	roles := &testkit.Roles{Word: func(ctx context.Context, _, _ string) error {
		if words.Add(1) < 3 {
			return nil
		}
		close(third)
		<-ctx.Done()
		return ctx.Err()
	}}
	a := open(t, testkit.Options{Roles: roles})
	m := start(t, a, "", "Who taught arithmetic?")
	testkit.Within(t, time.Minute, "the third word", third)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.Watch(t, m.Run)
	}()
	testkit.Must(t, a.Queue.Stop(t.Context(), testkit.Workspace, m.Run))
	testkit.Within(t, time.Minute, "the stop", ended)
	got := message(t, a, m.Message)
	if got.Status != ledger.MessageStopped || strings.TrimSpace(got.Text) != "Agnes Lovibond" || got.Problem != "" {
		t.Errorf("got status %s, answer %q, problem %q", got.Status, got.Text, got.Problem)
	}
	events, err := a.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0)
	testkit.Must(t, err)
	v := trace.Fold(m.Run, a.Answer.Topology(), events)
	if v.State != trace.Stopped || v.Nodes[answer.NodeGenerate].State != trace.Stopped || v.Nodes[answer.NodeRetrieve].State != trace.Done {
		t.Errorf("the run is %s, with the nodes %+v", v.State, v.Nodes)
	}
}

// TestADeletionAfterTheEndEndsTheWait deletes a document that a question reads, which
// stops it, and then another one. The event that ends the run outlives both.
func TestADeletionAfterTheEndEndsTheWait(t *testing.T) {
	t.Parallel()
	writing := make(chan struct{}, 1)
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(ctx context.Context, _, _ string) error {
		select {
		case writing <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return ctx.Err()
	}}})
	m := start(t, a, "", "What did the foundry cast, and what was taught at the school?")
	<-writing
	docs, _, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{})
	testkit.Must(t, err)
	for _, d := range docs {
		a.Delete(t, d.ID)
		for r := (job.Run{}); !r.Settled; time.Sleep(time.Millisecond) {
			r, err = a.Queue.Get(t.Context(), testkit.Workspace, m.Run)
			testkit.Must(t, err)
		}
	}
	a.Watch(t, m.Run)
	if events, err := a.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0); err != nil || len(events) != 1 || events[0].Kind != trace.Settled {
		t.Errorf("the events %+v are left, error %v; want the end alone", events, err)
	}
	if got := message(t, a, m.Message); got.Status != ledger.MessageStopped {
		t.Errorf("got status %s", got.Status)
	}
}

func TestStopOfAWaitingQuestion(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	m := start(t, a, "", "Who taught arithmetic?")
	testkit.Must(t, a.Queue.Stop(t.Context(), testkit.Workspace, m.Run))
	a.Start(t)
	a.Watch(t, m.Run)
	if got := message(t, a, m.Message); got.Status != ledger.MessageStopped || got.Text != "" {
		t.Errorf("got status %s, answer %q", got.Status, got.Text)
	}
	if err := a.Queue.Stop(t.Context(), testkit.Workspace, "r0"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("Stop of an unknown run: got %v, want NotFound", err)
	}
}

func TestFollowUpSeesTheHistory(t *testing.T) {
	t.Parallel()
	roles := &testkit.Roles{}
	a := open(t, testkit.Options{Roles: roles})
	first := a.Answered(t, "", "Who taught arithmetic?")
	second := a.Answered(t, first.Conversation, "Where did she go?")
	want := []answer.Exchange{{Question: "Who taught arithmetic?", Answer: first.Text}}
	if diff := cmp.Diff(want, roles.History()); diff != "" {
		t.Errorf("history (-want +got)\n%s", diff)
	}
	if second.Conversation != first.Conversation || len(second.Citations) != 1 {
		t.Errorf("got second answer %+v", second)
	}
}

func TestOnlyTheLatestAnswersAreRemembered(t *testing.T) {
	t.Parallel()
	roles := &testkit.Roles{}
	a := open(t, testkit.Options{Roles: roles})
	m := a.Answered(t, "", "Who taught arithmetic in 0?")
	for i := range 5 {
		a.Clock.Advance(time.Second)
		m = a.Answered(t, m.Conversation, fmt.Sprintf("Who taught arithmetic in %d?", i+1))
	}
	history := roles.History()
	if len(history) != 4 || history[0].Question != "Who taught arithmetic in 1?" || history[3].Question != "Who taught arithmetic in 4?" {
		t.Errorf("got history %+v, want the four exchanges before the last question, oldest first", history)
	}
}

func TestStoppedAnswersAreNotHistory(t *testing.T) {
	t.Parallel()
	roles := &testkit.Roles{}
	a := open(t, testkit.Options{Roles: roles})
	first := a.Answered(t, "", "Who taught arithmetic?")
	_, err := a.Ledger.UpdateAnswer(t.Context(), testkit.Workspace, first.Run, func(m *ledger.Answer) { m.Status = ledger.MessageStopped })
	testkit.Must(t, err)
	a.Answered(t, first.Conversation, "Where did she go?")
	if len(roles.History()) != 0 {
		t.Errorf("got history %+v", roles.History())
	}
}

func TestFailureIsReported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		err      error
		says     string
		attempts int
	}{
		{"model away", &llm.Error{Fault: llm.Unreachable, Message: "Nothing answers at the model's address."}, "Nothing answers at the model's address.", 2},
		{"for people", domain.Errorf(domain.Forbidden, "The budget is used up."), "The budget is used up.", 1},
		{"inside", errors.New("pq: relation xyz"), "Something went wrong inside the program.", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var words atomic.Int64
			a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(context.Context, string, string) error {
				if words.Add(1)%2 == 0 {
					return tt.err
				}
				return nil
			}}})
			m := a.Answered(t, "", "Who taught arithmetic?")
			if m.Status != ledger.MessageFailed || !strings.HasPrefix(m.Problem, tt.says) || strings.Contains(m.Problem, "xyz") {
				t.Errorf("got status %s, problem %q", m.Status, m.Problem)
			}
			if strings.TrimSpace(m.Text) != "Agnes" {
				t.Errorf("got partial answer %q", m.Text)
			}
			run, err := a.Queue.Get(t.Context(), testkit.Workspace, m.Run)
			testkit.Must(t, err)
			if run.Attempt != tt.attempts {
				t.Errorf("got %d attempts, want %d", run.Attempt, tt.attempts)
			}
		})
	}
}

func TestASecondAttemptReplacesTheFirst(t *testing.T) {
	t.Parallel()
	var words atomic.Int64
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(context.Context, string, string) error {
		if words.Add(1) == 3 {
			return &llm.Error{Fault: llm.ServerFailed, Message: "The model's server failed."}
		}
		return nil
	}}})
	m := a.Answered(t, "", "Who taught arithmetic?")
	if m.Status != ledger.MessageDone || m.Text != "Agnes Lovibond taught arithmetic at the school. [1]" || m.Problem != "" {
		t.Errorf("got status %s, answer %q, problem %q", m.Status, m.Text, m.Problem)
	}
}

func TestAnEmptyLibrarySaysSo(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	if m := a.Answered(t, "", "Who taught arithmetic?"); m.Text != answer.SaysEmpty {
		t.Errorf("got answer %q", m.Text)
	}
}

func TestAnswerIsStreamed(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(ctx context.Context, _, word string) error {
		if word == "taught" {
			<-release
		}
		return ctx.Err()
	}}})
	m := start(t, a, "", "Who taught arithmetic?")
	goOn := sync.OnceFunc(func() { close(release) }) // the watcher sees one half before the other is written
	defer goOn()
	var text string
	for item, err := range a.Hub.Watch(t.Context(), testkit.Workspace, m.Run, 0) {
		testkit.Must(t, err)
		if item.Reset {
			text = ""
		}
		if text += item.Text; strings.TrimSpace(text) == "Agnes Lovibond" {
			goOn()
		}
	}
	if got := message(t, a, m.Message).Text; strings.TrimSpace(text) != got {
		t.Errorf("got %q from the stream, stored %q", text, got)
	}
}

// otherQueue is the queue of another process.
type otherQueue struct {
	run       job.Run
	announced bool
}

func (h *otherQueue) AddTx(_ context.Context, _ *sql.Tx, r job.Run) (job.Run, error) {
	h.run = r
	return r, nil
}

func (h *otherQueue) Announce() { h.announced = true }

func TestARunOfAnotherProcessGoesThroughItsOwnQueue(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	var to otherQueue
	m, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: "Who?", Runs: &to})
	testkit.Must(t, err)
	if r := to.run; r.ID != m.Run || r.Subject != string(m.Message) || r.Kind != questions.Kind || !to.announced {
		t.Errorf("got %+v", to)
	}
	runs, err := a.Queue.List(t.Context(), testkit.Workspace, job.Query{})
	testkit.Must(t, err)
	if len(runs) != 0 {
		t.Errorf("got %d runs in this process's queue, want none", len(runs))
	}
}

// failingQueue is a queue that refuses every run.
type failingQueue struct{ *job.Queue }

func (failingQueue) AddTx(context.Context, *sql.Tx, job.Run) (job.Run, error) {
	return job.Run{}, errors.New("no")
}

// TestQuestionAndRunAreStoredTogether makes the queue fail: neither the
// question nor the conversation it would start is stored.
func TestQuestionAndRunAreStoredTogether(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	before := start(t, a, "", "Who?")
	for _, in := range []domain.ConversationID{"", before.Conversation} {
		if _, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Conversation: in, Text: "And why?", Runs: failingQueue{a.Queue}}); err == nil {
			t.Errorf("got no error in conversation %q", in)
		}
	}
	all, _, err := a.Ledger.Conversations(t.Context(), testkit.Workspace, 0, 0)
	if err != nil || len(all) != 1 {
		t.Errorf("got conversations %+v, error %v", all, err)
	}
	messages, err := a.Ledger.Messages(t.Context(), testkit.Workspace, before.Conversation)
	if err != nil || len(messages) != 1 {
		t.Errorf("got questions %+v, error %v", messages, err)
	}
	_, err = a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Conversation: "gone", Text: "Who?"})
	if domain.KindOf(err) != domain.NotFound {
		t.Errorf("got error %v for a deleted conversation", err)
	}
	if runs, err := a.Queue.List(t.Context(), testkit.Workspace, job.Query{}); err != nil || len(runs) != 1 {
		t.Errorf("got runs %+v, error %v", runs, err)
	}
}

func TestNodesReadOnlyDeclaredStateAndChangeNothing(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	a.Clock.Stop()
	for _, q := range []string{"Who taught arithmetic?", "Which submarine sank in the flood?"} {
		begin := answer.Begin{Workspace: testkit.Workspace, Question: q, MaxLoops: testkit.MaxLoops, MinRelevant: 1, Run: "run1"}
		for _, check := range []stategraph.RunOption{stategraphtest.CheckMutation(), stategraphtest.CheckReads()} {
			if _, err := a.Answer.Run(t.Context(), answer.Start(begin), check); err != nil {
				t.Errorf("%s: %v", q, err)
			}
		}
	}
}
