package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/clewhq/clew/internal/domain"
)

// Store keeps the answers of models by Key.
type Store interface {
	// ModelCall returns the answer stored under key, as JSON; nil if there is none.
	ModelCall(ctx context.Context, key string) ([]byte, error)

	// SaveModelCall stores an answer, to be deleted with its owner.
	SaveModelCall(ctx context.Context, key string, owner domain.CallOwner, answer []byte) error
}

// A Bookkeeper is a Store that counts what a call used in the write that stores its
// answer.
type Bookkeeper interface {
	Store
	SaveCounted(ctx context.Context, key string, owner domain.CallOwner, answer []byte, spent Call) error
}

// Key returns the key of a request's answer: the SHA-256 of the model, the
// request, the salt and the owner's workspace, in lower-case hexadecimal. So no
// workspace learns what another one has asked. It does not depend on the owner's
// run and document, nor on whether the text is streamed.
func Key(model string, r Request) (string, error) {
	w := r.Owner.Workspace
	if w == domain.DefaultWorkspace { // its answers were recorded before there were other workspaces
		w = ""
	}
	b, err := json.Marshal(struct {
		Model     string             `json:"model"`
		Salt      string             `json:"salt,omitempty"`
		Workspace domain.WorkspaceID `json:"workspace,omitempty"`
		Request   Request            `json:"request"`
	}{model, r.Salt, w, r})
	if err != nil {
		return "", fmt.Errorf("key of a model call: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Record returns c with its answers stored in s. A request whose answer is stored
// is not sent; OnText gets the stored text in one piece. Equal requests at the
// same time are sent once.
func Record(c Chat, s Store) Chat {
	return &recorder{Chat: c, store: s, calls: map[string]*sharedCall{}}
}

type recorder struct {
	Chat
	store Store

	mu    sync.Mutex
	calls map[string]*sharedCall // in progress, by key
}

// sharedCall is a call in progress.
type sharedCall struct {
	done     chan struct{} // closed when response and err are set
	response Response
	err      error
}

func (c *recorder) Complete(ctx context.Context, r Request) (Response, error) {
	if r.Fresh && !IsOnlyRecorded(ctx) {
		return c.Chat.Complete(ctx, r)
	}
	r.Owner.Workspace = ownerOf(ctx, r.Owner).Workspace
	key, err := Key(c.Model(), r)
	if err != nil {
		return Response{}, &Error{Fault: BadRequest, Message: "The request to the model can't be written as JSON.", Err: err}
	}
	if IsOnlyRecorded(ctx) { // not shared with calls that may be made
		return c.loadOrComplete(ctx, key, r)
	}
	for {
		call, first := c.join(key)
		if first {
			call.response, call.err = c.loadOrComplete(ctx, key, r)
			c.finish(key, call)
			return call.response, call.err
		}
		select {
		case <-call.done:
		case <-ctx.Done():
			return Response{}, Stopped(ctx.Err())
		}
		if call.err == nil {
			return replay(r, call.response), nil
		}
		if !isContextError(call.err) { // the first caller's own context says nothing about this call
			return Response{}, call.err
		}
	}
}

// join returns the call of a key. The caller who is first has to make and finish
// it.
func (c *recorder) join(key string) (call *sharedCall, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call, ok := c.calls[key]; ok {
		return call, false
	}
	call = &sharedCall{done: make(chan struct{})}
	c.calls[key] = call
	return call, true
}

func (c *recorder) finish(key string, call *sharedCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, key)
	close(call.done)
}

// loadOrComplete returns the stored answer, or asks the model and stores it.
func (c *recorder) loadOrComplete(ctx context.Context, key string, r Request) (Response, error) {
	var answer Response
	stored, err := c.store.ModelCall(ctx, key)
	if err == nil && stored != nil {
		err = json.Unmarshal(stored, &answer)
	}
	if err != nil {
		return Response{}, fmt.Errorf("look up a recorded model call: %w", err)
	}
	if stored != nil {
		return replay(r, answer), nil
	}
	if IsOnlyRecorded(ctx) {
		return Response{}, notRecorded()
	}
	books, counts := c.store.(Bookkeeper)
	var spent *Call
	within := ctx
	if counts {
		spent = new(Call)
		within = context.WithValue(ctx, tabKey{}, spent)
	}
	if answer, err = c.Chat.Complete(within, r); err != nil {
		return Response{}, err
	}
	ctx = context.WithoutCancel(ctx) // it has been paid for
	if stored, err = json.Marshal(answer); err == nil && counts && *spent != (Call{}) {
		err = books.SaveCounted(ctx, key, r.Owner, stored, *spent)
	} else if err == nil {
		err = c.store.SaveModelCall(ctx, key, r.Owner, stored)
	}
	if err != nil {
		return Response{}, fmt.Errorf("record a model call: %w", err)
	}
	return answer, nil
}

func replay(r Request, answer Response) Response {
	if r.OnText != nil && answer.Text != "" {
		r.OnText(answer.Text)
	}
	answer.Recorded = true
	return answer
}

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

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
