package llm

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/emit"
)

// told tells the trace of the node that makes a call of a wait, once it has lasted for a
// while, and again at intervals each twice as long, up to most; 0 tells once. The
// returned function ends the wait.
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

// waitTold is how long a call waits before the trace tells of it.
const waitTold = time.Second
