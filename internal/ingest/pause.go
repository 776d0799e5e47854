package ingest

import (
	"context"
	"sync"

	"github.com/clewhq/clew/internal/domain"
)

// pauses lets the tasks of a document that are under way finish before one of them
// fails at a cap: the failure ends the others, and what they have paid for would be
// lost. The zero value is ready.
type pauses struct {
	mu sync.Mutex
	of map[domain.DocumentID]*underWay
}

// underWay are the tasks of one document.
type underWay struct {
	tasks, capped int
	quiet         chan struct{} // closed when all are capped
}

// begin notes a task. end must follow.
func (p *pauses) begin(id domain.DocumentID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[domain.DocumentID]*underWay{}
	}
	if p.of[id] == nil {
		p.of[id] = &underWay{quiet: make(chan struct{})}
	}
	p.of[id].tasks++
}

// end notes the end of a task that is not capped.
func (p *pauses) end(id domain.DocumentID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.of[id]
	u.tasks--
	p.settle(id, u)
}

// wait returns when all tasks of a document are capped or have ended, and ends the
// caller's.
func (p *pauses) wait(ctx context.Context, id domain.DocumentID) {
	p.mu.Lock()
	u := p.of[id]
	u.tasks, u.capped = u.tasks-1, u.capped+1
	p.settle(id, u)
	p.mu.Unlock()
	select {
	case <-u.quiet:
	case <-ctx.Done():
	}
}

func (p *pauses) settle(id domain.DocumentID, u *underWay) {
	if u.tasks > 0 {
		return
	}
	if u.capped > 0 {
		close(u.quiet)
	}
	delete(p.of, id)
}
