package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	mathrand "math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
)

// embedder is the embedding model of these tests.
const embedder = "small"

// TestEverySetOfStores runs the program on each set of stores: it reads the
// sample library, answers, deletes, and compares the result with a library that
// never had the document. The sets with servers need the Qdrant at QDRANT_URL,
// with QDRANT_API_KEY if it requires one.
func TestEverySetOfStores(t *testing.T) {
	race.Want(t)
	t.Parallel()
	built(t)
	model := llmtest.New(t)
	environ := []string{
		"EMBED_PROVIDER=openai", "EMBED_BASE_URL=" + model.URL, "EMBED_MODEL=" + embedder, "EMBED_API_KEY=key", "LOG_LEVEL=warn", "UNDO_TIME=1ms",
	}
	question := sample.Try()[0]
	left := without(t, question.Sources[1], environ)
	embedded := newShell(t, environ...)
	t.Run("embedded", func(t *testing.T) {
		v := embedded.serve(t)
		tour(t, embedded, v, filled(t, embedded, v), question, left)
	})
	t.Run("servers", func(t *testing.T) {
		moved := shell{data: embedded.data, environ: slices.Concat(environ, storeServers(t))}
		for _, f := range sample.Files() {
			if f.Name == question.Sources[1] {
				embedded.must(t, "ingest", file(t, t.TempDir(), f.Name, string(f.Data)))
			}
		}
		texts := func(r llmtest.Request) bool {
			return llmtest.Embedding(r) && !slices.Equal(r.Inputs, []string{"dimension"})
		}
		calls := model.Calls(texts)
		moved.must(t, "rebuild")
		if again := model.Calls(texts); again != calls {
			t.Errorf("moving called the model %d times", again-calls)
		}
		a := moved.app(t)
		if diff := cmp.Diff(contentsIn(t, embedded.app(t)), contentsIn(t, a)); diff != "" {
			t.Errorf("-embedded +moved to servers\n%s", diff)
		}
		tour(t, moved, moved.serve(t), a, question, left)
	})
	t.Run("fleet", func(t *testing.T) {
		fleet := newShellWithoutData(t, slices.Concat(environ, storeServers(t), []string{"DATABASE_URL=" + servers.PostgresURL(t)})...)
		pages := fleet.pages(t)
		fleet.worker(t)
		fleet.worker(t)
		tour(t, fleet, pages, filled(t, fleet, pages), question, left)
		if _, err := os.Stat(fleet.data); err == nil {
			t.Error("a data folder was made, which this set of stores does not need")
		}
	})
	for name, database := range map[string]func(testing.TB) string{"damaged servers": nil, "damaged fleet": servers.PostgresURL} {
		t.Run(name, func(t *testing.T) {
			set, neo4j := storesOn(t)
			sh := newShell(t, set...)
			if database != nil {
				sh.environ = append(sh.environ, "DATABASE_URL="+database(t))
			}
			damageAndMend(t, neo4j, func() (config.Config, env, *screen) {
				s, out, _ := sh.env()
				cfg, err := s.load("")
				noError(t, err)
				return cfg, s, out
			})
		})
	}
	t.Run("another embedding model", func(t *testing.T) {
		sh := connected(t, obliging(t))
		sh.environ = append(sh.environ, storeServers(t)...)
		changeEmbeddingModel(t, sh)
	})
}

// filled reads the sample library.
func filled(t *testing.T, sh shell, v *served) *app {
	t.Helper()
	if status, _ := v.post(t, "/sample", nil); status != 303 {
		t.Fatalf("status %d", status)
	}
	a := sh.app(t)
	ready(t, a, 12)
	return a
}

// without returns the contents of an embedded library that never had a file.
func without(t *testing.T, name string, environ []string) contents {
	t.Helper()
	sh, dir := newShell(t, environ...), t.TempDir()
	for _, f := range sample.Files() {
		if f.Name != name {
			file(t, dir, f.Name, string(f.Data))
		}
	}
	sh.must(t, "ingest", dir)
	c := contentsIn(t, sh.app(t))
	c.Documents = nil // they tell when they were read
	return c
}

// counts charts counts of the graph and compares them with the graph.
func counts(t *testing.T, v *served, a *app) {
	t.Helper()
	held, err := a.graph.Stats(t.Context(), domain.DefaultWorkspace)
	noError(t, err)
	for question, want := range map[string]int{"Draw a chart of the top 100 entities by label": held.Entities, "Draw a chart of the top 100 relations by type": held.Relations} {
		m := asked(t, v, a, question)
		if len(m.Figures) != 1 || m.Figures[0].Chart == nil {
			t.Errorf("%s: %+v", question, m.Figures)
			continue
		}
		sum := 0.0
		for _, p := range m.Figures[0].Chart.Series[0].Points {
			sum += p.Value
		}
		if sum != float64(want) {
			t.Errorf("%s: they are %g together, and the graph holds %d", question, sum, want)
		}
	}
}

