// Package embed makes vectors of texts and records them: what has been
// recorded is never made again.
package embed

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Batch is how many texts go to a model in one call.
const Batch = 64

// Ledger records vectors by model and hash (domain.Hash) of the text.
type Ledger interface {
	Embeddings(ctx context.Context, model string, hashes []string) (map[string][]float32, error)
	SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error
}

// Missing makes the vectors of those texts that have none recorded, in one
// call, records them, and returns how many it made. Texts should be at most
// Batch. Errors are those of the model and of the ledger.
func Missing(ctx context.Context, l Ledger, e llm.Embedder, texts []string) (int, error) {
	hashes := make([]string, len(texts))
	for i, text := range texts {
		hashes[i] = domain.Hash([]byte(text))
	}
	known, err := l.Embeddings(ctx, e.Model(), hashes)
	if err != nil {
		return 0, err
	}
	asked := make(map[string]bool, len(texts))
	var missing, inputs []string
	for i, hash := range hashes {
		if known[hash] == nil && !asked[hash] {
			asked[hash] = true
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
	return len(made), l.SaveEmbeddings(ctx, e.Model(), made)
}
