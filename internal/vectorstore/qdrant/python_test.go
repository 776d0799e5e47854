package qdrant_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/clewhq/clew/internal/testkit/python"
	"github.com/clewhq/clew/internal/vectorstore"
)

// TestPythonReadsTheIndex runs the Python of the page about stores on a server in
// memory, with a model that knows one vector.
func TestPythonReadsTheIndex(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("go test -short fetches no packages")
	}
	interpreter := python.Interpreter(t)
	s, d := store(t, nil)
	founder, bell := point(vectorstore.Chunks, "founder", 1, 0, 0), point(vectorstore.Chunks, "bell", 0, 1, 0)
	founder.Title, bell.Title = "Foundry", "Bell"
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{founder, bell}})
	page, err := os.ReadFile("../../../docs/stores.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)## Qdrant.*?```python\n(.*?)```").FindSubmatch(page)
	if code == nil {
		t.Fatal("the page has no Python")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"stores.py":                string(code[1]),
		"sentence_transformers.py": "class SentenceTransformer:\n    def __init__(self, name):\n        pass\n\n    def encode(self, text, normalize_embeddings):\n        return [0.1, 0.99, 0.1]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), interpreter, "-B", "stores.py")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "QDRANT_URL="+d.URL, "QDRANT_API_KEY=", "WORKSPACE="+string(ws))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{`(?m)^qdrant-client \['bell', 'founder'\]$`, `(?m)^QdrantVectorStore \['Bell', 'Foundry'\]$`} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("want %s in\n%s", want, out)
		}
	}
}
