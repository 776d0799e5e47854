package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/views/link"
)

// fleet is several processes on one Postgres. Graph and index are servers in
// the product; where no server is available here, the processes share files.
type fleet struct {
	shell
	database string
	neo4j    string // address of a server that asks for no password; "" for a file
}

func newFleet(t *testing.T, database string) fleet {
	t.Helper()
	f := fleet{shell: newShellWithoutData(t), database: database}
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		t.Fatal(err)
	}
	return f
}

// settings returns the settings of one process of the fleet.
func (f fleet) settings(t *testing.T) (config.Config, env, *screen) {
	t.Helper()
	s, _, problems := f.env()
	cfg, err := f.over(&s)
	if err != nil {
		t.Fatal(err)
	}
	return cfg, s, problems
}

// over loads the settings and makes the program open the fleet's stores,
// although this set is not supported.
func (f fleet) over(s *env) (config.Config, error) {
	cfg, err := s.load("")
	cfg.Postgres.URL = f.database
	cfg.Neo4j.Timeout = 10 * time.Minute // tests beside it can make it slow, which is not what they are about
	s.stores = f.inFiles
	return cfg, err
}

// inFiles opens the graph and the search index in the data folder, or the graph on
// the fleet's Neo4j.
func (f fleet) inFiles(a *app, ctx context.Context) error {
	was := a.cfg
	defer func() { a.cfg = was }()
	a.cfg.Postgres.URL, a.cfg.Neo4j.URL, a.cfg.Qdrant.URL = "", f.neo4j, ""
	if err := a.openGraphStore(ctx); err != nil {
		return err
	}
	a.cfg.Neo4j.URL = ""
	return a.openVectors(ctx)
}

