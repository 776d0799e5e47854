package neo4j_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"golang.org/x/sync/errgroup"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// TestOwnServer runs the tests that lock out, stop or reconfigure a server.
// They share one, because starting it is slow.
func TestOwnServer(t *testing.T) {
	t.Parallel()
	at := servers.OwnNeo4j(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, *servers.Neo4jServer)
	}{
		{"plans", testPlans}, {"open", testOpen}, {"migrations", testMigrations}, {"busy", testBusy}, {"pause", testPause}, {"kill", testKill},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, at) })
	}
}

// testPlans checks the plans that an empty graph gets for steady statements, which keep them
// as it grows: none may scan all nodes or relations.
func testPlans(t *testing.T, at *servers.Neo4jServer) {
	open(t, at)
	c := connect(t, at)
	for _, statement := range steadyStatements(t) {
		r, err := driver.ExecuteQuery(t.Context(), c, "EXPLAIN "+statement, map[string]any{"workspace": "w", "rows": []any{}, "ids": []any{}}, driver.EagerResultTransformer)
		if err != nil {
			t.Fatal(err)
		}
		seeks := 0
		for plans := []driver.Plan{r.Summary.Plan()}; len(plans) > 0; plans = plans[1:] {
			plans = append(plans, plans[0].Children()...)
			switch operator := plans[0].Operator(); {
			case strings.Contains(operator, "Scan"):
				t.Errorf("%s\nplan: got %s, want no full scan", statement, operator)
			case strings.Contains(operator, "IndexSeek"):
				seeks++
			}
		}
		if seeks == 0 {
			t.Errorf("%s\nplan: its index is not used", statement)
		}
	}
}

// steadyStatements returns the statements that are marked as steady of a store that is filled, changed and read.
func steadyStatements(t *testing.T) []string {
	t.Helper()
	at := *servers.Neo4j(t)
	address, tap := servers.TapNeo4j(t, at.URL)
	at.URL = address
	s, ws := open(t, &at), domain.WorkspaceID(t.Name())
	reset(t, s, ws)
	b := library(3, 4)
	documents, entities, chunks := []domain.DocumentID{"d000000"}, []domain.EntityID{b.Entities[0].ID}, []domain.ChunkID{"c"}
	for i := range 3 {
		b.Entities[1].Label, b.Entities[2].Unlisted, b.Entities[3].Unlisted = fmt.Sprint("Label", i), i == 1, true
		for e := range 4 { // of which one link goes or comes, and the other changes
			b.Entities[e].Links = []graphstore.Link{{Chunk: b.Documents[i%2].Chunks[0].ID}, {Chunk: b.Documents[2].Chunks[0].ID, Kind: graphstore.LinkKind(i)}}
		}
		apply(t, s, ws, b)
		b.DeleteDocuments, b.DeleteEntities, b.DeleteRelations = documents, entities, []graphstore.RelationRef{{ID: b.Relations[0].ID, Target: b.Relations[0].Target}}
	}
	for _, read := range []func() error{
		func() error { _, err := s.Linked(t.Context(), ws, documents); return err },
		func() error { _, err := s.CountIn(t.Context(), ws, documents); return err },
		func() error { _, err := s.Notes(t.Context(), ws, documents); return err },
		func() error { _, err := s.Keyed(t.Context(), ws, []string{b.Entities[0].Key}); return err },
		func() error { _, err := s.Around(t.Context(), ws, entities, 0); return err },
		func() error { _, err := s.Stated(t.Context(), ws, b.DeleteRelations); return err },
		func() error { _, err := s.Chunks(t.Context(), ws, graphstore.ChunkQuery{IDs: chunks}); return err },
	} {
		if err := read(); err != nil {
			t.Fatal(err)
		}
	}
	_, ran := tap.Take()
	var steady []string
	for statement := range ran {
		if strings.HasPrefix(statement, "CYPHER replan=skip ") {
			steady = append(steady, statement)
		}
	}
	return steady
}

