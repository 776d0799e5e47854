package neo4j_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/testkit/python"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// passages is a document whose three passages have vectors along three axes, that of
// the second one where the Python of the test puts every question.
func passages() (graphstore.Batch, []graphstore.ChunkVector) {
	texts := []string{"Maud Ferring founded the foundry.", "Jonas Hale cast the bell in 1871.", "The bridge spans the river."}
	d := graphstore.Document{ID: "d", Name: "bell.txt", Title: "Bell"}
	var vectors []graphstore.ChunkVector
	for i, text := range texts {
		id := domain.ChunkID(string(rune('a' + i)))
		d.Chunks = append(d.Chunks, graphstore.Chunk{ID: id, Ordinal: i, Text: text})
		v := make([]float32, 3)
		v[i] = 1
		vectors = append(vectors, graphstore.ChunkVector{Chunk: id, Vector: v})
	}
	mention := graphstore.Link{Chunk: "b", Document: "d", Kind: graphstore.LinkMention, Spans: []domain.Span{{Start: 0, End: 10}}}
	person, bell := entity("jonas", "Person", mention), entity("bell", "Thing", mention)
	person.Name, bell.Name = "Jonas Hale", "The bell"
	return graphstore.Batch{Documents: []graphstore.Document{d}, Entities: []graphstore.Entity{person, bell}, Relations: []domain.Relation{related("jonas", "CAST", "bell")}}, vectors
}

func TestVectorsOfChunks(t *testing.T) {
	at := servers.OwnNeo4j(t)
	s, ws := open(t, at), domain.WorkspaceID("main")
	batch, vectors := passages()
	apply(t, s, ws, batch)
	put := func(v graphstore.Vectors) {
		t.Helper()
		if err := s.PutVectors(t.Context(), ws, v); err != nil {
			t.Fatal(err)
		}
	}
	embedded := func() int64 {
		t.Helper()
		n, _ := ask(t, at, ws, `MATCH (c:Chunk {workspace_id: $w}) WHERE c.embedding IS NOT NULL RETURN count(*)`)[0][0].(int64)
		return n
	}
	first := graphstore.Vectors{Token: 1, Cursor: 1, Model: "m", Dimension: 3, Chunks: vectors}
	put(first)
	put(graphstore.Vectors{Token: 1, Cursor: 2, Model: "m", Dimension: 3, Chunks: []graphstore.ChunkVector{{Chunk: "gone", Vector: []float32{1, 0, 0}}}})
	got, err := s.Vectors(t.Context(), ws)
	if err != nil || got.Cursor != 2 || got.Model != "m" || got.Dimension != 3 || embedded() != 3 {
		t.Errorf("got %+v, error %v, %d vectors; want those of three chunks", got, err, embedded())
	}
	if err := s.PutVectors(t.Context(), ws, graphstore.Vectors{Token: 0, Cursor: 3, Model: "m", Dimension: 3}); domain.KindOf(err) != domain.Conflict {
		apply(t, s, ws, graphstore.Batch{Token: 1})
		if err := s.PutVectors(t.Context(), ws, graphstore.Vectors{Token: 0, Cursor: 3, Model: "m", Dimension: 3}); domain.KindOf(err) != domain.Conflict {
			t.Errorf("a lower token: got %v, want a conflict", err)
		}
	}
	t.Run("read by Python", func(t *testing.T) { readByPython(t, at) })

	put(graphstore.Vectors{Token: 1, Cursor: 1, Model: "other", Dimension: 2, Chunks: []graphstore.ChunkVector{{Chunk: "a", Vector: []float32{1, 0}}}})
	dimension := ask(t, at, ws, `SHOW VECTOR INDEXES YIELD name, options WHERE name = "chunk_embedding" RETURN options.indexConfig["vector.dimensions"]`)
	if embedded() != 1 || len(dimension) != 1 || dimension[0][0] != int64(2) {
		t.Errorf("another model: %d vectors, index of %v dimensions; want 1 and 2", embedded(), dimension)
	}
	if err := s.Reset(t.Context(), ws, 1); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Vectors(t.Context(), ws); err != nil || got.Model != "" {
		t.Errorf("after a reset: got %+v, error %v; want none", got, err)
	}
}

// readByPython runs the Python of the page about stores, with a model that knows one
// vector.
func readByPython(t *testing.T, at *servers.Neo4jServer) {
	interpreter := python.Interpreter(t)
	page, err := os.ReadFile("../../../docs/stores.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)### From Python.*?```python\n(.*?)```").FindSubmatch(page)
	if code == nil {
		t.Fatal("the page has no Python")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"stores.py": string(code[1]),
		"sentence_transformers.py": `class SentenceTransformer:
    def __init__(self, name):
        assert name == "sentence-transformers/all-MiniLM-L6-v2"

    def encode(self, text, normalize_embeddings):
        return [0.1, 0.99, 0.1]
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), interpreter, "-B", "stores.py")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NEO4J_URL="+at.URL, "NEO4J_USER="+at.User, "NEO4J_PASSWORD="+at.Password, "QUESTION=Who cast the bell?")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	said := string(out)
	for _, want := range []string{"VectorRetriever ", "HybridRetriever ", "VectorCypherRetriever ", "Neo4jVector "} {
		line := regexp.MustCompile("(?m)^" + want + ".*$").FindString(said)
		if !strings.Contains(line, "Jonas Hale cast the bell") {
			t.Errorf("%sfound %q, want the passage about the bell", want, line)
		}
	}
	for _, want := range []string{"Chunk {", "(:Person)-[:CAST]->(:Thing)", "embedding: "} {
		if !strings.Contains(said, want) {
			t.Errorf("the schema lacks %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "__Workspace__") {
		t.Errorf("the schema has the program's own labels:\n%s", said)
	}
}
