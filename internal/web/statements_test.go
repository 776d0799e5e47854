package web

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// maxStatements limits the statements of one page, however large the library:
// on a server each is a round trip.
const maxStatements = 14

// countingGraph counts the calls of Stats.
type countingGraph struct {
	graphstore.Reader
	stats atomic.Int32
}

func (g *countingGraph) Stats(ctx context.Context, w domain.WorkspaceID) (graphstore.Stats, error) {
	g.stats.Add(1)
	return g.Reader.Stats(ctx, w)
}

// large fills the library with the fixture, 2,000 waiting documents, and full
// lists of conversations, runs and summaries.
func (b *bench) large(t *testing.T) fixture {
	t.Helper()
	var f fixture
	t.Run("fill", func(t *testing.T) {
		b.Start(t)
		f = b.fill(t)
		for range 5 {
			b.Answered(t, f.message.Conversation, "What did the foundry cast?")
		}
		for range 5 {
			b.Answered(t, "", "What did the foundry cast?")
		}
		again, err := b.Questions.StartReplay(t.Context(), testkit.Workspace, f.message.Run, nil)
		testkit.Must(t, err)
		b.Watch(t, again.Run)
	})
	ctx := t.Context()
	for i := range 2000 {
		d := domain.Document{
			Workspace: testkit.Workspace, ID: domain.DocumentID(fmt.Sprintf("d%04d", i)), Name: fmt.Sprintf("letter-%04d.txt", i), Format: domain.FormatText,
			Hash: fmt.Sprintf("%064d", i), Status: domain.DocumentWaiting, Run: domain.RunID(fmt.Sprintf("r%04d", i)),
		}
		_, _, err := b.Ledger.AddDocument(ctx, d)
		testkit.Must(t, err)
		_, err = b.Queue.Add(ctx, job.Run{Workspace: d.Workspace, ID: d.Run, Kind: documents.Kind, Subject: string(d.ID)})
		testkit.Must(t, err)
	}
	for i := range 60 {
		b.addConversation(t, i, f.doc)
		b.keep(t, fmt.Sprint("What is cast ", i, "?"), "", "a.txt")
	}
	b.addEvaluation(t, "v1", "right")
	b.addEvaluation(t, "v2", "wrong")
	return f
}

// addConversation adds a conversation of three answered questions and a
// summary, all with their runs.
func (b *bench) addConversation(t *testing.T, i int, d domain.Document) {
	t.Helper()
	ctx := t.Context()
	k := ledger.Conversation{Workspace: testkit.Workspace, ID: domain.ConversationID(fmt.Sprintf("k%02d", i)), Title: "Bells"}
	cited := []domain.Citation{{N: 1, Document: d.Name, DocumentID: d.ID, Text: foundry, Span: domain.Span{End: 10}}}
	begin, nothing := &k, func(*sql.Tx) error { return nil }
	for n := range 3 {
		m := ledger.Answer{
			Workspace: k.Workspace, Conversation: k.ID, Message: domain.MessageID(fmt.Sprintf("m%02d-%d", i, n)), Question: "What is cast?",
			Run: domain.RunID(fmt.Sprintf("q%02d-%d", i, n)), Status: ledger.MessageDone, Citations: cited,
		}
		testkit.Must(t, b.Ledger.AddAnswerTx(ctx, begin, m, nothing))
		begin = nil
		_, err := b.Queue.Add(ctx, job.Run{Workspace: k.Workspace, ID: m.Run, Kind: questions.Kind, Subject: string(m.Message)})
		testkit.Must(t, err)
	}
	s := ledger.Summary{
		Workspace: k.Workspace, ID: domain.SummaryID(fmt.Sprintf("s%02d", i)), Run: domain.RunID(fmt.Sprintf("z%02d", i)), Status: ledger.SummaryDone,
		Documents: []ledger.SummaryDocument{{ID: d.ID, Hash: "other"}}, CreatedAt: d.CreatedAt.Add(-time.Hour),
		Sentences: []domain.Sentence{{Text: "Bells were cast.", Citations: []int{1}}}, Citations: cited,
	}
	testkit.Must(t, b.Ledger.AddSummaryTx(ctx, s, nothing))
	_, err := b.Queue.Add(ctx, job.Run{Workspace: s.Workspace, ID: s.Run, Kind: summaries.Kind, Subject: string(s.ID)})
	testkit.Must(t, err)
}

// asking is an extractor with a model, whose prompt people can change.
type asking struct{ *testkit.Extractor }

func (asking) Asks() bool { return true }

