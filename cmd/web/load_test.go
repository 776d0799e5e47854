package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A loader sends requests for some time, and keeps how long they took and what went wrong.
type loader struct {
	url    string
	client *http.Client

	mu    sync.Mutex
	took  map[string][]time.Duration
	wrong map[string]int
}

// send sends one request and reads the answer to its end.
func (l *loader) send(ctx context.Context, kind, method, path, token, body, ends string) {
	began := time.Now()
	err := func() error {
		r, err := http.NewRequestWithContext(ctx, method, l.url+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
		}
		resp, err := l.client.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		said, err := io.ReadAll(resp.Body)
		if err == nil && (resp.StatusCode != http.StatusOK || !strings.Contains(string(said), ends)) {
			err = fmt.Errorf("%s: %.200s", resp.Status, said)
		}
		return err
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.wrong[kind+": "+err.Error()]++
		return
	}
	l.took[kind] = append(l.took[kind], time.Since(began))
}

// report logs the times of each kind of request and returns how many there were.
func (l *loader) report(t *testing.T) (all int) {
	t.Helper()
	for kind, took := range l.took {
		slices.Sort(took)
		all += len(took)
		t.Logf("%-12s %5d requests, p50 %v, p99 %v", kind, len(took), took[len(took)/2].Round(time.Microsecond), took[len(took)*99/100].Round(time.Microsecond))
	}
	for what, n := range l.wrong {
		t.Errorf("%d times: %s", n, what)
	}
	return all
}

// processorTime returns what a process has used.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("left out: the processor time; there is no /proc")
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')'):]))
	user, _ := strconv.Atoi(fields[12])
	system, _ := strconv.Atoi(fields[13])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// TestManyProgramsAskAtOnce has 64 programs, each with a token, ask as streams for CLEW_LOAD seconds, half of them by each
// protocol, beside four readers of pages. Nothing is refused. make load runs it.
func TestManyProgramsAskAtOnce(t *testing.T) {
	seconds, _ := strconv.Atoi(os.Getenv("CLEW_LOAD"))
	if seconds == 0 {
		t.Skip("left out: the load of many programs; make load runs it")
	}
	const programs, readers, few = 64, 4, 300
	sh := newShell(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871. It cast the bells of Velm."))
	tokens := make([]string, programs)
	for i := range tokens {
		tokens[i], _, _ = strings.Cut(sh.must(t, "token", "create", fmt.Sprintf("program %d", i)), "\n")
	}
	at := nobodyAt(t)
	cmd := sh.process(t, "serve")
	cmd.Env, cmd.Stderr = append(cmd.Env, "LISTEN="+at), t.Output()
	noError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	l := &loader{url: "http://" + at, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: programs + readers}}, took: map[string][]time.Duration{}, wrong: map[string]int{}}
	for healthy(t.Context(), at) != nil {
		time.Sleep(50 * time.Millisecond)
	}
	idle := processorTime(t, cmd.Process.Pid)
	for range few {
		l.send(t.Context(), "/healthz", http.MethodGet, "/healthz", "", "", "ok")
	}
	bare := processorTime(t, cmd.Process.Pid)
	for range few {
		l.send(t.Context(), "/api/v1/me", http.MethodGet, "/api/v1/me", tokens[0], "", "scopes")
	}
	began := processorTime(t, cmd.Process.Pid)
	t.Logf("processor time of a request: %v for /healthz, %v for /api/v1/me", (bare-idle)/few, (began-bare)/few)
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	var all sync.WaitGroup
	each := func(n int, f func(i int)) {
		for i := range n {
			all.Go(func() {
				for time.Now().Before(until) {
					f(i)
				}
			})
		}
	}
	each(programs, func(i int) {
		if i%2 == 0 {
			l.send(t.Context(), "/ask/stream", http.MethodPost, "/api/v1/ask/stream", tokens[i], `{"question": "Who founded the Carrow Foundry?"}`, "event: answer")
		} else {
			l.send(t.Context(), "/v1", http.MethodPost, "/v1/chat/completions", tokens[i], `{"model": "clew", "stream": true, "messages": [{"role": "user", "content": "Who founded the Carrow Foundry?"}]}`, "[DONE]")
		}
	})
	each(readers, func(i int) {
		l.send(t.Context(), "pages", http.MethodGet, []string{"/documents", "/ask", "/runs", "/graph"}[i], "", "", "</html>")
	})
	all.Wait()
	spent, n := processorTime(t, cmd.Process.Pid)-began, l.report(t)-2*few
	t.Logf("%d requests, %v of processor time each", n, spent/time.Duration(cmp.Or(n, 1)))
}
