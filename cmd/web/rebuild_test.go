package main

import (
	"context"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/vectorstore"
)

// TestAnotherEmbeddingModel changes the setting and expects answers before,
// during and after the rebuild.
func TestAnotherEmbeddingModel(t *testing.T) {
	t.Parallel()
	changeEmbeddingModel(t, connected(t, obliging(t)))
}

// changeEmbeddingModel runs the test on the set of stores and the model that sh
// configures.
func changeEmbeddingModel(t *testing.T, sh shell) {
	t.Helper()
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile)
	before := sh.app(t) // a server that was not started again

	sh.environ = append(sh.environ, "EMBED_MODEL=large")
	sh.answers(t)
	if out, err := sh.run(t, "doctor"); err == nil || !strings.Contains(out, "holds vectors of the model small, and the embedding model is large") || strings.Count(out, "Search index: ") > 1 {
		t.Errorf("the doctor says %q, error %v", out, err)
	}
	sh.must(t, "ingest", bridgeFile) // while the index is the old one
	sh.answers(t)

	out := sh.must(t, "rebuild")
	for _, says := range []string{"holds vectors of the model small, and the embedding model is large", "built beside it", "is filled: 2 documents"} {
		if !strings.Contains(out, says) {
			t.Errorf("not said: %s\nin %s", says, out)
		}
	}
	a := sh.app(t)
	if e, err := a.vectors.Embedding(t.Context()); err != nil || e != (vectorstore.Embedding{Model: "large", Dimension: llmtest.Dimension}) {
		t.Errorf("the index holds vectors of %+v, error %v", e, err)
	}
	all, err := a.vectors.IDs(t.Context(), domain.DefaultWorkspace, vectorstore.Chunks)
	if err != nil {
		t.Fatal(err)
	}
	if near := nearestTo(t, a); len(near) != len(all) || len(all) != 2 {
		t.Errorf("%d of %d chunks are found by vector", len(near), len(all))
	}
	if _, err := before.vectors.Dense(t.Context(), domain.DefaultWorkspace, vectorstore.DenseQuery{
		Collection: vectorstore.Chunks, Vector: make([]float32, llmtest.Dimension), Limit: 1,
	}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("vectors of the model before are compared with those of the new one: %v", err)
	}
	sh.answers(t)
	if out := sh.must(t, "doctor"); strings.Contains(out, "holds vectors") || !strings.Contains(out, "Every sentence has a vector") {
		t.Errorf("the doctor says %q", out)
	}
	sh.must(t, "fsck")
}

// TestAnotherDimensionUnderTheSameName has the embedding model make longer vectors after
// the first document.
func TestAnotherDimensionUnderTheSameName(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile)
	model.First(llmtest.Embedding, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		vectors, err := llmtest.Embedder{Size: 2 * llmtest.Dimension}.Embed(t.Context(), r.Inputs)
		if err != nil {
			t.Error(err)
		}
		return llmtest.Vectors(vectors...)
	}))
	sh.must(t, "ingest", bridgeFile)
	sh.must(t, "fsck")
	sh.answers(t)
	if out, err := sh.run(t, "doctor"); err == nil || !strings.Contains(out, "holds vectors of 256 numbers, but the embedding model small now makes 512") {
		t.Errorf("the doctor says %q, error %v", out, err)
	}
	for _, again := range []bool{false, true} { // the second finds all kept
		sh.must(t, "rebuild", "--store", "vectors")
		sh.must(t, "fsck")
		a := sh.app(t)
		if e, err := a.vectors.Embedding(t.Context()); err != nil || e.Dimension != 2*llmtest.Dimension || len(nearestTo(t, a)) != 2 {
			t.Errorf("again %t: the index is of %+v, error %v", again, e, err)
		}
	}
	if out := sh.must(t, "doctor"); strings.Contains(out, "by now") {
		t.Errorf("the doctor says %q", out)
	}
	sh.answers(t)
}

// TestARebuildMeasuresTheModel finds that the model has come to make longer vectors,
// though no other call would say so.
func TestARebuildMeasuresTheModel(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	model.First(llmtest.Embedding, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		vectors, err := llmtest.Embedder{Size: 8}.Embed(t.Context(), r.Inputs)
		if err != nil {
			t.Error(err)
		}
		return llmtest.Vectors(vectors...)
	}))
	sh.must(t, "rebuild")
	if e, err := sh.app(t).vectors.Embedding(t.Context()); err != nil || e.Dimension != 8 {
		t.Errorf("the index is of %+v, error %v", e, err)
	}
}

// answers asks a question that the library can answer.
func (sh shell) answers(t *testing.T) {
	t.Helper()
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who founded the foundry?"))
	if !strings.Contains(got.Answer, "Maud Ferring") || len(got.Citations) == 0 {
		t.Errorf("answered %+v", got)
	}
}

// nearestTo returns the chunks found by a vector of the configured model.
func nearestTo(t *testing.T, a *app) []vectorstore.Hit {
	t.Helper()
	vectors, err := a.models.Embedder.Embed(t.Context(), []string{"Maud Ferring founded the foundry."})
	if err != nil {
		t.Fatal(err)
	}
	hits, err := a.vectors.Dense(t.Context(), domain.DefaultWorkspace, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: vectors[0], Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// TestARebuildForAnotherModelPaysOnce interrupts the rebuild by a failing
// embedding model and counts its calls.
func TestARebuildForAnotherModelPaysOnce(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	sh.environ = append(sh.environ, "EMBED_MODEL=large")
	chats := model.Calls(llmtest.Any)

	sh.must(t, "rebuild")
	texts := func() (n int) {
		for _, r := range model.Requests(llmtest.Embedding) {
			for _, text := range r.Inputs {
				if r.Model == "large" && strings.Contains(text, "\n") { // a chunk, not the probe of the dimension
					n++
				}
			}
		}
		return n
	}
	if n := texts(); n != 2 {
		t.Errorf("%d chunks were embedded, want 2", n)
	}
	if n := model.Calls(func(r llmtest.Request) bool { return llmtest.Embedding(r) && r.Model == "large" }); n != 2 {
		t.Errorf("%d calls of the new model, want one for the chunks and one for the dimension", n)
	}
	sh.must(t, "rebuild")
	sh.environ = append(sh.environ, "EMBED_MODEL=small")
	sh.must(t, "rebuild") // back, from what is recorded
	if n := texts(); n != 2 || model.Calls(llmtest.Any) != chats {
		t.Errorf("%d chunks were embedded in all, want 2; %d other calls", n, model.Calls(llmtest.Any)-chats)
	}
	a := sh.app(t)
	if e, err := a.vectors.Embedding(context.Background()); err != nil || e.Model != "small" || len(nearestTo(t, a)) != 2 {
		t.Errorf("the index is of %+v, error %v", e, err)
	}
}
