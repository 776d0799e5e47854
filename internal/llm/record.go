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

// Store keeps the answers of models by the key of what was asked.
type Store interface {
	// ModelCall returns the answer recorded under key, as JSON, and nil when
	// there is none.
	ModelCall(ctx context.Context, key string) ([]byte, error)

	// SaveModelCall records an answer, which is removed with its owner.
	SaveModelCall(ctx context.Context, key string, owner domain.CallOwner, answer []byte) error
}

// Key is under what an answer is recorded: the SHA-256 of the model, the
// request (with the name and version of its prompt) and the salt, in
// lower-case hexadecimal. Who asks, and whether the text is streamed, makes no
// difference.
func Key(model string, r Request) (string, error) {
	b, err := json.Marshal(struct {
		Model   string  `json:"model"`
		Salt    string  `json:"salt,omitempty"`
		Request Request `json:"request"`
	}{model, r.Salt, r})
	if err != nil {
		return "", fmt.Errorf("key of a model call: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Record answers from the store what has been asked before, and records every
// new answer before anybody sees its end, so that nothing is paid for twice.
// The same request asked several times at once is sent once. A recorded text
// goes through OnText in one piece.
func Record(c Chat, s Store) Chat {
	return &recorder{Chat: c, store: s, flights: map[string]*flight{}}
}

type recorder struct {
	Chat
	store Store

	mu      sync.Mutex
	flights map[string]*flight
}

// flight is a call that is under way; its result may be read once done is
// closed.
type flight struct {
	done     chan struct{}
	response Response
	err      error
}

func (c *recorder) Complete(ctx context.Context, r Request) (Response, error) {
	if r.Fresh {
		return c.Chat.Complete(ctx, r)
	}
	key, err := Key(c.Model(), r)
	if err != nil {
		return Response{}, &Error{Fault: BadRequest, Message: "The request to the model can't be written as JSON.", Err: err}
	}
	for {
		f, leads := c.join(key)
		if leads {
			f.response, f.err = c.lead(ctx, key, r)
			c.land(key, f)
			return f.response, f.err
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return Response{}, Stopped(ctx.Err())
		}
		if f.err == nil {
			return replay(r, f.response), nil
		}
		if !gaveUp(f.err) {
			return Response{}, f.err
		}
	}
}

// join finds the flight of a key, or opens one, which the caller then leads.
func (c *recorder) join(key string) (f *flight, leads bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.flights[key]; ok {
		return f, false
	}
	f = &flight{done: make(chan struct{})}
	c.flights[key] = f
	return f, true
}

func (c *recorder) land(key string, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, key)
	close(f.done)
}

// lead answers from the store, or asks the model and records what it says.
func (c *recorder) lead(ctx context.Context, key string, r Request) (Response, error) {
	kept, err := c.store.ModelCall(ctx, key)
	var answer Response
	if err == nil && kept != nil {
		err = json.Unmarshal(kept, &answer)
	}
	if err != nil {
		return Response{}, fmt.Errorf("look up a recorded model call: %w", err)
	}
	if kept != nil {
		return replay(r, answer), nil
	}
	if answer, err = c.Chat.Complete(ctx, r); err != nil {
		return Response{}, err
	}
	if kept, err = json.Marshal(answer); err == nil {
		err = c.store.SaveModelCall(ctx, key, r.Owner, kept)
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

// gaveUp reports whether a call ended because its own caller went away, which
// says nothing to the others who wait for the same answer.
func gaveUp(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
