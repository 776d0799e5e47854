package stategraph

import (
	"bytes"
	"encoding/json"
)

// Codec turns states, values and payloads into JSON for a checkpointer, and
// back. A member that v has no place for must be an error of Unmarshal.
type Codec interface {
	Marshal(v any) ([]byte, error)
	Unmarshal(data []byte, v any) error
}

// standardCodec is encoding/json, refusing unknown members.
type standardCodec struct{}

func (standardCodec) Marshal(v any) ([]byte, error) { return json.Marshal(v) }

func (standardCodec) Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
