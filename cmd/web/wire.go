package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/chart"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/graphstore"
	graphneo4j "github.com/clewhq/clew/internal/graphstore/neo4j"
	graphsqlite "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/library/studies"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/models"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/projection/sight"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/questions/researches"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/outside"
	"github.com/clewhq/clew/internal/read/parse/child"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/upkeep/purge"
	"github.com/clewhq/clew/internal/upkeep/telemetry"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/migrations"
)

// base is what the program opens once: its databases, stores and files, and what watches them. This file alone names
// implementations.
type base struct {
	env         env
	given       config.Config // from the environment
	log         *slog.Logger
	output      *output // of the log
	db          database
	wire        sqlio.Wire // to other processes
	news        *sqlio.News
	ledger      *ledger.Ledger
	files       documents.FileStore
	scrub       map[string]documents.Scrubber // database files, by name
	whole       graphstore.Owned              // the graph of all documents
	queue       *job.Queue
	hub         *trace.Hub
	threads     *checkpoint.Checkpointer
	trail       *audit.Trail
	process     lease.Process
	leases      *lease.Leases
	workspaces  *workspaces.Service
	costs       *costs.Service
	set         *settings.Book
	opener      *models.Opener
	connections *connections.Service
	telemetry   *telemetry.Telemetry // nil without observers
	running     *running             // the process that serves or works; nil for one command

	closers []func() error
}

// Follow implements models.Process.
func (b *base) Follow(ctx context.Context) error {
	if b.running == nil {
		return nil
	}
	return b.running.Follow(ctx)
}

// app is the program with the settings and models in use, which never change: where others are saved, a running process
// goes on with another app over the same base.
type app struct {
	*base
	cfg         config.Config   // including connected models
	values      settings.Values // set on the page
	used        models.Used
	models      *models.Set
	graph       graphstore.Owned  // as the viewer of a context sees it, like vectors
	vectors     vectorstore.Owned // for the current embedding model
	sights      *sight.Sights
	auth        *auth.Auth
	signOn      *signon.Service
	search      *retrieve.Retriever
	themes      *themes.Service
	lists       *graphstore.Cache[*worklist.Lists]
	projector   *projection.Projector
	prompts     *prompts.Book
	children    *child.Pool // the processes that read files
	documents   *documents.Service
	crawl       *crawl.Service
	sources     *source.Service
	webhooks    *webhooks.Service
	answering   *models.Answering
	questions   *questions.Service
	evaluation  *evaluation.Service
	curator     *curate.Curator
	proposals   *proposals.Service
	schemas     *schemas.Service
	trial       *schemas.Trials
	suggest     *suggest.Service
	summaries   *summaries.Service
	studies     *studies.Service
	researches  *researches.Service
	runFiles    *run.Files
	graphs      graphs
	maintenance *maintenance.Service
	traced      string // how the steps of an answer are printed
}

// database is the ledger's: SQLite or Postgres.
type database struct {
	Writer, Reader *sql.DB
	explain        func(error) error                           // translates the database's errors into domain errors
	erased         func(ctx context.Context, tx *sql.Tx) error // is called for deleted words
}

// graphs are the compiled state graphs.
type graphs struct {
	ingest stategraph.Runnable[ingest.State]
	answer stategraph.Runnable[answer.State]
	sumsUp *stategraph.Graph[summarize.State] // within an answer

	research stategraph.Runnable[research.State]

	summarize stategraph.Runnable[summarize.State]
	study     stategraph.Runnable[study.State]
}

// open opens the program on the stores of cfg. Close must follow.
func open(ctx context.Context, cfg config.Config, s env) (*app, error) {
	stores := s.stores
	if stores == nil {
		stores = (*app).openStores
	}
	return assemble(ctx, cfg, s, (*app).openLedger, stores, (*app).claimStores, (*app).openCosts, (*app).openUsed)
}

