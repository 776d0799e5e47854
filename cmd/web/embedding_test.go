package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/vectorstore"
)

// embeds returns a shell in which only an embedding model is configured.
func embeds(t *testing.T, model *llmtest.Server) shell {
	t.Helper()
	return newShell(t, "EMBED_PROVIDER=openai", "EMBED_BASE_URL="+model.URL, "EMBED_MODEL=small", "EMBED_API_KEY=key")
}

// manySentences writes documents of n sentences each, which all differ.
func manySentences(t *testing.T, documents, n int) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for d := range documents {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "Keeper number %d of lighthouse %d counted %d ships. ", i, d, 7*i+d)
		}
		path := filepath.Join(dir, fmt.Sprintf("lighthouse-%d.txt", d))
		noError(t, os.WriteFile(path, []byte(text.String()), 0o600))
		paths = append(paths, path)
	}
	return paths
}

// embedded returns how many points of a collection have vectors, and how many there are.
func (a *app) embedded(t *testing.T, c vectorstore.Collection) (done, of int) {
	t.Helper()
	done, of, err := a.vectors.Embedded(t.Context(), domain.DefaultWorkspace, c)
	noError(t, err)
	return done, of
}

// untilEmbedded waits until all sentences have vectors.
func (a *app) untilEmbedded(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(hangs); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if done, of := a.embedded(t, vectorstore.Sentences); of > 0 && done == of {
			return
		}
	}
	done, of := a.embedded(t, vectorstore.Sentences)
	t.Fatalf("%d of %d sentences are embedded", done, of)
}

