//go:build faults

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/vectorstore/qdrant/qdranttest"
	"github.com/clewhq/clew/migrations"
	"github.com/clewhq/clew/views/link"
)

// TestFaultAKilledWorkerOfAFleetIsTakenOver kills a process that holds a run;
// another worker continues the run.
func TestFaultAKilledWorkerOfAFleetIsTakenOver(t *testing.T) {
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	a, ctx := f.app(t), t.Context()
	added := addLong(t, a)
	killed := f.member(t, string(added.Run))
	killed.says(t, "holds the run")
	survivor := a.briefly()
	if err := survivor.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer survivor.Stop(context.WithoutCancel(ctx))
	before, err := a.queue.Get(ctx, domain.DefaultWorkspace, added.Run)
	if err != nil || before.Status != job.Running || before.Owner == survivor.Owner || before.Attempt != 1 {
		t.Fatalf("before the kill: %+v, %v", before, err)
	}
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.cmd.Wait() // as long as nobody has, it looks alive
	wentOn(t, a, added.Run)
	after, err := a.queue.Get(ctx, domain.DefaultWorkspace, added.Run)
	if err != nil || after.Status != job.Done || after.Attempt != 1 { // it got further at the second try
		t.Errorf("afterwards: %+v, %v", after, err)
	}
	if got := contentsIn(t, a); len(got.Documents) != 1 || got.Documents[0].Status != domain.DocumentReady || got.Stats.Chunks == 0 {
		t.Errorf("the library holds %+v", got.Documents)
	}
}

// TestFaultAKilledWorkerElsewhereIsTakenOver kills a process that holds a run. The survivor takes itself to be on another machine,
// so that it can only see by the session that the process has ended.
func TestFaultAKilledWorkerElsewhereIsTakenOver(t *testing.T) {
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	a, ctx := f.app(t), t.Context()
	a.listen()
	added := addLong(t, a)
	killed := f.member(t, string(added.Run))
	killed.says(t, "holds the run")
	survivor := a.briefly()
	survivor.Process.Host = "another machine"
	if err := survivor.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer survivor.Stop(context.WithoutCancel(ctx))
	late, look := time.After(hangs), time.NewTicker(100*time.Millisecond)
	defer look.Stop()
	for named := 0; named < 2; {
		select {
		case <-late:
			t.Fatal("the processes have no sessions")
		case <-look.C:
		}
		if err := a.db.Reader.QueryRowContext(ctx, `SELECT count(*) FROM workers WHERE session <> ''`).Scan(&named); err != nil {
			t.Fatal(err)
		}
	}
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	wentOn(t, a, added.Run)
	took := time.Since(began)
	t.Logf("the run went on, to its end, within %v", took)
	if took > 20*time.Second { // the lease lasts 30 s
		t.Errorf("the run went on after %v", took)
	}
}

// TestFaultAWorkerHandsOverWithinDrain tells a worker to end while it answers a question that does not get on: it ends within DRAIN, and
// another one goes on, as if the first had not tried.
func TestFaultAWorkerHandsOverWithinDrain(t *testing.T) {
	t.Parallel()
	const drain = 6 * time.Second
	held := make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	defer release()
	model := obliging(t)
	model.First(llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "Names her."}).After(held))
	f := newFleet(t, servers.PostgresURL(t))
	f.environ = []string{"LLM_PROVIDER=openai", "LLM_BASE_URL=" + model.URL, "LLM_MODEL=tiny", "LLM_API_KEY=key", "EXTRACT_MODE=tool", "DRAIN=" + drain.String()}
	a, ctx := f.app(t), t.Context()
	addSample(t, a, 1)
	first := f.member(t, doesWork)
	ready(t, a, 1)
	m, err := a.questions.Start(ctx, questions.Question{Workspace: domain.DefaultWorkspace, Text: "Who designed Copper Bridge?"})
	noError(t, err)
	ownedBy := func(pid int) job.Run {
		for until := time.Now().Add(hangs); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
			r, err := a.queue.Get(ctx, domain.DefaultWorkspace, m.Run)
			if noError(t, err); r.Status == job.Running && strings.Contains(r.Owner, fmt.Sprintf("/%d/", pid)) {
				return r
			}
			if isOver(r.Status) {
				break
			}
		}
		t.Fatalf("process %d does not work on the run", pid)
		return job.Run{}
	}
	ownedBy(first.cmd.Process.Pid)
	second := f.member(t, doesWork)
	second.says(t, "Working on the queue.")
	noError(t, first.cmd.Process.Signal(syscall.SIGTERM))
	began := time.Now()
	if err := first.cmd.Wait(); err != nil || time.Since(began) > drain+drain/2 { // it is another matter how fast a busy machine ends it
		t.Errorf("the worker ended after %v: %v\n%s", time.Since(began), err, first.problems)
	}
	if r := ownedBy(second.cmd.Process.Pid); r.Attempt != 1 {
		t.Errorf("the run is at its attempt %d", r.Attempt)
	}
	t.Logf("the run went on elsewhere after %v", time.Since(began))
	release()
	a.answeredOnce(t, m.Message)
	noError(t, second.cmd.Process.Signal(syscall.SIGTERM))
	noError(t, second.cmd.Wait())
}

