package answer_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/answertest"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	graphsqlite "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
)

// library is the sample library in the product's stores, searched and answered without
// a model.
type library struct {
	ledger    *ledger.Ledger
	projector *projection.Projector
	graph     stategraph.Runnable[answer.State]
	documents map[string]domain.DocumentID // by the name of the file
}

func openLibrary(t *testing.T) *library {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	now := func() time.Time { return time.Unix(1e9, 0) }
	db := database.Open(t, filepath.Join(dir, "ledger.db"))
	graph, err := graphsqlite.Open(ctx, filepath.Join(dir, "graph.db"))
	check(t, err)
	t.Cleanup(func() { graph.Close() })
	vectors, err := embedded.Open(ctx, filepath.Join(dir, "vectors.db"), "")
	check(t, err)
	t.Cleanup(func() { vectors.Close() })
	l := &library{ledger: ledger.Open(db.Writer, db.Reader, now, ledger.WithKey(prose.Key)), documents: map[string]domain.DocumentID{}}
	l.projector = projection.New(projection.Params{
		Ledger: l.ledger, Graph: graph, Vectors: vectors, Log: slog.New(slog.DiscardHandler), Key: prose.Key, Sentences: prose.Sentences,
	})
	l.graph, err = answer.Graph(answer.Params{
		Library: graph, Passages: l.ledger, Roles: builtin.Answering(graph, nearest.Ranker{}, nil, nil, 0), Now: now,
		Retriever: retrieve.New(retrieve.Params{Graph: graph, Index: vectors, Texts: l.ledger, Now: now}),
	})
	check(t, err)
	return l
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill adds the passages of a shelf, mined without a model.
func (l *library) fill(t *testing.T, shelf answertest.Shelf) {
	t.Helper()
	ctx, w := context.Background(), domain.DefaultWorkspace
	var miner builtin.Miner
	for from := 0; from < len(shelf.All); {
		first := shelf.All[from]
		to := from
		var chunks []domain.Chunk
		for to < len(shelf.All) && shelf.All[to].Document == first.Document {
			chunks, to = append(chunks, shelf.All[to].Chunk), to+1
		}
		from = to
		_, _, err := l.ledger.AddDocument(ctx, domain.Document{Workspace: w, ID: first.Document, Name: first.Name, Title: first.Title, Hash: string(first.Document)})
		check(t, err)
		check(t, l.ledger.SaveChunks(ctx, w, first.Document, chunks))
		for _, c := range chunks {
			check(t, l.ledger.RecordContribution(ctx, w, ledger.Contribution{Chunk: c.ID, Document: c.Document, Reader: builtin.Reader, Graph: miner.Mine(first.Title, c)}))
		}
		_, err = l.ledger.Publish(ctx, w, first.Document)
		check(t, err)
		l.documents[first.Name] = first.Document
	}
	check(t, l.projector.Apply(ctx, w))
}

func (l *library) drop(t *testing.T, file string) {
	t.Helper()
	_, err := l.ledger.DeleteDocument(context.Background(), domain.DefaultWorkspace, l.documents[file])
	check(t, err)
	check(t, l.projector.Apply(context.Background(), domain.DefaultWorkspace))
}

func (l *library) ask(t *testing.T, question string) answer.Result {
	t.Helper()
	s, err := l.graph.Run(context.Background(), answer.Start(answer.Begin{Workspace: domain.DefaultWorkspace, Question: question, MaxLoops: 3}),
		stategraph.RecursionLimit(answer.RecursionLimit(3)))
	check(t, err)
	return s.Result()
}

func TestTheSampleIsAnsweredFromTheStores(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	l := openLibrary(t)
	if r := l.ask(t, "Who designed Copper Bridge?"); r.Answer != answer.SaysEmpty {
		t.Errorf("an empty library says %q", r.Answer)
	}
	l.fill(t, answertest.Sample(t))
	passed := map[int]int{}
	for _, q := range sample.Questions() {
		r := l.ask(t, q.Question)
		if q.Unanswerable {
			if !r.Answered && r.LoopCount != 3 || slices.ContainsFunc(r.Sentences, func(s domain.Sentence) bool { return !s.Quote && !s.Remark }) {
				t.Errorf("%s\n  answered %q after %d rewrites", q.Question, r.Answer, r.LoopCount)
				continue
			}
		}
		missing := slices.DeleteFunc(slices.Clone(q.Evidence), func(e sample.Evidence) bool { return cited(r, e) })
		if len(missing) > 0 {
			t.Errorf("%s\n  does not cite %v\n  answer after %d rewrites: %s", q.Question, missing, r.LoopCount, r.Answer)
			continue
		}
		passed[q.Hops]++
	}
	t.Logf("%d two-hop, %d one-hop and %d unanswerable questions passed", passed[2], passed[1], passed[0])
}

// cited reports whether a result cites a sentence of a file.
func cited(r answer.Result, e sample.Evidence) bool {
	return slices.ContainsFunc(r.Citations, func(c domain.Citation) bool {
		return c.Document == e.File && strings.Contains(domain.OneLine(c.Text), e.Sentence)
	})
}

// TestDeletingASourceTakesItsQuotesAway deletes each file, asks, and adds it again.
func TestDeletingASourceTakesItsQuotesAway(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	shelf, l := answertest.Sample(t), openLibrary(t)
	l.fill(t, shelf)
	for _, f := range sample.Files() {
		l.drop(t, f.Name)
		for _, q := range sample.Questions() {
			if !slices.Contains(q.Sources, f.Name) {
				continue
			}
			r := l.ask(t, q.Question)
			if slices.ContainsFunc(r.Citations, func(c domain.Citation) bool { return c.Document == f.Name }) || !r.Answered && len(r.Citations) > 0 {
				t.Errorf("%s\n  quoted without %s: %s", q.Question, f.Name, r.Answer)
			}
		}
		l.fill(t, answertest.Shelf{All: slices.DeleteFunc(slices.Clone(shelf.All), func(p domain.Passage) bool { return p.Name != f.Name })})
	}
}