// app returns the program without pages and workers.
func (f fleet) app(t *testing.T) *app {
	t.Helper()
	cfg, s, _ := f.settings(t)
	a, err := open(t.Context(), cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// work starts a worker until the test ends or stop is called. It also returns
// the worker's log.
func (f fleet) work(t *testing.T) (stop func(), problems *screen) {
	t.Helper()
	cfg, s, problems := f.settings(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- work(ctx, cfg, s) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("stop a worker: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop, problems
}

// serve starts a server without workers.
func (f fleet) serve(t *testing.T) *served {
	t.Helper()
	built(t)
	cfg, s, _ := f.settings(t)
	s.noWork = true
	return launched(t, cfg, s)
}

// ready waits until n documents have been read.
func ready(t *testing.T, a *app, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	var by ledger.DocumentCounts
	for by.ByStatus[domain.DocumentReady] < n {
		select {
		case <-ctx.Done():
			docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
			t.Fatalf("after %v: %v, %v\n%+v", hangs, by, err, docs)
		case <-look.C:
			by, _ = a.ledger.CountDocuments(ctx, domain.DefaultWorkspace, "") // the server may be away
		}
	}
}

// TestWorkersAndPagesApart adds and asks in a process that only serves pages;
// two others do the work, which the first shows live.
func TestWorkersAndPagesApart(t *testing.T) {
	race.Want(t)
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	v := f.serve(t)
	if said := v.stdout.String(); !strings.Contains(said, "The data are in Postgres.") {
		t.Errorf("the program says %q", said)
	}
	f.work(t)
	f.work(t)
	if status, _ := v.post(t, "/sample", nil); status != 303 {
		t.Fatalf("status %d", status)
	}
	a := f.app(t)
	ready(t, a, 12)
	var twice, files int
	if err := a.db.Reader.QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*) FROM runs WHERE attempt > 1), (SELECT COUNT(*) FROM uploaded_files)`).
		Scan(&twice, &files); err != nil || twice != 0 || files != 12 {
		t.Errorf("%d runs were tried twice, %d files are kept, %v; want none and 12", twice, files, err)
	}
	_, place := v.post(t, "/ask", url.Values{"question": {"Who founded the Carrow Foundry?"}})
	_, id, _ := strings.Cut(place, "#turn-")
	if m := settled(t, a, domain.MessageID(id)); m.Status != ledger.MessageDone {
		t.Errorf("the answer is %+v", m)
	}
	if _, page := v.get(t, "/documents"); strings.Count(page, "ready") < 12 {
		t.Error("the page does not show what others have read")
	}
	if left, err := os.ReadDir(f.data); err != nil || len(left) == 0 {
		t.Fatal(err)
	} else {
		for _, e := range left {
			if !strings.HasPrefix(e.Name(), "graph.db") && !strings.HasPrefix(e.Name(), "vectors.db") {
				t.Errorf("%s is in the data folder, which this set of stores does not need", e.Name())
			}
		}
	}
}

// TestARestoreNamesTheDatabase refuses to replace the library of a fleet, whose data folder is not to blame.
func TestARestoreNamesTheDatabase(t *testing.T) {
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	addSample(t, f.app(t), 1)
	cfg, s, _ := f.settings(t)
	err := mayReplace(t.Context(), cfg, s, false)
	if domain.KindOf(err) != domain.Conflict || !strings.Contains(err.Error(), "The database of DATABASE_URL already contains") || strings.Contains(err.Error(), "folder") {
		t.Errorf("says %v", err)
	}
}

// TestWordsOfAWorkerOnThePage follows an answer on a page whose process does no work: its words come while they are written.
func TestWordsOfAWorkerOnThePage(t *testing.T) {
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	model, check := llmtest.New(t), make(chan struct{})
	f.environ = append(f.environ, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=scripted", "EXTRACT_MODE=tool")
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", map[string]any{
		"nodes": []map[string]any{{"id": "Henrike Aldous", "label": "Person"}}, "relationships": []map[string]any{},
	}))
	model.On(llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "Names her."}))
	model.On(llmtest.Tool("report_support"), llmtest.Call("report_support", map[string]any{"supported": []int{1}}).After(check))
	model.On(llmtest.Any, llmtest.Say("Henrike Aldous designed Copper Bridge for foot passengers [1]."))
	a := f.app(t)
	addSample(t, a, 1)
	f.work(t)
	ready(t, a, 1)
	v := f.serve(t)
	asked := v.asks(t, "Who designed Copper Bridge?")
	m, err := a.ledger.Message(t.Context(), domain.DefaultWorkspace, asked)
	if err != nil {
		t.Fatal(err)
	}
	if !v.streams(t, m.Run, "Henrike Aldous") {
		t.Error("the page shows no words")
	}
	if m, err := a.ledger.Message(t.Context(), domain.DefaultWorkspace, asked); err != nil || m.Status == ledger.MessageDone {
		t.Errorf("the answer is %s before its last sentence is checked, %v", m.Status, err)
	}
	if !v.streams(t, m.Run, "Henrike Aldous") {
		t.Error("who connects in the middle does not see what was written before")
	}
	close(check)
	if m := settled(t, a, asked); m.Status != ledger.MessageDone {
		t.Errorf("the answer is %+v", m)
	}
}

// streams reports whether the stream of a run on the page comes to show words.
func (v *served) streams(t *testing.T, run domain.RunID, words string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+library(link.RunEvents(run, 0)), nil)
	if err != nil {
		t.Error(err)
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return false
	}
	defer answer.Body.Close()
	shown, event := "", ""
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		var text string
		switch {
		case field == "event":
			event = value
		case field == "data" && (event == "token" || event == "text") && json.Unmarshal([]byte(value), &text) == nil:
			shown += text
		}
		if strings.Contains(shown, words) {
			return true
		}
	}
	return false
}

// asks submits a question on the page and returns its id.
func (v *served) asks(t *testing.T, question string) domain.MessageID {
	t.Helper()
	status, place := v.post(t, link.Ask, url.Values{"question": {question}})
	_, id, _ := strings.Cut(place, "#turn-")
	if status != http.StatusSeeOther || id == "" {
		t.Fatalf("asking: status %d, on to %q", status, place)
	}
	return domain.MessageID(id)
}
