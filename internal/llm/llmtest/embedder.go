package llmtest

import (
	"context"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/llm"
)

// Dimension is the default dimension of an Embedder, and that of the server.
const Dimension = 256

// Embedder embeds a text as its bag of words: each stem adds one to the
// component that its hash picks, and the sum is scaled to unit length. Texts
// that share words are similar. The vectors are the same on every machine.
type Embedder struct {
	Name string // "" means "scripted-embedder"
	Size int    // 0 means Dimension
}

var _ llm.Embedder = Embedder{}

// Model returns the name.
func (e Embedder) Model() string {
	if e.Name == "" {
		return "scripted-embedder"
	}
	return e.Name
}

// Embed returns the vectors. It fails only when ctx is done.
func (e Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, llm.Stopped(err)
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = e.vector(text)
	}
	return vectors, nil
}

func (e Embedder) vector(text string) []float32 {
	size := e.Size
	if size == 0 {
		size = Dimension
	}
	v := make([]float32, size)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		h := fnv.New32a()
		h.Write([]byte(stem(word)))
		v[h.Sum32()%uint32(size)]++
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// stem removes the commonest English endings: "keepers" and "keeper" are equal.
func stem(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if cut, ok := strings.CutSuffix(word, ending); ok && len(cut) >= 3 {
			return cut
		}
	}
	return word
}

type embeddingWriter struct{}

func (embeddingWriter) whole(w http.ResponseWriter, q Request, r Reply) {
	vectors := r.Vectors
	if vectors == nil {
		for _, text := range q.Inputs {
			vectors = append(vectors, Embedder{}.vector(text))
		}
	}
	order := r.Order
	if len(order) != len(vectors) {
		order = order[:0:0]
		for i := range vectors {
			order = append(order, i)
		}
	}
	data := []object{}
	for _, i := range order {
		data = append(data, object{"object": "embedding", "index": i, "embedding": vectors[i]})
	}
	w.Write(encode(object{"object": "list", "model": q.Model, "data": data, "usage": object{"prompt_tokens": 1, "total_tokens": 1}})) //nolint:errcheck // a client that went away
}

// stream is never called: embeddings are not streamed.
func (e embeddingWriter) stream(w *stream, q Request, r Reply) { e.whole(w.w, q, r) }
