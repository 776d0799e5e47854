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

	"github.com/tmc/langchaingo/llms/openai"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/transport"
)

// Embedder is an embedding model behind an HTTP address.
type Embedder struct {
	config  Config
	library *openai.LLM
}

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder returns the embedding model of a configuration, whose provider
// must be OpenAI, without connecting to it. An Invalid error names the setting
// to mend.
func NewEmbedder(c Config) (*Embedder, error) {
	c.Settings = cmp.Or(c.Settings, "EMBED")
	if c.Provider != OpenAI {
		return nil, domain.Errorf(domain.Invalid, "%s_PROVIDER is %q, but only %s makes embeddings.", c.Settings, c.Provider, OpenAI)
	}
	c, err := c.WithDefaults()
	if err != nil {
		return nil, err
	}
	library, err := newOpenAI(c)
	return &Embedder{config: c, library: library}, err
}

// Model returns the model's name.
func (e *Embedder) Model() string { return e.config.Model }

// Embed embeds texts in batches; see llm.Embedder. Vectors of several dimensions
// are an error.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, e.config.Batch) {
		made, err := e.batch(ctx, batch)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, made...)
	}
	return vectors, e.config.Misread(llm.CheckVectors(vectors, len(texts)))
}

func (e *Embedder) batch(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	x := &transport.Exchange{Whole: func(body []byte) ([]byte, error) {
		sorted, tokens, err := inOrder(body, len(texts))
		llm.CountEmbedded(ctx, tokens)
		return sorted, err
	}}
	err = x.Run(ctx, e.config, func(ctx context.Context) error {
		vectors, err = e.library.CreateEmbedding(ctx, slices.Clone(texts)) // the library changes its input
		return err
	})
	if err != nil {
		return nil, err
	}
	return vectors, e.config.Misread(normalize(vectors, len(texts)))
}

// inOrder sorts an answer's vectors by their index, which the library ignores, and
// returns how many tokens the server has counted.
func inOrder(body []byte, count int) (inOrder []byte, tokens int, err error) {
	type vector struct {
		Index  *int            `json:"index,omitempty"`
		Vector json.RawMessage `json:"embedding"`
	}
	var a struct {
		transport.Failure
		Data []vector `json:"data"`
	}
	if n := bytes.Count(body, []byte(",")); n > count*llm.MaxDimension {
		return nil, 0, fmt.Errorf("%d numbers for %d texts", n, count)
	}
	if err := a.DecodeVectors(body, &a); err != nil {
		return nil, 0, err
	}
	if len(a.Data) != count {
		return nil, 0, fmt.Errorf("%d vectors for %d texts", len(a.Data), count)
	}
	sorted, seen := make([]vector, count), make([]bool, count)
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
		sorted[i], seen[i] = vector{Vector: v.Vector}, true
	}
	inOrder, err = json.Marshal(map[string]any{"data": sorted})
	return inOrder, usageOf(body).Input, err
}

// normalize checks the vectors and scales them to unit length.
func normalize(vectors [][]float32, texts int) error {
	if err := llm.CheckVectors(vectors, texts); err != nil {
		return err
	}
	for _, v := range vectors {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		for i := range v {
			v[i] = float32(float64(v[i]) / math.Sqrt(sum))
		}
	}
	return nil
}
