package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// failing is a graph store that refuses every change.
type failing struct{ graphstore.Store }

const hiddenCause = "dial postgres://clew:hunter22@db:5432/clew with sk-secret-key: connection refused"

func (failing) Apply(context.Context, domain.WorkspaceID, graphstore.Batch) error {
	refused := domain.Because(domain.Invalid, errors.New(hiddenCause), "The graph can't be written.")
	return fmt.Errorf("apply a batch: %w", fmt.Errorf("commit: %w", refused))
}

// TestTheLogShowsWhyAndThePageOnlyWhat reads a document while the graph store
// fails with a sentence and a cause.
func TestTheLogShowsWhyAndThePageOnlyWhat(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "QDRANT_API_KEY=sk-secret-key")
	s, _, log := sh.env()
	s.stores = func(a *app, ctx context.Context) error {
		err := a.openStores(ctx)
		a.whole.Store = failing{a.whole.Store}
		return err
	}
	root := program(s)
	foundryFile, _ := letters(t)
	root.SetArgs([]string{"ingest", foundryFile})
	if err := root.ExecuteContext(t.Context()); err == nil {
		t.Error("the document was read without a graph")
	}

	documents, _, err := sh.app(t).ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	if err != nil || len(documents) != 1 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	d := documents[0]
	var line string
	for l := range strings.Lines(log.String()) {
		if strings.Contains(l, `msg="run failed"`) && strings.Contains(l, "kind=ingest") {
			line = l
		}
	}
	for _, part := range []string{
		"level=ERROR", "err.kind=invalid", "apply a batch: commit: The graph can't be written.", `err.cause="dial postgres://…@db:5432/clew with …: connection refused"`,
		"run=" + string(d.Run), "document=" + string(d.ID), "workspace=default",
	} {
		if !strings.Contains(line, part) {
			t.Errorf("the log lacks %q:\n%s", part, log)
		}
	}

	status, page := sh.serve(t).get(t, "/documents/"+string(d.ID))
	if status != http.StatusOK || !strings.Contains(page, "The graph can&#39;t be written.") {
		t.Errorf("the page has status %d and lacks the sentence:\n%s", status, page)
	}
	for _, inside := range []string{"apply a batch", "connection refused", "hunter22"} {
		if strings.Contains(page, inside) {
			t.Errorf("the page shows %q", inside)
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	mask := newMask([]string{"s3cret", "abc", "p w", "p+w+x"})
	for text, want := range map[string]string{
		"nothing to hide":                               "nothing to hide",
		"the key s3cret was refused":                    "the key … was refused",
		"abc is too short a secret":                     "abc is too short a secret",
		"get http://u:p@ss@host/x?y=a@b: EOF":           "get http://…@host/x?y=a@b: EOF",
		"http://host/a and postgres://user@host/b fail": "http://host/a and postgres://…@host/b fail",
		"p+w+x": "…",
	} {
		if got := mask(text); got != want {
			t.Errorf("mask(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestNoPasswordOfAnAddressIsShown starts the program with a model behind a name
// and a password, and looks wherever the address may stand.
func TestNoPasswordOfAnAddressIsShown(t *testing.T) {
	t.Parallel()
	built(t)
	address := "http://ada:hunter22@127.0.0.1:1/v1"
	sh := newShell(t, "LOG_LEVEL=debug", "LLM_PROVIDER=openai", "LLM_MODEL=m", "LLM_BASE_URL="+address, "EMBED_PROVIDER=openai", "EMBED_MODEL=e", "EMBED_BASE_URL="+address)
	out, failed := sh.run(t, "doctor")
	if failed == nil || !strings.Contains(out, "127.0.0.1:1/v1") {
		t.Errorf("the doctor says %q, error %v", out, failed)
	}
	s, _, log := sh.env()
	cfg, err := s.load("")
	if err != nil {
		t.Fatal(err)
	}
	status, page := launched(t, cfg, s).get(t, "/settings")
	if status != http.StatusOK || !strings.Contains(page, "http://…@127.0.0.1:1/v1") {
		t.Errorf("status %d: the address is not shown on the page", status)
	}
	for where, text := range map[string]string{"doctor": out, "error": fmt.Sprint(failed), "page": page, "log": log.String()} {
		if strings.Contains(text, "hunter22") {
			t.Errorf("the password is shown: %s\n%s", where, text)
		}
	}
}
