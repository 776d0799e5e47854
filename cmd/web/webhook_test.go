package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/webhooks"
)

// TestAServerTellsWebhooks adds a webhook and a document by commands; the server tells the webhook of the document.
func TestAServerTellsWebhooks(t *testing.T) {
	t.Parallel()
	built(t)
	got := make(chan string, 100)
	r := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		got <- string(body)
	}))
	t.Cleanup(r.Close)
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	hook := decoded[webhooks.Added](t, sh.must(t, "webhook", "add", r.URL, "--event", "document.ready", "--event", "run.finished", "--json"))
	foundry, _ := letters(t)
	sh.must(t, "ingest", foundry)
	sh.must(t, "webhook", "test", hook.ID)
	if out, err := sh.run(t, "webhook", "add", "http://10.1.2.3/"); err == nil || !strings.Contains(err.Error(), "not on the public internet") {
		t.Errorf("an inner address: %v, %s", err, out)
	}
	sh.serve(t)
	var types []string
	for !slices.Contains(types, "document.ready") || !slices.Contains(types, "run.finished") || !slices.Contains(types, "test") {
		select {
		case body := <-got:
			var m struct{ Type string }
			if err := json.Unmarshal([]byte(body), &m); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			types = append(types, m.Type)
		case <-time.After(hangs):
			t.Fatalf("only %v were told", types)
		}
	}
	if out := sh.must(t, "webhook", "deliveries", hook.ID); !strings.Contains(out, "document.ready") {
		t.Errorf("the command lists %s", out)
	}
	sh.must(t, "webhook", "remove", hook.ID)
	if out := sh.must(t, "webhook", "list"); !strings.Contains(out, "There is no webhook.") {
		t.Errorf("the command lists %s", out)
	}
	secret := sh.must(t, "token", "create", "reading-room")
	if out := sh.must(t, "token", "list"); !strings.Contains(out, "reading-room") || strings.Contains(out, strings.Fields(secret)[0]) {
		t.Errorf("the command lists %s", out)
	}
}
