package trace

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// forgetful keeps events by their numbers, as the ledger does, and loses them.
type forgetful struct {
	memory
	over atomic.Bool
}

func (f *forgetful) RunOver(context.Context, domain.WorkspaceID, domain.RunID) (bool, error) {
	return f.over.Load(), nil
}

func (f *forgetful) Events(ctx context.Context, w domain.WorkspaceID, run domain.RunID, after int) ([]ledger.EventRow, error) {
	rows, err := f.memory.Events(ctx, w, run, 0)
	return slices.DeleteFunc(rows, func(r ledger.EventRow) bool { return r.Seq <= after }), err
}

func (f *forgetful) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.rows)
}

// TestAWatcherSeesTheEndOfARunWhoseEventsAreGone settles a run after its events
// were deleted with a document that it had read.
func TestAWatcherSeesTheEndOfARunWhoseEventsAreGone(t *testing.T) {
	t.Parallel()
	store := &forgetful{}
	h := NewHub(store, time.Now, slog.New(slog.DiscardHandler), Options{Poll: 10 * time.Millisecond, Batch: time.Millisecond})
	r := record(t, h, "r")
	for range 3 {
		r.append(Event{Kind: "run start"})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var last Event
	for item, err := range h.Watch(ctx, looping, "r", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if last = item.Events[len(item.Events)-1]; last.Seq == 3 {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			store.forget()
			end := record(t, h, "r")
			end.Settle("stopped", "")
			if err := end.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if last.Kind != Settled {
		t.Errorf("the last event seen is %+v", last)
	}
}

// TestAWatcherOfARunWhoseEndIsGone watches a run whose last event was deleted before
// the watcher saw it.
func TestAWatcherOfARunWhoseEndIsGone(t *testing.T) {
	t.Parallel()
	store := &forgetful{}
	h := NewHub(store, time.Now, slog.New(slog.DiscardHandler), Options{Poll: 10 * time.Millisecond, Batch: time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	store.rows = map[domain.RunID][]ledger.EventRow{"r": {{Seq: 1, JSON: []byte(`{"kind":"run start"}`)}}} // by another process
	for item, err := range h.Watch(ctx, looping, "r", 0) {
		if err != nil || len(item.Events) != 1 || item.Events[0].Seq != 1 {
			t.Errorf("got %+v, error %v", item, err)
		}
		store.forget()
		store.over.Store(true)
	}
	if ctx.Err() != nil {
		t.Error("the watcher waits for ever")
	}
}

// TestForgottenEventsAreReadFromTheLog forgets what was kept of a run in memory,
// because part of its log is gone.
func TestForgottenEventsAreReadFromTheLog(t *testing.T) {
	t.Parallel()
	store := &forgetful{}
	h := NewHub(store, time.Now, slog.New(slog.DiscardHandler), Options{})
	r := record(t, h, "r")
	r.append(Event{Kind: "run start"})
	r.append(Event{Kind: "node start", Node: "a"})
	kept := func() int {
		events, err := r.Events(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(events)
	}
	store.forget()
	if n := kept(); n != 2 {
		t.Errorf("%d events are kept, want 2", n)
	}
	h.Forget("r")
	r.append(Event{Kind: "node end", Node: "a"})
	if n := kept(); n != 1 {
		t.Errorf("%d events after some have gone, want the one in the log", n)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
