package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// The output tokens of a call: room for thoughts, plus a number for each input token. Extraction lists the contents of
// a passage in more words than the passage has.
const (
	thoughtTokens = 2048
	mostRead      = 4096 // of the text that other roles read
	perExtracted  = 3
)

// Items of a list in an answer: at least and at most in one of the whole answer, and in
// one within an item.
const (
	fewestItems  = 32
	mostItems    = 200
	tokensOfItem = 24
	innerItems   = 24
	outerDepth   = 3 // of braces in a schema
)

// Bound returns c with a bound on what each call may write: most tokens, or if most is
// 0 as many as what it reads may need. Lists in schemas get a bound too. A call that
// takes long tells the trace how far it is. What a server does not accept of this is
// left out. Bound belongs within Record: none of it changes a request's key.
func Bound(c Chat, most int) Chat { return &bounded{Chat: c, most: most} }

type bounded struct {
	Chat
	most                           int
	noTokens, noLists, noStreaming atomic.Bool // not accepted
}

func (c *bounded) Complete(ctx context.Context, r Request) (Response, error) {
	for {
		q := c.bound(r)
		over := progress(ctx, &q)
		answer, err := c.Chat.Complete(ctx, q)
		over()
		if err == nil || !c.without(&r, err) {
			return answer, err
		}
	}
}

// bound returns the request with its bounds.
func (c *bounded) bound(r Request) Request {
	if r.MaxTokens == 0 && !c.noTokens.Load() {
		r.MaxTokens = c.tokens(r)
	}
	if c.noStreaming.Load() {
		r.Stream = false
	}
	if c.noLists.Load() {
		return r
	}
	outer := min(max(r.MaxTokens/tokensOfItem, fewestItems), mostItems)
	if r.Schema != nil {
		r.Schema = &Schema{Name: r.Schema.Name, Schema: boundLists(r.Schema.Schema, outer)}
	}
	if len(r.Tools) > 0 {
		tools := append([]Tool{}, r.Tools...)
		for i := range tools {
			tools[i].Parameters = boundLists(tools[i].Parameters, outer)
		}
		r.Tools = tools
	}
	return r
}

// tokens returns the most tokens that a call may write.
func (c *bounded) tokens(r Request) int {
	switch {
	case c.most > 0:
		return c.most
	case r.MaxTokens < 0:
		return 0
	case r.Role() == "extract":
		last := ""
		for _, m := range r.Messages {
			if m.Role == User && len(m.Text) > len(last) {
				last = m.Text
			}
		}
		return thoughtTokens + perExtracted*estimate([]string{last})
	}
	return thoughtTokens + min(estimate(texts(r)), mostRead)
}

// without leaves out of the next requests, or of r alone, what a server did not accept,
// and reports whether there is something.
func (c *bounded) without(r *Request, err error) bool {
	var fault *Error
	if !errors.As(err, &fault) || fault.Fault != BadRequest && fault.Fault != ServerFailed {
		return false
	}
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(fault.Message), w) })
	}
	switch {
	case r.MaxTokens == 0 && !c.noTokens.Load() && says("max_tokens", "max_completion_tokens", "in the completion"):
		if says("unsupported", "not supported", "unknown", "unrecognized", "extra") {
			c.noTokens.Store(true)
		}
		r.MaxTokens = -1 // the server's own bound
		return true
	case (r.Schema != nil || len(r.Tools) > 0) && says("maxitems", "number of repetitions", "failed to parse grammar"):
		return c.noLists.CompareAndSwap(false, true)
	case r.Stream && r.OnText == nil && says("stream"):
		return c.noStreaming.CompareAndSwap(false, true)
	}
	return false
}

// boundLists adds bounds to the lists of a schema that have none. The rest stays as it
// is written: models answer in the order of the members.
func boundLists(schema []byte, outer int) []byte {
	const list = `"type":"array"`
	if strings.Contains(string(schema), "maxItems") {
		return schema
	}
	var out []byte
	depth, quoted := 0, false
	for i := 0; i < len(schema); i++ {
		if !quoted && strings.HasPrefix(string(schema[i:min(i+len(list), len(schema))]), list) {
			most := innerItems
			if depth <= outerDepth {
				most = outer
			}
			out = append(out, `"maxItems":`+strconv.Itoa(most)+","...)
		}
		switch c := schema[i]; {
		case c == '\\' && quoted:
			out = append(out, c)
			i++
		case c == '"':
			quoted = !quoted
		case c == '{' && !quoted:
			depth++
		case c == '}' && !quoted:
			depth--
		}
		out = append(out, schema[i])
	}
	return out
}

// toldAfter is how long a call takes before its progress is reported to the trace. The intervals then double, up to
// toldEvery.
const (
	toldAfter = 5 * time.Second
	toldEvery = time.Minute
)

// progress reports a call's progress to the trace until it is over.
func progress(ctx context.Context, q *Request) (over func()) {
	var received atomic.Int64
	q.OnProgress = func(n int) { received.Store(int64(n)) }
	began := time.Now()
	return told(ctx, toldAfter, toldEvery, func() domain.Wait {
		seconds := domain.Counted(int(time.Since(began).Seconds()), "second", "seconds")
		if n := int(received.Load()); n > 0 {
			return domain.Wait{For: domain.WaitModel, Why: fmt.Sprintf("which has been writing for %s, %s characters so far", seconds, domain.Thousands(n))}
		}
		return domain.Wait{For: domain.WaitModel, Why: "which has been at work for " + seconds}
	})
}
