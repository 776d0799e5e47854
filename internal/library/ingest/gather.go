package ingest

import (
	"context"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// gatherWait is how long a document that is ready waits for others to be projected
// with it.
const gatherWait = 300 * time.Millisecond

// A Gatherer projects documents together that are read at the same time: projecting several costs little more than
// projecting one. The next ones gather during a projection. It is safe for concurrent use.
type Gatherer struct {
	project func(ctx context.Context, w domain.WorkspaceID) error

	mu      sync.Mutex
	reading int // documents being read, without those being projected
	next    map[domain.WorkspaceID]*gathered
	turns   map[domain.WorkspaceID]chan struct{} // each contains a value while its workspace is projected
}

// gathered are documents that are projected together.
type gathered struct {
	count int
	all   chan struct{} // closed once no other document is being read
	done  chan struct{} // closed after the projection
	err   error         // of it
}

// NewGatherer returns a Gatherer. Project brings the stores to the ledger's head.
func NewGatherer(project func(ctx context.Context, w domain.WorkspaceID) error) *Gatherer {
	return &Gatherer{project: project, next: map[domain.WorkspaceID]*gathered{}, turns: map[domain.WorkspaceID]chan struct{}{}}
}

// Read records that a document is read until end is called.
func (g *Gatherer) Read() (end func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count(1)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.count(-1)
	}
}

// count adds documents being read, and wakes those that wait for the last one.
func (g *Gatherer) count(documents int) {
	g.reading += documents
	for _, r := range g.next {
		r.look(g.reading)
	}
}

func (r *gathered) look(reading int) {
	select {
	case <-r.all:
	default:
		if r.count >= reading {
			close(r.all)
		}
	}
}

// Project brings the stores to the ledger's head. It waits a moment for documents
// that are read meanwhile.
func (g *Gatherer) Project(ctx context.Context, w domain.WorkspaceID) error {
	r, turn, first := g.join(w)
	if first {
		r.wait(ctx)
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done(): // those that have joined see it
		}
		return g.lead(ctx, w, r)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-r.done:
	}
	if r.err != nil { // perhaps because the first was stopped
		return g.project(ctx, w)
	}
	return nil
}

func (g *Gatherer) join(w domain.WorkspaceID) (r *gathered, turn chan struct{}, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if turn = g.turns[w]; turn == nil {
		turn = make(chan struct{}, 1)
		g.turns[w] = turn
	}
	if r = g.next[w]; r == nil {
		r, first = &gathered{all: make(chan struct{}), done: make(chan struct{})}, true
		g.next[w] = r
	}
	r.count++
	r.look(g.reading)
	return r, turn, first
}

func (r *gathered) wait(ctx context.Context) {
	timer := time.NewTimer(gatherWait)
	defer timer.Stop()
	select {
	case <-r.all:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// lead projects all documents that have joined.
func (g *Gatherer) lead(ctx context.Context, w domain.WorkspaceID, r *gathered) error {
	g.mu.Lock()
	delete(g.next, w)
	g.count(-r.count)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.count(r.count)
		g.mu.Unlock()
		close(r.done)
	}()
	r.err = g.project(ctx, w)
	return r.err
}
