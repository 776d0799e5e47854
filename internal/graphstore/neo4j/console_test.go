package neo4j_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// asking returns a store with two entities of the test's workspace and its
// console.
func asking(t *testing.T) (*neo4j.Console, *servers.Neo4jServer, domain.WorkspaceID) {
	t.Helper()
	at := servers.Neo4j(t)
	s, ws := open(t, at), domain.WorkspaceID(t.Name())
	reset(t, s, ws)
	link := graphstore.Link{Chunk: "c1", Document: "d1", Kind: graphstore.LinkMention, Spans: []domain.Span{{Start: 0, End: 2}}}
	apply(t, s, ws, graphstore.Batch{
		Documents: []graphstore.Document{{ID: "d1", Name: "a.txt", Chunks: []graphstore.Chunk{{ID: "c1", Text: "e1 met e2"}}}},
		Entities:  []graphstore.Entity{entity("e1", "Person", link), entity("e2", "Person", link)},
		Relations: []domain.Relation{related("e1", "MET", "e2")},
	})
	c, err := s.OpenConsole("", "")
	if err != nil {
		t.Fatal(err)
	}
	return c, at, ws
}

func statement(text string) graphstore.Statement {
	return graphstore.Statement{Text: text, Rows: 100, Timeout: 30 * time.Second}
}

