package job

import "context"

// slotKey is the context key of a handler's slot.
type slotKey struct{}

// waitingPerSlot bounds the runs that wait without a slot, for each slot. With 1, documents that waited to be projected
// left the model with nothing to read whenever a projection took long.
const waitingPerSlot = 2

// slot is what a task holds of its worker's concurrency.
type slot struct {
	w *Worker
	t *task
}

// WithoutSlot calls f, in which the run that ctx belongs to only waits for what others do. Meanwhile the run takes none of
// its kind's slots, so its worker may start another one; it stays leased and is stopped like any. waitingPerSlot times as
// many runs as the kind has slots may wait so at a time; a further one keeps its slot. A run that comes back goes on at once,
// with one run too many, so what takes memory comes before f. Outside of a handler WithoutSlot just calls f.
func WithoutSlot(ctx context.Context, f func() error) error {
	s, ok := ctx.Value(slotKey{}).(slot)
	if !ok || !s.w.stepAside(s.t) {
		return f()
	}
	defer s.w.comeBack(s.t)
	return f()
}

// stepAside gives back the slot of a task and reports whether it did.
func (w *Worker) stepAside(t *task) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.aside || w.count(true)[t.run.Kind] >= waitingPerSlot*w.Concurrency[t.run.Kind] {
		return false
	}
	t.aside = true
	w.free.broadcast()
	return true
}

func (w *Worker) comeBack(t *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.aside = false
}

// count returns how many tasks wait without a slot, or have one, by kind. The caller holds the worker's lock.
func (w *Worker) count(without bool) map[string]int {
	n := map[string]int{}
	for _, t := range w.tasks {
		if t.aside == without {
			n[t.run.Kind]++
		}
	}
	return n
}
