package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm/llmtest"
)

// TestNobodyReadsWhereAModelIs has each role of a model fail with words that hold its
// address, and looks for them in all that is stored and shown. The log has the address.
func TestNobodyReadsWhereAModelIs(t *testing.T) {
	t.Parallel()
	built(t)
	model := drawing(t, 450, nil, nil)
	address := strings.TrimPrefix(model.URL, "http://")
	sh := connected(t, model, "RERANK=20", "THEMES_BY_MODEL=true")
	sh.must(t, "ingest", millFile(t))
	tells := llmtest.Fail(400, "POST "+model.URL+"/chat/completions: upstream "+address+" can't open /srv/secret/tiny.gguf")
	model.First(llmtest.Tool("specify_chart"), tells)
	said := sh.must(t, "ask", "How much did Weir Mill make?") + sh.must(t, "ask", "--json", "How much did Weir Mill make in 1812?")
	if !strings.Contains(said, "chart could not be made") {
		t.Fatalf("the chart did not fail: the test would see nothing\n%s", said)
	}
	model.First(llmtest.Any, tells)
	other := filepath.Join(t.TempDir(), "other.txt")
	noError(t, os.WriteFile(other, []byte("Maud Ferring founded the Carrow Foundry."), 0o600))
	for _, args := range [][]string{
		{"ingest", other}, {"ask", "Who made the reams?"}, {"ask", "--json", "Who made the reams of paper?"}, {"ask", "What are the main themes?"},
		{"summarize", "mill.txt"}, {"run", "list"}, {"run", "list", "--json"}, {"documents", "list", "--json"},
	} {
		out, _ := sh.run(t, args...)
		said += out
	}
	shows := func(where, text string) {
		t.Helper()
		for _, place := range []string{address, "/srv/secret", "tiny.gguf"} {
			if i := strings.Index(text, place); i >= 0 {
				t.Errorf("%s shows %q: …%s…", where, place, text[max(0, i-200):min(len(text), i+100)])
			}
		}
	}
	shows("a command", said)
	holdsNone(t, sh.data, address, "/srv/secret")
	v := sh.pages(t)
	seen, next := map[string]bool{}, []string{"/", "/documents", "/conversations", "/runs", "/summaries", "/themes", "/health", "/evaluation", "/usage"}
	links := regexp.MustCompile(`(?:href|hx-get|sse-connect)="(/w/library/(?:runs|documents|conversations|summaries|c|answers)[^"#]*)"`)
	for len(next) > 0 && len(seen) < 80 {
		path := next[0]
		next = next[1:]
		if seen[path] || strings.Contains(path, "events") || strings.Contains(path, "feed") {
			continue
		}
		seen[path] = true
		_, page := v.get(t, path)
		shows(path, page)
		for _, to := range links.FindAllStringSubmatch(page, -1) {
			next = append(next, strings.ReplaceAll(to[1], "&amp;", "&"))
		}
	}
	if len(seen) < 12 {
		t.Errorf("only %d pages were seen", len(seen))
	}
}

// holdsNone looks for words in every file of a data folder.
func holdsNone(t *testing.T, dir string, words ...string) {
	t.Helper()
	noError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := os.ReadFile(path)
		for _, w := range words {
			if i := bytes.Index(file, []byte(w)); i >= 0 {
				t.Errorf("%s holds %q: …%q…", filepath.Base(path), w, file[max(0, i-150):min(len(file), i+60)])
			}
		}
		return err
	}))
}

// TestWaysInWhichAModelFails asks a server that fails before it answers.
func TestWaysInWhichAModelFails(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	closed.Close()
	serving := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	for name, address := range map[string]string{
		"refused": "http://" + closed.Addr().String(),
		"timeout": serving(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or the server would not see that the caller has gone
			<-r.Context().Done()
		}),
		"500": serving(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "failed at http://"+r.Host+r.URL.Path, http.StatusInternalServerError)
		}),
		"TLS":       secure.URL,
		"plain TLS": strings.Replace(serving(http.NotFound), "http:", "https:", 1),
		"DNS":       "http://odd-host.invalid:4711",
		"redirect": serving(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://odd-host.invalid:4711/v1", http.StatusTemporaryRedirect)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sh := newShell(t)
			sh.must(t, "ingest", millFile(t))
			sh.environ = append(sh.environ, "LLM_PROVIDER=openai", "LLM_BASE_URL="+address+"/odd-path/v1", "LLM_MODEL=tiny", "EXTRACT_MODE=tool", "LLM_TIMEOUT=300ms")
			s, stdout, log := sh.env()
			root := program(s)
			root.SetArgs([]string{"ask", "--json", "How much did Weir Mill make in 1812?"})
			failed := root.ExecuteContext(t.Context())
			_, host, _ := strings.Cut(address, "://")
			for _, place := range []string{host, "odd-path", "odd-host"} {
				if text := stdout.String() + fmt.Sprint(failed); strings.Contains(text, place) {
					t.Errorf("it says %s", text)
				}
			}
			if !strings.Contains(log.String(), host) {
				t.Errorf("the log does not say where: %s", log)
			}
			holdsNone(t, sh.data, host, "odd-path", "odd-host")
		})
	}
}
