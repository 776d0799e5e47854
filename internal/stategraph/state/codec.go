package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Codec encodes states, values and payloads as JSON for a checkpointer. Unmarshal
// must reject members that v has no place for and must not retain data.
type Codec interface {
	Marshal(v any) ([]byte, error)
	Unmarshal(data []byte, v any) error
}

// StandardCodec is encoding/json without unknown members.
type StandardCodec struct{}

// Marshal calls json.Marshal.
func (StandardCodec) Marshal(v any) ([]byte, error) { return json.Marshal(v) }

// Unmarshal decodes data and rejects members that v has no place for.
func (StandardCodec) Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Decode decodes data as a V. Its error begins with the path from the value to
// the mistake, for callers to put the value's name in front.
func Decode[V any](c Codec, data []byte) (any, error) {
	var v V
	err := c.Unmarshal(data, &v)
	if err == nil {
		return v, nil
	}
	if path := unplacedMember(data, reflect.TypeFor[V]()); path != "" {
		return nil, fmt.Errorf("%s: unknown field", path)
	}
	return nil, fmt.Errorf(": %w", err)
}

// CutLine returns the first line of data and the rest. States and updates are
// stored as lines, so that a large value is not first scanned as part of another.
func CutLine(data []byte) (first, rest []byte) {
	first, rest, _ = bytes.Cut(data, []byte{'\n'})
	return first, rest
}

// onLine removes the line breaks from a JSON value.
func onLine(value []byte) ([]byte, error) {
	if bytes.IndexByte(value, '\n') < 0 {
		return value, nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, value)
	return b.Bytes(), err
}
