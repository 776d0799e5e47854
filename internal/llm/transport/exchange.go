package transport

import (
	"context"

	"github.com/clewhq/clew/internal/llm"
)

// An Exchange is one request and its answer. It travels to the Client in the
// request's context, because the library between them has no room for it.
type Exchange struct {
	Amend    func(body map[string]any)              // completes the request's body, unless nil; its members are json.RawMessage
	Fill     func(body []byte) []byte               // puts into the encoded body what the library was not given, unless nil
	Whole    func(body []byte) ([]byte, error)      // reads a whole answer; returns what the library is to read, if anything
	Event    func(data []byte) (last bool, _ error) // reads one event of a stream; nil when no stream is wanted
	Complete func() bool                            // reports whether the events so far are a whole answer

	sent bool
	read bool // Whole or Event read the answer, and the library gets none
	err  error
}

type exchangeKey struct{}

// Run calls send, in which the library sends its request and reads what Whole
// returned. Errors are *llm.Error.
func (x *Exchange) Run(ctx context.Context, c Config, send func(ctx context.Context) error) error {
	timed, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	err := send(context.WithValue(timed, exchangeKey{}, x))
	switch {
	case ctx.Err() != nil:
		return llm.Stopped(ctx.Err())
	case x.err != nil && timed.Err() != nil:
		return c.tooSlow(x.err)
	case x.err != nil:
		return x.err
	case x.read || err == nil:
		return nil
	case x.sent:
		return c.Misread(err)
	}
	return c.notBuilt(err)
}
