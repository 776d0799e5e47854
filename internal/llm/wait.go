package llm

import (
	"context"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/emit"
)

// waitTold is how long a call waits before the trace tells of it.
const waitTold = time.Second

// waiting reports in the trace of the node that makes a call that the call waits, once that has taken a while. The
// returned function ends the wait.
func waiting(ctx context.Context, w domain.Wait) (over func()) {
	var mu sync.Mutex
	told, ended := false, false
	late := time.AfterFunc(waitTold, func() {
		mu.Lock()
		defer mu.Unlock()
		if told = !ended; told {
			emit.Emit(ctx, domain.EventWait, w)
		}
	})
	return func() {
		late.Stop()
		mu.Lock()
		defer mu.Unlock()
		if ended = true; told {
			emit.Emit(ctx, domain.EventWait, domain.Wait{For: w.For, Over: true})
		}
	}
}
