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

func TestSet(t *testing.T) {
	t.Parallel()
	s := words.NewSet("Which crane lifted the Über-cranes of Zürich?")
	if s.Len() != 4 { // crane, lift, uber, zurich
		t.Fatalf("got %d words, want 4", s.Len())
	}
	for text, want := range map[string]uint64{
		"Cranes stood there.": 0b0001, "He lifts. The crane lifts.": 0b0011, "uber ZURICH": 0b1100, "the of which": 0, "": 0,
	} {
		if got := s.In(text); got != want {
			t.Errorf("%q holds %b, want %b", text, got, want)
		}
	}
}

// TestSetIsWhatStemsSay compares what a set finds in a text with the text's stems.
func TestSetIsWhatStemsSay(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.SampledFrom([]rune("aeiytsdngüÉ\u0301 9")))
	rapid.Check(t, func(t *rapid.T) {
		question, text := text.Draw(t, "question"), text.Draw(t, "text")
		s := words.NewSet(question)
		var stems []string
		for _, stem := range words.Stems(question) {
			if !slices.Contains(stems, stem) && len(stems) < words.MaxSet {
				stems = append(stems, stem)
			}
		}
		var want uint64
		for _, stem := range words.Stems(text) {
			if i := slices.Index(stems, stem); i >= 0 {
				want |= 1 << i
			}
		}
		if got := s.In(text); got != want {
			t.Fatalf("%q holds %b of %q, want %b", text, got, stems, want)
		}
	})
}
