package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/clewhq/clew/internal/stategraph/jsontype"
)

// Codec turns states, values and payloads into JSON for a checkpointer, and
// back. A member that v has no place for must be an error of Unmarshal, which
// keeps nothing of data.
type Codec interface {
	Marshal(v any) ([]byte, error)
	Unmarshal(data []byte, v any) error
}

// StandardCodec is encoding/json, refusing unknown members.
type StandardCodec struct{}

// Marshal is json.Marshal.
func (StandardCodec) Marshal(v any) ([]byte, error) { return json.Marshal(v) }

// Unmarshal is json.Unmarshal, but for members that v has no place for.
func (StandardCodec) Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Decode decodes data as a V, strictly. Its error begins with the path from the
// value to what went wrong, so that callers put the value's own name in front.
func Decode[V any](c Codec, data []byte) (any, error) {
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

// States and updates are stored as lines: what is large stands on a line of its
// own, so that it is read once and not as a part of something else first.

// CutLine is the first line of data, and the lines behind it.
func CutLine(data []byte) (first, rest []byte) {
	first, rest, _ = bytes.Cut(data, []byte{'\n'})
	return first, rest
}

// onLine is a JSON value without line breaks.
func onLine(value []byte) ([]byte, error) {
	if bytes.IndexByte(value, '\n') < 0 {
		return value, nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, value)
	return b.Bytes(), err
}
