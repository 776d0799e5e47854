package format

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCausesFoldNotes(t *testing.T) {
	t.Parallel()
	got := Causes([]string{
		"Chunk 2 of 40 was left out: The model answered with a poem.",
		`Chunk 3 of 40: "Ada" lacks the property born, which the schema requires of Person.`,
		"This file has no text layer.",
		"Chunk 7 of 40 was left out: The model answered with a poem.",
		`Chunk 9 of 40: "Bob" lacks the property born, which the schema requires of Person.`,
		"Chunk 11 of 40: The model answered with a poem.",
		"Chunk 12 of 40 was left out: The model answered with a poem.",
		"Message 3 is damaged and was left out.",
		"Message 18 is damaged and was left out.",
		"Twice.", "Twice.",
	})
	want := []Cause{
		{"3 of 40 passages were left out: The model answered with a poem.", "Passages 2, 7, 12."},
		{"2 notes: … lacks the property born, which the schema requires of Person.", `Passages 3 "Ada", 9 "Bob".`},
		{"This file has no text layer.", ""},
		{"Passage 11 of 40: The model answered with a poem.", ""},
		{"2 notes: Message … is damaged and was left out.", "3, 18."},
		{"2 notes: Twice.", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := Causes(nil); len(got) != 0 {
		t.Errorf("no notes have the causes %v", got)
	}
}
