package stategraph

import "fmt"

// merger holds the state of a run and merges updates into it. Its lists may
// have spare capacity; snapshots show none, so that what is appended here is
// never seen, and never overwritten, through a snapshot.
type merger[S any] struct {
	fields  []*field[S]
	state   S
	scratch []scratch
	writers []writer // by field, of the last step in which several nodes wrote
}

// scratch is what the rule of a field remembers within a run.
type scratch struct {
	positions any  // of an upsert's keys: map[K]int
	private   bool // the list was copied since the last snapshot
}

// writer names who wrote to a field in a super-step; zero is nobody.
type writer struct {
	step int
	task int
	node string
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

// merge applies the writes of one update in order. It is a ConflictError when
// another task has written, in the same step, to a field that takes one. A
// zero writer makes no claims.
func (m *merger[S]) merge(u Update[S], by writer) error {
	for _, w := range u.writes {
		i := w.field.index
		if i >= len(m.fields) || m.fields[i] != w.field {
			return fmt.Errorf("the update writes %q, a field of another schema", w.field.name)
		}
		if w.field.alone && by.step > 0 {
			if err := m.claim(w.field, by); err != nil {
				return err
			}
		}
		w.field.merge(&m.state, w.value, &m.scratch[i])
	}
	return nil
}

// claim notes who writes a field in this step, unless somebody else did.
func (m *merger[S]) claim(f *field[S], by writer) error {
	if m.writers == nil {
		m.writers = make([]writer, len(m.fields))
	}
	if last := m.writers[f.index]; last.step == by.step && last != by {
		return &ConflictError{Field: f.name, Step: by.step, First: last.node, Second: by.node}
	}
	m.writers[f.index] = by
	return nil
}
