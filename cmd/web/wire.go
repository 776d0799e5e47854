package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/chart"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/connections"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/graphstore"
	graphneo4j "github.com/clewhq/clew/internal/graphstore/neo4j"
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
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
	"github.com/clewhq/clew/migrations"
)

// app is the program with its parts. This file alone names implementations.
type app struct {
	cfg         config.Config // with the models that were connected in the page
	given       config.Config // of the environment, and of the page where that sets nothing
	env         env
	log         *slog.Logger
	db          database
	ledger      *ledger.Ledger
	files       documents.FileStore
	graph       graphstore.Owned
	vectors     vectorstore.Owned
	lacked      *lackedEmbedder // the connected embedding model, if this process can't use it
	wordsAlone  error           // why the default embedding model can't be used; nil if it is, or is not wanted
	search      *retrieve.Retriever
	themes      *themes.Service
	projector   *projection.Projector
	queue       *job.Queue
	hub         *trace.Hub
	threads     *checkpoint.Checkpointer
	auth        *auth.Auth
	costs       *costs.Service
	set         *settings.Book
	values      settings.Values // what was set in the page
	connections *connections.Service
	kept        connections.Set                 // what was connected in the page
	connected   []connections.Role              // the roles of the models in use
	reopen      func(ctx context.Context) error // has the process use what was connected; nil for one command
	models      models
	prompts     *prompts.Book
	children    crawl.Reader // the processes that read files
	documents   *documents.Service
	crawl       *crawl.Service
	questions   *questions.Service
	evaluation  *evaluation.Service
	curator     *curate.Curator
	proposals   *proposals.Service
	schemas     *schemas.Service
	trial       *schemas.Trials
	suggest     *suggest.Service
	summaries   *summaries.Service
	runFiles    *run.Files
	graphs      graphs
	maintenance *maintenance.Service
	scrub       map[string]documents.Scrubber // the files of databases, by name
	process     lease.Process
	traced      string // how the steps of an answer are printed
	leases      *lease.Leases

	closers []func() error
}

// database is the ledger's: SQLite or Postgres.
type database struct {
	Writer, Reader *sql.DB
	explain        func(error) error                           // translates the database's errors into domain errors
	erased         func(ctx context.Context, tx *sql.Tx) error // is told of deleted words
	dialect        backup.Dialect
}

// graphs are the compiled state graphs.
type graphs struct {
	ingest stategraph.Runnable[ingest.State]
	answer stategraph.Runnable[answer.State]
	sumsUp *stategraph.Graph[summarize.State] // within an answer

	summarize stategraph.Runnable[summarize.State]
}

// open opens the program on the stores of cfg. Close must follow.
func open(ctx context.Context, cfg config.Config, s env) (*app, error) {
	stores := s.stores
	if stores == nil {
		stores = (*app).openStores
	}
	return assemble(ctx, cfg, s, (*app).openLedger, stores, (*app).claimStores, (*app).openModels, (*app).openGraphs, (*app).openServices, (*app).openMaintenance)
}

