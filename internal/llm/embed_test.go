package llm_test

import (
	"context"
	"errors"
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
	r, e := &llmtest.Shelf{}, &counting{}
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
	stored, err := r.Embeddings(t.Context(), "scripted-embedder", 0, []string{domain.Hash([]byte("c"))})
	if diff := cmp.Diff(vectors[0], stored[domain.Hash([]byte("c"))]); diff != "" || err != nil {
		t.Errorf("recorded of c (-want +got)\n%s", diff)
	}
}

func TestEmbedMissingStoresNothingOfAFailedCall(t *testing.T) {
	t.Parallel()
	r, broken := &llmtest.Shelf{}, errors.New("broken")
	if made, err := llm.EmbedMissing(t.Context(), r, &counting{fails: broken}, []string{"a"}); made != 0 || !errors.Is(err, broken) {
		t.Errorf("made %d, error %v", made, err)
	}
	if r.Len() != 0 {
		t.Errorf("recorded %d vectors", r.Len())
	}
}

func TestEmbedMissingKeepsTheCallsBeforeAFailure(t *testing.T) {
	t.Parallel()
	texts := make([]string, 2*llm.EmbedBatch+2)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	r, broken := &llmtest.Shelf{}, errors.New("broken")
	if made, err := llm.EmbedMissing(t.Context(), r, &counting{fails: broken, after: 1}, texts); made != llm.EmbedBatch || !errors.Is(err, broken) {
		t.Errorf("made %d, error %v, want %d of the first call", made, err, llm.EmbedBatch)
	}
	e := &counting{}
	made, err := llm.EmbedMissing(t.Context(), r, e, texts)
	if err != nil || made != llm.EmbedBatch+2 || r.Len() != len(texts) {
		t.Errorf("made %d of %d, error %v, want the rest", made, r.Len(), err)
	}
	if diff := cmp.Diff([][]string{texts[llm.EmbedBatch : 2*llm.EmbedBatch], texts[2*llm.EmbedBatch:]}, e.asked); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
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
		store, e := &llmtest.Shelf{}, &changing{sizes: tt.sizes}
		if tt.before > 0 {
			if _, err := llm.EmbedMissing(t.Context(), store, e, texts[:tt.before]); err != nil {
				t.Fatal(err)
			}
		}
		if vectors, err := llm.Vectors(t.Context(), store, e, texts); err != nil || len(vectors) != len(texts) {
			t.Errorf("%s: %d vectors of one dimension, want %d; error %v", name, len(vectors), len(texts), err)
		}
	}
	turns := &changing{sizes: []int{8, 16, 8, 16, 8, 16, 8, 16, 8, 16, 8, 16}}
	if _, err := llm.EmbedMissing(t.Context(), &llmtest.Shelf{}, turns, texts); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("with two models in turn: %v after %d calls", err, turns.calls)
	}
}

// TestVectorsOfAModelThatFails: what is stored is returned with the error.
func TestVectorsOfAModelThatFails(t *testing.T) {
	t.Parallel()
	s, down := &llmtest.Shelf{}, errors.New("down")
	made, err := llm.Vectors(t.Context(), s, &counting{}, []string{"a", "b"}, "a hash of nothing")
	if err != nil || len(made) != 2 || made[domain.Hash([]byte("b"))] == nil {
		t.Fatalf("%d vectors, error %v", len(made), err)
	}
	left, err := llm.Vectors(t.Context(), s, &counting{fails: down}, []string{"c"}, domain.Hash([]byte("a")))
	if !errors.Is(err, down) || len(left) != 1 || left[domain.Hash([]byte("a"))] == nil {
		t.Errorf("%d vectors, error %v", len(left), err)
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
		"a vector of 65536 numbers, but the limit is 65535": {make([]float32, llm.MaxDimension+1), {1}},
	} {
		err := llm.CheckVectors(vectors, 2)
		if (err == nil) != (says == "") || err != nil && err.Error() != strings.TrimSpace(says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}
