package costs

import (
	"context"
	"sync"

	"github.com/clewhq/clew/internal/domain"
)

// Pauses lets the running tasks of a piece of work finish before one of them fails at a cap: the failure ends the
// others, and their paid work would be lost. Work is identified by an id. The zero value is ready.
type Pauses struct {
	mu sync.Mutex
	of map[string]*underWay
}

// underWay are the tasks of one piece of work.
type underWay struct {
	tasks, capped int
	quiet         chan struct{} // closed when all are capped
}

// Begin records a task of the work with an id. End must follow.
func (p *Pauses) Begin(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]*underWay{}
	}
	if p.of[id] == nil {
		p.of[id] = &underWay{quiet: make(chan struct{})}
	}
	p.of[id].tasks++
}

// End records the end of a task with an error, if any. After a Capped one it returns when all other tasks of the work
// have ended, or are capped too.
func (p *Pauses) End(ctx context.Context, id string, err error) {
	if domain.KindOf(err) == domain.Capped {
		p.wait(ctx, id)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.of[id]
	u.tasks--
	p.settle(id, u)
}

func (p *Pauses) wait(ctx context.Context, id string) {
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

func (p *Pauses) settle(id string, u *underWay) {
	if u.tasks > 0 {
		return
	}
	if u.capped > 0 {
		close(u.quiet)
	}
	delete(p.of, id)
}
