// Package testkit opens the program for tests: the real ledger, stores, queue and worker on a temporary folder, with scripted
// stand-ins for models.
package testkit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/chart"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/graphstore"
	graphsqlite "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
)

// Workspace is the workspace of all tests.
const Workspace = domain.DefaultWorkspace

// MaxLoops limits the rewordings of a question.
const MaxLoops = 3

// Options configure Open. The zero value suits most tests.
type Options struct {
	Dir        string                                     // "" means a new folder
	Extractor  extract.Extractor                          // nil means an Extractor
	Chat       llm.Chat                                   // extracts instead, recorded and metered; may be nil
	Embedder   llm.Embedder                               // may be nil
	Roles      *Roles                                     // nil means plain ones
	Summariser summarize.Summariser                       // nil means the built-in one
	MaxUpload  int64                                      // bytes; 0 means 1 MiB
	TextPart   int                                        // see documents.Params
	Idle       bool                                       // no worker runs until Start
	Graph      graphstore.Store                           // nil means a file in the data folder; if set, the caller closes it
	Index      func(vectorstore.Index) vectorstore.Index  // wraps the search index; may be nil
	Walk       bool                                       // retrieve like the program, instead of by words only
	Ends       func(*checkpoint.Checkpointer) run.Threads // what happens to the threads of ended runs; nil keeps them

	Backoff func(attempt int) time.Duration // delay before a run's next attempt; nil means a millisecond

	Statements *Statements // records the ledger's reads; may be nil
	Writes     *Statements // records its writes; may be nil
}

// An App is the program without its pages.
type App struct {
	Options
	Clock      *Clock
	Log        *slog.Logger
	DB         *sqlite.DB
	Ledger     *ledger.Ledger
	Vectors    *embedded.Store
	index      vectorstore.Index // Vectors, wrapped by Options.Index
	Projector  *projection.Projector
	Queue      *job.Queue
	Costs      *costs.Service
	Hub        *trace.Hub
	Files      *documents.Files
	Documents  *documents.Service
	Suggest    *suggest.Service
	Questions  *questions.Service
	Evaluation *evaluation.Service
	Curator    *curate.Curator
	Proposals  *proposals.Service
	Schemas    *schemas.Service
	Trial      *schemas.Trials
	Summaries  *summaries.Service
	Themes     *themes.Service // reads without the pages of a question
	Prompts    *prompts.Book
	Ingest     stategraph.Runnable[ingest.State]
	Answer     stategraph.Runnable[answer.State]
	Summarize  stategraph.Runnable[summarize.State]
	Threads    *checkpoint.Checkpointer
	RunFiles   *run.Files
	Kinds      run.Kinds
	Worker     *job.Worker
	process    lease.Process
}

// Open opens the program and closes it when the test ends.
func Open(t testing.TB, o Options) *App {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Extractor == nil {
		o.Extractor = &Extractor{}
	}
	if o.Roles == nil {
		o.Roles = &Roles{}
	}
	if o.Summariser == nil {
		o.Summariser = builtin.Summarising(0)
	}
	if o.Backoff == nil {
		o.Backoff = func(int) time.Duration { return time.Millisecond }
	}
	if o.MaxUpload == 0 {
		o.MaxUpload = 1 << 20
	}
	a := &App{Options: o, Clock: &Clock{}, Log: slog.New(slog.DiscardHandler)}
	a.openStores(t)
	a.openGraphs(t)
	a.openServices(t)
	if !o.Idle {
		a.Start(t)
	}
	return a
}

