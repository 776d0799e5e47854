package llmtest

import (
	"context"
	"sync"

	"github.com/clewhq/clew/internal/llm"
)

// A Shelf keeps vectors in memory. Its zero value is empty.
type Shelf struct {
	mu      sync.Mutex
	vectors map[place][]float32
	last    map[string]int // dimension, by model
}

type place struct {
	model, hash string
	dimension   int
}

var _ llm.EmbeddingStore = (*Shelf)(nil)

// Embeddings implements llm.EmbeddingStore.
func (s *Shelf) Embeddings(_ context.Context, model string, dimension int, hashes []string) (map[string][]float32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if dimension == 0 {
		dimension = s.last[model]
	}
	found := map[string][]float32{}
	for _, h := range hashes {
		if v, ok := s.vectors[place{model, h, dimension}]; ok {
			found[h] = v
		}
	}
	return found, nil
}

// SaveEmbeddings implements llm.EmbeddingStore.
func (s *Shelf) SaveEmbeddings(_ context.Context, model string, vectors map[string][]float32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vectors == nil {
		s.vectors, s.last = map[place][]float32{}, map[string]int{}
	}
	for h, v := range vectors {
		s.vectors[place{model, h, len(v)}], s.last[model] = v, len(v)
	}
	return nil
}

// Len returns the number of vectors.
func (s *Shelf) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.vectors)
}
