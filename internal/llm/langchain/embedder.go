package langchain

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/tmc/langchaingo/llms/openai"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Embedder is an embedding model that is reached over HTTP.
type Embedder struct {
	config  Config
	library *openai.LLM

	mu        sync.Mutex
	dimension int // of the first vector ever seen
}

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder makes an embedding model of its configuration, whose provider
// must be OpenAI. It connects to nothing. An error is of kind Invalid and
// names the setting.
func NewEmbedder(c Config) (*Embedder, error) {
	if c.Settings == "" {
		c.Settings = "EMBED"
	}
	if c.Provider != OpenAI {
		return nil, domain.Errorf(domain.Invalid, "%s_PROVIDER is %q, but only %s makes embeddings.", c.Settings, c.Provider, OpenAI)
	}
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	library, err := newOpenAI(c, newDoer(c))
	return &Embedder{config: c, library: library}, err
}

// Model is the model's name.
func (e *Embedder) Model() string { return e.config.Model }

// Embed makes the vectors, batch by batch; see llm.Embedder. All vectors that
// an Embedder ever gives have the same dimension.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, e.config.Batch) {
		made, err := e.batch(ctx, batch)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, made...)
	}
	return vectors, nil
}

func (e *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	var vectors [][]float32
	x := &exchange{read: func(body []byte) error {
		var err error
		if vectors, err = readVectors(body, len(texts)); err != nil {
			return err
		}
		return e.check(vectors)
	}}
	err := x.run(ctx, e.config, func(ctx context.Context) error {
		_, err := e.library.CreateEmbedding(ctx, slices.Clone(texts))
		return err
	})
	return vectors, err
}

// readVectors puts the vectors in the order of the texts: the answer numbers
// them and need not keep the order.
func readVectors(body []byte, count int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index  *int      `json:"index"`
			Vector []float32 `json:"embedding"`
		} `json:"data"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	if len(answer.Error) > 0 && string(answer.Error) != "null" {
		return nil, parseServerError(body)
	}
	if len(answer.Data) != count {
		return nil, fmt.Errorf("%d vectors for %d texts", len(answer.Data), count)
	}
	vectors := make([][]float32, count)
	for i, d := range answer.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= count || vectors[at] != nil {
			return nil, fmt.Errorf("the vectors of %d texts are numbered wrongly", count)
		}
		vectors[at] = d.Vector
	}
	return vectors, nil
}

// check holds all vectors to one dimension and gives them unit length.
func (e *Embedder) check(vectors [][]float32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, v := range vectors {
		if len(v) == 0 {
			return fmt.Errorf("an empty vector")
		}
		if e.dimension == 0 {
			e.dimension = len(v)
		}
		if len(v) != e.dimension {
			return fmt.Errorf("vectors of %d and of %d numbers", e.dimension, len(v))
		}
		if !normalise(v) {
			return fmt.Errorf("a vector without a direction")
		}
	}
	return nil
}

// normalise gives v unit length and reports whether that can be done.
func normalise(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return true
}
