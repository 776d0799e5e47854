package stategraph

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var errKilled = errors.New("the process is dead")

// mortal is a checkpointer of a process that dies: after a number of writes nothing
// reaches it until it is revived.
type mortal struct {
	mu      sync.Mutex
	threads map[string][]Record
	token   int64
	writes  int
	loads   int
	lives   int // writes to go; negative is for ever
}

var _ Checkpointer = (*mortal)(nil)

func newMortal() *mortal { return &mortal{threads: map[string][]Record{}, lives: -1} }

func (m *mortal) Acquire(_ context.Context, thread string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.token++; m.token == 1 && len(m.threads[thread]) > 0 { // the thread is not new
		m.token++
	}
	return m.token, nil
}

func (m *mortal) Append(_ context.Context, thread string, _ int64, records []Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lives == 0 {
		return errKilled
	}
	m.lives--
	m.writes++
	m.threads[thread] = append(m.threads[thread], records...)
	return nil
}

// Load overwrites the data of each record once the next is read, as the contract
// allows.
func (m *mortal) Load(_ context.Context, thread, scope string, from, to int) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, rec := range m.load(thread, scope, from, to) {
			rec.Data = bytes.Clone(rec.Data)
			more := yield(rec, nil)
			copy(rec.Data, bytes.Repeat([]byte{'?'}, len(rec.Data)))
			if !more {
				return
			}
		}
	}
}

func (m *mortal) load(thread, scope string, from, to int) []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loads++
	var found []Record
	for _, rec := range m.threads[thread] {
		switch {
		case rec.Scope != scope:
		case rec.Kind == RecordSnapshot && rec.Step <= from:
			found = append(found[:0], rec)
		case len(found) > 0 && rec.Step <= to:
			found = append(found, rec)
		}
	}
	return found
}

func (m *mortal) Questions(_ context.Context, thread string) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.threads[thread]), func(r Record) bool {
		return r.Kind != RecordInterrupt && r.Kind != RecordAnswer
	}), nil
}

func (m *mortal) Delete(_ context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.threads, thread)
	return nil
}

func (m *mortal) Prune(context.Context, time.Time) (int, error) { return 0, nil }

// give allows the given number of writes.
func (m *mortal) give(lives int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lives = lives
}

// done lists the tasks whose updates are on a thread of a plan's graph.
func (m *mortal) done(g *Graph[board], inner map[string]*Graph[board], thread string) map[taskKey]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	done, scopes := map[taskKey]bool{}, map[string]*replay[board]{}
	for _, rec := range m.threads[thread] {
		p := scopes[rec.Scope]
		if p == nil {
			p = g.newReplay()
			if rec.Scope != "" { // such as 3:n1#2/
				_, name, _ := strings.Cut(rec.Scope, ":")
				name, _, _ = strings.Cut(strings.TrimSuffix(name, "/"), "#")
				p = inner[name].newReplay()
			}
			scopes[rec.Scope] = p
		}
		if rec.Kind == RecordSnapshot && p.merger != nil {
			continue
		}
		if err := p.take(&rec); err != nil {
			panic(err)
		}
		for _, t := range p.open {
			if t.done {
				done[taskKey{rec.Scope, p.step + 1, t.node.name, t.index}] = true
			}
		}
	}
	return done
}

// taskKey identifies one call of a run.
type taskKey struct {
	scope string
	step  int
	node  string
	task  int
}

// A run on a thread that nobody has acquired before does not ask what the thread holds.
func TestANewThreadIsNotRead(t *testing.T) {
	t.Parallel()
	store := newMortal()
	k := newKit(t)
	k.logs("a")
	k.path(Start, "a", End)
	g := k.compile(WithCheckpointer(store))
	for _, loads := range []int{0, 1} {
		if _, err := g.Run(t.Context(), board{}, Thread("t"), OrResume()); err != nil {
			t.Fatal(err)
		}
		if store.loads != loads {
			t.Errorf("the thread was read %d times, want %d", store.loads, loads)
		}
	}
}