// TestFaultARebuildWaitsForABusyNeo4j rebuilds the stores while Neo4j is kept from the write: the run says that it is busy, waits, and
// goes on when it is free.
func TestFaultARebuildWaitsForABusyNeo4j(t *testing.T) {
	t.Parallel()
	graph := servers.OwnNeo4j(t)
	sh := newShell(t, "NEO4J_URL="+graph.URL, "NEO4J_USER="+graph.User, "NEO4J_PASSWORD="+graph.Password, "QDRANT_URL="+qdranttest.Start(t, nil).URL)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	sh.environ = append(sh.environ, "NEO4J_TIMEOUT=1s")
	a, ctx := sh.app(t), t.Context()
	d, err := driver.NewDriverWithContext(graph.URL, driver.BasicAuth(graph.User, graph.Password, ""))
	noError(t, err)
	defer d.Close(context.WithoutCancel(ctx))
	session := d.NewSession(ctx, driver.SessionConfig{})
	defer session.Close(context.WithoutCancel(ctx))
	busy, err := session.BeginTransaction(ctx)
	noError(t, err)
	_, err = busy.Run(ctx, `MATCH (w:__Workspace__) SET w.held = true`, nil)
	noError(t, err)

	said, ended := "", make(chan error, 1)
	go func() {
		var err error
		said, err = sh.run(t, "rebuild", "--store", "graph")
		ended <- err
	}()
	told := ""
	for until := time.Now().Add(hangs); told == "" && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		runs, err := a.queue.List(ctx, domain.DefaultWorkspace, job.Query{Kind: maintenance.RebuildKind})
		noError(t, err)
		for _, r := range runs {
			told = r.Problem
		}
	}
	if !strings.Contains(told, "Neo4j is busy") || !strings.Contains(told, "NEO4J_TIMEOUT") || strings.Contains(told, "does not answer") {
		t.Errorf("the run waits for %q", told)
	}
	noError(t, busy.Rollback(ctx))
	if err := <-ended; err != nil || !strings.Contains(said, "is filled: 2 documents") {
		t.Errorf("the rebuild ended with %v: %s", err, said)
	}
}

// TestFaultTwoProcessesProjectOneWorkspace lets two processes fill the same
// empty stores concurrently; the result equals that of one process.
func TestFaultTwoProcessesProjectOneWorkspace(t *testing.T) {
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	f.neo4j = servers.Neo4j(t).URL
	a := f.app(t)
	stop, _ := f.work(t)
	addSample(t, a, 12)
	ready(t, a, 12)
	stop()
	want := contentsIn(t, a)
	one, two := f.member(t, "project"), f.member(t, "project")
	one.says(t, "ready")
	two.says(t, "ready")
	for round := range long.Or(2, 30) {
		if err := a.projector.Reset(t.Context(), domain.DefaultWorkspace, projection.Stores{Graph: true, Vectors: true}); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*member{one, two} {
			if _, err := fmt.Fprintln(m.stdin, "now"); err != nil {
				t.Fatal(err)
			}
		}
		one.says(t, "projected")
		two.says(t, "projected")
		if diff := cmp.Diff(want, contentsIn(t, a)); diff != "" {
			t.Errorf("round %d: -one alone +two at once\n%s", round+1, diff)
		}
	}
}

