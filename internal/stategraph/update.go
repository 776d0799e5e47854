package stategraph

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// Update is what a node changes: a list of writes to fields, as data. The
// zero Update changes nothing.
//
// Its JSON is one object with a member for each field it writes, in the order
// of the schema: a value, or for lists what is added. [Schema.Decode] reads it
// back.
type Update[S any] struct {
	first write[S] // most updates have one write, which then takes no slice
	rest  []write[S]
}

// write is a value on its way to a field.
type write[S any] struct {
	field *field[S]
	value any
}

func one[S any](f *field[S], v any) Update[S] {
	return Update[S]{first: write[S]{f, v}}
}

func many[S, V any](f *field[S], v []V) Update[S] {
	if len(v) == 0 {
		return Update[S]{}
	}
	return one(f, v)
}

// Merge is the update that makes the changes of all of us, in order. Where
// two of them set the same field, the later wins: they come from one node.
func Merge[S any](us ...Update[S]) Update[S] {
	var all Update[S]
	for _, u := range us {
		for w := range u.all() {
			if all.first.field == nil {
				all.first = w
				continue
			}
			all.rest = append(all.rest, w)
		}
	}
	return all
}

// IsZero reports whether u changes nothing.
func (u Update[S]) IsZero() bool { return u.first.field == nil }

// all gives the writes in order.
func (u Update[S]) all() iter.Seq[write[S]] {
	return func(yield func(write[S]) bool) {
		if u.first.field == nil || !yield(u.first) {
			return
		}
		for _, w := range u.rest {
			if !yield(w) {
				return
			}
		}
	}
}

// joined is one write for each field, in the order of the schema.
func (u Update[S]) joined() []write[S] {
	var out []write[S]
	for w := range u.all() {
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
func (u Update[S]) MarshalJSON() ([]byte, error) { return u.encode(standardCodec{}) }

func (u Update[S]) encode(c Codec) ([]byte, error) {
	b := []byte{'{'}
	for i, w := range u.joined() {
		if i > 0 {
			b = append(b, ',')
		}
		value, err := c.Marshal(w.value)
		if err != nil {
			return nil, fmt.Errorf("encode field %q: %w", w.field.name, err)
		}
		b = append(append(b, w.field.key...), value...)
	}
	return append(b, '}'), nil
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
func (sc *Schema[S]) members(c Codec, members map[string]json.RawMessage) (Update[S], error) {
	var us []Update[S]
	for _, f := range sc.fields {
		raw, ok := members[f.name]
		if !ok {
			continue
		}
		delete(members, f.name)
		value, err := f.decode(c, raw)
		if err != nil {
			return Update[S]{}, fmt.Errorf("decode update: %s%w", f.name, err)
		}
		us = append(us, one(f, value))
	}
	for _, name := range sortedKeys(members) {
		return Update[S]{}, fmt.Errorf("decode update: %s: unknown field", name)
	}
	return Merge(us...), nil
}
