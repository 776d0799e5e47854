package llm

import (
	"cmp"
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Ask makes one call and emits its usage. Before a call whose text is streamed it emits
// an estimate of what is sent: that takes long enough to be watched.
func Ask(ctx context.Context, c Chat, r Request, emit func(kind string, payload any)) (Response, error) {
	if r.OnText != nil {
		emit(domain.EventAsked, domain.Usage{Model: c.Model(), Input: estimate(texts(r))})
	}
	answer, err := c.Complete(ctx, r)
	if err != nil {
		return answer, err
	}
	emit(domain.EventUsage, domain.Usage{
		Model: cmp.Or(answer.Model, c.Model()), Input: answer.Usage.Input, Cached: answer.Usage.Cached, Output: answer.Usage.Output, Recorded: answer.Recorded,
	})
	return answer, nil
}

func texts(r Request) []string {
	all := make([]string, len(r.Messages))
	for i, m := range r.Messages {
		all[i] = m.Text
	}
	return all
}