// tour asks a question, deletes the document with the answer, compares what is
// left, and runs the maintenance commands.
func tour(t *testing.T, sh shell, v *served, a *app, q sample.Question, left contents) {
	t.Helper()
	m := asked(t, v, a, q.Question)
	if !strings.Contains(m.Text, q.Answer) {
		t.Errorf("the answer is %q", m.Text)
	}
	for _, e := range q.Evidence {
		if !slices.ContainsFunc(m.Citations, func(c domain.Citation) bool { return c.Document == e.File && strings.Contains(c.Text, e.Sentence) }) {
			t.Errorf("not cited: %s of %s", e.Sentence, e.File)
		}
	}
	counts(t, v, a)
	docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(docs, func(d domain.Document) bool { return d.Name == q.Sources[1] })
	if at < 0 {
		t.Fatalf("%s is not among %d documents", q.Sources[1], len(docs))
	}
	if status, _ := v.post(t, "/documents/"+string(docs[at].ID)+"/delete", nil); status != 303 {
		t.Fatalf("deleting has status %d", status)
	}
	for deadline := time.Now().Add(hangs); ; time.Sleep(10 * time.Millisecond) {
		marked, err := a.ledger.Marked(t.Context(), domain.DefaultWorkspace, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(marked) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", marked[0].Name)
		}
	}
	got := contentsIn(t, a)
	if len(got.Documents) != 11 {
		t.Errorf("%d documents are left", len(got.Documents))
	}
	got.Documents = nil
	if diff := cmp.Diff(left, got); diff != "" {
		t.Errorf("-never had it +deleted\n%s", diff)
	}
	if m := asked(t, v, a, q.Question); strings.Contains(m.Text, q.Answer) {
		t.Errorf("it still knows: %q", m.Text)
	}
	if out := sh.must(t, "doctor"); !strings.Contains(out, "is up to date") {
		t.Errorf("doctor says %q", out)
	}
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	if out := sh.must(t, "backup", archive); !strings.Contains(out, "11 documents") {
		t.Errorf("backup says %q", out)
	}
	if out := sh.must(t, "fsck"); !strings.Contains(out, "is sound: 11 documents") {
		t.Errorf("fsck says %q", out)
	}
}

// asked returns the answer to a question asked on the page.
func asked(t *testing.T, v *served, a *app, question string) ledger.Answer {
	t.Helper()
	_, place := v.post(t, "/ask", url.Values{"question": {question}})
	_, id, _ := strings.Cut(place, "#turn-")
	m := settled(t, a, domain.MessageID(id))
	if m.Status != ledger.MessageDone {
		t.Errorf("%s\nended as %s", question, m.Status)
	}
	return m
}

// pages is serve without workers.
func (sh shell) pages(t *testing.T) *served {
	t.Helper()
	s, _, _ := sh.env()
	cfg, err := s.load("")
	if err != nil {
		t.Fatal(err)
	}
	s.noWork = true
	return launched(t, cfg, s)
}

// worker starts clew work in a process that is stopped when the test ends.
func (sh shell) worker(t *testing.T) {
	t.Helper()
	cmd, said := sh.process(t, "work"), new(screen)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("a worker ended with status %d:\n%s", code, said)
		}
	})
}

// storeServers returns the settings of a private Neo4j and of the Qdrant at
// QDRANT_URL, with collections whose names are the test's. They are emptied when the
// test ends.
func storeServers(t *testing.T) []string {
	t.Helper()
	set, _ := storesOn(t)
	return set
}

// storesOn returns the same settings and the Neo4j.
func storesOn(t *testing.T) ([]string, *servers.Neo4jServer) {
	t.Helper()
	address, key := os.Getenv("QDRANT_URL"), os.Getenv("QDRANT_API_KEY")
	if address == "" {
		t.Skip("left out: QDRANT_URL names no Qdrant server")
	}
	prefix := "clew-" + strings.ToLower(rand.Text())
	index, err := qdrant.Open(t.Context(), qdrant.Options{
		URL: address, APIKey: key, Prefix: prefix, Model: embedder, Now: time.Now, Random: mathrand.Uint64, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), hangs)
		defer cancel()
		if err := index.Reset(ctx, domain.DefaultWorkspace, time.Now().UnixMilli()); err != nil {
			t.Error(err)
		}
	})
	neo4j := servers.OwnNeo4j(t)
	return []string{"NEO4J_URL=" + neo4j.URL, "NEO4J_PASSWORD=" + neo4j.Password, "QDRANT_URL=" + address, "QDRANT_PREFIX=" + prefix, "QDRANT_API_KEY=" + key}, neo4j
}
