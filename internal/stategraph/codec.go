package stategraph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/clewhq/clew/internal/stategraph/jsontype"
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
		data, _ = onLine(data, w.field.key)
		if data, err = onLine(data, value); err != nil {
			return nil, fmt.Errorf("encode field %q: %w", w.field.name, err)
		}
	}
	return data, nil
}

// load reads what store has written under a version of the schema.
func (sc *Schema[S]) load(c Codec, data []byte, version int) (u Update[S], err error) {
	if version != sc.version {
		return sc.loadUpcast(c, data, version)
	}
	var name, value []byte
	for len(data) > 0 {
		name, data = cut(data)
		value, data = cut(data)
		i := slices.IndexFunc(sc.fields, func(f *field[S]) bool { return bytes.Equal(f.key, name) })
		if i < 0 {
			return u, fmt.Errorf("decode update: %s: unknown field", name)
		}
		if err := u.take(c, sc.fields[i], value); err != nil {
			return u, err
		}
	}
	return u, nil
}

func (sc *Schema[S]) loadUpcast(c Codec, data []byte, version int) (Update[S], error) {
	members := map[string]json.RawMessage{}
	for len(data) > 0 {
		var line []byte
		var name string
		line, data = cut(data)
		if err := json.Unmarshal(line, &name); err != nil {
			return Update[S]{}, fmt.Errorf("decode update: %w", err)
		}
		members[name], data = cut(data)
	}
	if err := sc.upgrade(members, version); err != nil {
		return Update[S]{}, err
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

// decodeAs decodes data as a V, strictly. Its error begins with the path from
// the value to what went wrong, so that callers put the value's own name in
// front.
func decodeAs[V any](c Codec, data []byte) (any, error) {
	var v V
	err := decodeInto(c, data, &v)
	return v, err
}

func decodeInto[V any](c Codec, data []byte, v *V) error {
	err := c.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	if path := jsontype.Unplaced(data, reflect.TypeFor[V]()); path != "" {
		return fmt.Errorf("%s: unknown field", path)
	}
	return fmt.Errorf(": %w", err)
}
