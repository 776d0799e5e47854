// Package heap measures how much memory something takes.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const objects = "/memory/classes/heap/objects:bytes"

func inUse() int64 {
	sample := []metrics.Sample{{Name: objects}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()) //nolint:gosec // no heap is as large
}

// Peak returns the maximum growth of the heap in bytes while do runs. Nothing else may run meanwhile, so a test that
// calls it must not be parallel.
func Peak(do func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // so that little of it is garbage
	runtime.GC()
	before, most := inUse(), int64(0)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			most = max(most, inUse()-before)
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	do()
	close(done)
	<-ended
	return most
}
