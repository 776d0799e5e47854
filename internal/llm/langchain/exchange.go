package langchain

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/llm"
)

// exchange is one request and its answer. The adapter hands it to the doer
// through the context, past the library.
type exchange struct {
	fields map[string]any                  // merged into the request
	read   func(body []byte) error         // takes a whole answer
	event  func(data []byte) (bool, error) // takes an event of a stream; nil when no stream is wanted
	ended  func() bool                     // whether the stream has said all

	answered bool
	err      error
}

type exchangeKey struct{}

// run lets the library build and send its request, and gives what the doer
// made of the answer. The library's own opinion counts only when it never got
// as far as the doer.
func (x *exchange) run(ctx context.Context, c Config, send func(ctx context.Context) error) error {
	timed, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	err := send(context.WithValue(timed, exchangeKey{}, x))
	switch {
	case ctx.Err() != nil:
		return llm.Stopped(ctx.Err())
	case x.answered:
		return nil
	case x.err != nil && timed.Err() != nil:
		return place(c).slow(x.err)
	case x.err != nil:
		return x.err
	case err == nil:
		err = errors.New("no request was sent")
	}
	return &llm.Error{Fault: llm.BadRequest, Message: "The request to the model could not be built: " + err.Error() + ".", Err: err}
}
