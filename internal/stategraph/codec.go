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
// back. A member that v has no place for must be an error of Unmarshal, which
// keeps nothing of data.
type Codec interface {
	Marshal(v any) ([]byte, error)
	Unmarshal(data []byte, v any) error
}

// Data of records are lines of JSON: what is large stands on a line of its own,
// so that it is read once and not as a part of something else first.

var newline = []byte{'\n'}

// cut is the first line of data, and the lines behind it.
func cut(data []byte) (first, rest []byte) {
	first, rest, _ = bytes.Cut(data, newline)
	return first, rest
}

// encode appends the writes of an update, one for each field: the name of the
// field, a byte, the value, and a byte before the next.
func (u Update[S]) encode(c Codec, data []byte, behindName, between byte) ([]byte, error) {
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

// onLine is a value without line breaks.
func onLine(value []byte) ([]byte, error) {
	if bytes.IndexByte(value, '\n') < 0 {
		return value, nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, value)
	return b.Bytes(), err
}

// load reads an update from lines, which were written under a version of the schema.
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
	err := c.Unmarshal(data, &v)
	if err == nil {
		return v, nil
	}
	if path := jsontype.Unplaced(data, reflect.TypeFor[V]()); path != "" {
		return nil, fmt.Errorf("%s: unknown field", path)
	}
	return nil, fmt.Errorf(": %w", err)
}
