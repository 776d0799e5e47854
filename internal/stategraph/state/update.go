package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Update is a list of writes to fields, as data. The zero Update changes nothing.
// Encoded, it has one entry per field, in the order of the schema: a value, or for
// lists the elements added.
type Update[S any] struct{ writes []write[S] }

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

// Merge returns one update with the writes of all, in order. If two set the same
// field the later wins: they come from one node.
func Merge[S any](us ...Update[S]) (all Update[S]) {
	for _, u := range us {
		all.writes = append(all.writes, u.writes...)
	}
	return all
}

// IsZero reports whether u changes nothing.
func (u Update[S]) IsZero() bool { return len(u.writes) == 0 }

// joined returns one write per field, in the order of the schema.
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

// MarshalJSON encodes u as an object from field to value, for display.
func (u Update[S]) MarshalJSON() ([]byte, error) {
	b, err := u.append([]byte{'{'}, StandardCodec{}, ':', ',')
	return append(b, '}'), err
}

// Append appends u to data, with two lines per field: its name and the value.
func (u Update[S]) Append(data []byte, c Codec) ([]byte, error) { return u.append(data, c, '\n', '\n') }

func (u Update[S]) append(data []byte, c Codec, afterName, between byte) ([]byte, error) {
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
		data = append(append(append(data, w.field.key...), afterName), value...)
	}
	return data, nil
}

// DecodeUpdate decodes what [Update.Append] wrote under the given version of the
// schema. A field or member without a place is an error with its path.
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

func (u *Update[S]) decode(c Codec, f *field[S], value []byte) error {
	v, err := f.decode(c, value)
	if err != nil {
		return fmt.Errorf("decode update: %s%w", f.name, err)
	}
	u.writes = append(u.writes, write[S]{f, v})
	return nil
}