// TestFaultPostgresGoesAway stops Postgres while a document is
// projected and a question answered: the worker says so, waits and finishes.
// The error page says what is away and keeps the question to ask again.
func TestFaultPostgresGoesAway(t *testing.T) {
	t.Parallel()
	away := long.Or(8*time.Second, 30*time.Second)
	server := servers.OwnPostgres(t)
	f := newFleet(t, server.Migrated(t))
	a, v := f.app(t), f.serve(t)
	_, problems := f.work(t)
	added := 0
	add := func() {
		t.Helper()
		text := fmt.Sprintf("Maud Ferring founded the Carrow Foundry %d. Tobias Quennell was born in Hallam %d.", added, added)
		if _, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, fmt.Sprintf("letter %d.txt", added), documents.How{}, strings.NewReader(text)).One(); err != nil {
			t.Fatal(err)
		}
		added++
	}
	add()
	ready(t, a, 1) // a first question waits until something is read
	for range 11 {
		add()
	}
	late, look := time.After(hangs), time.NewTicker(2*time.Millisecond)
	defer look.Stop()
	for projecting, unread := 0, 0; projecting == 0; {
		select {
		case <-late:
			t.Fatal("no document comes to be projected")
		case <-look.C:
		}
		err := a.db.Reader.QueryRowContext(t.Context(), `SELECT count(*) FILTER (WHERE status = 'working' AND stage = 'project'), count(*) FILTER (WHERE status <> 'ready')
			FROM documents`).Scan(&projecting, &unread)
		if err != nil {
			t.Fatal(err)
		}
		if unread == 0 { // all were projected between two looks
			add()
		}
	}
	asked := []domain.MessageID{v.asks(t, "Who founded the Carrow Foundry?")}
	server.Stop(t)
	back := time.After(away)
	v.answersNobody(t, "Who was born in Hallam?")
	said := func() bool {
		return strings.Contains(problems.String(), "does not answer") || strings.Contains(problems.String(), "is stopping or starting")
	}
	<-back
	for !said() {
		select {
		case <-late:
			t.Fatalf("the worker does not say that Postgres is away:\n%s", problems)
		case <-look.C:
		}
	}
	if n := strings.Count(problems.String(), `msg="end abandoned runs"`); n > 6 { // while it stops and while it is gone, over old connections and new ones
		t.Errorf("the worker says %d times that Postgres is away:\n%s", n, problems)
	}
	server.Start(t)
	asked = append(asked, v.asks(t, "Who was born in Hallam?"))
	ready(t, a, added) // leases that could not be given back end after 30 s
	for _, id := range asked {
		a.answeredOnce(t, id)
	}
	var questions int
	if err := a.db.Reader.QueryRowContext(t.Context(), `SELECT count(*) FROM answers`).Scan(&questions); err != nil || questions != len(asked) {
		t.Errorf("%d questions are kept, %v, want %d", questions, err, len(asked))
	}
	if by, err := a.ledger.CountDocuments(t.Context(), domain.DefaultWorkspace, ""); err != nil || len(by.ByStatus) != 1 {
		t.Errorf("the library holds %v, %v", by, err)
	}
	if at, err := a.projector.Behind(t.Context(), domain.DefaultWorkspace); err != nil || at.Graph != at.Head || at.Vectors != at.Head {
		t.Errorf("the stores stand at %+v, %v", at, err)
	}
}

// answersNobody opens pages and asks while Postgres is away: each page says so
// and keeps the question.
func (v *served) answersNobody(t *testing.T, question string) {
	t.Helper()
	check := func(what string, response *http.Response, err error, want ...string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d, %v", what, response.StatusCode, err)
		}
		for _, text := range append(want, "The Postgres server") {
			if !strings.Contains(string(body), text) {
				t.Errorf("%s does not say %q:\n%s", what, text, body)
			}
		}
	}
	for _, path := range []string{link.Ask, link.Documents, link.Runs} {
		response, err := http.Get(v.url + path)
		check(path, response, err)
	}
	if response, err := http.Get(v.url + link.Health); err != nil {
		t.Error(err)
	} else if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), "Search index: answers.") {
		t.Errorf("the health page: status %d, %v\n%s", response.StatusCode, err, body)
	}
	response, err := http.PostForm(v.url+library(link.Ask), url.Values{"question": {question}})
	check("asking", response, err, question, "Ask again")
}

// answeredOnce waits until a question has been answered by exactly one run.
func (a *app) answeredOnce(t *testing.T, id domain.MessageID) {
	t.Helper()
	m := settled(t, a, id)
	if m.Status != ledger.MessageDone || m.Text == "" {
		t.Errorf("%q is %s: %s", m.Question, m.Status, m.Problem)
	}
	var runs int
	if err := a.db.Reader.QueryRowContext(t.Context(), `SELECT count(*) FROM runs WHERE subject = ?`, id).Scan(&runs); err != nil || runs != 1 {
		t.Errorf("%q has %d runs, %v", m.Question, runs, err)
	}
}

