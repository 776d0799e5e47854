package stores

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	graphsqlite "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	clew "github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
	"github.com/clewhq/clew/migrations"
)

// base is a ledger's database and its files.
type base struct {
	backup.Source
	target backup.Target
	ledger *ledger.Ledger
	files  clew.FileStore
	close  func() error

	dangling func(context.Context) (string, error) // nil where the database looks itself
}

// onSQLite creates a database in a folder, migrated unless it will be restored
// into.
func onSQLite(b *testing.B, dir string, restored bool) *base {
	db := must(sqlite.Open(b.Context(), filepath.Join(dir, "clew.db"), sqlite.Options{Fresh: restored}))(b)
	s := &base{close: db.Close, dangling: db.Dangling, target: backup.Target{DB: db.Writer}}
	s.DB = db.Reader
	s.ledger = ledger.Open(db.Writer, db.Reader, time.Now, ledger.WithKey(prose.Key), ledger.WithExplain(sqlite.Explain))
	s.prepare(b, restored, func(context.Context) (clew.FileStore, error) {
		return clew.NewFiles(filepath.Join(dir, "files"), time.Now())
	})
	return s
}

// onPostgres opens an empty database, migrated unless it will be restored into.
func onPostgres(b *testing.B, address string, restored bool) *base {
	db := must(postgres.Open(b.Context(), address, postgres.Options{}))(b)
	s := &base{close: db.Close, target: backup.Target{DB: db.Writer}}
	s.DB = db.Reader
	s.ledger = ledger.Open(db.Writer, db.Reader, time.Now, ledger.WithKey(prose.Key), ledger.WithExplain(postgres.Explain))
	s.prepare(b, restored, func(ctx context.Context) (clew.FileStore, error) {
		return clew.NewRows(ctx, db.Writer, db.Reader, time.Now, postgres.Explain)
	})
	return s
}

func (s *base) prepare(b *testing.B, restored bool, files func(context.Context) (clew.FileStore, error)) {
	s.Program, s.Now = "bench", time.Now
	s.target.Files = func(ctx context.Context) (_ backup.Store, err error) {
		s.files, err = files(ctx)
		return s.files, err
	}
	if !restored {
		check(b, migrations.Up(b.Context(), s.target.DB))
		s.files = must(files(b.Context()))(b)
		s.Files = s.files
	}
}

// set is one set of stores in use.
type set struct {
	*base
	graph     graphstore.Store
	vectors   vectorstore.Store
	projector *projection.Projector
	fresh     func() *base // an empty database of the same kind, to restore into
	disk      func() disk  // what the set takes, once it is closed
}

// disk is the disk usage of a set's parts, in bytes.
type disk struct {
	ledger, graph, index int64
	logs                 int64 // kept by Neo4j and Postgres for a while, whatever they hold
}

func (s *set) project() {
	s.projector = projection.New(projection.Params{
		Ledger: s.ledger, Graph: s.graph, Vectors: s.vectors, Log: slog.New(slog.DiscardHandler), Key: prose.Key, Sentences: prose.Sentences,
		Embedding: projection.Embedding{Model: model()},
	})
}

// openEmbedded returns SQLite with embedded graph and index.
func openEmbedded(b *testing.B) *set { return openFolder(b, b.TempDir()) }

func openFolder(b *testing.B, dir string) *set {
	s := &set{
		base: onSQLite(b, dir, false), fresh: func() *base { return onSQLite(b, b.TempDir(), true) },
		disk: func() disk {
			return disk{ledger: must(size(dir, "clew.db", "files"))(b), graph: must(size(dir, "graph.db"))(b), index: must(size(dir, "vectors.db"))(b)}
		},
		graph: must[graphstore.Store](graphsqlite.Open(b.Context(), filepath.Join(dir, "graph.db")))(b),
	}
	s.vectors = must[vectorstore.Store](embedded.Open(b.Context(), filepath.Join(dir, "vectors.db"), model()))(b)
	s.project()
	return s
}

// openServers returns SQLite with Neo4j.
func openServers(b *testing.B) *set {
	dir := b.TempDir()
	s := &set{base: onSQLite(b, dir, false), fresh: func() *base { return onSQLite(b, b.TempDir(), true) }}
	s.beside(b, dir, func(d *disk) { d.ledger = must(size(dir, "clew.db", "files"))(b) })
	return s
}

// openFleet returns Postgres with Neo4j.
func openFleet(b *testing.B) *set {
	server := servers.OwnPostgres(b)
	address := server.Database(b, "template0")
	s := &set{base: onPostgres(b, address, false), fresh: func() *base { return onPostgres(b, server.Database(b, "template0"), true) }}
	s.beside(b, b.TempDir(), func(d *disk) {
		db := must(postgres.Open(context.Background(), address, postgres.Options{Connections: 1}))(b)
		defer db.Close()
		check(b, db.Reader.QueryRow(`SELECT pg_database_size(current_database()), (SELECT sum(size) FROM pg_ls_waldir())`).Scan(&d.ledger, &d.logs))
	})
	return s
}

// beside opens the graph on Neo4j and the index on Qdrant, or in the folder if
// no Qdrant is configured.
func (s *set) beside(b *testing.B, dir string, ledger func(*disk)) {
	server := servers.OwnNeo4j(b)
	s.graph = must[graphstore.Store](neo4j.Open(b.Context(), neo4j.Options{
		URL: server.URL, User: server.User, Password: server.Password, Database: server.Database,
		SilenceTimeout: 10 * time.Minute, // a busy machine is slow, not silent
	}))(b)
	if at := os.Getenv("QDRANT_URL"); at != "" {
		s.vectors = must[vectorstore.Store](qdrant.Open(b.Context(), qdrant.Options{
			URL: at, APIKey: os.Getenv("QDRANT_API_KEY"), Prefix: "bench", Model: model(), Now: time.Now, Random: rand.Uint64, Log: slog.New(slog.DiscardHandler),
		}))(b)
		check(b, s.vectors.Reset(b.Context(), workspace, 0))
	} else {
		s.vectors = must[vectorstore.Store](embedded.Open(b.Context(), filepath.Join(dir, "vectors.db"), model()))(b)
	}
	s.disk = func() (d disk) {
		ledger(&d)
		server.Stop(b) // it writes out what it holds
		data := filepath.Dir(server.Databases())
		d.graph = must(size(data, "databases"))(b)
		d.logs += must(size(data, "transactions"))(b)
		d.index = must(size(dir, "vectors.db"))(b)
		if storage := os.Getenv("QDRANT_STORAGE"); storage != "" {
			d.index += must(size(storage))(b)
		}
		return d
	}
	s.project()
}

func (s *set) closeAll(b *testing.B) {
	check(b, s.graph.Close())
	check(b, s.vectors.Close())
	check(b, s.close())
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// must returns the value or fails the benchmark.
func must[T any](v T, err error) func(*testing.B) T {
	return func(b *testing.B) T {
		b.Helper()
		check(b, err)
		return v
	}
}
