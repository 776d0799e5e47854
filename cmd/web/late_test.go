package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/views/link"
)

// TestBeginsWhenPostgresComes starts pages and a worker while Postgres is away: probes, pages, API and figures say what is missing. When
// it comes, both bring it up to date and begin.
func TestBeginsWhenPostgresComes(t *testing.T) {
	t.Parallel()
	server := servers.OwnPostgres(t)
	f := newFleet(t, server.Database(t, "template0"))
	server.Stop(t)
	figures := "127.0.0.1:" + freePort(t)
	v := f.serve(t)
	pages := f
	f.environ = append(f.environ, "METRICS=listener", "METRICS_ADDR="+figures)
	_, problems := f.work(t)

	for path, want := range map[string]int{
		link.Alive: http.StatusOK, "/livez": http.StatusOK, "/readyz": http.StatusServiceUnavailable, link.Health: http.StatusOK, library(link.Health): http.StatusOK,
		"/": http.StatusServiceUnavailable, library(link.Documents): http.StatusServiceUnavailable, "/api/v1/documents": http.StatusServiceUnavailable,
		"/v1/models": http.StatusServiceUnavailable,
	} {
		v.says(t, v.url+path, want, want != http.StatusOK || strings.HasSuffix(path, link.Health))
	}
	v.says(t, "http://"+figures+"/livez", http.StatusOK, false)
	v.says(t, "http://"+figures+"/readyz", http.StatusServiceUnavailable, true)
	v.says(t, "http://"+figures+"/metrics", http.StatusServiceUnavailable, true)

	server.Start(t)
	a := pages.app(t) // migrates too
	addSample(t, a, 1)
	ready(t, a, 1)
	if m := settled(t, a, v.asks(t, "Who designed Copper Bridge?")); m.Text == "" {
		t.Errorf("the answer is %+v", m)
	}
	v.says(t, v.url+"/readyz", http.StatusOK, false)
	v.says(t, v.url+library(link.Documents), http.StatusOK, false)
	v.says(t, "http://"+figures+"/metrics", http.StatusOK, false)
	if n := strings.Count(problems.String(), "nothing works without the ledger"); n == 0 || n > 3 { // while it starts it gives another reason
		t.Errorf("the worker says %d times what it waits for:\n%s", n, problems)
	}
}

// says waits until an address is answered with a status, and checks whether the answer tells that Postgres is away and what to do.
func (v *served) says(t *testing.T, address string, status int, away bool) {
	t.Helper()
	got, text := 0, ""
	for until := time.Now().Add(hangs); got != status && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if response, err := http.Get(address); err == nil {
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			got, text = response.StatusCode, string(body)
		}
	}
	if told := strings.Contains(text, "DATABASE_URL does not answer") && strings.Contains(text, "Clew begins as soon as it does."); got != status || told != away {
		t.Errorf("%s answers %d, want %d:\n%s", address, got, status, text)
	}
}

// TestStopsWhilePostgresIsAway ends pages and a worker that wait.
func TestStopsWhilePostgresIsAway(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "postgres://clew@127.0.0.1:"+freePort(t)+"/clew")
	v := f.serve(t)
	stop, _ := f.work(t)
	noError(t, v.stop())
	stop()
}

// TestADataFolderIsNotWaitedFor starts pages over a folder that can't be made.
func TestADataFolderIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	built(t)
	sh := newShellWithoutData(t)
	sh.data = file(t, t.TempDir(), "a file", "") + "/data"
	s, _, _ := sh.env()
	cfg, err := s.load("")
	noError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	if err := serve(ctx, cfg, s, nil); ctx.Err() != nil || domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "DATA_DIR") {
		t.Errorf("without a folder: %v", err)
	}
}
