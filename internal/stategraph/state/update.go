package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Update is what a node changes: a list of writes to fields, as data. The
// zero Update changes nothing.
//
// Written, it has an entry for each field that it writes, in the order of the
// schema: a value, or for lists what is added.
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

// MarshalJSON encodes u as an object from field to what is written, for people
// to read.
func (u Update[S]) MarshalJSON() ([]byte, error) {
	b, err := u.append([]byte{'{'}, StandardCodec{}, ':', ',')
	return append(b, '}'), err
}

// Append appends u to data, two lines for each field that it writes: its name
// and the value.
func (u Update[S]) Append(data []byte, c Codec) ([]byte, error) { return u.append(data, c, '\n', '\n') }

// append appends the writes of u, one for each field: the name of the field, a
// byte, the value, and a byte before the next.
func (u Update[S]) append(data []byte, c Codec, behindName, between byte) ([]byte, error) {
	for i, w := range u.joined() {
		value, err := c.Marshal(w.value)
		if err == nil {
			value, err = onLine(value)
		}
		if err != nil {
			return nil, fmt.Errorf("encode field %q: %w", w.field.name, err)
		}
		if i > 0 {
			data = append(data, between)
		}
		data = append(append(append(data, w.field.key...), behindName), value...)
	}
	return data, nil
}

// DecodeUpdate reads what [Update.Append] wrote under a version of the schema. A
// field that the schema does not have, and a member within a value that its type
// has no place for, is an error with its path.
func (sc *Schema[S]) DecodeUpdate(c Codec, data []byte, version int) (u Update[S], err error) {
	if version != sc.version {
		return sc.upgradeUpdate(c, data, version)
	}
	var name, value []byte
	for len(data) > 0 {
		name, data = CutLine(data)
		value, data = CutLine(data)
		i := slices.IndexFunc(sc.fields, func(f *field[S]) bool { return bytes.Equal(f.key, name) })
		if i < 0 {
			return Update[S]{}, fmt.Errorf("decode update: %s: unknown field", bytes.Trim(name, `"`))
		}
		if err := u.decode(c, sc.fields[i], value); err != nil {
			return Update[S]{}, err
		}
	}
	return u, nil
}

func (sc *Schema[S]) upgradeUpdate(c Codec, data []byte, version int) (u Update[S], err error) {
	members := map[string]json.RawMessage{}
	for len(data) > 0 {
		var line []byte
		var name string
		line, data = CutLine(data)
		if err := json.Unmarshal(line, &name); err != nil {
			return u, fmt.Errorf("decode update: %w", err)
		}
		members[name], data = CutLine(data)
	}
	if err := sc.upgrade(members, version); err != nil {
		return u, err
	}
	for _, f := range sc.fields {
		if value, ok := members[f.name]; ok {
			delete(members, f.name)
			if err := u.decode(c, f, value); err != nil {
				return Update[S]{}, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		return Update[S]{}, fmt.Errorf("decode update: %s: unknown field", name)
	}
	return u, nil
}

// decode adds a write that is given as JSON.
func (u *Update[S]) decode(c Codec, f *field[S], value []byte) error {
	v, err := f.decode(c, value)
	if err != nil {
		return fmt.Errorf("decode update: %s%w", f.name, err)
	}
	u.writes = append(u.writes, write[S]{f, v})
	return nil
}
