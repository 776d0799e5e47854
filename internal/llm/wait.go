package llm

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/emit"
)

// told reports a wait to the trace of the calling node once it has lasted for after, and again at intervals that double
// up to most; if most is 0, it reports once. The returned function ends the wait.
func told(ctx context.Context, after, most time.Duration, what func() domain.Wait) (over func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		timer := time.NewTimer(after)
		defer timer.Stop()
		var last domain.Wait
		for {
			select {
			case <-timer.C:
				last = what()
				emit.Emit(ctx, domain.EventWait, last)
				if after = min(2*after, most); after > 0 {
					timer.Reset(after)
				}
			case <-done:
				if last.For != "" {
					emit.Emit(ctx, domain.EventWait, domain.Wait{For: last.For, Over: true})
				}
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// waitTold is how long a call waits before the trace shows it.
const waitTold = time.Second
