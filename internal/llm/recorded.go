package llm

import (
	"context"
	"errors"
)

type onlyRecorded struct{}

// OnlyRecorded returns a context in which no model is called. A request without a
// stored answer fails as NotRecorded.
func OnlyRecorded(ctx context.Context) context.Context {
	return context.WithValue(ctx, onlyRecorded{}, true)
}

// IsOnlyRecorded reports whether ctx is one of OnlyRecorded.
func IsOnlyRecorded(ctx context.Context) bool { return ctx.Value(onlyRecorded{}) != nil }

// notRecorded returns the failure of a request that must not be made.
func notRecorded() *Error {
	return &Error{Fault: NotRecorded, Message: "This asks a model something it was not asked before, so there is no recorded answer."}
}

// Unrecorded reports whether a request failed because its answer is not stored and no
// model was to be called.
func Unrecorded(err error) bool {
	fault, ok := errors.AsType[*Error](err)
	return ok && fault.Fault == NotRecorded
}

// RecordEmbedder returns e with its vectors stored in s. Texts whose vectors are
// stored are not sent.
func RecordEmbedder(e Embedder, s EmbeddingStore) Embedder {
	return aroundEmbedder{e, func(ctx context.Context, texts []string) ([][]float32, error) {
		hashes := hashesOf(texts)
		var stored map[string][]float32
		var err error
		if IsOnlyRecorded(ctx) {
			stored, err = s.Embeddings(ctx, e.Model(), 0, hashes)
		} else {
			stored, err = Vectors(ctx, s, e, texts)
		}
		if err != nil {
			return nil, err
		}
		vectors := make([][]float32, len(texts))
		for i, hash := range hashes {
			if vectors[i] = stored[hash]; vectors[i] == nil {
				return nil, notRecorded()
			}
		}
		return vectors, nil
	}}
}
