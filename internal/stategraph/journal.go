package stategraph

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// journal writes the records of one run and its subgraphs to their thread.
// Records that arrive during a write share the next one.
type journal struct {
	ctx    context.Context // not cancelled with the run, so that how it ended is written
	store  Checkpointer
	thread string
	token  int64

	mu      sync.Mutex
	waiting []Record // for the next write
	writing sync.Mutex
	broken  error       // of the first failed write; no other follows
	lost    atomic.Bool // set once a write failed
}

// note adds a record to the next write.
func (j *journal) note(rec Record) {
	j.mu.Lock()
	j.waiting = append(j.waiting, rec)
	j.mu.Unlock()
}

// write writes all waiting records. While one write is under way, the first of
// those waiting for it takes the records of all others along.
func (j *journal) write() error {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.mu.Lock()
	records := j.waiting
	j.waiting = nil
	j.mu.Unlock()
	if j.broken != nil || len(records) == 0 {
		return j.broken
	}
	if err := j.store.Append(j.ctx, j.thread, j.token, records); err != nil {
		j.broken = fmt.Errorf("write thread %q: %w", j.thread, err)
		j.lost.Store(true)
	}
	return j.broken
}

// failed returns the error of the first write that failed, without waiting for
// one under way.
func (j *journal) failed() error {
	if !j.lost.Load() {
		return nil
	}
	j.writing.Lock()
	defer j.writing.Unlock()
	return j.broken
}
