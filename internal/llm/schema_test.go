package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/clewhq/clew/internal/llm"
)

func TestSchemaStrict(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`: true,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                    false,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                        false,
		`{"type":"array","items":{"type":"object","properties":{},"additionalProperties":false}}`:                    true,
		`{"type":"array","items":{"type":"object","properties":{"a":{}},"additionalProperties":false}}`:              false,
		`not JSON`: false,
	} {
		if got := (llm.Schema{Schema: json.RawMessage(schema)}).Strict(); got != want {
			t.Errorf("Strict(%s) = %t", schema, got)
		}
	}
}
