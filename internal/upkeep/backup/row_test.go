package backup

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestRowsComeBack decodes what was encoded, whatever the values are.
func TestRowsComeBack(t *testing.T) {
	t.Parallel()
	columns := []Column{{"a", Text}, {"b", Blob}, {"c", Integer}, {"d", Real}, {"e", Text}}
	var rows decoder
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\[\]{},"\\ \t\n\x00\xff]*`))
		want := []any{
			word.Draw(t, "text"), rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"), rapid.Int64().Draw(t, "number"),
			rapid.Float64().Draw(t, "fraction"), rapid.SampledFrom([]any{nil, "", "null"}).Draw(t, "nothing"),
		}
		var line bytes.Buffer
		if err := encodeRow(&line, append([]any{}, want...)); err != nil {
			t.Fatal(err)
		}
		got, err := rows.row(bytes.TrimSpace(line.Bytes()), columns)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%q: %v (-want +got):\n%s", line.String(), err, diff)
		}
	})
}

// TestOnlyRowsAreRows decodes damaged rows: what is no list of plain values is
// refused, and what is not is read as a JSON decoder reads it.
func TestOnlyRowsAreRows(t *testing.T) {
	t.Parallel()
	columns := []Column{{"a", Text}, {"b", Integer}}
	var rows decoder
	rapid.Check(t, func(t *rapid.T) {
		line := []byte(`["an \"old\" bridge\\", 1834]`)
		for range rapid.IntRange(0, 3).Draw(t, "damages") {
			at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			line[at] = rapid.SampledFrom([]byte("[]{},\"\\ 19a.-\x00")).Draw(t, "byte")
		}
		got, err := rows.row(line, columns)
		var list []any
		if bad := json.Unmarshal(line, &list); err == nil && bad != nil || err != nil && bad == nil && plainRow(list) {
			t.Fatalf("%q: read as %v, %v; a JSON decoder has %v, %v", line, got, err, list, bad)
		}
	})
}

func plainRow(list []any) bool {
	if len(list) != 2 {
		return false
	}
	_, text := list[0].(string)
	_, number := list[1].(float64)
	return text && number
}
