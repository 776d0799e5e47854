package llm

import (
	"context"
	"errors"
	"log/slog"
)

// Logged returns c with its failures in the log, which names the address of the server
// where messages do not.
func Logged(c Chat, log *slog.Logger) Chat {
	return around{c, func(ctx context.Context, r Request) (Response, error) {
		answer, err := c.Complete(ctx, r)
		logFailure(ctx, log, c.Model(), r.Role(), err)
		return answer, err
	}}
}

// LoggedEmbedder returns e with its failures in the log.
func LoggedEmbedder(e Embedder, log *slog.Logger) Embedder {
	return aroundEmbedder{e, func(ctx context.Context, texts []string) ([][]float32, error) {
		vectors, err := e.Embed(ctx, texts)
		logFailure(ctx, log, e.Model(), "embed", err)
		return vectors, err
	}}
}

func logFailure(ctx context.Context, log *slog.Logger, model, role string, err error) {
	if fault, ok := errors.AsType[*Error](err); ok && fault.Fault != Cancelled {
		log.WarnContext(ctx, "a model failed", "model", model, "role", role, "err", err)
	}
}
