package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/testkit/race"
)

// TestFaultARequestOfAKilledProcessIsSentAgain kills a process while it answers a request with a key, whose model says nothing:
// the next process on the machine takes the request as a new one.
func TestFaultARequestOfAKilledProcessIsSentAgain(t *testing.T) {
	race.Want(t)
	t.Parallel()
	called := make(chan struct{}, 1)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case called <- struct{}{}:
		default:
		}
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client is gone
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	sh := newShell(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."))
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "app", "--preset", "everything"), "\n")
	ask := func(url string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/v1/ask", strings.NewReader(`{"question":"Who founded the Carrow Foundry?","wait":120}`))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "once")
		return http.DefaultClient.Do(r)
	}
	at := nobodyAt(t)
	cmd := sh.process(t, "serve")
	cmd.Env = append(cmd.Env, "LISTEN="+at, "LLM_PROVIDER=openai", "LLM_BASE_URL="+silent.URL, "LLM_MODEL=silent", "EXTRACT_MODE=tool", "LLM_TIMEOUT=5m")
	noError(t, cmd.Start())
	for healthy(t.Context(), at) != nil {
		time.Sleep(50 * time.Millisecond)
	}
	answered := make(chan error, 1)
	go func() {
		answer, err := ask("http://" + at)
		if err == nil {
			err = answer.Body.Close()
		}
		answered <- err
	}()
	select {
	case <-called:
	case <-time.After(hangs):
		t.Fatal("no model was asked")
	}
	noError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if err := <-answered; err == nil {
		t.Fatal("the request was answered before its process was killed")
	}
	v := sh.serve(t)
	answer, err := ask(v.url)
	noError(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("sent again: %s, replayed %q", answer.Status, answer.Header.Get("Idempotent-Replayed"))
	}
}
