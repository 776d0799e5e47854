package stategraph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Codec turns states, values and payloads into JSON for a checkpointer, and
// back. A member that v has no place for must be an error of Unmarshal.
type Codec interface {
	Marshal(v any) ([]byte, error)
	Unmarshal(data []byte, v any) error
}

// Data of records are lines of JSON: what is large stands on a line of its own,
// so that it is read once and not as a part of something else first.

// onLine appends a value on a line of its own.
func onLine(data, value []byte) ([]byte, error) {
	if len(data) > 0 {
		data = append(data, '\n')
	}
	if bytes.IndexByte(value, '\n') < 0 {
		return append(data, value...), nil
	}
	b := bytes.NewBuffer(data)
	err := json.Compact(b, value)
	return b.Bytes(), err
}

// cut is the first line of data, and the lines behind it.
func cut(data []byte) (first, rest []byte) {
	first, rest, _ = bytes.Cut(data, []byte{'\n'})
	return first, rest
}

// store is an update as lines: the name of a field, what is written to it, the
// name of the next.
func (u Update[S]) store(c Codec, data []byte) ([]byte, error) {
	for _, w := range u.joined() {
		value, err := c.Marshal(w.value)
		if err != nil {
			return nil, fmt.Errorf("encode field %q: %w", w.field.name, err)
		}
		data, _ = onLine(data, w.field.key[:len(w.field.key)-1])
		if data, err = onLine(data, value); err != nil {
			return nil, fmt.Errorf("encode field %q: %w", w.field.name, err)
		}
	}
	return data, nil
}

// load reads what store has written under a version of the schema.
func (sc *Schema[S]) load(c Codec, data []byte, version int) (u Update[S], err error) {
	var members map[string]json.RawMessage // of another version's names
	for len(data) > 0 {
		var name, value []byte
		name, data = cut(data)
		value, data = cut(data)
		i := slices.IndexFunc(sc.fields, func(f *field[S]) bool { return bytes.Equal(f.key[:len(f.key)-1], name) })
		if i < 0 || version != sc.version {
			var plain string
			if err := json.Unmarshal(name, &plain); err != nil {
				return u, fmt.Errorf("decode update: %w", err)
			}
			if members == nil {
				members = map[string]json.RawMessage{}
			}
			members[plain] = value
			continue
		}
		v, err := sc.fields[i].decode(c, value)
		if err != nil {
			return u, fmt.Errorf("decode update: %s%w", sc.fields[i].name, err)
		}
		u = Merge(u, one(sc.fields[i], v))
	}
	if len(members) == 0 {
		return u, nil
	}
	if err := sc.upgrade(members, version); err != nil {
		return u, err
	}
	return sc.members(c, members)
}

// standardCodec is encoding/json, refusing unknown members.
type standardCodec struct{}

func (standardCodec) Marshal(v any) ([]byte, error) { return json.Marshal(v) }

func (standardCodec) Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
