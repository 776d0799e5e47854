package state

import "slices"

// Fields are some fields of a schema, in its order. Nil means unknown, not none.
type Fields[S any] []*field[S]

// Pick returns the given fields in the order of the schema. It returns false if
// one belongs to another schema.
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

// Names returns the names of the fields; nil for nil.
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

// Without returns the fields of the schema that are not among fs.
func (sc *Schema[S]) Without(fs Fields[S]) (others []Field) {
	for _, f := range sc.fields {
		if !slices.Contains(fs, f) {
			others = append(others, handle[S]{f})
		}
	}
	return others
}

// Outside returns the name of the first field that u writes and that is not among
// fields.
func (u Update[S]) Outside(fields Fields[S]) (name string, found bool) {
	for _, w := range u.writes {
		if !slices.Contains(fields, w.field) {
			return w.field.name, true
		}
	}
	return "", false
}

// Writers finds replace fields that two nodes write in one super-step. Its zero
// value is ready to use.
type Writers[S any] struct{ first map[*field[S]]int }

// Add adds the update of a numbered writer. On a conflict it returns the field and
// the number of the writer that was first.
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
