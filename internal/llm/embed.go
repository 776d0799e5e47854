package llm

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// EmbedBatch is the most texts that a model embeds in one call.
const EmbedBatch = 64

// EmbeddingStore keeps vectors by model and domain.Hash of the text.
type EmbeddingStore interface {
	Embeddings(ctx context.Context, model string, hashes []string) (map[string][]float32, error)
	SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error
}

// EmbedMissing embeds the texts that have no stored vector and returns how many
// it made. It stores the vectors of each call of the model, so that a retry
// repeats only the call that failed.
func EmbedMissing(ctx context.Context, s EmbeddingStore, e Embedder, texts []string) (int, error) {
	hashes := make([]string, len(texts))
	for i, text := range texts {
		hashes[i] = domain.Hash([]byte(text))
	}
	stored, err := s.Embeddings(ctx, e.Model(), hashes)
	if err != nil {
		return 0, err
	}
	seen := make(map[string]bool, len(texts))
	var missing, inputs []string
	for i, hash := range hashes {
		if stored[hash] == nil && !seen[hash] {
			seen[hash] = true
			missing, inputs = append(missing, hash), append(inputs, texts[i])
		}
	}
	for at := 0; at < len(missing); at += EmbedBatch {
		end := min(at+EmbedBatch, len(missing))
		vectors, err := e.Embed(ctx, inputs[at:end])
		if err != nil {
			return at, err
		}
		made := make(map[string][]float32, end-at)
		for i, hash := range missing[at:end] {
			made[hash] = vectors[i]
		}
		if err := s.SaveEmbeddings(ctx, e.Model(), made); err != nil {
			return at, err
		}
	}
	return len(missing), nil
}
