package llm

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// EmbedBatch is the number of texts to pass to one call of EmbedMissing.
const EmbedBatch = 64

// EmbeddingStore keeps vectors by model and domain.Hash of the text.
type EmbeddingStore interface {
	Embeddings(ctx context.Context, model string, hashes []string) (map[string][]float32, error)
	SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error
}

// EmbedMissing embeds, in one call of the model, the texts that have no stored
// vector, stores their vectors, and returns how many it made.
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
	if len(missing) == 0 {
		return 0, nil
	}
	vectors, err := e.Embed(ctx, inputs)
	if err != nil {
		return 0, err
	}
	made := make(map[string][]float32, len(missing))
	for i, hash := range missing {
		made[hash] = vectors[i]
	}
	return len(made), s.SaveEmbeddings(ctx, e.Model(), made)
}
