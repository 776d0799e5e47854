package words_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