// testOpen opens stores with bad settings; each error names the setting.
func testOpen(t *testing.T, at *servers.Neo4jServer) {
	good := neo4j.Options{URL: at.URL, User: at.User, Password: at.Password, Database: at.Database, SilenceTimeout: 10 * time.Second}
	for _, c := range []struct {
		name, says string
		kind       domain.Kind
		change     func(*neo4j.Options)
	}{
		{"no address", "NEO4J_URL", domain.Invalid, func(o *neo4j.Options) { o.URL = "http://127.0.0.1:7474" }},
		{"nobody there", "NEO4J_URL", domain.Unavailable, func(o *neo4j.Options) { o.URL = "bolt://127.0.0.1:1" }},
		{"encrypted", "without +s", domain.Invalid, func(o *neo4j.Options) { o.URL = strings.Replace(o.URL, "://", "+s://", 1) }},
		{"wrong password", "NEO4J_PASSWORD", domain.Invalid, func(o *neo4j.Options) { o.Password = "wrong" }},
		{"no password", "NEO4J_PASSWORD", domain.Invalid, func(o *neo4j.Options) { o.Password = "" }},
		{"no such database", "NEO4J_DATABASE", domain.Invalid, func(o *neo4j.Options) { o.Database = "nowhere" }},
	} {
		o := good
		c.change(&o)
		s, err := neo4j.Open(t.Context(), o)
		if err == nil {
			t.Errorf("%s: got no error", c.name)
			_ = s.Close()
			continue
		}
		if message, _ := domain.MessageOf(err); domain.KindOf(err) != c.kind || !strings.Contains(message, c.says) {
			t.Errorf("%s: got kind %d, %q, want kind %d and a mention of %s", c.name, domain.KindOf(err), message, c.kind, c.says)
		}
	}
}

const schema = `SHOW INDEXES YIELD name, type, labelsOrTypes, properties, owningConstraint RETURN name, type, labelsOrTypes, properties, owningConstraint ORDER BY name`

