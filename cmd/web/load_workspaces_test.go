package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/run/job"
)

// The people of TestAFloodDelaysNoOtherWorkspace, and what the flood is.
const (
	quietOnes     = 2
	peopleOfEach  = 5
	floodingFiles = 200
	floodingAsks  = 32
	floodRounds   = 5
)

// tolerated is how many times as long as alone the requests of quiet workspaces may take while another one is flooded.
const tolerated = 1.5

// space is a workspace with the tokens of its people.
type space struct {
	name   string
	id     domain.WorkspaceID
	tokens []string
}

// libraries makes workspaces with a document and people each.
func libraries(t *testing.T, sh shell, names ...string) (all []space) {
	t.Helper()
	a := sh.app(t)
	worker := a.worker(a.kinds().Concurrency())
	noError(t, worker.Start(t.Context()))
	defer func() { noError(t, worker.Stop(t.Context())) }()
	for _, name := range names {
		s := space{name: name, id: domain.WorkspaceID("w" + name)}
		noError(t, a.ledger.AddWorkspace(t.Context(), domain.Workspace{ID: s.id, Name: name, Title: name}))
		for i := range peopleOfEach {
			person := fmt.Sprint(name, "-", i+1)
			noError(t, a.ledger.AddAccount(t.Context(), domain.DefaultWorkspace, person, "none", domain.Owner))
			ctx := domain.WithWorkspace(domain.WithPerson(t.Context(), person), s.id)
			made := carriedOut[auth.NewToken](ctx, t, a, "token create", map[string]string{"name": person, "account": person})
			s.tokens = append(s.tokens, made.Secret)
		}
		for _, d := range a.documents.Add(t.Context(), s.id, "foundry.txt", documents.How{}, bytes.NewReader([]byte("Maud Ferring founded the Carrow Foundry in 1871. It cast the bells of Velm."))) {
			noError(t, d.Err)
		}
		all = append(all, s)
		drained(t, a, s.id)
	}
	return all
}

