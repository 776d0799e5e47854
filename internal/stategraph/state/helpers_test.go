package state

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// board is the state of most tests: one field per reducer, and a list that is
// replaced.
type board struct {
	Word  string   `json:"word"`
	Ints  []int    `json:"ints"`
	Log   []string `json:"log"`
	Cards []card   `json:"cards"`
	High  int      `json:"high"`
	Total float64  `json:"total"`
}

type card struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type fields struct {
	schema *Schema[board]
	word   ReplaceField[board, string]
	ints   ReplaceField[board, []int]
	log    AppendField[board, string]
	cards  UpsertField[board, card]
	high   MaxField[board, int]
	total  SumField[board, float64]
}

func newFields() fields {
	sc := NewSchema[board](1)
	return fields{
		schema: sc,
		word:   Replace(sc, "word", func(s *board) *string { return &s.Word }),
		ints:   Replace(sc, "ints", func(s *board) *[]int { return &s.Ints }),
		log:    Append(sc, "log", func(s *board) *[]string { return &s.Log }),
		cards:  Upsert(sc, "cards", func(s *board) *[]card { return &s.Cards }, func(c card) string { return c.ID }),
		high:   Max(sc, "high", func(s *board) *int { return &s.High }),
		total:  Sum(sc, "total", func(s *board) *float64 { return &s.Total }),
	}
}

type update = Update[board]

// decode decodes an update given as an object.
func decode[S any](sc *Schema[S], object []byte) (Update[S], error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return Update[S]{}, err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		quoted, err := json.Marshal(name)
		if err != nil {
			return Update[S]{}, err
		}
		lines = append(lines, string(quoted), string(members[name]))
	}
	return sc.DecodeUpdate(StandardCodec{}, []byte(strings.Join(lines, "\n")), sc.Version())
}

// wantText fails the test unless err says all of parts.
func wantText(t testing.TB, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error is %v, want it to say %q", err, part)
		}
	}
}
