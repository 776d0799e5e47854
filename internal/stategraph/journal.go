package stategraph

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// journal writes the records of one run and its subgraphs to their thread.
// Records that come while others are being written share the next write.
type journal struct {
	ctx    context.Context // outlives a stop, so that the stop itself is written
	store  Checkpointer
	thread string
	token  int64
	mode   Durability

	mu      sync.Mutex
	waiting []Record // go with the next write
	writing sync.Mutex
	broken  error // of the first write that failed; none follows it
}

// note has a record written with the next that is committed.
func (j *journal) note(rec Record) {
	j.mu.Lock()
	j.waiting = append(j.waiting, rec)
	j.mu.Unlock()
}

// commit returns when rec, and all that was noted before, is durable: as
// durable as the mode asks for.
func (j *journal) commit(rec Record) error {
	j.note(rec)
	return j.writeIf(EachTask)
}

// writeIf writes all that waits when the mode is that one.
func (j *journal) writeIf(mode Durability) error {
	if j.mode != mode {
		return nil
	}
	return j.write()
}

// write writes all that waits. What came while others were writing was taken
// along by the first of those who waited for them.
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
	}
	return j.broken
}

// keep renews the lease until ctx ends, and calls lost when that fails.
func (j *journal) keep(ctx context.Context, lease time.Duration, lost func(error)) {
	tick := time.NewTicker(max(lease/3, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := j.store.Renew(ctx, j.thread, j.token, lease); err != nil && ctx.Err() == nil {
			lost(fmt.Errorf("keep thread %q: %w", j.thread, err))
			return
		}
	}
}

// openJournal makes the run the writer of its thread. The run's context ends
// when the lease is lost; close ends the lease.
func openJournal(ctx context.Context, store Checkpointer, s *settings) (j *journal, running context.Context, closed func(), err error) {
	token, err := store.Acquire(ctx, s.thread, s.lease, s.force)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("thread %q: %w", s.thread, err)
	}
	j = &journal{ctx: context.WithoutCancel(ctx), store: store, thread: s.thread, token: token, mode: s.durability}
	running, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		j.keep(running, s.lease, cancel)
	}()
	closed = func() {
		cancel(nil)
		<-stop
		_ = store.Release(j.ctx, s.thread, token) // else the lease runs out
	}
	return j, running, closed, nil
}
