package state

import "fmt"

// Merger holds the state of a run and merges updates into it. Lists in snapshots
// have no spare capacity, so the merger's appends never show through them and
// theirs never overwrite its own.
type Merger[S any] struct {
	fields  []*field[S]
	state   S
	scratch []scratch
}

// scratch is the memory of a field's reducer within a run.
type scratch struct {
	positions any  // of an upsert's keys; a map[K]int
	private   bool // the list was copied since the last snapshot
}

// Merger returns a merger that starts from s and does not change it.
func (sc *Schema[S]) Merger(s S) *Merger[S] {
	m := &Merger[S]{fields: sc.fields, state: s, scratch: make([]scratch, len(sc.fields))}
	m.seal(&m.state)
	return m
}

// Snapshot returns the current state. Later merges don't change it.
func (m *Merger[S]) Snapshot() S {
	s := m.state
	m.seal(&s)
	return s
}

func (m *Merger[S]) seal(s *S) {
	for i, f := range m.fields {
		if f.seal != nil {
			f.seal(s)
			m.scratch[i].private = false
		}
	}
}

// Merge applies the writes of an update in order. It returns an error for an
// update of another schema.
func (m *Merger[S]) Merge(u Update[S]) error {
	for _, w := range u.writes {
		i := w.field.index
		if i >= len(m.fields) || m.fields[i] != w.field {
			return fmt.Errorf("the update writes %q, a field of another schema", w.field.name)
		}
		w.field.merge(&m.state, w.value, &m.scratch[i])
	}
	return nil
}
