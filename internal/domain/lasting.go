package domain

import (
	"context"
	"time"
)

// Lasting returns a context that ends with ctx, or with a cause once lasts returns false. It calls lasts at each interval. Call cancel when
// done.
func Lasting(ctx context.Context, interval time.Duration, cause error, lasts func(context.Context) bool) (_ context.Context, cancel context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if !lasts(ctx) && ctx.Err() == nil {
				end(cause)
			}
		}
	}()
	return ctx, func() { end(nil) }
}
