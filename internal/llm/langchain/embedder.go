package langchain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Embedder is an embedding model behind an HTTP address.
type Embedder struct{ server }

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder returns the embedding model of a configuration, whose provider
// must be OpenAI, without connecting to it. An Invalid error names the setting
// to mend.
func NewEmbedder(c Config) (*Embedder, error) {
	c.Settings = cmp.Or(c.Settings, "EMBED")
	if c.Provider != OpenAI {
		return nil, domain.Errorf(domain.Invalid, "%s_PROVIDER is %q, but only %s makes embeddings.", c.Settings, c.Provider, OpenAI)
	}
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	return &Embedder{s}, nil
}

// Embed embeds texts in batches; see llm.Embedder. Vectors of several dimensions
// are an error.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, e.Batch) {
		read := func(body []byte) error {
			made, tokens, err := vectorsIn(body, len(batch))
			llm.CountEmbedded(ctx, tokens)
			vectors = append(vectors, made...)
			return err
		}
		if err := e.call(ctx, "/embeddings", map[string]any{"model": e.Model(), "input": batch}, read, nil); err != nil {
			return nil, err
		}
	}
	if err := e.misread(llm.CheckVectors(vectors, len(texts))); err != nil {
		return nil, err
	}
	for _, v := range vectors {
		normalize(v)
	}
	return vectors, nil
}

// vectorsIn returns the vectors of an answer, sorted by their index, and how many tokens
// the server has counted.
func vectorsIn(body []byte, count int) (vectors [][]float32, tokens int, err error) {
	var a struct {
		Data []struct {
			Index  *int            `json:"index"`
			Vector json.RawMessage `json:"embedding"`
		} `json:"data"`
		Usage json.RawMessage `json:"usage"`
	}
	if n := bytes.Count(body, []byte(",")); n > count*llm.MaxDimension {
		return nil, 0, fmt.Errorf("%d numbers for %d texts", n, count)
	}
	if err := decodeNumbers(body, &a); err != nil {
		return nil, 0, err
	}
	if len(a.Data) != count {
		return nil, 0, fmt.Errorf("%d vectors for %d texts", len(a.Data), count)
	}
	vectors, seen := make([][]float32, count), make([]bool, count)
	for i, v := range a.Data {
		if v.Index != nil {
			i = *v.Index
		}
		if i < 0 || i >= count || seen[i] {
			return nil, 0, fmt.Errorf("the vectors of %d texts are numbered wrongly", count)
		}
		if bytes.Contains(v.Vector, []byte("null")) { // for what is no number
			return nil, 0, errors.New("a vector without a direction")
		}
		if seen[i] = true; len(v.Vector) > 0 {
			if err := json.Unmarshal(v.Vector, &vectors[i]); err != nil {
				return nil, 0, err
			}
		}
	}
	return vectors, countOf(a.Usage).Input, nil
}

// normalize scales a vector to unit length.
func normalize(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
}