// twice lists texts that a model was asked to embed more than once.
func twice(model *llmtest.Server) (texts []string) {
	times := map[string]int{}
	for _, r := range model.Requests(llmtest.Embedding) {
		for _, text := range r.Inputs {
			if times[text]++; times[text] == 2 {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// TestALibraryWithoutVectorsGetsThemInTheBackground: documents were read before there was an embedding model. A server with
// one is asked at once, and makes the vectors of passages and sentences without reading or rebuilding anything.
func TestALibraryWithoutVectorsGetsThemInTheBackground(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	sh := embeds(t, model)
	bare := sh
	bare.environ = []string{"EMBED_PROVIDER=none"}
	bare.must(t, append([]string{"ingest"}, manySentences(t, 3, 40)...)...)
	a := sh.app(t)
	if done, of := a.embedded(t, vectorstore.Chunks); done != 0 || of == 0 {
		t.Fatalf("%d of %d chunks have vectors without a model", done, of)
	}
	if out := sh.must(t, "doctor"); !strings.Contains(out, "Passages embedded: 0 of ") {
		t.Errorf("clew doctor says %q", out)
	}
	sh.must(t, "fsck")
	sh.serve(t)
	sh.must(t, "ask", "How many ships did keeper number 7 count?") // by words, or by what is embedded by then
	a.untilEmbedded(t)
	if done, of := a.embedded(t, vectorstore.Chunks); done != of {
		t.Errorf("%d of %d chunks have vectors", done, of)
	}
	if out := sh.must(t, "doctor"); strings.Contains(out, " embedded: ") {
		t.Errorf("clew doctor says %q when all are", out)
	}
	sh.must(t, "fsck")
}

// TestSentencesAreEmbeddedAfterReading: an ingest embeds passages, and clew ingest then the sentences, unless a server does.
func TestSentencesAreEmbeddedAfterReading(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	sh := embeds(t, model)
	sh.must(t, append([]string{"ingest"}, manySentences(t, 2, 40)...)...)
	a := sh.app(t)
	if done, of := a.embedded(t, vectorstore.Sentences); done != of || of != 80 {
		t.Errorf("%d of %d sentences are embedded", done, of)
	}
	calls := model.Calls(llmtest.Embedding)
	noError(t, a.ledger.SetSetting(t.Context(), domain.DefaultWorkspace, "embedded", "{}")) // as if nothing were noted
	a.maintenance.OrderEmbedding(t.Context(), domain.DefaultWorkspace)
	head, err := a.ledger.Head(t.Context(), domain.DefaultWorkspace)
	noError(t, err)
	if r, err := a.once(t.Context(), a.maintenance.Embedding()); err != nil || r.Status != job.Done {
		t.Fatalf("a run with nothing to do: %+v, %v", r, err)
	}
	if now, err := a.ledger.Head(t.Context(), domain.DefaultWorkspace); err != nil || now != head || model.Calls(llmtest.Embedding) != calls {
		t.Errorf("a run with nothing to do made %d changes and %d calls, error %v", now-head, model.Calls(llmtest.Embedding)-calls, err)
	}
	if again := twice(model); len(again) > 0 {
		t.Errorf("embedded twice: %q", again)
	}
	sh.must(t, "fsck")
}

// TestSentencesAreEmbeddedWhenAsked has more sentences than get vectors in the background: a question embeds those that it finds.
func TestSentencesAreEmbeddedWhenAsked(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	sh := embeds(t, model)
	sh.environ = append(sh.environ, "SENTENCE_VECTORS=50")
	sh.must(t, append([]string{"ingest"}, manySentences(t, 2, 40)...)...)
	a := sh.app(t)
	if done, of := a.embedded(t, vectorstore.Chunks); done != of || of == 0 {
		t.Errorf("%d of %d passages are embedded", done, of)
	}
	if done, of := a.embedded(t, vectorstore.Sentences); done != 0 || of != 80 {
		t.Errorf("%d of %d sentences are embedded, want none of 80", done, of)
	}
	before := model.Calls(llmtest.Embedding)
	sh.must(t, "ask", "How many ships did keeper number 7 count?")
	if now := model.Calls(llmtest.Embedding); now < before+2 { // the question, and sentences
		t.Errorf("a question made %d calls to embed", now-before)
	}
	if out := sh.must(t, "doctor"); !strings.Contains(out, "Of 80 sentences, those of the first 50 passages are embedded when a question asks") {
		t.Errorf("clew doctor says %q", out)
	}
}

// TestEmbeddingGoesOnWhereItStopped stops a process in the middle of embedding, and has two go on: nothing is embedded twice.
func TestEmbeddingGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	sh := embeds(t, model)
	paths := manySentences(t, 4, 60)
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	sentences := 0
	model.First(llmtest.Embedding, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		mu.Lock()
		defer mu.Unlock()
		if len(r.Inputs) > 4 { // a batch of sentences
			if sentences += len(r.Inputs); sentences > 100 {
				cancel()
			}
		}
		vectors, err := llmtest.Embedder{}.Embed(t.Context(), r.Inputs)
		if err != nil {
			t.Error(err)
		}
		return llmtest.Vectors(vectors...)
	}))
	if _, err := sh.runWith(ctx, append([]string{"ingest"}, paths...)...); err == nil {
		t.Fatal("it was not stopped")
	}
	a := sh.app(t)
	left, err := a.queue.Count(t.Context(), domain.DefaultWorkspace, job.Query{Kind: maintenance.EmbedKind, Status: []job.Status{job.Waiting, job.Running}})
	noError(t, err)
	if left == 0 {
		t.Error("no run is left to go on with")
	}
	asked := len(model.Requests(llmtest.Embedding))
	sh.serve(t)
	sh.serve(t)
	a.untilEmbedded(t)
	again := map[string]bool{} // a call that was under way when the process was stopped may be made again
	for _, text := range twice(model) {
		again[text] = true
	}
	if len(again) > 4*textsOfACall {
		t.Errorf("%d sentences were embedded twice, after %d calls before", len(again), asked)
	}
	sh.must(t, "fsck")
}

// textsOfACall is the most sentences of one call.
const textsOfACall = 32