func TestStatementsRead(t *testing.T) {
	t.Parallel()
	c, _, ws := asking(t)
	s := statement(`MATCH (a {workspace_id: $w})-[r:MET]->(b) RETURN a, r, b.name AS name, {n: 1.5, list: [1, null]} AS m`)
	s.Parameters = map[string]any{"w": string(ws)}
	got, err := c.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "columns", got.Columns, []string{"a", "r", "name", "m"})
	if len(got.Rows) != 1 || len(got.Nodes) != 1 || len(got.Edges) != 1 || got.More {
		t.Fatalf("got %+v", got)
	}
	same(t, "entity", got.Nodes[0].Entity, domain.EntityID("e1"))
	same(t, "label", got.Nodes[0].Label, "Person")
	same(t, "name", got.Rows[0][2], any("e2"))
	if _, err := json.Marshal(got); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		`MATCH p = ({workspace_id: $w})-[:MET]->() RETURN p`, `UNWIND range(1, 10) AS n RETURN n`, `CALL db.labels()`, `CALL db.labels() YIELD label RETURN label ORDER BY label;`,
		`RETURN 0.0 / 0.0, date(), duration('P1D'), point({x: 1, y: 2})`, `CALL (*) { RETURN 1 AS one } RETURN one`,
	} {
		s.Text = text
		got, err := c.Run(t.Context(), s)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestStatementsWriteNothing tries to change the database in every way that the
// language has.
func TestStatementsWriteNothing(t *testing.T) {
	t.Parallel()
	c, at, ws := asking(t)
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := ask(t, at, ws, `MATCH (n {workspace_id: $w}) RETURN count(n), sum(size(keys(n)))`)
	for _, text := range []string{
		`CREATE (n:Written {workspace_id: $w})`,
		`CREATE (n:Written {workspace_id: $w}) RETURN n`,
		`MERGE (n:Written {workspace_id: $w}) RETURN n`,
		`MATCH (n {workspace_id: $w}) SET n.written = true`,
		`MATCH (n {workspace_id: $w}) SET n:Written RETURN n`,
		`MATCH (n {workspace_id: $w}) REMOVE n.name`,
		`MATCH (n {workspace_id: $w}) DETACH DELETE n`,
		`MATCH (n {workspace_id: $w}) FOREACH (x IN [1] | SET n.written = x)`,
		`MATCH (n {workspace_id: $w}) CALL (n) { SET n.written = 1 }`,
		`MATCH (n {workspace_id: $w}) CALL (n) { SET n.written = 1 } IN TRANSACTIONS OF 1 ROW`,
		`MATCH (n {workspace_id: $w}) CALL { WITH n SET n.written = 1 } IN CONCURRENT TRANSACTIONS`,
		`UNWIND [1] AS x CALL { CREATE (:Written {workspace_id: 'x'}) } IN TRANSACTIONS RETURN x`,
		`PROFILE CREATE (n:Written {workspace_id: $w})`,
		`profile` + "\n" + `CREATE (n:Written {workspace_id: $w})`,
		`/* */ PROFILE CREATE (n:Written {workspace_id: $w})`,
		`EXPLAIN CREATE (n:Written {workspace_id: $w})`,
		`CYPHER 5 CREATE (n:Written {workspace_id: $w})`,
		`CYPHER runtime=slotted PROFILE CREATE (n:Written {workspace_id: $w})`,
		`MATCH (n) RETURN n; CREATE (n:Written {workspace_id: $w})`,
		`CREATE INDEX written IF NOT EXISTS FOR (n:Written) ON (n.id)`,
		`DROP INDEX entity_words IF EXISTS`,
		`CREATE CONSTRAINT written IF NOT EXISTS FOR (n:Written) REQUIRE n.id IS UNIQUE`,
		`CALL db.createLabel('Written')`,
		`CALL db.createProperty('written')`,
		`CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()`,
		`CALL dbms.listConfig()`,
		`CALL dbms.setConfigValue('db.logs.query.enabled', 'OFF')`,
		`CALL dbms.killConnections([])`,
		`CALL apoc.cypher.runWrite('CREATE (n:Written)', {})`,
		`CALL tx.setMetaData({a: 1})`,
		`LOAD CSV FROM 'file://` + secret + `' AS line RETURN line`,
		`LOAD CSV FROM 'http://127.0.0.1:1/' AS line RETURN line`,
		`CREATE USER written SET PASSWORD 'password of it'`,
		`ALTER USER neo4j SET PASSWORD 'password of it'`,
		`CREATE DATABASE written`,
		`STOP DATABASE neo4j`,
		`GRANT ROLE admin TO written`,
		`TERMINATE TRANSACTIONS 'neo4j-transaction-1'`,
		`SHOW TRANSACTIONS YIELD transactionId AS t TERMINATE TRANSACTIONS t YIELD message RETURN message`,
		`USE system CREATE USER written SET PASSWORD 'password of it'`,
	} {
		s := statement(text)
		s.Parameters = map[string]any{"w": string(ws)}
		got, err := c.Run(t.Context(), s)
		if err == nil {
			t.Errorf("%s was run: %+v", text, got)
			continue
		}
		if kind := domain.KindOf(err); kind != domain.Forbidden && kind != domain.Invalid {
			t.Errorf("%s: %v, of kind %v", text, err, kind)
		}
	}
	same(t, "what there was", ask(t, at, ws, `MATCH (n {workspace_id: $w}) RETURN count(n), sum(size(keys(n)))`), before)
	same(t, "what was written", ask(t, at, ws, `MATCH (n:Written) RETURN count(n)`), [][]any{{int64(0)}})
	same(t, "labels", ask(t, at, ws, `CALL db.labels() YIELD label WHERE label = 'Written' AND $w <> '' RETURN label`), [][]any{})
	same(t, "indexes", ask(t, at, ws, `SHOW INDEXES YIELD name WHERE name IN ['written', 'entity_words'] RETURN name`), [][]any{{"entity_words"}})
}

func TestStatementsKeepToTheirLimits(t *testing.T) {
	t.Parallel()
	c, _, _ := asking(t)
	s := statement(`UNWIND range(1, 1000000) AS n RETURN n`)
	s.Rows = 7
	got, err := c.Run(t.Context(), s)
	if err != nil || len(got.Rows) != 7 || !got.More {
		t.Errorf("%d rows, more %v, %v", len(got.Rows), got.More, err)
	}
	s = statement(`UNWIND range(1, 100000) AS n RETURN range(1, 1000) AS list`)
	s.Rows = 100_000
	if got, err = c.Run(t.Context(), s); err != nil || len(got.Rows) > 1000 || !got.More {
		t.Errorf("%d long rows, more %v, %v", len(got.Rows), got.More, err)
	}
	s = statement(`UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a, b WHERE a * b = -1 RETURN count(*)`)
	s.Timeout = time.Second
	_, err = c.Run(t.Context(), s)
	if domain.KindOf(err) != domain.TooLarge || !strings.Contains(domain.InWords(err), "took longer than 1s") {
		t.Errorf("a statement without end: %v", err)
	}
	_, err = c.Run(t.Context(), statement("MATCH (n)\n  RETRUN n"))
	if domain.KindOf(err) != domain.Invalid || !strings.Contains(domain.InWords(err), "line 2, column 3") {
		t.Errorf("a slip: %v", err)
	}
	_, err = c.Run(t.Context(), statement(`RETURN $missing`))
	if domain.KindOf(err) != domain.Invalid || !strings.Contains(domain.InWords(err), "missing") {
		t.Errorf("a missing parameter: %v", err)
	}
}

func TestAConsoleWithItsOwnUser(t *testing.T) {
	t.Parallel()
	at := servers.Neo4j(t)
	c, err := open(t, at).OpenConsole("reader", at.Password)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !c.Restricted() {
		t.Error("a console with its own user does not say so")
	}
	if _, err := c.Run(t.Context(), statement(`RETURN 1`)); err != nil && domain.KindOf(err) != domain.Invalid {
		t.Error(err)
	}
}
