package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/clewhq/clew/internal/domain"
)

// EmbedBatch is the most texts that a model embeds in one call.
const EmbedBatch = 64

// MaxDimension is the most numbers of a vector: no search index holds longer ones.
const MaxDimension = 65_535

// EmbeddingStore keeps vectors by model, dimension and domain.Hash of the text.
type EmbeddingStore interface {
	// Embeddings returns vectors of one dimension; 0 stands for that of the vectors
	// that were saved last.
	Embeddings(ctx context.Context, model string, dimension int, hashes []string) (map[string][]float32, error)
	SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error
}

// EmbedMissing embeds the texts that have no stored vector and returns how many
// it made. It stores the vectors of each call of the model, so that a retry
// repeats only the call that failed. If the model makes vectors of another
// dimension than the stored ones, all texts are embedded anew.
func EmbedMissing(ctx context.Context, s EmbeddingStore, e Embedder, texts []string) (int, error) {
	hashes, made := hashesOf(texts), 0
	for range dimensionsAtOnce {
		m, err := missing(ctx, s, e, hashes, texts)
		if err != nil {
			return made, err
		}
		n, same, err := m.embed(ctx, s, e)
		if made += n; err != nil || same {
			return made, err
		}
	}
	return made, domain.Errorf(domain.Unavailable, "The embedding model %s changes the dimension of its vectors from call to call. Its address should lead to one model only.", e.Model())
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

// A missingTexts lists texts without a stored vector.
type missingTexts struct {
	hashes, texts []string
	dimension     int // of the stored vectors of the other texts; 0 if there are none
}

func missing(ctx context.Context, s EmbeddingStore, e Embedder, hashes, texts []string) (m missingTexts, err error) {
	stored, err := s.Embeddings(ctx, e.Model(), 0, hashes)
	if err != nil {
		return m, err
	}
	seen := make(map[string]bool, len(texts))
	for i, hash := range hashes {
		m.dimension = cmp.Or(m.dimension, len(stored[hash]))
		if stored[hash] == nil && !seen[hash] {
			seen[hash] = true
			m.hashes, m.texts = append(m.hashes, hash), append(m.texts, texts[i])
		}
	}
	return m, nil
}

// embed makes and stores the vectors, and returns how many. It stops when they are
// not of the same dimension as the others.
func (m missingTexts) embed(ctx context.Context, s EmbeddingStore, e Embedder) (made int, same bool, err error) {
	for at := 0; at < len(m.hashes); at += EmbedBatch {
		end := min(at+EmbedBatch, len(m.hashes))
		vectors, err := e.Embed(ctx, m.texts[at:end])
		if err != nil {
			return at, false, err
		}
		if err := CheckVectors(vectors, end-at); err != nil {
			return at, false, domain.Because(domain.Unavailable, err, "The embedding model %s answered with %v.", e.Model(), err)
		}
		batch := make(map[string][]float32, end-at)
		for i, hash := range m.hashes[at:end] {
			batch[hash] = vectors[i]
		}
		if err := s.SaveEmbeddings(ctx, e.Model(), batch); err != nil {
			return at, false, err
		}
		if m.dimension = cmp.Or(m.dimension, len(vectors[0])); len(vectors[0]) != m.dimension {
			return end, false, nil
		}
	}
	return len(m.hashes), true, nil
}

// CheckVectors says what is wrong with the vectors of some texts, in a few words. There
// have to be as many as texts, of one dimension, with a direction.
func CheckVectors(vectors [][]float32, texts int) error {
	if len(vectors) != texts {
		return fmt.Errorf("%d vectors for %d texts", len(vectors), texts)
	}
	for _, v := range vectors {
		switch {
		case len(v) == 0:
			return errors.New("an empty vector")
		case len(v) > MaxDimension:
			return fmt.Errorf("a vector of %d numbers, where %d are the most", len(v), MaxDimension)
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