// testMigrations opens a graph that lacks a migration, and one that a newer
// program wrote.
func testMigrations(t *testing.T, at *servers.Neo4jServer) {
	open(t, at)
	fresh := ask(t, at, "", schema)
	if len(fresh) < 9 {
		t.Fatalf("got %d indexes: %v", len(fresh), fresh)
	}
	open(t, at)
	same(t, "indexes when nothing is to be done", ask(t, at, "", schema), fresh)
	const records = `MATCH (m:__Migration__) RETURN m.name, toString(m.applied_at) ORDER BY m.name`
	before := ask(t, at, "", records)
	ask(t, at, "", `DROP INDEX entity_words`)
	ask(t, at, "", `MATCH (m:__Migration__ {name: "0002_create_indexes"}) DELETE m`)
	open(t, at)
	same(t, "indexes when some were missing", ask(t, at, "", schema), fresh)
	after := ask(t, at, "", records)
	if len(after) != len(before) || after[0][1] != before[0][1] {
		t.Errorf("got records %v before and %v after: want the second rewritten and the first unchanged", before, after)
	}
	ask(t, at, "", `CREATE (:__Migration__ {name: "9999_from_the_future"})`)
	_, err := neo4j.Open(t.Context(), neo4j.Options{URL: at.URL, User: at.User, Password: at.Password})
	if message, _ := domain.MessageOf(err); domain.KindOf(err) != domain.Conflict || !strings.Contains(message, "9999_from_the_future") {
		t.Errorf("newer graph: %v", err)
	}
	ask(t, at, "", `MATCH (m:__Migration__ {name: "9999_from_the_future"}) DELETE m`)

	ask(t, at, "", `MATCH (m:__Migration__) DELETE m`)
	for _, index := range []string{"entity_mentions", "entity_words", "chunk_text", "entity_key", "document_name"} {
		ask(t, at, "", `DROP INDEX `+index)
	}
	var all errgroup.Group
	for range 4 {
		all.Go(func() error {
			s, err := neo4j.Open(t.Context(), neo4j.Options{URL: at.URL, User: at.User, Password: at.Password, SilenceTimeout: 2 * time.Minute})
			if err == nil {
				err = s.Close()
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Errorf("several at once: %v", err)
	}
	same(t, "indexes that several made at once", ask(t, at, "", schema), fresh)
}

// testPause pauses the server: reads and writes must time out with a
// user-facing sentence, and work again when it resumes.
func testPause(t *testing.T, at *servers.Neo4jServer) {
	s, ws := open(t, at), domain.WorkspaceID(t.Name())
	apply(t, s, ws, library(10, 2))
	s.SilenceTimeout = 300 * time.Millisecond
	at.Pause(t)
	began := time.Now()
	_, err := s.Cursor(t.Context(), ws)
	unavailable(t, "read", err)
	unavailable(t, "write", s.Apply(t.Context(), ws, graphstore.Batch{After: 1, Cursor: 2}))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the read and the write took %v to fail", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Stats(ctx, ws); domain.KindOf(err) == domain.Unavailable {
		t.Errorf("cancelled read: got %v", err)
	}
	at.Resume(t)
	s.SilenceTimeout = time.Minute
	apply(t, s, ws, graphstore.Batch{DeleteDocuments: []domain.DocumentID{"d000001"}})
	stats, err := s.Stats(t.Context(), ws)
	if err != nil || stats.Documents != 9 {
		t.Errorf("got %+v, error %v; want 9 documents", stats, err)
	}
}

// testBusy keeps the server from a write for longer than it may be silent: the write goes on, unless that lasts for Timeout, which the
// sentence then says. Meanwhile others are answered.
func testBusy(t *testing.T, at *servers.Neo4jServer) {
	ws := domain.WorkspaceID(t.Name())
	apply(t, open(t, at), ws, library(10, 2))
	waiting := func(timeout time.Duration) *neo4j.Store {
		s, err := neo4j.Open(t.Context(), neo4j.Options{
			URL: at.URL, User: at.User, Password: at.Password, Database: at.Database, SilenceTimeout: 2500 * time.Millisecond, Timeout: timeout, Remember: time.Minute, Now: time.Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	patient, brief := waiting(time.Minute), waiting(3*time.Second)
	session := connect(t, at).NewSession(t.Context(), driver.SessionConfig{})
	defer session.Close(context.WithoutCancel(t.Context()))
	busy, err := session.BeginTransaction(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := busy.Run(t.Context(), `MATCH (w:__Workspace__ {id: $w}) SET w.held = true`, map[string]any{"w": string(ws)}); err != nil {
		t.Fatal(err)
	}
	gone, done := graphstore.Batch{DeleteDocuments: []domain.DocumentID{"d000001"}, After: 1, Cursor: 2}, make(chan error, 1)
	go func() { done <- patient.Apply(t.Context(), ws, gone) }()
	err = brief.Apply(t.Context(), ws, gone)
	unavailable(t, "a write that waits for too long", err)
	if message, _ := domain.MessageOf(err); !strings.Contains(message, "is busy") || !strings.Contains(message, "within 3s (NEO4J_TIMEOUT)") || strings.Contains(message, "does not answer") {
		t.Errorf("it ends with %q", message)
	}
	if _, err := brief.Stats(t.Context(), ws); err != nil {
		t.Errorf("a busy server is taken to be away: %v", err)
	}
	select {
	case err := <-done:
		t.Fatalf("a write that may wait ends with %v", err)
	case <-time.After(2 * patient.SilenceTimeout):
	}
	if err := busy.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("once the server is free: %v", err)
	}
}

// testKill kills the server in the middle of a batch: after the restart the
// batch is there whole or not at all, and applying it again completes it.
func testKill(t *testing.T, at *servers.Neo4jServer) {
	s, ws := open(t, at), domain.WorkspaceID(t.Name())
	batch := library(500, 6)
	batch.Cursor = 1
	s.Rows = 10 // many statements, so that the kill hits the middle
	watcher := connect(t, at)
	done := make(chan error)
	go func() { done <- s.Apply(t.Context(), ws, batch) }()
	for began := false; !began; { // wait until the first statements are visible
		for _, r := range askOver(t, watcher, ws, `SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH "UNWIND" RETURN 1`) {
			began = len(r) > 0
		}
	}
	remembering, err := neo4j.Open(t.Context(), neo4j.Options{URL: at.URL, User: at.User, Password: at.Password, Database: at.Database, Remember: 200 * time.Millisecond, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer remembering.Close()
	at.Kill(t)
	unavailable(t, "apply", <-done)
	testAway(t, remembering, ws)
	at.Start(t)
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := remembering.Cursor(t.Context(), ws); err == nil {
			break
		} else if time.Now().After(until) {
			t.Fatalf("the server is back: %v", err)
		}
	}
	cursor, err := s.Cursor(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := s.Stats(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	if whole := stats.Entities == len(batch.Entities); cursor == 0 && stats != (graphstore.Stats{}) || cursor == 1 && !whole {
		t.Errorf("got cursor %d with %+v", cursor, stats)
	}
	s.Rows = 1000
	if err := s.Apply(t.Context(), ws, batch); err != nil {
		t.Fatal(err)
	}
	stats, err = s.Stats(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stats", stats, graphstore.Stats{Documents: 500, Chunks: 500, Entities: len(batch.Entities), Relations: len(batch.Relations)})
}

// testAway reads from a server that is gone: only the first who reads waits.
func testAway(t *testing.T, s *neo4j.Store, ws domain.WorkspaceID) {
	t.Helper()
	began := time.Now()
	_, err := s.Cursor(t.Context(), ws)
	unavailable(t, "the first read", err)
	first := time.Since(began)
	began = time.Now()
	for range 20 {
		_, err := s.Stats(t.Context(), ws)
		unavailable(t, "another read", err)
		if _, ok := domain.AwaySince(err); !ok {
			t.Errorf("%v does not tell since when", err)
		}
	}
	took := time.Since(began)
	t.Logf("the first read took %v, 20 others %v", first, took)
	if took > time.Second {
		t.Errorf("20 reads from a server that is known to be away took %v", took)
	}
}

func unavailable(t *testing.T, what string, err error) {
	t.Helper()
	if message, _ := domain.MessageOf(err); domain.KindOf(err) != domain.Unavailable || !strings.Contains(message, "Neo4j") {
		t.Errorf("%s: got %v, want kind Unavailable and a sentence that names Neo4j", what, err)
	}
}