// assemble opens some parts of the program, in order.
func assemble(ctx context.Context, cfg config.Config, s env, parts ...func(*app, context.Context) error) (*app, error) {
	limitMemory(cfg, s)
	o := s.output(cfg)
	a := &app{base: &base{given: cfg, env: s, log: o.log, output: o, wire: sqlio.Unwired{}, scrub: map[string]documents.Scrubber{}}, cfg: cfg}
	a.openTelemetry()
	for _, part := range parts {
		if err := part(a, ctx); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

// openUsed opens what depends on the settings and models in use. Nothing of it needs to be closed.
func (a *app) openUsed(ctx context.Context) error {
	for _, part := range []func(*app, context.Context) error{(*app).openModels, (*app).openGraphs, (*app).openServices, (*app).openMaintenance} {
		if err := part(a, ctx); err != nil {
			return err
		}
	}
	return nil
}

// renewed returns the program with the settings and models that are saved now; a itself if it uses those.
func (a *app) renewed(ctx context.Context) (*app, error) {
	now, err := a.saved(ctx)
	if err != nil || slices.Equal(now.connected, a.used.Connected) && maps.Equal(now.values, a.values) && maps.Equal(now.trials, a.used.Trials) {
		return a, err
	}
	next := &app{base: a.base, children: a.children, traced: a.traced}
	next.use(ctx, now)
	next.auth = a.auth.With(next.cfg.SessionLifetime, next.cfg.CodesRequired)
	next.signOn = a.signOn.With(next.auth)
	next.vectors = vectorstore.Owned{Store: a.vectors.Store.ForModel(next.used.EmbeddingModel())}
	return next, next.openUsed(ctx)
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
	a.news = sqlio.NewNews(a.wire)
	a.ledger = ledger.Open(db.Writer, db.Reader, a.env.now, ledger.WithKey(prose.Key), ledger.WithExplain(db.explain), ledger.WithErased(db.erased), ledger.WithNews(a.news))
	if err := a.openSettings(ctx); err != nil {
		return err
	}
	a.queue = job.Open(db.Writer, db.Reader, a.env.now, a.queueOptions()...)
	a.hub = trace.NewHub(a.ledger, a.env.now, a.log, trace.Options{Wire: a.wire})
	if a.threads, err = checkpoint.New(ctx, db.Writer, db.Reader, a.env.now,
		checkpoint.WithExplain(db.explain), checkpoint.WithEvents(a.keepEvents())); err != nil {
		return err
	}
	a.closers = append(a.closers, a.threads.Close)
	if a.process, err = lease.Self(); err != nil {
		return err
	}
	a.leases = lease.New(lease.Options{Writer: db.Writer, Reader: db.Reader, Process: a.process, Now: a.env.now, Log: a.log, Explain: db.explain, Wire: a.wire})
	a.workspaces = workspaces.New(workspaces.Params{Ledger: a.ledger, Stores: a, Random: a.env.random, Now: a.env.now, Log: a.log})
	a.trail = &audit.Trail{Ledger: a.ledger.AuditStore, Log: a.log}
	a.auth, err = auth.New(auth.Params{
		Trail: a.trail, Ledger: a.ledger, Hasher: auth.NewHasher(a.env.random, 2), Random: a.env.random, Vault: a.vault(), Site: cmp.Or(a.given.Root(), "http://"+a.given.Listen+a.given.BasePath),
		Lifetime: a.cfg.SessionLifetime, Codes: a.cfg.CodesRequired, SignOn: a.cfg.SignOn.On(), Now: a.env.now, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.signOn = signon.New(signon.Params{Ledger: a.ledger, Auth: a.auth, Set: a.cfg.SignOn, Public: a.cfg.Root(), Random: a.env.random, Now: a.env.now, Log: a.log})
	return nil
}

// vault encrypts what the ledger must not give away.
func (a *app) vault() vault.Vault {
	return vault.Vault{Secret: a.given.SecretKey, File: a.given.Path("secret.key"), Shared: a.given.Postgres.URL != "", Random: a.env.random}
}

// openPostgres opens the database, which keeps the files too.
func (a *app) openPostgres(ctx context.Context) error {
	db, err := postgres.Open(ctx, a.cfg.Postgres.URL, postgres.Options{Connections: a.cfg.Postgres.Connections / 2})
	if err != nil {
		return err
	}
	wire := db.Wire(a.log)
	a.db, a.wire, a.closers = database{db.Writer, db.Reader, postgres.Explain, leaveToVacuum}, wire, append(a.closers, db.Close, wire.Close)
	if err := a.migrate(ctx); err != nil {
		return err
	}
	a.files, err = openFiles(a.cfg, func() (documents.FileStore, error) {
		return documents.NewRows(ctx, db.Writer, db.Reader, a.env.now, postgres.Explain)
	})
	return err
}

// listen has this process hear what others tell, until it closes.
func (a *app) listen() {
	if wire, ok := a.wire.(*postgres.Wire); ok {
		wire.Listen(func(topic, text string) {
			a.queue.Hear(topic)
			a.hub.Hear(topic, text)
			a.news.Hear(topic)
		})
	}
}

// openFiles opens the store of uploaded files that FILES_URL names, or otherwise the one beside the ledger.
func openFiles(cfg config.Config, beside func() (documents.FileStore, error)) (documents.FileStore, error) {
	if cfg.Files.URL == "" {
		return beside()
	}
	return documents.NewObjects(storageOf(cfg), cfg.Files.URL, cfg.Path("incoming"))
}

// leaveToVacuum leaves deleted words to Postgres, which overwrites them in its own time.
func leaveToVacuum(context.Context, *sql.Tx) error { return nil }

// openSQLite opens the database and the files in the data folder.
func (a *app) openSQLite(ctx context.Context) error {
	if err := os.MkdirAll(a.cfg.Data, 0o700); err != nil {
		return domain.Because(domain.Invalid, err, "The data folder %s can't be created: %v. Name another with DATA_DIR or --data.", a.cfg.Data, err)
	}
	if _, err := backup.Switch(a.cfg.Data, "clew.db", "graph.db", "vectors.db"); err != nil {
		return sqlite.Explain(err)
	}
	db, err := sqlite.Open(ctx, a.cfg.Path("clew.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	a.db, a.closers = database{db.Writer, db.Reader, sqlite.Explain, sqlite.NoteDeletion}, append(a.closers, db.Close)
	a.scrub["clew.db"] = db
	if err := a.migrate(ctx); err != nil {
		return err
	}
	a.files, err = openFiles(a.cfg, func() (documents.FileStore, error) { return documents.NewFiles(a.cfg.Path("files"), a.env.now()) })
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

// claimStores claims the stores for this library. It refuses those of another one, unless they are to be taken over.
func (a *app) claimStores(ctx context.Context) error {
	all, err := a.ledger.WorkspaceIDs(ctx)
	if err != nil {
		return err
	}
	for _, w := range all {
		if err := a.Claim(ctx, w); domain.KindOf(err) == domain.Unavailable {
			a.log.WarnContext(ctx, "a store is away; the program does without it", "workspace", w, "err", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Claim has the stores of a workspace belong to this library. One that is away notes that when it is written to.
func (a *app) Claim(ctx context.Context, w domain.WorkspaceID) error {
	owner, err := a.identity(ctx, w)
	if err != nil {
		return err
	}
	for _, store := range []interface {
		Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error
	}{a.whole, a.vectors} {
		switch e := store.Claim(ctx, w, owner, false); {
		case domain.KindOf(e) == domain.Unavailable:
			err = e // the others are claimed anyway
		case e != nil && !(a.env.foreign && errors.Is(e, domain.ErrForeign)):
			return e
		}
	}
	return err
}

// purge returns the service that removes deleted workspaces.
func (a *app) purge() *purge.Service {
	return purge.New(purge.Params{
		Writer: a.db.Writer, Disk: onDisk{a}, Leases: a.leases, Stores: []purge.Store{a.whole, a.vectors}, Now: a.env.now, Log: a.log,
		Removed: func(ctx context.Context, name string, rows int) {
			a.trail.Record(ctx, audit.Entry{Action: audit.Purge, Things: []string{name}, How: []string{"rows=" + strconv.Itoa(rows)}, Installation: true})
		},
	})
}

func (a *app) identity(ctx context.Context, w domain.WorkspaceID) (string, error) {
	return a.ledger.Identity(ctx, w, a.env.random)
}

// openVectors opens the search index for the embedding model of the settings.
func (a *app) openVectors(ctx context.Context) error {
	model := a.used.EmbeddingModel()
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
		URL: q.URL, APIKey: q.APIKey, Replicas: q.Replicas, Shards: q.Shards, Quantization: q.Quantization, Model: model, Prefix: q.Prefix, Now: a.env.now, Random: rand.Uint64, Log: a.log, Remember: rememberAway,
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
	a.whole, a.scrub["graph.db"], a.closers = graphstore.Owned{Store: store}, store, append(a.closers, store.Close)
	return nil
}

// sayAnew logs that a damaged file of a store was replaced by an empty one.
func (a *app) sayAnew(ctx context.Context, name string, anew bool) {
	if anew {
		a.log.WarnContext(ctx, "the file was damaged and is being rebuilt from the ledger", "file", name)
	}
}

func (a *app) openNeo4j(ctx context.Context) error {
	c := a.cfg.Neo4j
	store, err := graphneo4j.Open(ctx, graphneo4j.Options{URL: c.URL, User: c.User, Password: c.Password, Database: c.Database, Timeout: c.Timeout, Remember: rememberAway, Now: a.env.now})
	if err != nil {
		return err
	}
	a.whole, a.closers = graphstore.Owned{Store: store}, append(a.closers, store.Close)
	return nil
}

// rememberAway is the pause between two looks for a store that is away. Meanwhile the program does without it.
const rememberAway = 5 * time.Second

// openSettings reads what was set and connected in the page.
func (a *app) openSettings(ctx context.Context) error {
	a.set = &settings.Book{Ledger: a.ledger, Given: a.given, Now: a.env.now, Process: a.base}
	a.opener = models.NewOpener(models.Params{
		Ledger: a.ledger, Given: a.given, Random: a.env.random, Log: a.log, Pace: a.env.pace, Agent: agent(a.given.WebContact),
		Prompts: slices.Concat([]prompts.Prompt{extract.Prompt()}, ingest.Prompts(), answer.Prompts(), []prompts.Prompt{chart.Prompt(), summarize.Prompt(), study.Prompt(), research.Prompt(), schemas.Prompt(), proposals.Prompt()}),
	})
	if a.telemetry != nil {
		a.opener.Watch = a.telemetry
	}
	a.connections = connections.New(connections.Params{
		Ledger: a.ledger, Given: a.given, Network: a.opener, Process: a.base,
		Vault: a.vault(),
	})
	now, err := a.saved(ctx)
	if err == nil {
		a.use(ctx, now)
	}
	return err
}

// saved holds the settings made in the page, the connected models, and the results of their tests.
type saved struct {
	values    settings.Values
	connected connections.Connected
	trials    map[string]answer.Trial
}

func (a *app) saved(ctx context.Context) (s saved, err error) {
	s.values = settings.Values{}
	if err := a.ledger.DecodeSettings(ctx, domain.Installation, map[string]any{settings.Kept: &s.values, models.Trials: &s.trials}); err != nil {
		return s, err
	}
	s.connected, err = a.connections.All(ctx)
	return s, err
}

// use has the app use what is saved. The log then masks the keys of models.
func (a *app) use(ctx context.Context, now saved) {
	given, problems := now.values.Apply(a.given)
	for key, err := range problems {
		a.log.WarnContext(ctx, "ignored a setting of the page", "setting", key, "why", err)
	}
	a.used = a.opener.Used(now.connected, given)
	a.used.Trials, a.values, a.cfg = now.trials, now.values, a.used.Config
	a.output.use(a.cfg)
	for _, c := range a.used.Connected {
		if c.Problem != "" {
			a.log.WarnContext(ctx, "ignored a connected model", "role", c.Role, "why", c.Problem)
		}
	}
}

func (a *app) openCosts(ctx context.Context) (err error) {
	a.costs, err = models.OpenCosts(ctx, a.given, a.ledger, a.queue, a.env.now)
	a.opener.Costs = a.costs
	if err == nil && a.telemetry != nil {
		a.costs.Watch = a.telemetry
	}
	return err
}

func (a *app) openModels(ctx context.Context) (err error) {
	if a.models, err = a.opener.Open(ctx, a.used); err == nil {
		a.prompts = a.models.Prompts
	}
	return err
}

func (a *app) openDocuments(parser documents.Parser, gatherer *ingest.Gatherer) {
	a.documents = documents.New(documents.Params{
		Hub:    a.hub,
		Ledger: a.ledger, Files: a.files, Queue: a.queue, Projector: a.projector, Words: a.vectors, Scrub: a.scrub, Graph: a.graphs.ingest, Reading: gatherer.Read,
		Deleted: func(ctx context.Context, w domain.WorkspaceID) {
			a.proposals.Changed(ctx, w)
			a.themes.Changed(ctx, w)
		},
		Parser: parser, Window: a.cfg.ExtractWindow, Price: a.models.PriceOfFile, Embeds: a.models.Embeds(),
		Extractor: a.models.Extractor, Prompts: a.prompts, MaxUpload: a.cfg.MaxUpload(), AtOnce: a.cfg.Model.Concurrency,
		MaxWaiting: a.cfg.WaitingDocuments, UndoTime: a.cfg.UndoTime, IDs: a.env.ids(), Now: a.env.now, Log: a.log,
	})
}

func (a *app) openGraphs(context.Context) (err error) {
	a.openSights()
	a.schemas = schemas.New(schemas.Params{Ledger: a.ledger, Model: a.models.Proposer(), Project: func(ctx context.Context, w domain.WorkspaceID) error { return a.projector.Apply(ctx, w) }})
	parser, err := a.parser()
	if err != nil {
		return err
	}
	if err := a.openCrawl(checkpoint.NewCodec()); err != nil {
		return err
	}
	gatherer := ingest.NewGatherer(a.projector.Apply)
	project := func(ctx context.Context, w domain.WorkspaceID) error { // other documents are read while one waits for this
		return job.WithoutSlot(ctx, func() error { return gatherer.Project(ctx, w) })
	}
	a.graphs.ingest, err = ingest.Graph(ingest.Params{
		Ledger: a.ledger, Files: a.files,
		Parser:    parser,
		Extractor: extract.WithGraphs(a.models.Extractor), Schemas: a.schemas, Prompts: a.prompts, Key: prose.Key, Project: project, Embedding: a.models.Ingest(), Describing: a.models.Describing(), Filling: a.models.Filling(), Window: a.cfg.ExtractWindow,
		Threads: a.threads, Codec: checkpoint.NewCodec(),
	})
	if err != nil {
		return err
	}
	a.openDocuments(parser, gatherer)
	a.trial = schemas.NewTrials(schemas.TrialParams{
		Window: a.cfg.ExtractWindow,
		Ledger: a.ledger, Schemas: a.schemas, Extractor: extract.WithGraphs(a.models.Extractor), Prompts: a.prompts, Now: a.env.now, Price: a.models.PriceOfReading,
		Read: func(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) error {
			_, err := a.documents.ReadAgain(ctx, w, id)
			return err
		},
	})
	a.search = a.searcher()
	if err := a.openThemes(); err != nil {
		return err
	}
	sums := summarize.Params{Texts: a.ledger, Counter: chunk.NewTokenizer(), Summariser: a.models.Summariser, AtOnce: a.cfg.Model.Concurrency, Codec: checkpoint.NewCodec()}
	within := sums
	within.Within = true
	if a.graphs.sumsUp, err = summarize.Graph(within); err != nil {
		return err
	}
	a.answering = &models.Answering{
		Models: a.models, Library: models.Library{Graph: a.graph, Words: a.search, Texts: a.ledger}, Ledger: a.ledger, Schemas: a.schemas,
		Answer: answer.Params{
			Library: a.graph, Retriever: a.search, Surveyor: a.themes, Summaries: a.graphs.sumsUp, Passages: a.ledger, Now: a.env.now,
			Threads: a.threads, Codec: checkpoint.NewCodec(), Counts: chart.GraphCounts(a.graph, a.ledger),
		},
	}
	if a.models.Web != nil {
		a.answering.Answer.Outside = outside.New(outside.Params{Search: a.models.Web, Crawl: a.crawl, Parser: parser, Ledger: a.ledger, Now: a.env.now})
	}
	if a.graphs.answer, err = a.answering.By(a.answering.Usual(), a.prompts); err != nil {
		return err
	}
	if a.graphs.research, err = a.answering.Research(a.threads); err != nil {
		return err
	}
	sums.Threads = a.threads
	if a.graphs.summarize, err = summarize.Graph(sums); err != nil {
		return err
	}
	a.graphs.study, err = study.Graph(study.Params{Texts: a.ledger, Counter: sums.Counter, Maker: a.models.StudyMaker(), Threads: a.threads, Codec: sums.Codec})
	return err
}

// openSights has the projector fill the stores, and everything else read what the viewer of a context may see of them.
func (a *app) openSights() {
	vectors := a.vectors.Store
	a.projector = a.projectorOver(a.whole.Store, vectors, a.leases) // the stores themselves reject its batches
	a.sights = sight.New(sight.Params{Ledger: a.ledger, Projector: a.projector, Vectors: vectors, Identity: a.identity, Now: a.env.now})
	a.projector.After = a.sights.Apply
	if store, ok := a.whole.Store.(graphstore.VectorStore); ok && a.cfg.Neo4j.Vectors == "on" {
		a.projector.GraphVectors = store
	}
	a.graph = graphstore.Owned{Store: a.whole.Store, At: a.sights.Graph}
	a.vectors = vectorstore.Owned{Store: vectors, At: a.sights.Index}
	if a.telemetry != nil {
		a.graph.Watch, a.vectors.Watch = a.telemetry, a.telemetry
	}
}

// background returns the services that queue runs after documents change.
func (a *app) background() run.Background {
	return run.Background{Queue: a.queue, IDs: a.env.ids(), Now: a.env.now, Log: a.log}
}

// maxExplored is how many workspaces' graphs are kept for the explorer and for themes.
const maxExplored = 4

// reader reads what is known of entities.
func (a *app) reader() explore.Reader {
	return explore.Reader{Graph: a.graph, Texts: a.ledger, Library: a.themes.Graphs}
}

// worklist lists the parts of the graph that a person should check.
func (a *app) worklist() worklist.Desk {
	return worklist.Desk{Graph: a.graph, Texts: a.ledger, Schemas: a.schemas, Kept: a.lists}
}

// projectorOver returns a projector that fills the given stores.
func (a *app) projectorOver(graph graphstore.Store, vectors vectorstore.Index, leases projection.Leases) *projection.Projector {
	return projection.New(projection.Params{
		Ledger: a.ledger, Graph: graph, Vectors: vectors, Log: a.log,
		Key: prose.Key, Sentences: prose.Sentences, Embedding: a.models.Projection(), Leases: leases,
	})
}

// searcher returns the retriever, which uses vectors if there is an embedder.
func (a *app) searcher() *retrieve.Retriever {
	var options []retrieve.Option
	if a.models.Embeds() {
		options = append(options, retrieve.WithEmbedder(llm.RecordEmbedder(a.models.Embedder, a.ledger), a.ledger))
	}
	return retrieve.New(retrieve.Params{Graph: a.graph, Index: a.vectors, Texts: a.ledger, Now: a.env.now}, options...)
}

func (a *app) openServices(context.Context) (err error) {
	a.curator = curate.New(curate.Params{Ledger: a.ledger, Graph: a.graph, Projector: a.projector, Sight: a.sights.Projector, Log: a.log})
	a.evaluation = evaluation.New(evaluation.ServiceParams{
		Ledger: a.ledger, Queue: a.queue, Costs: a.costs, Models: a.models.Choices(), Vectors: a.models.Embeds(), Usual: a.answering.Usual(), BuiltIn: models.BuiltIn,
		Ranks: a.models.Reranker != nil,
		IDs:   a.env.ids(), Now: a.env.now, Facts: a.answering.Facts,
	})
	a.questions = questions.New(questions.Params{
		Ledger: a.ledger, Queue: a.queue, Hub: a.hub, Evaluation: a.evaluation, Graph: a.graphs.answer, Retriever: a.search, Documents: a.documents, Prompts: a.prompts,
		Models: a.models.Choices(), Vectors: a.models.Embeds(), MaxLoops: a.cfg.MaxLoops, MinRelevant: a.cfg.MinRelevant,
		AtOnce: a.cfg.Model.Concurrency, MaxWaiting: a.cfg.WaitingQuestions, Timeout: a.cfg.QuestionLimit, UndoTime: a.cfg.UndoTime, IDs: a.env.ids(), Now: a.env.now,
		GraphBy: a.answering.By, Admit: a.costs.Admit, Budget: a.models.Budget,
	})
	if a.models.Web != nil {
		a.questions.WebSearch = a.models.Web.Host()
	}
	a.suggest = suggest.New(suggest.Params{Ledger: a.ledger, Search: answer.Searched(a.search), Ranker: a.models.Ranker()})
	a.summaries = summaries.New(summaries.Params{
		Ledger: a.ledger, Queue: a.queue, Graph: a.graphs.summarize, Prompts: a.prompts, AtOnce: a.cfg.Model.Concurrency, MaxWaiting: a.cfg.WaitingQuestions,
		IDs: a.env.ids(), Now: a.env.now,
	})
	a.studies = &studies.Service{Orders: a.summaries, Graph: a.graphs.study}
	a.researches = researches.New(researches.Params{Ledger: a.ledger, Queue: a.queue, Hub: a.hub, Graph: a.graphs.research, Questions: a.questions, Costs: a.costs, Themes: a.themes})
	if err := a.openSources(checkpoint.NewCodec()); err != nil {
		return err
	}
	a.runFiles = &run.Files{Ledger: a.ledger, Queue: a.queue, Hub: a.hub, Now: a.env.now}
	a.proposals, err = proposals.New(proposals.Params{
		Ledger: a.ledger, Graph: a.graph, Projector: a.projector, Sight: a.sights.Projector, Curator: a.curator, Threads: a.threads, Codec: checkpoint.NewCodec(), Background: a.background(),
		Bars: proposals.Bars{Propose: a.cfg.ProposeBar, Merge: a.cfg.MergeBar}, Embedder: a.models.Embedder, Judge: a.models.Judge(),
	})
	return err
}

// kinds lists the kinds of run.
func (a *app) kinds() run.Kinds {
	all := slices.Concat(a.questions.Kinds(a.cfg.Answers), run.Kinds{
		a.maintenance.AfterReading(a.themes.After(a.proposals.After(a.documents.Kind(a.cfg.Ingests)))),
		a.crawl.Kind(),
		a.sources.Kind(),
		a.summaries.Kind(),
		a.studies.Kind(),
		a.researches.Kind(),
		a.proposals.Kind(),
		a.themes.Kind(),
	}, a.maintenance.Kinds())
	for i, k := range all {
		all[i] = a.webhooks.After(k)
	}
	return all
}

// worker returns a worker that claims runs from the queue as far as concurrency allows, by kind.
func (a *app) worker(concurrency map[string]int) *job.Worker {
	return a.workerOf(a.runner(), concurrency)
}

func (a *app) runner() *run.Runner {
	r := &run.Runner{Hub: a.hub, Queue: a.queue, Threads: a.threads, Costs: a.costs}
	if a.telemetry != nil {
		r.Watch = a.telemetry
	}
	r.Use(a.kinds())
	return r
}

func (a *app) workerOf(r *run.Runner, concurrency map[string]int) *job.Worker {
	return &job.Worker{
		Queue: a.queue, Handlers: r.Handlers(), Concurrency: concurrency, Process: a.process, Now: a.env.now, Log: a.log,
	}
}

// emptyStores returns a projector over empty stores, and a function that removes them. They are embedded stores in a
// temporary folder, whichever stores are in use.
func (a *app) emptyStores(ctx context.Context) (*projection.Projector, func() error, error) {
	dir, removeFolder, err := a.FolderBeside()
	if err != nil {
		return nil, nil, err
	}
	graph, err := graphsqlite.Open(ctx, filepath.Join(dir, "graph.db"))
	if err != nil {
		return nil, nil, errors.Join(err, removeFolder())
	}
	vectors, err := embedded.Open(ctx, filepath.Join(dir, "vectors.db"), a.models.Projection().Model)
	if err != nil {
		return nil, nil, errors.Join(err, graph.Close(), removeFolder())
	}
	remove := func() error { return errors.Join(graph.Close(), vectors.Close(), removeFolder()) }
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
	a.lists = worklist.NewCache(a.graph, maxExplored)
	var model summarize.Summariser
	if a.cfg.ThemesByModel && a.models.Enabled() {
		model = a.models.Summariser
	}
	a.themes, err = themes.New(themes.Params{
		Graph: a.graph, Texts: a.ledger,
		Graphs: explore.NewLibrary(a.graph, maxExplored, explore.Shared{Divisions: a.ledger, Leases: a.leases, Program: release()}), Summariser: builtin.Summarising(0),
		Model: model, Prompts: a.prompts, Threads: a.threads, Codec: checkpoint.NewCodec(), Background: a.background(),
	})
	return err
}

func (a *app) openMaintenance(context.Context) (err error) {
	a.maintenance, err = maintenance.New(maintenance.Params{
		DB: a.db.Reader, Ledger: a.ledger, Files: a.files, Library: a.documents, Projector: a.projector,
		Vectors: a.vectors, Embedder: a.models.Embedder, AtOnce: a.models.EmbedsAtOnce(), Sentences: a.cfg.SentenceVectors, ProjectTo: func(index vectorstore.Index) *projection.Projector {
			return a.projectorOver(a.whole.Store, index, a.leases)
		},
		Queue: a.queue, Threads: a.threads, Codec: checkpoint.NewCodec(), EmptyStores: a.emptyStores, Identity: a.identity,
		IDs: a.env.ids(), Now: a.env.now, Log: a.log,
	})
	return errors.Join(err, a.removeStaleChecks())
}
