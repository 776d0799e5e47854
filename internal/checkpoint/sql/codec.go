package sql

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Codec encodes the data of threads. It decodes several times faster than
// encoding/json: it is the coming encoding/json/v2 as a module, which Go 1.26 has
// only behind GOEXPERIMENT=jsonv2, set to the forms of encoding/json, so either
// reads what the other wrote. Its zero value is not usable.
type Codec struct{ options json.Options }

var _ state.Codec = Codec{}

// NewCodec returns a codec that keeps to the forms of encoding/json.
func NewCodec() Codec {
	return Codec{json.JoinOptions(
		json.RejectUnknownMembers(true), // never a silent zero
		json.Deterministic(true),
		json.FormatNilSliceAsNull(true), // nil and empty stay distinct
		json.FormatNilMapAsNull(true),
		jsontext.AllowInvalidUTF8(true), // becomes U+FFFD: a document's words never fail a run
		v1.FormatByteArrayAsArray(true),
		v1.FormatDurationAsNano(true),
		v1.OmitEmptyWithLegacySemantics(true),
	)}
}

// Marshal encodes v on one line.
func (c Codec) Marshal(v any) ([]byte, error) { return json.Marshal(v, c.options) }

// Unmarshal decodes data into v. Unknown members, members that differ from v's in
// case, and duplicate names are errors.
func (c Codec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v, c.options) }