// killedAt runs fleet processes and kills them at moments spread over their run
// time; check inspects what is left after each.
func (f fleet) killedAt(t *testing.T, moments int, prepare, check func(), does string) {
	t.Helper()
	prepare()
	began := time.Now()
	if err := f.member(t, does).cmd.Wait(); err != nil {
		t.Fatalf("%s undisturbed: %v", does, err)
	}
	whole := time.Since(began)
	for n := range moments {
		prepare()
		m := f.member(t, does)
		time.Sleep(whole * time.Duration(n+1) / time.Duration(moments+1))
		if err := m.cmd.Process.Kill(); err == nil {
			_ = m.cmd.Wait()
		}
		check()
	}
}

// TestFaultKilledInARestoreIntoPostgres kills the restore of a larger library
// over a smaller one.
func TestFaultKilledInARestoreIntoPostgres(t *testing.T) {
	t.Parallel()
	sh, f := newShell(t), newFleet(t, servers.PostgresURL(t))
	paths := fifty(t, 12)
	dir := t.TempDir()
	small, large := filepath.Join(dir, "small.tar.zst"), filepath.Join(dir, "large.tar.zst")
	sh.must(t, "ingest", paths[0])
	sh.must(t, "backup", small)
	before := contentsOf(t, sh.data)
	sh.must(t, append([]string{"ingest"}, paths[:12]...)...)
	sh.must(t, "backup", large)
	after := contentsOf(t, sh.data)
	look := func() contents {
		t.Helper()
		cfg, s, _ := f.settings(t)
		a, err := open(t.Context(), cfg, s)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if err := a.catchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		return contentsIn(t, a)
	}
	restored := func(path string) {
		t.Helper()
		cfg, s, _ := f.settings(t)
		if err := restore(t.Context(), cfg, s, restoring{path: path, force: true}); err != nil {
			t.Fatal(err)
		}
	}
	f.killedAt(t, long.Or(2, 4), func() { restored(small) }, func() {
		if got := look(); !cmp.Equal(got, before) && !cmp.Equal(got, after) {
			t.Errorf("after a killed restore there are %d documents: neither the old state nor the new", len(got.Documents))
		}
		restored(large)
		if diff := cmp.Diff(after, look()); diff != "" {
			t.Errorf("restored again -backed up +got\n%s", diff)
		}
	}, doesRestore+large)
}

// TestFaultKilledInAMigrationOfPostgres kills the first start on an older
// database.
func TestFaultKilledInAMigrationOfPostgres(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "")
	var db *migrated
	f.killedAtEach(t, long.Or(3, 6), func() string {
		db = newMigrated(t)
		noError(t, os.RemoveAll(f.data)) // its stores belong to the database before
		noError(t, os.Mkdir(f.data, 0o700))
		return db.url
	}, func() { db.bringsUp(t, f) })
}

// migrated is a database of an older version.
type migrated struct{ url string }

func newMigrated(t *testing.T) *migrated {
	t.Helper()
	m := &migrated{servers.EmptyPostgresURL(t)}
	db := servers.OpenPostgres(t, m.url)
	if err := migrations.UpTo(t.Context(), db.Writer, 4); err != nil {
		t.Fatal(err)
	}
	return m
}

// bringsUp opens the program on the database, which migrates it.
func (m *migrated) bringsUp(t *testing.T, f fleet) {
	t.Helper()
	f.database = m.url
	a := f.app(t)
	if v, err := migrations.State(t.Context(), a.db.Writer); err != nil || v.Database != v.Program {
		t.Errorf("stands at %+v, error %v", v, err)
	}
}

// killedAtEach is killedAt with a separate database for each process.
func (f fleet) killedAtEach(t *testing.T, moments int, database func() string, check func()) {
	t.Helper()
	one := f
	one.database = database()
	began := time.Now()
	if err := one.member(t, doesMigrate).cmd.Wait(); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	whole := time.Since(began)
	for n := range moments {
		one.database = database()
		m := one.member(t, doesMigrate)
		time.Sleep(whole * time.Duration(n+1) / time.Duration(moments+1))
		if err := m.cmd.Process.Kill(); err == nil {
			_ = m.cmd.Wait()
		}
		check()
	}
}
