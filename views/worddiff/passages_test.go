package worddiff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/views/worddiff"
)

func TestPassages(t *testing.T) {
	t.Parallel()
	changes, same := worddiff.Passages("One.\n\nTwo stays\nhere.\n\nThree is old.\n\nFour.\n\nFive.", "One.\n\nTwo stays here.\n\nThree is new.\n\nFour.\n\nFour and a half.\n\nFive.")
	want := []worddiff.Change{
		{2, []worddiff.Part{{Kind: worddiff.Same, Text: "Three is"}, {Kind: worddiff.Gone, Text: "old."}, {Kind: worddiff.New, Text: "new."}}},
		{1, []worddiff.Part{{Kind: worddiff.New, Text: "Four and a half."}}},
	}
	if diff := cmp.Diff(want, changes); diff != "" || same != 1 {
		t.Errorf("%d the same at the end (-want +got)\n%s", same, diff)
	}
	if changes, same := worddiff.Passages("One.\n\nTwo.", "One.\n\nTwo."); len(changes) != 0 || same != 2 {
		t.Errorf("equal texts: %v, %d", changes, same)
	}
	if changes, same := worddiff.Passages("", "One."); len(changes) != 1 || same != 0 {
		t.Errorf("from nothing: %v, %d", changes, same)
	}
	long := strings.Repeat("word ", 5000)
	if changes, _ := worddiff.Passages(long+"a", long+"b"); len(changes) != 1 || len(changes[0].Parts) != 2 {
		t.Errorf("long passages: %d changes", len(changes))
	}
}
