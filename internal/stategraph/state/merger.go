package state

import "fmt"

// Merger holds the state of a run and merges updates into it. Its lists may
// have spare capacity; snapshots show none, so that what is appended here is
// never seen, and never overwritten, through a snapshot.
type Merger[S any] struct {
	fields  []*field[S]
	state   S
	scratch []scratch
}

// scratch is what the rule of a field remembers within a run.
type scratch struct {
	positions any  // of an upsert's keys: map[K]int
	private   bool // the list was copied since the last snapshot
}

// Merger begins with the state s, which it does not change.
func (sc *Schema[S]) Merger(s S) *Merger[S] {
	m := &Merger[S]{fields: sc.fields, state: s, scratch: make([]scratch, len(sc.fields))}
	m.seal(&m.state)
	return m
}

// Snapshot is the state as it is now: nothing that is merged later shows in it.
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

// Merge applies the writes of one update in order. An update of another schema
// is an error.
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
