package state

import "slices"

// Fields are some fields of a schema, in its order. Nil says that nothing is
// known of them, which is not the same as none.
type Fields[S any] []*field[S]

// Pick is the given fields of the schema. It is false when one of them belongs
// to another.
func (sc *Schema[S]) Pick(fields []Field) (picked Fields[S], ok bool) {
	picked = make(Fields[S], len(sc.fields))
	for _, given := range fields {
		f, _ := given.of().(*field[S])
		if f == nil || f.index >= len(picked) || sc.fields[f.index] != f {
			return nil, false
		}
		picked[f.index] = f
	}
	return slices.DeleteFunc(picked, func(f *field[S]) bool { return f == nil }), true
}

// Names are the fields' names; nil of nil.
func (fs Fields[S]) Names() []string {
	if fs == nil {
		return nil
	}
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.name
	}
	return names
}

// Without are the fields of the schema that are not among fs.
func (sc *Schema[S]) Without(fs Fields[S]) (others []Field) {
	for _, f := range sc.fields {
		if !slices.Contains(fs, f) {
			others = append(others, handle[S]{f})
		}
	}
	return others
}

// Outside is the name of the first field that u writes and that is not among
// fields.
func (u Update[S]) Outside(fields Fields[S]) (name string, found bool) {
	for _, w := range u.writes {
		if !slices.Contains(fields, w.field) {
			return w.field.name, true
		}
	}
	return "", false
}

// Writers finds fields that two nodes write in one super-step and that take one
// writer. Its zero value knows of none.
type Writers[S any] struct{ first map[*field[S]]int }

// Add adds the update of a writer, by its number. It is the name of a field that
// another wrote before and who that was, if there is one.
func (w *Writers[S]) Add(u Update[S], writer int) (name string, first int, conflict bool) {
	for _, write := range u.writes {
		if !write.field.alone {
			continue
		}
		first, written := w.first[write.field]
		if written && first != writer {
			return write.field.name, first, true
		}
		if w.first == nil {
			w.first = map[*field[S]]int{}
		}
		w.first[write.field] = writer
	}
	return "", 0, false
}
