//go:build faults

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore/qdrant/qdranttest"
	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/views/link"
)

// What the fleet of a test consists of, and what it is asked to do at once.
const (
	webs, workers     = 3, 3
	askers, uploaders = 4, 2
	thinks            = 150 * time.Millisecond // of each call of the model
	uploadPause       = 700 * time.Millisecond
	killPause         = 4 * time.Second  // at least, and at most twice as long
	tooOld            = 25 * time.Second // for a request, and for a run to be taken over on a busy machine
	tooOldQueued      = 90 * time.Second // for a document's run, which also waits until a worker has room
)

// TestFaultAFleetIsKilledUnderLoad kills processes of a fleet at random moments while questions are asked and documents added, each
// process as on a machine of its own. Nothing is lost, nothing is done twice, and each stream goes on at another process.
// CLEW_FLEET is for how many seconds, 40 if it is not set, and CLEW_FLEET_SEED repeats the kills of an earlier run.
func TestFaultAFleetIsKilledUnderLoad(t *testing.T) {
	t.Parallel()
	k := newKilling(t)
	until := time.Now().Add(k.lasts)
	var load, kills sync.WaitGroup
	for range askers {
		load.Go(func() {
			for time.Now().Before(until) {
				k.ask()
			}
		})
	}
	for range uploaders {
		load.Go(func() {
			for time.Now().Before(until) {
				k.upload()
				time.Sleep(uploadPause)
			}
		})
	}
	for time.Now().Before(until) {
		time.Sleep(killPause + time.Duration(k.random.Int64N(int64(killPause))))
		m := k.members[k.random.IntN(len(k.members))]
		k.end(m, k.random.IntN(4) == 0, &kills)
	}
	load.Wait()
	kills.Wait()
	k.checks()
	k.report()
}

// killing is a fleet that is killed while it works.
type killing struct {
	t       *testing.T
	sh      shell
	a       *app
	token   string
	random  *rand.Rand
	lasts   time.Duration
	members []*killed

	mu                 sync.Mutex
	number             int                           // of the next question or document
	steps              map[domain.MessageID][]string // that the stream of each question told of
	documents          []string
	answered, uploaded []time.Duration
	takeover           map[string][]time.Duration // by how the process ended, and the kind of run
	killedHard, ended  int
	resumed            int // streams that went on elsewhere
}

// killed is one process of the fleet, in its life so far.
type killed struct {
	name, at string // at is "" for a worker
	cmd      *exec.Cmd
	problems *screen
}

func newKilling(t *testing.T) *killing {
	t.Helper()
	built(t)
	seconds, seed := 40, rand.Uint64()
	if n, err := strconv.Atoi(os.Getenv("CLEW_FLEET")); err == nil {
		seconds = n
	}
	if n, err := strconv.ParseUint(os.Getenv("CLEW_FLEET_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("CLEW_FLEET_SEED=%d", seed)
	neo4j, index := servers.OwnNeo4j(t), qdranttest.Start(t, nil)
	model := thinking(t)
	k := &killing{t: t, random: rand.New(rand.NewPCG(seed, 1)), lasts: time.Duration(seconds) * time.Second, steps: map[domain.MessageID][]string{}, takeover: map[string][]time.Duration{}}
	k.sh = newShell(t, "DATABASE_URL="+servers.OwnPostgres(t).Migrated(t), "NEO4J_URL="+neo4j.URL, "NEO4J_PASSWORD="+neo4j.Password, "QDRANT_URL="+index.URL,
		"SECRET_KEY="+strings.Repeat("5e", 32), "LLM_PROVIDER=openai", "LLM_BASE_URL="+model, "LLM_MODEL=tiny", "LLM_API_KEY=key", "EXTRACT_MODE=tool",
		"EMBED_PROVIDER=openai", "EMBED_BASE_URL="+model, "EMBED_MODEL="+embedder, "EMBED_API_KEY=key", "MAX_WAITING_DOCUMENTS=100000")
	k.a = k.sh.app(t)
	k.token, _, _ = strings.Cut(k.sh.must(t, "token", "create", "load", "--preset", "everything"), "\n")
	for i := range webs + workers {
		m := &killed{name: fmt.Sprintf("worker-%d", i-webs)}
		if i < webs {
			m.name, m.at = fmt.Sprintf("web-%d", i), nobodyAt(t)
		}
		k.members = append(k.members, m)
		k.start(m)
	}
	for _, m := range k.members[:webs] {
		for until := time.Now().Add(hangs); healthy(t.Context(), m.at) != nil && time.Now().Before(until); {
			time.Sleep(50 * time.Millisecond)
		}
	}
	k.upload()
	ready(t, k.a, 1) // a first question waits until something is read
	return k
}

// thinking returns the address of a model that takes its time.
func thinking(t *testing.T) string {
	t.Helper()
	at, err := url.Parse(obligingWith(t, "Maud Ferring founded the Carrow Foundry [1].").URL)
	noError(t, err)
	model := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: at.Scheme, Host: at.Host})
	model.FlushInterval, model.ErrorLog = -1, slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug) // killed processes break connections
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(thinks)
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	return slow.URL + at.Path
}

