package llm_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// vectorMap is an llm.EmbeddingStore in memory.
type vectorMap map[string][]float32

func (r vectorMap) Embeddings(_ context.Context, model string, _ int, hashes []string) (map[string][]float32, error) {
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

// keptVectors is an llm.EmbeddingStore in memory that keeps dimensions apart.
type keptVectors struct {
	kept map[int]vectorMap
	last int
}

func (k *keptVectors) Embeddings(ctx context.Context, model string, dimension int, hashes []string) (map[string][]float32, error) {
	if dimension == 0 {
		dimension = k.last
	}
	return k.kept[dimension].Embeddings(ctx, model, dimension, hashes)
}

func (k *keptVectors) SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error {
	for _, v := range vectors {
		k.last = len(v)
	}
	if k.kept[k.last] == nil {
		k.kept[k.last] = vectorMap{}
	}
	return k.kept[k.last].SaveEmbeddings(ctx, model, vectors)
}

// changing is an embedder of the given dimensions, call by call; the last one stays.
type changing struct {
	sizes []int
	calls int
}

func (*changing) Model() string { return "m" }

func (c *changing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	size := c.sizes[min(c.calls, len(c.sizes)-1)]
	c.calls++
	return llmtest.Embedder{Size: size}.Embed(ctx, texts)
}

// TestEmbedMissingAfterAChangeOfDimension embeds all texts of a call anew, also where the
// dimension changes in the middle.
func TestEmbedMissingAfterAChangeOfDimension(t *testing.T) {
	t.Parallel()
	texts := make([]string, 2*llm.EmbedBatch)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	for name, tt := range map[string]struct {
		sizes  []int
		before int // texts that were embedded by an earlier call
	}{
		"not at all":                {[]int{8}, 1},
		"before the call":           {[]int{8, 16}, llm.EmbedBatch},
		"between two batches":       {[]int{8, 16}, 0},
		"and back, within the call": {[]int{8, 16, 8}, 0},
	} {
		store, e := &keptVectors{kept: map[int]vectorMap{}}, &changing{sizes: tt.sizes}
		if tt.before > 0 {
			if _, err := llm.EmbedMissing(t.Context(), store, e, texts[:tt.before]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := llm.EmbedMissing(t.Context(), store, e, texts); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(store.kept[store.last]); n != len(texts) {
			t.Errorf("%s: %d vectors of %d numbers, want %d", name, n, store.last, len(texts))
		}
	}
	turns := &changing{sizes: []int{8, 16, 8, 16, 8, 16, 8, 16, 8, 16, 8, 16}}
	if _, err := llm.EmbedMissing(t.Context(), &keptVectors{kept: map[int]vectorMap{}}, turns, texts); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("with two models in turn: %v after %d calls", err, turns.calls)
	}
}

func TestVectorsAreChecked(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for says, vectors := range map[string][][]float32{
		"":                               {{1, 0}, {0, 1}},
		"1 vectors for 2 texts":          {{1}},
		"an empty vector":                {{1}, {}},
		"vectors of 1 and of 2 numbers":  {{1}, {1, 2}},
		"a vector without a direction":   {{1, 2}, {0, 0}},
		"a vector without a direction ":  {{1, nan}, {1, 2}},
		"a vector without a direction  ": {{1, inf}, {1, 2}},
		"a vector of 65536 numbers, where 65535 are the most": {make([]float32, llm.MaxDimension+1), {1}},
	} {
		err := llm.CheckVectors(vectors, 2)
		if (err == nil) != (says == "") || err != nil && err.Error() != strings.TrimSpace(says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}
