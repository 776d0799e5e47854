package llm

import "context"

// Account tells count of every answer, recorded ones included (their Recorded
// field says so), after it has come in whole. count must be safe for
// concurrent use.
func Account(c Chat, count func(ctx context.Context, r Request, answer Response)) Chat {
	return accounted{c, count}
}

type accounted struct {
	Chat
	count func(context.Context, Request, Response)
}

func (c accounted) Complete(ctx context.Context, r Request) (Response, error) {
	answer, err := c.Chat.Complete(ctx, r)
	if err == nil {
		c.count(ctx, r, answer)
	}
	return answer, err
}