func (a *App) openStores(t testing.TB) {
	var err error
	ctx := context.Background()
	a.DB = database.Open(t, a.Path("clew.db"))
	if a.Statements != nil {
		Must(t, a.DB.Reader.Close())
		a.DB.Reader = a.Statements.reader(t, a.Path("clew.db"), a.DB.Writer)
	}
	if a.Writes != nil {
		like := a.DB.Writer
		a.DB.Writer = a.Writes.writer(t, a.Path("clew.db"), like)
		Must(t, like.Close())
	}
	if a.Graph == nil {
		a.Graph, err = graphsqlite.Open(ctx, a.Path("graph.db"))
		Must(t, err)
		t.Cleanup(func() { Must(t, a.Graph.Close()) })
	}
	a.Vectors, err = embedded.Open(ctx, a.Path("vectors.db"), "")
	Must(t, err)
	t.Cleanup(func() { Must(t, a.Vectors.Close()) })
	a.index = a.Vectors
	if a.Index != nil {
		a.index = a.Index(a.Vectors)
	}
	a.Files, err = documents.NewFiles(a.Path("files"), time.Now())
	Must(t, err)
	a.Ledger = ledger.Open(a.DB.Writer, a.DB.Reader, a.Clock.Now, ledger.WithKey(prose.Key), ledger.WithExplain(sqlite.Explain), ledger.WithErased(sqlite.NoteDeletion))
	a.Schemas = schemas.New(schemas.Params{Ledger: a.Ledger})
	a.Prompts = prompts.New(a.Ledger, prompts.NewFences([]byte("test")), append(append(answer.Prompts(), ingest.Prompts()...), extract.Prompt(), chart.Prompt(), summarize.Prompt(), schemas.Prompt(), proposals.Prompt())...)
	a.Queue = job.Open(a.DB.Writer, a.DB.Reader, a.Clock.Now, job.WithExplain(sqlite.Explain))
	a.Costs = costs.New(costs.Params{Ledger: a.Ledger, Prices: costs.NewBook(a.Ledger, a.Path("prices.yaml"), a.Clock.Now), Queue: a.Queue, Now: a.Clock.Now})
	if a.Chat != nil {
		chat := llm.Record(llm.Metered(a.Chat, a.Costs), a.Costs)
		a.Extractor = extract.New(extract.Params{Chat: chat, Fitness: llm.NewFitness(chat, llm.ModeTool, nil), Prompts: a.Prompts})
	}
	a.Hub = trace.NewHub(a.Ledger, a.Clock.Now, a.Log, trace.Options{Poll: 50 * time.Millisecond, Batch: 2 * time.Millisecond})
	a.process, err = lease.Self()
	Must(t, err)
	a.Projector = projection.New(projection.Params{
		Ledger: a.Ledger, Graph: a.Graph, Vectors: a.index, Log: a.Log, Key: prose.Key, Sentences: prose.Sentences,
		Leases: lease.New(lease.Options{Writer: a.DB.Writer, Reader: a.DB.Reader, Process: a.process, Now: a.Clock.Now, Log: a.Log}),
	})
}

func (a *App) openGraphs(t testing.TB) {
	var err error
	a.Threads, err = checkpoint.New(context.Background(), a.DB.Writer, a.DB.Reader, a.Clock.Now, checkpoint.WithEvents(run.KeepEvents(a.Ledger, a.Queue, a.Hub)))
	Must(t, err)
	t.Cleanup(func() { Must(t, a.Threads.Close()) })
	a.Ingest, err = ingest.Graph(a.IngestParams())
	Must(t, err)
	a.Answer, err = a.answering(0)
	Must(t, err)
	a.Summarize, err = summarize.Graph(summarize.Params{
		Texts: a.Ledger, Counter: tokenizer(), Summariser: a.Summariser, AtOnce: 4, Threads: a.Threads,
		Retry: summarize.Retry{Attempts: 2, Backoff: time.Millisecond},
	})
	Must(t, err)
}

// answering returns the graph of answers, of which each search grades some passages.
func (a *App) answering(passages int) (stategraph.Runnable[answer.State], error) {
	return answer.Graph(answer.Params{
		Library: a.Graph, Retriever: a.Searcher(), Passages: a.Ledger, Roles: a.Roles.all(), Limit: passages, Now: a.Clock.Now, Threads: a.Threads,
	})
}

// tokenizer is shared because loading its vocabulary is slow.
var tokenizer = sync.OnceValue(chunk.NewTokenizer)

// parser parses and splits in this process.
type parser struct{}

func (parser) Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, _ int64, _ func() error) (domain.Text, error) {
	data, err := io.ReadAll(file)
	if err != nil {
		return domain.Text{}, err
	}
	return parse.New(parse.Limits{}).TextIn(how.Field).In(how.Encoding).Parse(ctx, "file", format, data)
}

func (parser) Unpack(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, _ int64, each func(name string, r io.Reader) error) ([]string, error) {
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	return parse.New(parse.Limits{}).In(how.Encoding).Unpack(ctx, format, data, func(f parse.File) error { return each(f.Name, bytes.NewReader(f.Data)) })
}

func (parser) Split(ctx context.Context, id domain.DocumentID, t domain.Text, how domain.Chunking, _ func() error) ([]domain.Chunk, error) {
	return chunk.Split(ctx, id, t, chunk.Options{Tokens: cmp.Or(how.Tokens, 64), By: how.By, Counter: tokenizer()})
}

// IngestParams returns the parameters of the ingest graph, for tests that run
// one themselves.
func (a *App) IngestParams() ingest.Params {
	p := ingest.Params{
		Ledger: a.Ledger, Files: a.Files, Parser: parser{}, Extractor: a.Extractor, Schemas: a.Schemas, Prompts: a.Prompts, Key: prose.Key, Project: a.Projector.Apply, Threads: a.Threads,
		Retry: ingest.Retry{Attempts: 2, Backoff: time.Millisecond},
	}
	if a.Embedder != nil {
		p.Embedding = ingest.Embedding{Embedder: a.Embedder, Text: func(d domain.Document, c domain.Chunk) string {
			return nearest.PassageText(d.Title, c.Text)
		}}
	}
	return p
}

