package embed_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/embed"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// record is a ledger of vectors.
type record map[string][]float32

func (r record) Embeddings(_ context.Context, model string, hashes []string) (map[string][]float32, error) {
	found := map[string][]float32{}
	for _, h := range hashes {
		if v, ok := r[model+h]; ok {
			found[h] = v
		}
	}
	return found, nil
}

func (r record) SaveEmbeddings(_ context.Context, model string, vectors map[string][]float32) error {
	for h, v := range vectors {
		r[model+h] = v
	}
	return nil
}

// counting is an embedder that keeps what it was asked.
type counting struct {
	llmtest.Embedder
	asked [][]string
	fails error
}

func (c *counting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.asked = append(c.asked, slices.Clone(texts))
	if c.fails != nil {
		return nil, c.fails
	}
	return c.Embedder.Embed(ctx, texts)
}

func TestMissing(t *testing.T) {
	t.Parallel()
	r, e := record{}, &counting{}
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
		made, err := embed.Missing(t.Context(), r, e, tt.texts)
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

func TestNothingIsRecordedOfAFailedCall(t *testing.T) {
	t.Parallel()
	r, broken := record{}, errors.New("broken")
	if made, err := embed.Missing(t.Context(), r, &counting{fails: broken}, []string{"a"}); made != 0 || !errors.Is(err, broken) {
		t.Errorf("made %d, error %v", made, err)
	}
	if len(r) != 0 {
		t.Errorf("recorded %v", slices.Collect(maps.Keys(r)))
	}
}
