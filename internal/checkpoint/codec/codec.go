// Package codec decodes what the threads of state graphs hold several times
// faster than encoding/json does. It is the coming encoding/json/v2 as a
// module, which Go 1.26 brings only behind GOEXPERIMENT=jsonv2, told to write
// the forms that encoding/json writes: either reads what the other wrote.
package codec

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Codec encodes and decodes the data of threads. Its zero value is not usable.
type Codec struct{ options json.Options }

var _ state.Codec = Codec{}

// New is a codec that keeps to the forms of encoding/json.
func New() Codec {
	return Codec{json.JoinOptions(
		json.RejectUnknownMembers(true), // never a silent zero
		json.Deterministic(true),
		json.FormatNilSliceAsNull(true), // nil and empty stay apart
		json.FormatNilMapAsNull(true),
		jsontext.AllowInvalidUTF8(true), // becomes U+FFFD: words of a document never fail a run
		v1.FormatByteArrayAsArray(true),
		v1.FormatDurationAsNano(true),
		v1.OmitEmptyWithLegacySemantics(true),
	)}
}

// Marshal encodes v on one line.
func (c Codec) Marshal(v any) ([]byte, error) { return json.Marshal(v, c.options) }

// Unmarshal decodes data into v. A member that v has no place for is an error,
// and so are a name that comes twice and one in other letters than v's.
func (c Codec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v, c.options) }