// start starts a process under the name of a machine of its own, where the system allows that.
func (k *killing) start(m *killed) {
	args := []string{"serve"}
	if m.at == "" {
		args = []string{"work"}
	}
	m.problems = new(screen)
	m.cmd = k.sh.process(k.t, args...)
	m.cmd.Stdout, m.cmd.Stderr, m.cmd.Env = m.problems, m.problems, append(m.cmd.Env, "LISTEN="+m.at)
	if unshare, err := exec.LookPath("unshare"); err == nil && os.Geteuid() == 0 {
		m.cmd.Path, m.cmd.Args = unshare, []string{unshare, "--uts", "sh", "-c", `hostname "$0" && exec "$@"`, m.name, os.Args[0]}
	}
	noError(k.t, m.cmd.Start())
}

// end ends a process, by SIGTERM if it may hand over, starts it again, and has the runs that it held watched.
func (k *killing) end(m *killed, mayHandOver bool, watching *sync.WaitGroup) {
	held, err := k.heldBy(m)
	noError(k.t, err)
	signal, how := syscall.SIGKILL, "killed"
	k.mu.Lock()
	if mayHandOver {
		signal, how = syscall.SIGTERM, "told to end"
		k.ended++
	} else {
		k.killedHard++
	}
	k.mu.Unlock()
	began := time.Now()
	noError(k.t, m.cmd.Process.Signal(signal))
	for _, run := range held {
		watching.Go(func() {
			k.watch(run, fmt.Sprintf("run (%s) of a process that was %s, taken over after", run.Kind, how), began)
		})
	}
	err = m.cmd.Wait()
	if mayHandOver && (err != nil || time.Since(began) > 25*time.Second) { // DRAIN is 20 s
		k.t.Errorf("%s hands over in %v: %v\n%s", m.name, time.Since(began), err, m.problems)
	}
	k.start(m)
}

// heldBy returns the runs that a process is at work on.
func (k *killing) heldBy(m *killed) ([]job.Run, error) {
	runs, err := k.a.queue.List(k.t.Context(), domain.DefaultWorkspace, job.Query{Status: []job.Status{job.Running}})
	return slices.DeleteFunc(runs, func(r job.Run) bool { return !strings.Contains(r.Owner, fmt.Sprintf("/%d/", m.cmd.Process.Pid)) }), err
}

func isOver(s job.Status) bool { return s == job.Done || s == job.Failed || s == job.Stopped }

