package lists_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain/lists"
)

func TestLists(t *testing.T) {
	t.Parallel()
	type word struct {
		text string
		n    int
	}
	list := []word{{"a", 1}, {"b", 2}, {"a", 3}}
	text := func(w word) string { return w.text }
	n := func(w word) int { return w.n }
	isA := func(w word) bool { return w.text == "a" }
	for name, c := range map[string]struct{ got, want any }{
		"Map":                {lists.Map(list, text), []string{"a", "b", "a"}},
		"Map of nil":         {lists.Map(nil, text), []string{}},
		"Flat":               {lists.Flat(list[1:], func(w word) []int { return make([]int, w.n) }), make([]int, 5)},
		"Flat of nothing":    {lists.Flat(list, func(word) []int { return nil }), []int(nil)},
		"Filter":             {lists.Map(lists.Filter(list, isA), n), []int{1, 3}},
		"Filter of nil":      {lists.Filter(nil, isA), []word(nil)},
		"CountFunc":          {lists.CountFunc(list, isA), 2},
		"Sum":                {lists.Sum(list, n), 6},
		"Set":                {lists.Set([]string{"a", "b", "a"}), map[string]bool{"a": true, "b": true}},
		"SetOf":              {lists.SetOf(list, text), map[string]bool{"a": true, "b": true}},
		"By, the last of a":  {lists.By(list, text)["a"].n, 3},
		"By, the keys of it": {len(lists.By(list, text)), 2},
		"Pairs, the last":    {lists.Pairs(list, func(w word) (string, int) { return w.text, w.n }), map[string]int{"a": 3, "b": 2}},
		"First":              {lists.First(list, isA).n, 1},
		"AppendOnce":         {lists.AppendOnce(lists.AppendOnce([]int{1}, 2), 1), []int{1, 2}},
		"First of nil":       {lists.First(nil, isA), word{}},
	} {
		if diff := cmp.Diff(c.want, c.got, cmp.AllowUnexported(word{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
