package words_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/vectorstore/words"
)

func TestContent(t *testing.T) {
	t.Parallel()
	got := words.Content("What's the Über-plan of the plan, and who isn't in it? 3.5 don't")
	if diff := cmp.Diff([]string{"über", "plan", "3", "5"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"Cranes lifted the cranes", []string{"crane", "lift", "crane"}},
		{"ZÜRICH, Zurich and e\u0301tude", []string{"zurich", "zurich", "etud"}},
		{"日本語 of c++ in 42", []string{"日本語", "c", "42"}},
		{"The keepers' relational counting", []string{"keeper", "relat", "count"}},
		{"the of what was", nil},
	} {
		if diff := cmp.Diff(tt.want, words.Stems(tt.text)); diff != "" {
			t.Errorf("stems of %q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestVocabulary(t *testing.T) {
	t.Parallel()
	v := words.NewVocabulary()
	if diff := cmp.Diff([]int32{0, 1, 2, 3}, v.Numbers("Which crane lifted the Über-cranes of Zürich?")); diff != "" { // crane, lift, uber, zurich
		t.Fatalf("numbers (-want +got):\n%s", diff)
	}
	for text, want := range map[string][]int32{
		"Cranes stood.": {0, 4}, "The crane. He lifts.": {0, 1}, "uber ZURICH": {2, 3}, "the of which": nil, "": nil,
	} {
		if diff := cmp.Diff(want, v.Numbers(text)); diff != "" {
			t.Errorf("numbers of %q (-want +got):\n%s", text, diff)
		}
	}
}

// TestNumbersAreWhatStemsSay compares the words that two texts have in common with
// their stems.
func TestNumbersAreWhatStemsSay(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.SampledFrom([]rune("aeiytsdngüÉ\u0301 9")))
	rapid.Check(t, func(t *rapid.T) {
		v := words.NewVocabulary()
		common := func(n int, in []int32) (c []int) {
			for i := range n {
				c = append(c, slices.Index(in, int32(i)))
			}
			return c
		}
		var stems []string // by number
		for _, text := range []string{text.Draw(t, "question"), text.Draw(t, "text"), text.Draw(t, "another")} {
			var want []int
			of := words.Stems(text)
			for _, s := range of {
				if !slices.Contains(stems, s) {
					stems = append(stems, s)
				}
			}
			of = distinct(of)
			for _, s := range stems {
				want = append(want, slices.Index(of, s))
			}
			if diff := cmp.Diff(want, common(len(stems), v.Numbers(text))); diff != "" {
				t.Fatalf("places of stems in %q (-want +got):\n%s", text, diff)
			}
		}
	})
}

func distinct(all []string) (once []string) {
	for _, s := range all {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}