func (a *App) openServices(t testing.TB) {
	var err error
	ids := domain.IDs{Random: rand.Reader, Now: a.Clock.Now}
	a.Documents = documents.New(documents.Params{
		Hub:    a.Hub,
		Ledger: a.Ledger, Files: a.Files, Queue: a.Queue, Projector: a.Projector, Words: a.index, Scrub: map[string]documents.Scrubber{"clew.db": a.DB}, Graph: a.Ingest,
		Parser: parser{}, Extractor: a.Extractor, Prompts: a.Prompts, MaxUpload: a.MaxUpload, TextPart: a.TextPart, AtOnce: 4, UndoTime: 10 * time.Second, IDs: ids, Now: a.Clock.Now, Log: a.Log,
	})
	a.Themes, err = themes.New(themes.Params{Graph: a.Graph, Graphs: explore.NewLibrary(a.Graph, 1, explore.Shared{Divisions: a.Ledger, Leases: new(lease.Local)}), Texts: a.Ledger, Summariser: builtin.Summarising(0)})
	Must(t, err)
	a.Trial = schemas.NewTrials(schemas.TrialParams{
		Ledger: a.Ledger, Schemas: a.Schemas, Extractor: a.Extractor, Prompts: a.Prompts, Now: a.Clock.Now,
		Read: func(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) error {
			_, err := a.Documents.ReadAgain(ctx, w, id)
			return err
		},
	})
	a.Curator = curate.New(curate.Params{Ledger: a.Ledger, Graph: a.Graph, Projector: a.Projector, Log: a.Log})
	a.Proposals, err = proposals.New(proposals.Params{
		Ledger: a.Ledger, Graph: a.Graph, Projector: a.Projector, Curator: a.Curator, Threads: a.Threads,
		Bars: proposals.Bars{Propose: 0.5, Merge: 0.95}, Background: run.Background{Queue: a.Queue, IDs: ids, Now: a.Clock.Now, Log: a.Log},
	})
	Must(t, err)
	a.Evaluation = evaluation.New(evaluation.ServiceParams{
		Ledger: a.Ledger, Queue: a.Queue, Costs: a.Costs, Models: []string{"scripted", "other"},
		Usual: evaluation.Setting{Model: "scripted", MaxLoops: MaxLoops, Passages: answer.DefaultLimit, GradeMany: 1}, BuiltIn: "built-in", IDs: ids, Now: a.Clock.Now,
		Facts: func(ctx context.Context, w domain.WorkspaceID) (f evaluation.Facts, err error) {
			f.Documents, f.Passages, err = a.Ledger.Size(ctx, w)
			return f, err
		},
	})
	a.Questions = questions.New(questions.Params{
		Ledger: a.Ledger, Queue: a.Queue, Hub: a.Hub, Evaluation: a.Evaluation, Graph: a.Answer, Retriever: a.Searcher(), Documents: a.Documents, Prompts: a.Prompts, MaxLoops: MaxLoops, MinRelevant: 1, AtOnce: 4, UndoTime: 10 * time.Second, IDs: ids, Now: a.Clock.Now,
		Admit: a.Costs.Admit,
		GraphBy: func(s evaluation.Setting, _ *prompts.Book) (stategraph.Runnable[answer.State], error) {
			return a.answering(s.Passages)
		},
	})
	a.Suggest = suggest.New(suggest.Params{Ledger: a.Ledger, Search: answer.Searched(a.Searcher())})
	a.Summaries = summaries.New(summaries.Params{
		Ledger: a.Ledger, Queue: a.Queue, Graph: a.Summarize, Prompts: a.Prompts, AtOnce: 4, IDs: ids, Now: a.Clock.Now,
	})
	a.RunFiles = &run.Files{Ledger: a.Ledger, Queue: a.Queue, Hub: a.Hub, Now: a.Clock.Now}
	a.Kinds = append(a.Questions.Kinds(4), a.Documents.Kind(2), a.Summaries.Kind())
}

// Start starts the worker until the test ends.
func (a *App) Start(t testing.TB) {
	t.Helper()
	runner := run.Runner{Hub: a.Hub, Queue: a.Queue, Threads: a.Threads, Costs: a.Costs}
	if a.Ends != nil {
		runner.Threads = a.Ends(a.Threads)
	}
	runner.Use(a.Kinds)
	a.Worker = &job.Worker{
		Queue: a.Queue, Process: a.process, Now: a.Clock.Now, Log: a.Log,
		Handlers: runner.Handlers(), Concurrency: a.Kinds.Concurrency(),
		Backoff: a.Backoff,
	}
	Must(t, a.Worker.Start(context.Background()))
	t.Cleanup(func() { Must(t, a.Worker.Stop(context.Background())) })
}

// Path returns the path of a file in the data folder.
func (a *App) Path(name string) string { return filepath.Join(a.Dir, name) }

// Must fails the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