func TestPagesCostFewStatementsInALargeLibrary(t *testing.T) {
	t.Parallel()
	var asked testkit.Statements
	graph := &countingGraph{}
	b := open(t, testkit.Options{Idle: true, Statements: &asked, Extractor: asking{&testkit.Extractor{}}}, func(p *Params) {
		graph.Reader = p.Graph
		p.Graph, p.Model = graph, "a model"
	})
	f := b.large(t)
	for _, role := range []string{extract.PromptRole, "grade"} {
		p, err := b.Prompts.Prompt(role)
		testkit.Must(t, err)
		_, err = b.Prompts.Save(t.Context(), testkit.Workspace, domain.PromptVersion{Role: role, Text: p.Builtin + "{{/* ours */}}", Who: "ada"}, 0)
		testkit.Must(t, err)
	}
	for _, path := range []string{"/", "/ask"} { // which find what to suggest, once until a document changes
		b.get(t, path)
	}
	pages := append(f.pages(), "/documents?tab=working", "/documents/d0007", "/ask/k07", "/ask/k07/delete", "/summaries", "/summaries/s07", "/summaries/new?document=d0001&document=d0002",
		"/runs?kind="+questions.Kind, "/runs?kind="+summaries.Kind, "/runs/q07-1", "/runs/z07", "/compare?left=q07-1&right=q07-2",
		"/evaluation", "/evaluation/v1", "/evaluation/questions", link.KeepQuestion(f.message.Message, "other"), "/runs?kind="+evaluation.Kind)
	for _, signedIn := range []bool{false, true} {
		if signedIn {
			testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
			b.signIn(t)
		}
		for _, path := range pages {
			_, err := b.Costs.Prices.Table(t.Context()) // which is read once a second, and the workspaces too
			testkit.Must(t, err)
			_, err = b.workspaces.All(t.Context())
			testkit.Must(t, err)
			asked.Take()
			graph.stats.Store(0)
			if p := b.get(t, path); p.status != 200 {
				t.Errorf("GET %s: status %d: %s", path, p.status, p.main(t))
			}
			list := asked.Take()
			if len(list) > maxStatements { // on a busy machine, what is read once a second may have been read again
				graph.stats.Store(0)
				b.get(t, path)
				list = asked.Take()
			}
			if len(list) > maxStatements {
				t.Errorf("GET %s (signed in: %v) took %d statements, want at most %d:\n%s", path, signedIn, len(list), maxStatements, outline(list))
			}
			if n := graph.stats.Load(); n > 1 {
				t.Errorf("GET %s counted the graph %d times", path, n)
			}
		}
	}
}

// TestTheStreamOfDocumentsCostsFewStatements deletes documents while a stream
// is open. Each comparison of the stream begins with the same statement.
func TestTheStreamOfDocumentsCostsFewStatements(t *testing.T) {
	t.Parallel()
	var asked testkit.Statements
	b := open(t, testkit.Options{Idle: true, Statements: &asked})
	b.large(t)
	asked.Take()
	s := b.stream(t, "/documents/events")
	s.until(t, "the counts", func(e event) bool { return e.name == "counts" })
	for _, id := range []domain.DocumentID{"d1999", "d0003"} {
		_, err := b.Ledger.DeleteDocument(t.Context(), testkit.Workspace, id)
		testkit.Must(t, err)
		s.until(t, "the end of its row", func(e event) bool { return e.name == "gone" && e.data == `"doc-`+string(id)+`"` })
	}
	s.Close()
	list := asked.Take()
	starts := func(q string) bool {
		return strings.Contains(q, "FROM documents") && strings.Contains(q, "OR id IN (SELECT")
	}
	looks := 0
	for at := slices.IndexFunc(list, starts); at >= 0; looks++ {
		next := slices.IndexFunc(list[at+1:], starts)
		look := list[at:]
		if next >= 0 {
			look = list[at : at+1+next]
		}
		if len(look) > maxStatements {
			t.Errorf("a look took %d statements, want at most %d:\n%s", len(look), maxStatements, outline(look))
		}
		if at += 1 + next; next < 0 {
			at = -1
		}
	}
	if looks < 3 {
		t.Errorf("the stream looked %d times, want one for each thing it sent:\n%s", looks, outline(list))
	}
}

// outline returns the beginnings of statements with their counts.
func outline(list []string) string {
	times := map[string]int{}
	for _, q := range list {
		times[domain.Cut(domain.OneLine(q), 150)]++
	}
	var b strings.Builder
	for _, q := range slices.Sorted(maps.Keys(times)) {
		fmt.Fprintf(&b, "%4d× %s\n", times[q], q)
	}
	return b.String()
}