// assemble opens some parts of the program, in order.
func assemble(ctx context.Context, cfg config.Config, s env, parts ...func(*app, context.Context) error) (*app, error) {
	limitMemory(cfg, s.environ)
	a := &app{cfg: cfg, given: cfg, env: s, log: s.logger(cfg), scrub: map[string]documents.Scrubber{}}
	for _, part := range parts {
		if err := part(a, ctx); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

// Close closes what was opened, last first.
func (a *app) Close() error {
	var errs []error
	for _, closeOne := range slices.Backward(a.closers) {
		errs = append(errs, closeOne())
	}
	a.closers = nil
	return errors.Join(errs...)
}

func (a *app) openLedger(ctx context.Context) (err error) {
	if a.cfg.Postgres.URL != "" {
		err = a.openPostgres(ctx)
	} else {
		err = a.openSQLite(ctx)
	}
	if err != nil {
		return err
	}
	db := a.db
	a.ledger = ledger.Open(db.Writer, db.Reader, a.env.now, ledger.WithKey(prose.Key), ledger.WithExplain(db.explain), ledger.WithErased(db.erased))
	if err := a.openSettings(ctx); err != nil {
		return err
	}
	a.queue = job.Open(db.Writer, db.Reader, a.env.now, job.WithExplain(db.explain))
	a.hub = trace.NewHub(a.ledger, a.env.now, a.log, trace.Options{})
	if a.threads, err = checkpoint.New(ctx, db.Writer, db.Reader, a.env.now,
		checkpoint.WithExplain(db.explain), checkpoint.WithEvents(a.keepEvents())); err != nil {
		return err
	}
	a.closers = append(a.closers, a.threads.Close)
	if a.process, err = lease.Self(); err != nil {
		return err
	}
	a.leases = lease.New(lease.Options{Writer: db.Writer, Reader: db.Reader, Process: a.process, Now: a.env.now, Log: a.log, Explain: db.explain})
	a.auth, err = auth.New(auth.Params{
		Ledger: a.ledger, Hasher: auth.NewHasher(a.env.random, 2), Random: a.env.random, Lifetime: a.cfg.SessionLifetime, Now: a.env.now, Log: a.log,
	})
	return err
}

// openPostgres opens the database, which keeps the files too.
func (a *app) openPostgres(ctx context.Context) error {
	db, err := postgres.Open(ctx, a.cfg.Postgres.URL, postgres.Options{})
	if err != nil {
		return err
	}
	a.db, a.closers = database{db.Writer, db.Reader, postgres.Explain, leaveToVacuum, backup.Postgres}, append(a.closers, db.Close)
	if err := a.migrate(ctx); err != nil {
		return err
	}
	a.files, err = documents.NewRows(ctx, db.Writer, db.Reader, a.env.now, postgres.Explain)
	return err
}

// leaveToVacuum leaves deleted words to Postgres, which overwrites them in its own time.
func leaveToVacuum(context.Context, *sql.Tx) error { return nil }

// openSQLite opens the database and the files in the data folder.
func (a *app) openSQLite(ctx context.Context) error {
	if err := os.MkdirAll(a.cfg.Data, 0o700); err != nil {
		return domain.Because(domain.Invalid, err, "The data folder %s can't be made: %v. DATA_DIR or --data names another.", a.cfg.Data, err)
	}
	if _, err := backup.Switch(a.cfg.Data, "clew.db", "graph.db", "vectors.db"); err != nil {
		return sqlite.Explain(err)
	}
	db, err := sqlite.Open(ctx, a.cfg.Path("clew.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	a.db, a.closers = database{db.Writer, db.Reader, sqlite.Explain, sqlite.NoteDeletion, backup.SQLite}, append(a.closers, db.Close)
	a.scrub["clew.db"] = db
	if err := a.migrate(ctx); err != nil {
		return err
	}
	a.files, err = documents.NewFiles(a.cfg.Path("files"), a.env.now())
	return err
}

func (a *app) migrate(ctx context.Context) error {
	if err := migrations.Up(ctx, a.db.Writer); err != nil {
		return fmt.Errorf("bring the database up to date: %w", a.db.explain(err))
	}
	return nil
}

// keepEvents returns what stores the events of runs.
func (a *app) keepEvents() checkpoint.Events {
	keep := run.KeepEvents(a.ledger, a.queue, a.hub)
	return func(ctx context.Context, tx *sql.Tx, thread string, events []stategraph.Event) error {
		if a.env.onEvents != nil {
			a.env.onEvents(thread, events)
		}
		return keep(ctx, tx, thread, events)
	}
}

func (a *app) openStores(ctx context.Context) error {
	if err := a.openGraphStore(ctx); err != nil {
		return err
	}
	return a.openVectors(ctx)
}

// claimStores has the stores belong to this library. It refuses those of another one,
// unless they are to be taken over.
func (a *app) claimStores(ctx context.Context) error {
	workspaces, err := a.workspaces(ctx)
	if err != nil {
		return err
	}
	for _, w := range workspaces {
		owner, err := a.identity(ctx, w)
		if err != nil {
			return err
		}
		for _, store := range []interface {
			Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error
		}{a.graph, a.vectors} {
			if err := store.Claim(ctx, w, owner, false); err != nil && !(a.env.foreign && errors.Is(err, domain.ErrForeign)) {
				return err
			}
		}
	}
	return nil
}

// workspaces lists the workspaces that have or will have something in the stores.
func (a *app) workspaces(ctx context.Context) ([]domain.WorkspaceID, error) {
	all, err := a.ledger.Workspaces(ctx)
	if err == nil && !slices.Contains(all, domain.DefaultWorkspace) {
		all = append(all, domain.DefaultWorkspace)
	}
	return all, err
}

func (a *app) identity(ctx context.Context, w domain.WorkspaceID) (string, error) {
	return a.ledger.Identity(ctx, w, a.env.random)
}

// openVectors opens the search index for the embedding model of the settings.
func (a *app) openVectors(ctx context.Context) error {
	model := embeddingModel(a.cfg)
	if a.lacked != nil {
		model = a.lacked.model
	}
	if a.cfg.Stores() == config.Embedded {
		store, err := embedded.Open(ctx, a.cfg.Path("vectors.db"), model)
		if err != nil {
			return err
		}
		a.sayAnew(ctx, "vectors.db", store.Anew())
		a.vectors, a.scrub["vectors.db"], a.closers = vectorstore.Owned{Store: store}, store, append(a.closers, store.Close)
		return nil
	}
	q := a.cfg.Qdrant
	store, err := qdrant.Open(ctx, qdrant.Options{
		URL: q.URL, APIKey: q.APIKey, Quantization: q.Quantization, Model: model, Prefix: q.Prefix, Now: a.env.now, Random: rand.Uint64, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.vectors, a.closers = vectorstore.Owned{Store: store}, append(a.closers, store.Close)
	return nil
}

func (a *app) openGraphStore(ctx context.Context) error {
	if a.cfg.Neo4j.URL != "" {
		return a.openNeo4j(ctx)
	}
	store, err := graphsqlite.Open(ctx, a.cfg.Path("graph.db"))
	if err != nil {
		return err
	}
	a.sayAnew(ctx, "graph.db", store.Anew())
	a.graph, a.scrub["graph.db"], a.closers = graphstore.Owned{Store: store}, store, append(a.closers, store.Close)
	return nil
}

// sayAnew logs that a damaged file of a store was begun anew.
func (a *app) sayAnew(ctx context.Context, name string, anew bool) {
	if anew {
		a.log.WarnContext(ctx, "the file was damaged: it is built anew from the ledger", "file", name)
	}
}

func (a *app) openNeo4j(ctx context.Context) error {
	c := a.cfg.Neo4j
	store, err := graphneo4j.Open(ctx, graphneo4j.Options{URL: c.URL, User: c.User, Password: c.Password, Database: c.Database})
	if err != nil {
		return err
	}
	a.graph, a.closers = graphstore.Owned{Store: store}, append(a.closers, store.Close)
	return nil
}

func (a *app) openModels(ctx context.Context) error {
	fences, err := a.fences(ctx)
	if err != nil {
		return err
	}
	all := slices.Concat([]prompts.Prompt{extract.Prompt()}, answer.Prompts(), []prompts.Prompt{chart.Prompt(), summarize.Prompt(), schemas.Prompt(), proposals.Prompt()})
	a.prompts = prompts.New(a.ledger, fences, all...)
	if a.costs, err = a.openCosts(ctx); err != nil {
		return err
	}
	a.models, err = newModels(a.cfg, a.connected, a.costs, a.prompts, a.log, a.env.pace)
	if a.lacked != nil {
		a.models.embedder = a.lacked
	}
	return err
}

// fences returns the fences of prompts. Without a model they are only looked at. Their key is drawn once and kept in the ledger: recorded answers are found by the prompts'
// words.
func (a *app) fences(ctx context.Context) (prompts.Fences, error) {
	if !a.cfg.Model.Enabled() {
		return prompts.NewFences([]byte("example")), nil
	}
	key, err := a.ledger.Secret(ctx, domain.DefaultWorkspace, "fence_key", a.env.random)
	return prompts.NewFences([]byte(key)), err
}

func (a *app) openGraphs(context.Context) (err error) {
	a.projector = a.projectorOver(a.graph.Store, a.vectors.Store, a.leases) // whose batches the stores refuse themselves
	a.schemas = schemas.New(schemas.Params{Ledger: a.ledger, Model: a.models.proposer})
	parser, err := a.parser()
	if err != nil {
		return err
	}
	gatherer := ingest.NewGatherer(a.projector.Apply)
	project := func(ctx context.Context, w domain.WorkspaceID) error { // other documents are read while one waits for this
		return job.WithoutSlot(ctx, func() error { return gatherer.Project(ctx, w) })
	}
	a.graphs.ingest, err = ingest.Graph(ingest.Params{
		Ledger: a.ledger, Files: a.files,
		Parser:    parser,
		Extractor: extract.WithGraphs(a.models.extractor), Schemas: a.schemas, Prompts: a.prompts, Key: prose.Key, Project: project, Embedding: a.models.ingest(), Window: a.cfg.ExtractWindow,
		Threads: a.threads, Codec: checkpoint.NewCodec(),
	})
	if err != nil {
		return err
	}
	a.documents = documents.New(documents.Params{
		Ledger: a.ledger, Files: a.files, Queue: a.queue, Projector: a.projector, Words: a.vectors, Scrub: a.scrub, Graph: a.graphs.ingest, Reading: gatherer.Read,
		Deleted: func(ctx context.Context, w domain.WorkspaceID) {
			a.proposals.Changed(ctx, w)
			a.themes.Changed(ctx, w)
		},
		Parser: parser, Window: a.cfg.ExtractWindow, Price: a.priceOfFile, Embeds: a.models.embedder != nil,
		Extractor: a.models.extractor, Prompts: a.prompts, MaxUpload: a.cfg.MaxUpload(), AtOnce: a.cfg.Model.Concurrency,
		MaxWaiting: a.cfg.WaitingDocuments, UndoTime: a.cfg.UndoTime, IDs: a.env.ids(), Now: a.env.now, Log: a.log,
	})
	a.trial = schemas.NewTrials(schemas.TrialParams{
		Window: a.cfg.ExtractWindow,
		Ledger: a.ledger, Schemas: a.schemas, Extractor: extract.WithGraphs(a.models.extractor), Prompts: a.prompts, Now: a.env.now, Price: a.priceOfReading,
		Read: func(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) error {
			_, err := a.documents.ReadAgain(ctx, w, id)
			return err
		},
	})
	a.search = a.searcher()
	if err := a.openThemes(); err != nil {
		return err
	}
	roles, err := a.models.roles(a.searched())
	if err != nil {
		return err
	}
	sums := summarize.Params{Texts: a.ledger, Counter: chunk.NewTokenizer(), Summariser: a.models.summaries, AtOnce: a.cfg.Model.Concurrency, Codec: checkpoint.NewCodec()}
	if a.graphs.sumsUp, err = summarize.Graph(sums); err != nil {
		return err
	}
	if a.graphs.answer, err = a.answering(roles, a.usually()); err != nil {
		return err
	}
	sums.Threads = a.threads
	a.graphs.summarize, err = summarize.Graph(sums)
	return err
}

// background returns what orders runs that follow the changes of documents.
func (a *app) background() run.Background {
	return run.Background{Queue: a.queue, IDs: a.env.ids(), Now: a.env.now, Log: a.log}
}

// maxExplored is how many workspaces' graphs are kept for the explorer and for themes.
const maxExplored = 4

// answering returns the graph of answers with the given roles by a setting.
func (a *app) answering(roles answer.Roles, s evaluation.Setting) (stategraph.Runnable[answer.State], error) {
	return answer.Graph(answer.Params{
		Library: a.graph, Retriever: a.search, Surveyor: a.themes, Intents: a.intents(), Summaries: a.graphs.sumsUp,
		Passages: a.ledger, Roles: roles, Limit: s.Passages, Now: a.env.now, Threads: a.threads, Codec: checkpoint.NewCodec(),
		GradeMany: s.GradeMany, GradeAbove: a.cfg.GradeAbove, Rerank: s.Rerank, Decompose: s.Decompose, Regenerate: a.cfg.Regenerate, Price: a.priceOfCall,
		Counts: chart.GraphCounts(a.graph, a.ledger),
	})
}

// projectorOver returns a projector that fills the given stores.
func (a *app) projectorOver(graph graphstore.Store, vectors vectorstore.Index, leases projection.Leases) *projection.Projector {
	return projection.New(projection.Params{
		Ledger: a.ledger, Graph: graph, Vectors: vectors, Log: a.log,
		Key: prose.Key, Sentences: prose.Sentences, Embedding: a.models.projection(), Leases: leases,
	})
}

// searcher returns the retriever, which uses vectors if there is an embedder.
func (a *app) searcher() *retrieve.Retriever {
	var options []retrieve.Option
	if a.models.embedder != nil {
		options = append(options, retrieve.WithEmbedder(llm.RecordEmbedder(a.models.embedder, a.ledger), a.ledger))
	}
	return retrieve.New(retrieve.Params{Graph: a.graph, Index: a.vectors, Texts: a.ledger, Now: a.env.now}, options...)
}

func (a *app) openServices(context.Context) (err error) {
	a.curator = curate.New(curate.Params{Ledger: a.ledger, Graph: a.graph, Projector: a.projector, Log: a.log})
	a.evaluation = evaluation.New(evaluation.ServiceParams{
		Ledger: a.ledger, Queue: a.queue, Costs: a.costs, Models: a.models.choices(), Vectors: a.models.embedder != nil, Usual: a.usually(), BuiltIn: builtInModel,
		IDs: a.env.ids(), Now: a.env.now, Facts: a.facts,
	})
	a.questions = questions.New(questions.Params{
		Ledger: a.ledger, Queue: a.queue, Hub: a.hub, Evaluation: a.evaluation, Graph: a.graphs.answer, Retriever: a.search, Documents: a.documents, Prompts: a.prompts,
		Models: a.models.choices(), Vectors: a.models.embedder != nil, MaxLoops: a.cfg.MaxLoops, MinRelevant: a.cfg.MinRelevant,
		AtOnce: a.cfg.Model.Concurrency, MaxWaiting: a.cfg.WaitingQuestions, Timeout: a.cfg.QuestionLimit, UndoTime: a.cfg.UndoTime, IDs: a.env.ids(), Now: a.env.now,
		GraphBy: a.answeringBy, Admit: a.costs.Admit, Budget: a.budget,
	})
	a.suggest = suggest.New(suggest.Params{Ledger: a.ledger, Search: answer.Searched(a.search), Ranker: a.ranker(a.models.embedder)})
	a.summaries = summaries.New(summaries.Params{
		Ledger: a.ledger, Queue: a.queue, Graph: a.graphs.summarize, Prompts: a.prompts, AtOnce: a.cfg.Model.Concurrency, MaxWaiting: a.cfg.WaitingQuestions,
		IDs: a.env.ids(), Now: a.env.now,
	})
	if err := a.openCrawl(checkpoint.NewCodec()); err != nil {
		return err
	}
	a.runFiles = &run.Files{Ledger: a.ledger, Queue: a.queue, Hub: a.hub, Now: a.env.now}
	a.proposals, err = proposals.New(proposals.Params{
		Ledger: a.ledger, Graph: a.graph, Projector: a.projector, Curator: a.curator, Threads: a.threads, Codec: checkpoint.NewCodec(), Background: a.background(),
		Bars: proposals.Bars{Propose: a.cfg.ProposeBar, Merge: a.cfg.MergeBar}, Embedder: a.models.embedder, Judge: a.models.judge,
	})
	return err
}

// kinds lists the kinds of run.
func (a *app) kinds() run.Kinds {
	return slices.Concat(a.questions.Kinds(a.cfg.Answers), run.Kinds{
		a.maintenance.AfterReading(a.themes.After(a.proposals.After(a.documents.Kind(a.cfg.Ingests)))),
		a.crawl.Kind(),
		a.summaries.Kind(),
		a.proposals.Kind(),
		a.themes.Kind(),
	}, a.maintenance.Kinds())
}

// worker returns a worker that claims runs from the queue as far as concurrency allows, by kind.
func (a *app) worker(concurrency map[string]int) *job.Worker {
	runner := run.Runner{Kinds: a.kinds(), Hub: a.hub, Queue: a.queue, Threads: a.threads, Costs: a.costs}
	return &job.Worker{
		Queue: a.queue, Handlers: runner.Handlers(), Concurrency: concurrency, Process: a.process, Now: a.env.now, Log: a.log,
	}
}

// emptyStores returns a projector over empty stores, and a function that removes them. They are embedded, in a folder
// of their own, whatever the stores in use are.
func (a *app) emptyStores(ctx context.Context) (*projection.Projector, func() error, error) {
	dir, err := os.MkdirTemp(a.checkFolder(), checkPrefix+"*")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder: %w", err)
	}
	graph, err := graphsqlite.Open(ctx, filepath.Join(dir, "graph.db"))
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	vectors, err := embedded.Open(ctx, filepath.Join(dir, "vectors.db"), a.models.projection().Model)
	if err != nil {
		return nil, nil, errors.Join(err, graph.Close(), os.RemoveAll(dir))
	}
	remove := func() error { return errors.Join(graph.Close(), vectors.Close(), os.RemoveAll(dir)) }
	p := a.projectorOver(graph, vectors, new(lease.Local))
	have, err := a.vectors.Embedding(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	if have.Model == p.Embedding.Model {
		p.Embedding.Dimension = have.Dimension
	}
	return p, remove, nil
}

func (a *app) openThemes() (err error) {
	var model summarize.Summariser
	if a.cfg.ThemesByModel && a.models.chat != nil {
		model = a.models.summaries
	}
	a.themes, err = themes.New(themes.Params{
		Graphs: graphstore.NewCache(a.graph, maxExplored, explore.New), Texts: a.ledger, Summariser: builtin.Summarising(0),
		Model: model, Prompts: a.prompts, Threads: a.threads, Codec: checkpoint.NewCodec(), Background: a.background(),
	})
	return err
}

func (a *app) openMaintenance(context.Context) (err error) {
	a.maintenance, err = maintenance.New(maintenance.Params{
		DB: a.db.Reader, SQLite: a.db.dialect == backup.SQLite, Ledger: a.ledger, Files: a.files, Library: a.documents, Projector: a.projector,
		Vectors: a.vectors, Embedder: a.models.embedder, AtOnce: a.models.embedsAtOnce(a.cfg), ProjectTo: func(index vectorstore.Index) *projection.Projector {
			return a.projectorOver(a.graph.Store, index, a.leases)
		},
		Queue: a.queue, Threads: a.threads, Codec: checkpoint.NewCodec(), EmptyStores: a.emptyStores, Identity: a.identity,
		IDs: a.env.ids(), Now: a.env.now, Log: a.log,
	})
	return errors.Join(err, a.removeStaleChecks())
}
