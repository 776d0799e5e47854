package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore"
)

// repaired is a library on servers that is damaged and repaired.
type repaired struct {
	*app  // looks at it, and does no work
	neo4j *servers.Neo4jServer
	fsck  func(repair bool) (string, error) // by the program, with a worker
}

// whole is the content of all stores.
type whole struct {
	Held  contents
	Graph *graphstore.Adjacency
}

func (r repaired) whole(t *testing.T) whole {
	t.Helper()
	w := whole{Held: contentsIn(t, r.app)}
	w.Held.Documents = nil // the ledger's, which tells when they were published
	var err error
	w.Graph, err = r.graph.Adjacency(t.Context(), domain.DefaultWorkspace)
	noError(t, err)
	w.Graph.Cursor = 0
	return w
}

// serverDamages are ways in which servers' data can be wrong, with the finding
// of fsck.
var serverDamages = []struct {
	name, says string
	damage     func(*testing.T, repaired)
}{
	{"an entity is gone", "an entity is missing", cypher(`MATCH (e:__Entity__ {workspace_id: $w}) WITH e ORDER BY e.id LIMIT 1 DETACH DELETE e`)},
	{"another name", "an entity differs from the ledger", cypher(`MATCH (e:__Entity__ {workspace_id: $w}) WITH e ORDER BY e.id LIMIT 1 SET e.name = 'Somebody Else'`)},
	{"a relation is gone", "a relation is missing", cypher(`MATCH (e:__Entity__ {workspace_id: $w})-[r]->(:__Entity__) WITH r ORDER BY r.id LIMIT 1 DELETE r`)},
	{"other evidence", "a relation has other evidence", cypher(`MATCH (e:__Entity__ {workspace_id: $w})-[r]->(:__Entity__) WITH r ORDER BY r.id LIMIT 1 SET r.contributions = 77`)},
	{"a chunk is gone", "a linked chunk is missing", cypher(`MATCH (c:Chunk {workspace_id: $w}) WITH c ORDER BY c.id LIMIT 1 DETACH DELETE c`)},
	{"a point is gone", "a point is missing", points(func(all []vectorstore.Point) []vectorstore.Point { return all[1:] })},
	{"a point too many", "there is a point that nothing supports", points(func(all []vectorstore.Point) []vectorstore.Point {
		return append(all, vectorstore.Point{Ref: vectorstore.Ref{Collection: vectorstore.Sentences, ID: "made-up"}, Text: "Nobody"})
	})},
	{"a change is gone", "a published document was never sent", rows(`DELETE FROM changes WHERE seq = (SELECT min(seq) FROM changes)`)},
	{"a thread is left", "the thread of a deleted run is left over", rows(`INSERT INTO threads (id, token, touched_at) VALUES ('run_gone', 1, 1)`)},
}

// cypher damages the graph by a statement.
func cypher(statement string) func(*testing.T, repaired) {
	return func(t *testing.T, r repaired) {
		t.Helper()
		change(t, r.neo4j, domain.DefaultWorkspace, statement)
	}
}

// change runs a statement, in which $w is w, and fails the test if it changes
// nothing.
func change(t *testing.T, at *servers.Neo4jServer, w domain.WorkspaceID, statement string) {
	t.Helper()
	d, err := driver.NewDriverWithContext(at.URL, driver.BasicAuth(at.User, at.Password, ""))
	noError(t, err)
	defer d.Close(t.Context())
	result, err := driver.ExecuteQuery(t.Context(), d, statement, map[string]any{"w": string(w)}, driver.EagerResultTransformer, driver.ExecuteQueryWithDatabase(at.Database))
	noError(t, err)
	if !result.Summary.Counters().ContainsUpdates() {
		t.Fatalf("%s changed nothing", statement)
	}
}

// points damages the index: it replaces all points, drops their words, and
// leaves the cursor unchanged.
func points(change func([]vectorstore.Point) []vectorstore.Point) func(*testing.T, repaired) {
	return func(t *testing.T, r repaired) {
		t.Helper()
		ctx, ws := t.Context(), domain.DefaultWorkspace
		at, err := r.vectors.Cursor(ctx, ws)
		noError(t, err)
		var all []vectorstore.Point
		for _, c := range vectorstore.Collections() {
			ids, err := r.vectors.IDs(ctx, ws, c)
			noError(t, err)
			for _, id := range ids {
				all = append(all, vectorstore.Point{Ref: vectorstore.Ref{Collection: c, ID: id}})
			}
		}
		noError(t, r.leases.Hold(ctx, ws, func(ctx context.Context, token int64) error {
			if err := r.vectors.Reset(ctx, ws, token); err != nil {
				return err
			}
			return r.vectors.Apply(ctx, ws, vectorstore.Batch{Token: token, Cursor: at, Upsert: change(all)})
		}))
	}
}

