package llm

import (
	"context"
	"errors"
	"log/slog"
)

// A Watch observes the calls of models.
type Watch interface {
	// Call is called when a call begins. Of the functions it returns, first is called at the first words of the answer
	// if these are streamed, and over at the end.
	Call(ctx context.Context, c Calling) (within context.Context, first func(), over func(Response, error))
}

// Calling describes a call: a model of a provider, for a role. The operation is named as by the GenAI conventions of
// OpenTelemetry.
type Calling struct{ Operation, Provider, Model, Role string }

// Watched returns c with w observing its calls, or c if w is nil.
func Watched(c Chat, provider string, w Watch) Chat {
	if w == nil {
		return c
	}
	return around{c, func(ctx context.Context, r Request) (Response, error) {
		ctx, first, over := w.Call(ctx, Calling{"chat", provider, c.Model(), r.Role()})
		if say := r.OnText; say != nil {
			r.OnText = func(text string) {
				first()
				say(text)
			}
		}
		answer, err := c.Complete(ctx, r)
		over(answer, err)
		return answer, err
	}}
}

// WatchedEmbedder returns e with w observing its calls, or e if w is nil.
func WatchedEmbedder(e Embedder, provider string, w Watch) Embedder {
	if w == nil {
		return e
	}
	return aroundEmbedder{e, func(ctx context.Context, texts []string) ([][]float32, error) {
		ctx, _, over := w.Call(ctx, Calling{"embeddings", provider, e.Model(), "embed"})
		vectors, err := e.Embed(ctx, texts)
		over(Response{}, err)
		return vectors, err
	}}
}

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
