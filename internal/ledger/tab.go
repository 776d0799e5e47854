package ledger

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// A Tab keeps what is recorded of a run's calls of models until a write of the run
// takes it along: what a call has answered is on disk no later than what became of
// it. Until then the ledger finds the answers in memory.
type Tab struct {
	ledger *Ledger

	mu      sync.Mutex
	calls   []madeCall
	taken   int // of them, the first ones, by writes that may not have ended
	written int // of them, the first ones
	write   int // that took the last ones
	from    int // which it took
}

type tabKey struct{}

// WithTab returns a context whose recorded calls are kept on a tab. Close it.
func (l *Ledger) WithTab(ctx context.Context) (context.Context, *Tab) {
	tab := &Tab{ledger: l}
	return context.WithValue(ctx, tabKey{}, tab), tab
}

func (t *Tab) add(c madeCall) {
	t.ledger.gathered.put(c.saved.key, c.saved.answer)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
}

// Calls are calls on a tab, up to number N, that a write takes along.
type Calls struct {
	N    int
	open []madeCall
}

// Take returns what no other write has taken. The same write, tried again, gets the
// same and what came since; a write's number is not 0.
func (t *Tab) Take(write int) Calls {
	t.mu.Lock()
	defer t.mu.Unlock()
	if write != t.write {
		t.write, t.from = write, t.taken
	}
	t.taken = len(t.calls)
	return Calls{t.taken, t.calls[t.from:t.taken:t.taken]}
}

// Wrote notes that the first n calls are written.
func (t *Tab) Wrote(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ; t.written < n; t.written++ {
		t.ledger.gathered.drop(t.calls[t.written].saved.key)
	}
}

// Close writes what no write of the run took along: it is paid for.
func (t *Tab) Close(ctx context.Context) error {
	var errs []error
	t.mu.Lock()
	open, n := t.calls[t.written:], len(t.calls)
	t.mu.Unlock()
	for _, c := range open {
		errs = append(errs, t.ledger.calls.Write(ctx, c))
	}
	t.Wrote(n)
	return errors.Join(errs...)
}

// SaveCallsTx writes calls of a tab in a transaction on the ledger's database.
func (l *Ledger) SaveCallsTx(ctx context.Context, tx *sql.Tx, c Calls) error {
	if len(c.open) == 0 {
		return nil
	}
	return l.wrap("record model calls", l.saveCalls(ctx, tx, l.now(), c.open))
}

// gathered holds the answers on all tabs, by their keys.
type gathered struct {
	mu      sync.Mutex
	answers map[string]gatheredAnswer
}

// gatheredAnswer counts the tabs with an answer.
type gatheredAnswer struct {
	answer []byte
	tabs   int
}

func (g *gathered) answer(key string) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.answers[key].answer
}

func (g *gathered) put(key string, answer []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answers == nil {
		g.answers = map[string]gatheredAnswer{}
	}
	g.answers[key] = gatheredAnswer{answer, g.answers[key].tabs + 1}
}

func (g *gathered) drop(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.answers[key]
	if a.tabs--; a.tabs > 0 {
		g.answers[key] = a
		return
	}
	delete(g.answers, key)
}
