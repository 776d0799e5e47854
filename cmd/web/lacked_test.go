package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/vectorstore"
)

// TestAProcessWithoutTheConnectedEmbeddingModel: what another process connected and this
// one has no files of is waited for, in words, and nothing is read without vectors.
func TestAProcessWithoutTheConnectedEmbeddingModel(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	first, second := letters(t)
	sh.must(t, "ingest", first)
	noError(t, sh.app(t).ledger.SaveConnections(t.Context(), ledger.Connection{Role: string(connections.Embed), Server: config.Builtin, At: time.Unix(1e9, 0)}))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = sh.runWith(ctx, "ingest", second) // which waits, until it is stopped
	}()
	a := sh.app(t)
	var said string
	for deadline := time.Now().Add(hangs); said == "" && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		runs, err := a.queue.List(t.Context(), domain.DefaultWorkspace, job.Query{Status: []job.Status{job.Waiting}})
		noError(t, err)
		for _, r := range runs {
			said += r.Problem
		}
	}
	cancel()
	<-ended
	if !strings.Contains(said, "this process can't use it") || !strings.Contains(said, "of the built-in embedding model is missing") {
		t.Errorf("the run waits and says %q", said)
	}
	docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	ready := 0
	for _, d := range docs {
		if d.Status == domain.DocumentReady {
			ready++
		}
	}
	embedded, points, err := a.vectors.Embedded(t.Context(), domain.DefaultWorkspace, vectorstore.Chunks)
	if ready != 1 || embedded != 0 || points > 1 || err != nil {
		t.Errorf("%d documents are ready, %d of %d chunks have vectors, error %v", ready, embedded, points, err)
	}
}
