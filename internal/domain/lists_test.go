package domain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
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
		"Map":                {domain.Map(list, text), []string{"a", "b", "a"}},
		"Map of nil":         {domain.Map(nil, text), []string{}},
		"Filter":             {domain.Map(domain.Filter(list, isA), n), []int{1, 3}},
		"Filter of nil":      {domain.Filter(nil, isA), []word(nil)},
		"CountFunc":          {domain.CountFunc(list, isA), 2},
		"Sum":                {domain.Sum(list, n), 6},
		"Set":                {domain.Set([]string{"a", "b", "a"}), map[string]bool{"a": true, "b": true}},
		"SetOf":              {domain.SetOf(list, text), map[string]bool{"a": true, "b": true}},
		"By, the last of a":  {domain.By(list, text)["a"].n, 3},
		"By, the keys of it": {len(domain.By(list, text)), 2},
		"Pairs, the last":    {domain.Pairs(list, func(w word) (string, int) { return w.text, w.n }), map[string]int{"a": 3, "b": 2}},
		"First":              {domain.First(list, isA).n, 1},
		"AppendOnce":         {domain.AppendOnce(domain.AppendOnce([]int{1}, 2), 1), []int{1, 2}},
		"First of nil":       {domain.First(nil, isA), word{}},
	} {
		if diff := cmp.Diff(c.want, c.got, cmp.AllowUnexported(word{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
