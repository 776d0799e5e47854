package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// EmbedBatch is the maximum number of texts that a model embeds in one call.
const EmbedBatch = 64

// MaxDimension is the maximum dimension of a vector: no search index holds longer ones.
const MaxDimension = 65_535

// EmbeddingStore stores vectors by model, dimension and domain.Hash of the text.
type EmbeddingStore interface {
	// Embeddings returns vectors of one dimension; 0 means that of the vectors saved last.
	Embeddings(ctx context.Context, model string, dimension int, hashes []string) (map[string][]float32, error)
	SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error
}

// EmbedMissing embeds the texts that have no stored vector and returns how many it made. It stores the vectors of each
// call of the model, so that a retry repeats only the call that failed. If the model makes vectors of another dimension
// than the stored ones, all texts are embedded again.
func EmbedMissing(ctx context.Context, s EmbeddingStore, e Embedder, texts []string) (int, error) {
	hashes, made := hashesOf(texts), 0
	for range dimensionsAtOnce {
		n, same, err := embedMissing(ctx, s, e, hashes, texts)
		if made += n; err != nil || same {
			return made, err
		}
	}
	return made, domain.Errorf(domain.Unavailable, "The embedding model %s changes the dimension of its vectors from call to call. Its address should lead to a single model.", e.Model())
}

// Vectors embeds the texts that have no stored vector, and returns the stored vectors of
// all, and of more hashes, by hash. If the model fails, it returns those that are stored
// with the error; if the store fails, nil.
func Vectors(ctx context.Context, s EmbeddingStore, e Embedder, texts []string, more ...string) (map[string][]float32, error) {
	_, failed := EmbedMissing(ctx, s, e, texts)
	vectors, err := s.Embeddings(ctx, e.Model(), 0, append(hashesOf(texts), more...))
	if err != nil {
		return nil, err
	}
	return vectors, failed
}

func hashesOf(texts []string) []string {
	hashes := make([]string, len(texts))
	for i, text := range texts {
		hashes[i] = domain.Hash([]byte(text))
	}
	return hashes
}

// dimensionsAtOnce is how often a model may change its dimension during the embedding
// of some texts.
const dimensionsAtOnce = 3

// embedMissing embeds the texts whose hashes have no stored vector. It stops when a vector
// has another dimension than the others.
func embedMissing(ctx context.Context, s EmbeddingStore, e Embedder, hashes, texts []string) (made int, same bool, err error) {
	stored, err := s.Embeddings(ctx, e.Model(), 0, hashes)
	if err != nil {
		return 0, false, err
	}
	dimension, missing, seen := 0, []int(nil), make(map[string]bool, len(texts))
	for i, hash := range hashes {
		dimension = cmp.Or(dimension, len(stored[hash]))
		if stored[hash] == nil && !seen[hash] {
			seen[hash] = true
			missing = append(missing, i)
		}
	}
	for batch := range slices.Chunk(missing, EmbedBatch) {
		some := make([]string, len(batch))
		for k, i := range batch {
			some[k] = texts[i]
		}
		vectors, err := e.Embed(ctx, some)
		if err != nil {
			return made, false, err
		}
		if err := CheckVectors(vectors, len(some)); err != nil {
			return made, false, domain.Because(domain.Unavailable, err, "The embedding model %s answered with %v.", e.Model(), err)
		}
		save := make(map[string][]float32, len(batch))
		for k, i := range batch {
			save[hashes[i]] = vectors[k]
		}
		if err := s.SaveEmbeddings(ctx, e.Model(), save); err != nil {
			return made, false, err
		}
		made += len(batch)
		if dimension = cmp.Or(dimension, len(vectors[0])); len(vectors[0]) != dimension {
			return made, false, nil
		}
	}
	return made, true, nil
}

// CheckVectors describes what is wrong with the vectors of some texts, in a few words. There have to be as many as texts,
// of one dimension, with a direction.
func CheckVectors(vectors [][]float32, texts int) error {
	if len(vectors) != texts {
		return fmt.Errorf("%d vectors for %d texts", len(vectors), texts)
	}
	for _, v := range vectors {
		switch {
		case len(v) == 0:
			return errors.New("an empty vector")
		case len(v) > MaxDimension:
			return fmt.Errorf("a vector of %d numbers, but the limit is %d", len(v), MaxDimension)
		case len(v) != len(vectors[0]):
			return fmt.Errorf("vectors of %d and of %d numbers", len(vectors[0]), len(v))
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
			return errors.New("a vector without a direction")
		}
	}
	return nil
}

// Cosine returns the cosine of the angle between two vectors. It returns 0 if their
// dimensions differ or one has no direction.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}
