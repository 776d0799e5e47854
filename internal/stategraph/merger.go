package stategraph

import "fmt"

// merger holds the state of a run and merges updates into it. Its lists may
// have spare capacity; snapshots show none, so that what is appended here is
// never seen, and never overwritten, through a snapshot.
type merger[S any] struct {
	fields  []*field[S]
	state   S
	scratch []scratch
}

// scratch is what the rule of a field remembers within a run.
type scratch struct {
	positions any  // of an upsert's keys: map[K]int
	private   bool // the list was copied since the last snapshot
}

func newMerger[S any](fields []*field[S], s S) *merger[S] {
	m := &merger[S]{fields: fields, state: s, scratch: make([]scratch, len(fields))}
	m.seal(&m.state)
	return m
}

// snapshot is the state as nodes may see it.
func (m *merger[S]) snapshot() S {
	s := m.state
	m.seal(&s)
	return s
}

func (m *merger[S]) seal(s *S) {
	for i, f := range m.fields {
		if f.seal != nil {
			f.seal(s)
			m.scratch[i].private = false
		}
	}
}

// merge applies the writes of one update in order.
func (m *merger[S]) merge(u Update[S]) error {
	for _, w := range u.writes {
		i := w.field.index
		if i >= len(m.fields) || m.fields[i] != w.field {
			return fmt.Errorf("the update writes %q, a field of another schema", w.field.name)
		}
		w.field.merge(&m.state, w.value, &m.scratch[i])
	}
	return nil
}
