package llm_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// vectorMap is an llm.EmbeddingStore in memory.
type vectorMap map[string][]float32

func (r vectorMap) Embeddings(_ context.Context, model string, hashes []string) (map[string][]float32, error) {
	found := map[string][]float32{}
	for _, h := range hashes {
		if v, ok := r[model+h]; ok {
			found[h] = v
		}
	}
	return found, nil
}

func (r vectorMap) SaveEmbeddings(_ context.Context, model string, vectors map[string][]float32) error {
	for h, v := range vectors {
		r[model+h] = v
	}
	return nil
}

// counting is an embedder that keeps the texts of its calls.
type counting struct {
	llmtest.Embedder
	asked [][]string
	fails error
	after int // calls that succeed before fails
}

func (c *counting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.asked = append(c.asked, slices.Clone(texts))
	if c.fails != nil && len(c.asked) > c.after {
		return nil, c.fails
	}
	return c.Embedder.Embed(ctx, texts)
}

func TestEmbedMissing(t *testing.T) {
	t.Parallel()
	r, e := vectorMap{}, &counting{}
	for _, tt := range []struct {
		texts []string
		asks  []string
	}{
		{nil, nil},
		{[]string{"a", "b", "a"}, []string{"a", "b"}},
		{[]string{"b", "c"}, []string{"c"}},
		{[]string{"a", "b", "c"}, nil},
	} {
		e.asked = nil
		made, err := llm.EmbedMissing(t.Context(), r, e, tt.texts)
		if err != nil || made != len(tt.asks) {
			t.Errorf("%v: made %d, error %v", tt.texts, made, err)
		}
		var want [][]string
		if tt.asks != nil {
			want = [][]string{tt.asks}
		}
		if diff := cmp.Diff(want, e.asked); diff != "" {
			t.Errorf("%v: asked (-want +got)\n%s", tt.texts, diff)
		}
	}
	vectors, err := llmtest.Embedder{}.Embed(t.Context(), []string{"c"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(vectors[0], r["scripted-embedder"+domain.Hash([]byte("c"))]); diff != "" {
		t.Errorf("recorded of c (-want +got)\n%s", diff)
	}
}

func TestEmbedMissingStoresNothingOfAFailedCall(t *testing.T) {
	t.Parallel()
	r, broken := vectorMap{}, errors.New("broken")
	if made, err := llm.EmbedMissing(t.Context(), r, &counting{fails: broken}, []string{"a"}); made != 0 || !errors.Is(err, broken) {
		t.Errorf("made %d, error %v", made, err)
	}
	if len(r) != 0 {
		t.Errorf("recorded %v", slices.Collect(maps.Keys(r)))
	}
}

func TestEmbedMissingKeepsTheCallsBeforeAFailure(t *testing.T) {
	t.Parallel()
	texts := make([]string, 2*llm.EmbedBatch+2)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	r, broken := vectorMap{}, errors.New("broken")
	if made, err := llm.EmbedMissing(t.Context(), r, &counting{fails: broken, after: 1}, texts); made != llm.EmbedBatch || !errors.Is(err, broken) {
		t.Errorf("made %d, error %v, want %d of the first call", made, err, llm.EmbedBatch)
	}
	e := &counting{}
	made, err := llm.EmbedMissing(t.Context(), r, e, texts)
	if err != nil || made != llm.EmbedBatch+2 || len(r) != len(texts) {
		t.Errorf("made %d of %d, error %v, want the rest", made, len(r), err)
	}
	if diff := cmp.Diff([][]string{texts[llm.EmbedBatch : 2*llm.EmbedBatch], texts[2*llm.EmbedBatch:]}, e.asked); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
}