// drained waits until nothing of a workspace waits or runs.
func drained(t *testing.T, a *app, w domain.WorkspaceID) {
	t.Helper()
	for {
		n, err := a.queue.Count(t.Context(), w, job.Query{Status: job.Unended()})
		noError(t, err)
		if n == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// paced has the people of a workspace ask and read at a steady pace until a moment.
func (s space) paced(ctx context.Context, l *loader, until time.Time, all *sync.WaitGroup) {
	for i, token := range s.tokens {
		all.Go(func() {
			time.Sleep(time.Duration(i) * 200 * time.Millisecond)
			for time.Now().Before(until) {
				began := time.Now()
				l.send(ctx, "questions", http.MethodPost, s.at("/api/v1/ask/stream"), token, `{"question": "Who founded the Carrow Foundry?"}`, "event: answer")
				l.send(ctx, "pages", http.MethodGet, s.at("/api/v1/documents"), token, "", "foundry.txt")
				l.send(ctx, "pages", http.MethodGet, s.at("/api/v1/runs"), token, "", "answer")
				time.Sleep(time.Until(began.Add(time.Second)))
			}
		})
	}
}

func (s space) at(path string) string { return "/w/" + s.name + path }

// flood adds many files at once and asks without a pause, until a moment. Being refused is part of it.
func (s space) flood(ctx context.Context, url string, round int, until time.Time, all *sync.WaitGroup) {
	all.Go(func() {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for i := range floodingFiles {
			part, _ := w.CreateFormFile("files", fmt.Sprintf("letter-%d-%d.txt", round, i))
			fmt.Fprintf(part, "Letter %d of %d. Harold Number%d worked for the Carrow Foundry with Agnes Lovibond. He lived in Osterby.\n", i, round, i)
		}
		_ = w.Close()
		s.push(ctx, http.MethodPost, url+s.at("/api/v1/documents"), s.tokens[0], w.FormDataContentType(), &body)
	})
	for i := range floodingAsks {
		all.Go(func() {
			for time.Now().Before(until) {
				s.push(ctx, http.MethodPost, url+s.at("/api/v1/ask/stream"), s.tokens[i%len(s.tokens)], "application/json", bytes.NewReader([]byte(`{"question": "Who worked with Agnes Lovibond?"}`)))
			}
		})
	}
}

func (s space) push(ctx context.Context, method, address, token, kind string, body io.Reader) {
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusTooManyRequests {
		time.Sleep(100 * time.Millisecond) // a program that doesn't wait as long as it is told
	}
}

// TestAFloodDelaysNoOtherWorkspace has the people of two workspaces ask and read at a steady pace, alone and while those of a
// third add many files and ask without a pause. It compares each time alone with the one that follows at once, and judges the
// median, so that other work of the machine, which comes and goes, does not decide it. make load runs it.
func TestAFloodDelaysNoOtherWorkspace(t *testing.T) {
	seconds, _ := strconv.Atoi(os.Getenv("CLEW_LOAD"))
	if seconds == 0 {
		t.Skip("left out: the load of three workspaces; make load runs it")
	}
	sh := newShell(t)
	all := libraries(t, sh, "quiet", "calm", "loud")
	f := flooding{a: sh.app(t), quiet: all[:quietOnes], loud: all[quietOnes], at: servedApart(t, sh), each: time.Duration(seconds) * time.Second / (2 * floodRounds)}
	factors := map[string][]float64{} // by kind of request
	t.Logf("%-10s %-10s %10s %10s %8s", "round", "p95 of", "alone", "flooded", "factor")
	for round := range floodRounds {
		alone := f.measure(t, func(time.Time, *sync.WaitGroup) {})
		flooded := f.measure(t, func(until time.Time, others *sync.WaitGroup) { f.loud.flood(t.Context(), f.at, round, until, others) })
		for _, kind := range []string{"questions", "pages"} {
			factor := float64(flooded[kind]) / float64(alone[kind])
			factors[kind] = append(factors[kind], factor)
			t.Logf("%-10d %-10s %10v %10v %8.2f", round+1, kind, alone[kind].Round(time.Millisecond), flooded[kind].Round(time.Millisecond), factor)
		}
	}
	for kind, each := range factors {
		median := slices.Sorted(slices.Values(each))[floodRounds/2]
		t.Logf("%-10s %-10s %30.2f", "median", kind, median)
		if median > tolerated {
			t.Errorf("%s take %.2f times as long while another workspace is flooded, want at most %.1f", kind, median, tolerated)
		}
	}
}

// servedApart serves the pages of a library in a process and returns their address.
func servedApart(t *testing.T, sh shell) string {
	t.Helper()
	at := nobodyAt(t)
	cmd := sh.process(t, "serve")
	cmd.Env, cmd.Stderr = append(cmd.Env, "LISTEN="+at, "TOKEN_RATE=100000"), t.Output()
	noError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	for healthy(t.Context(), at) != nil {
		time.Sleep(50 * time.Millisecond)
	}
	return "http://" + at
}

// flooding is the scene of TestAFloodDelaysNoOtherWorkspace.
type flooding struct {
	a     *app
	quiet []space
	loud  space
	at    string
	each  time.Duration // how long people are watched at a time
}

// measure returns the 95th percentile of the times of each kind of request of the quiet workspaces, while flood is going on.
func (f flooding) measure(t *testing.T, flood func(until time.Time, others *sync.WaitGroup)) map[string]time.Duration {
	t.Helper()
	l := &loader{url: f.at, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}, took: map[string][]time.Duration{}, wrong: map[string]int{}}
	until := time.Now().Add(f.each)
	var people, others sync.WaitGroup
	flood(until, &others)
	for _, s := range f.quiet {
		s.paced(t.Context(), l, until, &people)
	}
	people.Wait()
	others.Wait()
	drained(t, f.a, f.loud.id)
	for what, n := range l.wrong {
		t.Errorf("%d times: %s", n, what)
	}
	p95 := map[string]time.Duration{}
	for kind, took := range l.took {
		p95[kind] = domain.Percentile(slices.Sorted(slices.Values(took)), 95)
	}
	return p95
}
