package llm

import (
	"cmp"
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Ask makes one call and emits its usage.
func Ask(ctx context.Context, c Chat, r Request, emit func(kind string, payload any)) (Response, error) {
	answer, err := c.Complete(ctx, r)
	if err != nil {
		return answer, err
	}
	emit(domain.EventUsage, domain.Usage{
		Model: cmp.Or(answer.Model, c.Model()), Input: answer.Usage.Input, Cached: answer.Usage.Cached, Output: answer.Usage.Output, Recorded: answer.Recorded,
	})
	return answer, nil
}
