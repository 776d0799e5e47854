package stategraph

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Update is what a node changes: a list of writes to fields, as data. The
// zero Update changes nothing.
//
// Its JSON is one object with a member for each field it writes, in the order
// of the schema: a value, or for lists what is added. [Schema.Decode] reads it
// back.
type Update[S any] struct{ writes []write[S] }

// write is a value on its way to a field.
type write[S any] struct {
	field *field[S]
	value any
}

func one[S any](f *field[S], v any) Update[S] { return Update[S]{[]write[S]{{f, v}}} }

func many[S, V any](f *field[S], v []V) Update[S] {
	if len(v) == 0 {
		return Update[S]{}
	}
	return one(f, v)
}

// Merge is the update that makes the changes of all of us, in order. Where
// two of them set the same field, the later wins: they come from one node.
func Merge[S any](us ...Update[S]) (all Update[S]) {
	for _, u := range us {
		all.writes = append(all.writes, u.writes...)
	}
	return all
}

// IsZero reports whether u changes nothing.
func (u Update[S]) IsZero() bool { return len(u.writes) == 0 }

// joined is one write for each field, in the order of the schema.
func (u Update[S]) joined() []write[S] {
	if len(u.writes) < 2 {
		return u.writes
	}
	var out []write[S]
	for _, w := range u.writes {
		i := slices.IndexFunc(out, func(o write[S]) bool { return o.field == w.field })
		if i < 0 {
			out = append(out, w)
			continue
		}
		out[i].value = w.field.join(out[i].value, w.value)
	}
	slices.SortStableFunc(out, func(a, b write[S]) int { return a.field.index - b.field.index })
	return out
}

// MarshalJSON encodes u as an object from field to what is written.
func (u Update[S]) MarshalJSON() ([]byte, error) {
	b, err := u.encode(standardCodec{}, []byte{'{'}, ':', ',')
	return append(b, '}'), err
}

// Decode reads an update from its JSON. A member that is no field of the
// schema, or one within a field's value that its type has no place for, is an
// error with its path.
func (sc *Schema[S]) Decode(data []byte) (Update[S], error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return Update[S]{}, fmt.Errorf("decode update: %w", err)
	}
	return sc.members(standardCodec{}, members)
}

// members makes an update of what is given for each field.
func (sc *Schema[S]) members(c Codec, members map[string]json.RawMessage) (u Update[S], err error) {
	for _, f := range sc.fields {
		if raw, ok := members[f.name]; ok {
			delete(members, f.name)
			if err := u.take(c, f, raw); err != nil {
				return Update[S]{}, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		return Update[S]{}, fmt.Errorf("decode update: %s: unknown field", name)
	}
	return u, nil
}

// take adds a write that is given as JSON.
func (u *Update[S]) take(c Codec, f *field[S], value []byte) error {
	v, err := f.decode(c, value)
	if err != nil {
		return fmt.Errorf("decode update: %s%w", f.name, err)
	}
	u.writes = append(u.writes, write[S]{f, v})
	return nil
}
