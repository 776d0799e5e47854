package prose

import (
	"slices"
	"testing"
)

func TestSmallWordsInCapitalsAreNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"The WHO moved to Vik in 1955.":                       {"WHO", "Vik", "1955"},
		"WHO moved to Vik, and those who stayed built a hut.": {"WHO", "Vik"},
		"The US signed it.":                                   {"US"},
		"US diplomats told us so.":                            {"US"},
		"The head of IT said that it works.":                  {"IT"},
		"The WHO's director left.":                            {"WHO"},
		"The Harbour Exchange (HE) opened; then HE closed.":   {"Harbour Exchange", "HE", "HE"},
		"She works for the ME in Orsen.":                      {"ME", "Orsen"},
		"Do NOT open the gate, and pick the AND gate.":        nil,
		"You may vote for us or for it; who knows?":           nil,
		"WHO SAILS THE LARK?":                                 nil,
		"Who sails? It does. Us too.":                         nil,
	} {
		var got []string
		for _, n := range Names(text) {
			got = append(got, n.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