// watch notes after what time another process has taken over a run, or it has ended.
func (k *killing) watch(run job.Run, what string, began time.Time) {
	for ; time.Since(began) < hangs; time.Sleep(20 * time.Millisecond) {
		now, err := k.a.queue.Get(k.t.Context(), run.Workspace, run.ID)
		if err == nil && now.Owner != run.Owner && (now.Status == job.Running || isOver(now.Status)) || isOver(now.Status) {
			break
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.takeover[what] = append(k.takeover[what], time.Since(began))
}

// ask asks one question, at another process when one does not answer, and follows its stream to the answer.
func (k *killing) ask() {
	k.mu.Lock()
	n, key := k.number, fmt.Sprintf("key-%d", k.number)
	k.number++
	k.mu.Unlock()
	began := time.Now()
	form := url.Values{"question": {fmt.Sprintf("Who founded the Carrow Foundry, asked for the %d. time?", n)}, "form_key": {key}}
	id := domain.MessageID("")
	k.until(func(web string) bool {
		client := http.Client{Timeout: tooOld, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.PostForm("http://"+web+library(link.Ask), form)
		if err != nil {
			return false
		}
		response.Body.Close()
		_, at, _ := strings.Cut(response.Header.Get("Location"), "#turn-")
		id = domain.MessageID(at)
		return id != ""
	})
	m, err := k.a.ledger.Message(k.t.Context(), domain.DefaultWorkspace, id)
	if err != nil {
		k.t.Errorf("question %d was accepted and is lost: %v", n, err)
		return
	}
	steps, last, breaks := []string{}, "", -1
	k.until(func(web string) bool {
		breaks++
		return k.streams(web, m.Run, &last, &steps)
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	k.steps[id], k.answered, k.resumed = steps, append(k.answered, time.Since(began)), k.resumed+breaks
}

// streams follows a run from the event last on, and reports whether it got to the answer.
func (k *killing) streams(web string, run domain.RunID, last *string, steps *[]string) bool {
	ctx, cancel := context.WithTimeout(k.t.Context(), time.Minute)
	defer cancel()
	answer, err := k.send(ctx, http.MethodGet, "http://"+web+api.Root+"/runs/"+string(run)+"/events", nil, *last)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	event := ""
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		switch field, value, _ := strings.Cut(lines.Text(), ": "); {
		case field == "id":
			*last = value
		case field == "event":
			event = value
		case field == "data" && event == "step" && !slices.Contains(*steps, value):
			*steps = append(*steps, value)
		case field == "data" && event == "answer":
			return true
		}
	}
	return false
}

// upload adds a document, at another process when one does not answer.
func (k *killing) upload() {
	k.mu.Lock()
	n := k.number
	k.number++
	k.mu.Unlock()
	began, name := time.Now(), fmt.Sprintf("letter %d.txt", n)
	body := fmt.Sprintf(`{"name": %q, "text": "Maud Ferring founded the Carrow Foundry. Letter %d was written in Velmdale by Tobias Quennell.", "wait": 0}`, name, n)
	k.until(func(web string) bool {
		ctx, cancel := context.WithTimeout(k.t.Context(), tooOld)
		defer cancel()
		answer, err := k.send(ctx, http.MethodPost, "http://"+web+api.Root+"/documents", strings.NewReader(body), "")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode < http.StatusMultipleChoices
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	k.documents, k.uploaded = append(k.documents, name), append(k.uploaded, time.Since(began))
}

// until tries an action at one process after another.
func (k *killing) until(done func(web string) bool) {
	for began := time.Now(); time.Since(began) < hangs; time.Sleep(100 * time.Millisecond) {
		if done(k.members[rand.IntN(webs)].at) {
			return
		}
	}
	k.t.Error("no process does what it is asked for")
}

func (k *killing) send(ctx context.Context, method, address string, body io.Reader, last string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+k.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Last-Event-ID", last)
	return http.DefaultClient.Do(r)
}

// checks compares what the library holds with what was asked for.
func (k *killing) checks() {
	t := k.t
	ready(t, k.a, len(k.documents))
	docs, _, err := k.a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	names := map[string]int{}
	for _, d := range docs {
		names[d.Name]++
	}
	for _, name := range k.documents {
		if names[name] != 1 {
			t.Errorf("%s is there %d times", name, names[name])
		}
	}
	var runs, answers, unread int
	noError(t, k.a.db.Reader.QueryRowContext(t.Context(), `SELECT (SELECT count(DISTINCT subject) FROM runs WHERE kind = 'answer'), (SELECT count(*) FROM answers), (SELECT count(*) FROM documents WHERE status <> 'ready')`).
		Scan(&runs, &answers, &unread))
	if n := len(k.steps); runs != n || answers != n || unread != 0 || len(docs) != len(k.documents) {
		t.Errorf("%d questions have %d runs and %d answers; %d documents of %d, %d not ready", n, runs, answers, len(docs), len(k.documents), unread)
	}
	for id, steps := range k.steps {
		m, err := k.a.ledger.Message(t.Context(), domain.DefaultWorkspace, id)
		if err != nil || m.Status != ledger.MessageDone || m.Text == "" {
			t.Errorf("%q is %s, %v: %s", m.Question, m.Status, err, m.Problem)
		}
		var whole []string
		last := ""
		k.until(func(web string) bool { return k.streams(web, m.Run, &last, &whole) })
		if diff := cmp.Diff(whole, steps); diff != "" {
			t.Errorf("run %s: the stream misses something (-whole +got)\n%s", m.Run, diff)
		}
	}
	if out := k.sh.must(t, "fsck"); !strings.Contains(out, "is sound") {
		t.Errorf("fsck says %s", out)
	}
}

// report logs the figures of docs/benchmarks.md.
func (k *killing) report() {
	line := func(what string, took []time.Duration) {
		slices.Sort(took)
		k.t.Logf("| %s | %d | %.1f | %.1f | %.1f | %.1f |", what, len(took), domain.Percentile(took, 50).Seconds(), domain.Percentile(took, 95).Seconds(),
			domain.Percentile(took, 99).Seconds(), domain.Percentile(took, 100).Seconds())
	}
	k.t.Logf("%v: %d processes were killed and %d told to end; %d streams went on elsewhere", k.lasts, k.killedHard, k.ended, k.resumed)
	k.t.Log("| | n | p50 s | p95 s | p99 s | longest s |")
	line("question, asked to answered", k.answered)
	line("document, sent to accepted", k.uploaded)
	for _, what := range slices.Sorted(maps.Keys(k.takeover)) {
		line(what, k.takeover[what])
		most := tooOld
		if strings.Contains(what, "("+documents.Kind+")") {
			most = tooOldQueued
		}
		if longest := slices.Max(k.takeover[what]); longest > most {
			k.t.Errorf("%s %v", what, longest)
		}
	}
}
