package neo4j_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// connect bypasses the store, like the server's tools.
func connect(t testing.TB, at *servers.Neo4jServer) driver.DriverWithContext {
	t.Helper()
	d, err := driver.NewDriverWithContext(at.URL, driver.BasicAuth(at.User, at.Password, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close(context.Background()) }) // the server may be gone
	return d
}

// ask runs a query in which $w is ws.
func ask(t testing.TB, at *servers.Neo4jServer, ws domain.WorkspaceID, query string) [][]any {
	t.Helper()
	return askOver(t, connect(t, at), ws, query)
}

func askOver(t testing.TB, d driver.DriverWithContext, ws domain.WorkspaceID, query string) [][]any {
	t.Helper()
	result, err := driver.ExecuteQuery(t.Context(), d, query, map[string]any{"w": string(ws)}, driver.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	for _, r := range result.Records {
		rows = append(rows, r.Values)
	}
	return rows
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func apply(t testing.TB, s graphstore.Store, w domain.WorkspaceID, b graphstore.Batch) {
	t.Helper()
	at, err := s.Cursor(t.Context(), w)
	if err == nil {
		b.After, b.Cursor = at, at+1
		err = s.Apply(t.Context(), w, b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func entity(id, label string, links ...graphstore.Link) graphstore.Entity {
	return graphstore.Entity{Entity: domain.Entity{ID: domain.EntityID(id), Label: label, Key: "key " + id, Name: id}, Links: links}
}

func related(source, kind, target string) domain.Relation {
	id := domain.NewRelationID(domain.EntityID(source), kind, domain.EntityID(target))
	return domain.Relation{ID: id, Source: domain.EntityID(source), Type: kind, Target: domain.EntityID(target), Evidence: []domain.Evidence{{Chunk: "c1", Document: "d1"}}}
}

// hostile are texts that some component treats specially.
var hostile = []string{
	"", " ", "`", "a`b", "``", "A`) DETACH DELETE (n) //", "}) MATCH (n) DETACH DELETE n WITH 1 AS x //", "$workspace", "' OR 1=1 --", "\"", "\\", `\u0060`,
	"Document", "Chunk", "__Entity__", "__Workspace__", "__Migration__", "FROM_CHUNK", "FROM_DOCUMENT", "NEXT_CHUNK", "id", "workspace_id",
	"人物", "e\u0301", "Ж", "👩‍🚀", "\u202e", "\x00", "tab\tnew\nline", strings.Repeat("long ", 2000),
}

// TestHostileNames uses every hostile text as label, name, alias, key, type and
// property: each is read back unchanged, and nothing else changes.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	at := servers.Neo4j(t)
	s := open(t, at)
	ws, bystander := domain.WorkspaceID(t.Name()+"` {}) //"), domain.WorkspaceID(t.Name()+" bystander")
	reset(t, s, ws)
	reset(t, s, bystander)
	apply(t, s, bystander, graphstore.Batch{Entities: []graphstore.Entity{entity("e1", "Person")}})
	var b graphstore.Batch
	for i, text := range hostile {
		e := entity(fmt.Sprint("e", i), text)
		e.Key, e.Name, e.Aliases, e.AliasKeys = text, text, []string{text, "x" + text}, []string{"x" + text}
		e.Properties = domain.Properties{{Key: text, Value: text}, {Key: text, Value: "2"}, {Key: "plain", Value: text}}
		b.Entities = append(b.Entities, e)
		b.Relations = append(b.Relations, related(fmt.Sprint("e", i), text, fmt.Sprint("e", (i+1)%len(hostile))))
	}
	for range 2 { // the second time replaces everything
		apply(t, s, ws, b)
	}
	for i, e := range b.Entities {
		e.Relations = 2
		got, err := s.Entity(t.Context(), ws, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("entity %q", hostile[i]), got, e.Entity)
		edges, err := s.Relations(t.Context(), ws, e.ID, 0)
		if err != nil || len(edges) != 2 {
			t.Fatalf("got %d relations, error %v", len(edges), err)
		}
		byKey, err := s.ByKey(t.Context(), ws, []string{hostile[i], "x" + hostile[i]})
		if err != nil || len(byKey) != 1 {
			t.Errorf("got %d entities with the key %.20q, error %v", len(byKey), hostile[i], err)
		}
		if _, _, err := s.Entities(t.Context(), ws, graphstore.EntityQuery{Text: hostile[i], Labels: hostile[i : i+1], Order: graphstore.ByName}); err != nil {
			t.Errorf("search for %.20q: got error %v", hostile[i], err)
		}
	}
	a, err := s.Adjacency(t.Context(), ws)
	if err != nil || len(a.Relations) != len(hostile) || len(a.Links) != 0 {
		t.Fatalf("got %d relations, %d links, error %v", len(a.Relations), len(a.Links), err)
	}
	same(t, "the bystander", ask(t, at, bystander, `MATCH (n {workspace_id: $w}) WHERE n.id <> $w RETURN labels(n)`), [][]any{{[]any{"__Entity__", "Person"}}})
	same(t, "nodes of other kinds", ask(t, at, ws, `MATCH (n {workspace_id: $w}) WHERE n:Document OR n:Chunk OR n:__Workspace__ AND n:__Entity__ RETURN n`), [][]any(nil))
	apply(t, s, ws, graphstore.Batch{DeleteEntities: []domain.EntityID{"e1"}, DeleteRelations: []graphstore.RelationRef{{ID: b.Relations[4].ID, Source: "e4", Target: "e5"}}})
	stats, err := s.Stats(t.Context(), ws)
	same(t, "stats after deletions", stats, graphstore.Stats{Entities: len(hostile) - 1, Relations: len(hostile) - 3})
	if err != nil {
		t.Fatal(err)
	}
}

// TestVocabulary reads the graph like other programs do.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	at := servers.Neo4j(t)
	s, ws := open(t, at), domain.WorkspaceID(t.Name())
	reset(t, s, ws)
	ann := entity("ann", "Person", graphstore.Link{Chunk: "c2", Document: "d1", Kind: graphstore.LinkMention, Spans: []domain.Span{{Start: 4, End: 7}}})
	ann.Properties = domain.Properties{{Key: "born", Value: "1815"}}
	document := func(chunks ...domain.ChunkID) graphstore.Document {
		d := graphstore.Document{ID: "d1", Name: "a.txt", Title: "A"}
		for i, c := range chunks {
			d.Chunks = append(d.Chunks, graphstore.Chunk{ID: c, Ordinal: i, Text: "text of " + string(c)})
		}
		return d
	}
	apply(t, s, ws, graphstore.Batch{
		Documents: []graphstore.Document{document("c1", "c2", "c3")}, Entities: []graphstore.Entity{ann, entity("acme", "Company")},
		Relations: []domain.Relation{related("ann", "WORKS_FOR", "acme")},
	})
	const chain = `MATCH (:Document {workspace_id: $w})<-[:FROM_DOCUMENT]-(a:Chunk)-[:NEXT_CHUNK]->(b:Chunk) RETURN a.id, b.id ORDER BY a.index`
	same(t, "chunks in order", ask(t, at, ws, chain), [][]any{{"c1", "c2"}, {"c2", "c3"}})
	same(t, "who works for whom, and where it says so", ask(t, at, ws, `MATCH (p:Person {workspace_id: $w})-[r:WORKS_FOR]->(c:__Entity__:Company), (p)-[:FROM_CHUNK]->(k:Chunk)
		RETURN p.name, p.born, r.contributions, c.name, k.text`), [][]any{{"ann", "1815", int64(1), "acme", "text of c2"}})

	ann.Label, ann.Properties = "Pilot", nil
	apply(t, s, ws, graphstore.Batch{Documents: []graphstore.Document{document("c3", "c4", "c2")}, Entities: []graphstore.Entity{ann}})
	same(t, "chunks in their new order", ask(t, at, ws, chain), [][]any{{"c3", "c4"}, {"c4", "c2"}})
	same(t, "the new label alone", ask(t, at, ws, `MATCH (p:__Entity__ {workspace_id: $w, id: "ann"}) RETURN labels(p), p.born`), [][]any{{[]any{"__Entity__", "Pilot"}, nil}})
	apply(t, s, ws, graphstore.Batch{DeleteDocuments: []domain.DocumentID{"d1"}, DeleteEntities: []domain.EntityID{"ann", "acme"}})
	same(t, "what is left", ask(t, at, ws, `MATCH (n {workspace_id: $w}) RETURN labels(n)`), [][]any{{[]any{"__Workspace__"}}})
}

// TestSmallParts splits a batch into many statements and empties a graph in
// several parts.
func TestSmallParts(t *testing.T) {
	t.Parallel()
	at := servers.Neo4j(t)
	s, ws := open(t, at), domain.WorkspaceID(t.Name())
	s.Rows = 3
	reset(t, s, ws)
	const n = 100
	b := library(n, 4)
	apply(t, s, ws, b)
	stats, err := s.Stats(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stats", stats, graphstore.Stats{Documents: n, Chunks: n, Entities: len(b.Entities), Relations: len(b.Relations)})
	reset(t, s, ws)
	same(t, "what is left", ask(t, at, ws, `MATCH (n {workspace_id: $w}) RETURN labels(n)`), [][]any{{[]any{"__Workspace__"}}})
}

// TestInterruptedReset stops a reset after its first transaction, like a crash;
// the next batch must still find an empty graph.
func TestInterruptedReset(t *testing.T) {
	t.Parallel()
	at := servers.Neo4j(t)
	s, ws := open(t, at), domain.WorkspaceID(t.Name())
	reset(t, s, ws)
	apply(t, s, ws, library(20, 2))
	ask(t, at, ws, `MATCH (w:__Workspace__ {id: $w}) SET w.cursor = 0, w.emptying = true`)
	apply(t, s, ws, graphstore.Batch{Entities: []graphstore.Entity{entity("ann", "Person")}})
	stats, err := s.Stats(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stats", stats, graphstore.Stats{Entities: 1})
}