// rows damages a derived row of the ledger.
func rows(statement string) func(*testing.T, repaired) {
	return func(t *testing.T, r repaired) {
		t.Helper()
		result, err := r.db.Writer.ExecContext(t.Context(), statement)
		noError(t, err)
		if n, err := result.RowsAffected(); err != nil || n != 1 {
			t.Fatalf("%s changed %d rows, error %v", statement, n, err)
		}
	}
}

// isMended damages a library in every way and makes the program find and repair
// it.
func (r repaired) isMended(t *testing.T) {
	t.Helper()
	want := r.whole(t)
	if len(want.Held.Entities) == 0 || len(want.Graph.Relations) == 0 || len(want.Held.Points[vectorstore.Chunks]) == 0 {
		t.Fatalf("there is nothing to damage: %+v", want.Held.Stats)
	}
	if out, err := r.fsck(false); err != nil || !strings.Contains(out, "is sound") {
		t.Fatalf("a sound library: %q, error %v", out, err)
	}
	for _, d := range serverDamages {
		d.damage(t, r)
		out, err := r.fsck(false)
		if domain.KindOf(err) != domain.Conflict || !strings.Contains(out, d.says) {
			t.Errorf("%s: printed %q, error %v", d.name, out, err)
		}
		if out, err := r.fsck(true); err != nil || !strings.Contains(out, "Repaired:") || !strings.Contains(out, "is sound") {
			t.Errorf("%s, repaired: printed %q, error %v", d.name, out, err)
		}
		if diff := cmp.Diff(want, r.whole(t)); diff != "" {
			t.Errorf("%s -undamaged +mended\n%s", d.name, diff)
		}
	}
}

// TestDamageOnServersIsMended uses Neo4j for the graph and SQLite or Postgres
// for the ledger; the index is a file here, and on Qdrant in
// TestEverySetOfStores.
func TestDamageOnServersIsMended(t *testing.T) {
	t.Parallel()
	neo4j := servers.Neo4j(t)
	for _, set := range []struct {
		name     string
		database func(testing.TB) string
	}{{"SQLite", func(testing.TB) string { return "" }}, {"Postgres", servers.PostgresURL}} {
		t.Run(set.name, func(t *testing.T) {
			sh, database := newShell(t), set.database(t)
			noError(t, os.MkdirAll(sh.data, 0o700))
			damageAndMend(t, neo4j, func() (config.Config, env, *screen) {
				s, out, _ := sh.env()
				cfg, err := s.load("")
				noError(t, err)
				cfg.Postgres.URL = database
				s = s.graphOn(neo4j)
				return cfg, s, out
			})
		})
	}
}

// graphOn keeps the graph on a server, and the search index in a file.
func (s env) graphOn(neo4j *servers.Neo4jServer) env {
	s.stores = func(a *app, ctx context.Context) error {
		was := a.cfg
		defer func() { a.cfg = was }()
		a.cfg.Postgres.URL = ""
		a.cfg.Neo4j = config.Neo4j{URL: neo4j.URL, User: neo4j.User, Password: neo4j.Password, Database: neo4j.Database}
		if err := a.openGraphStore(ctx); err != nil {
			return err
		}
		a.cfg.Neo4j.URL = ""
		return a.openVectors(ctx)
	}
	return s
}

// damageAndMend reads two documents and damages what was made of them.
func damageAndMend(t *testing.T, neo4j *servers.Neo4jServer, settings func() (config.Config, env, *screen)) {
	t.Helper()
	cfg, s, _ := settings()
	s.foreign = true // the server keeps what another library left there
	a, err := open(t.Context(), cfg, s)
	noError(t, err)
	t.Cleanup(func() { noError(t, a.Close()) })
	owner, err := a.identity(t.Context(), domain.DefaultWorkspace)
	noError(t, err)
	noError(t, a.graph.Claim(t.Context(), domain.DefaultWorkspace, owner, true))
	noError(t, a.projector.Reset(t.Context(), domain.DefaultWorkspace, projection.Stores{Graph: true}))
	worker := a.all()
	noError(t, worker.Start(t.Context()))
	for name, text := range map[string]string{"foundry.txt": foundry, "bridge.md": bridge} {
		_, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, name, documents.How{}, strings.NewReader(text)).One()
		noError(t, err)
	}
	ready(t, a, 2)
	noError(t, worker.Stop(context.WithoutCancel(t.Context())))
	repaired{app: a, neo4j: neo4j, fsck: func(repair bool) (string, error) {
		cfg, s, out := settings()
		load := func() (config.Config, error) { return cfg, nil }
		err := s.maintain(t.Context(), load, nil, func(ctx context.Context, a *app, w domain.Workspace) error {
			_, err := a.fsck(ctx, w, repair)
			return err
		})
		return out.String(), err
	}}.isMended(t)
}
