package parse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

func TestOrg(t *testing.T) {
	t.Parallel()
	data := []byte("#+TITLE: The lock\n#+AUTHOR: Ada Brook\n# a comment\n* Keepers :people:\n:PROPERTIES:\n:ID: 7\n:END:\nThe /first/ was [[https://x.test][Jonas Crake]], see =gate.c=.\n" +
		"** Years\n| Name | From |\n|------+------|\n| Crake | 1941 |\n\n- one\n- two\n#+BEGIN_SRC go\n* not a headline\n#+END_SRC\n")
	format, err := parse.Detect("lock.org", data)
	if err != nil || format != "org" {
		t.Fatalf("Detect: %q, %v", format, err)
	}
	got, err := parse.New(parse.Limits{}).Parse(t.Context(), "lock.org", format, data)
	if err != nil {
		t.Fatal(err)
	}
	want := "Keepers\n\nThe first was Jonas Crake, see gate.c.\n\nYears\n\nName | From\nCrake | 1941\n\n- one\n- two\n\n* not a headline"
	if diff := cmp.Diff(want, got.Content); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]domain.Heading{{Level: 1, Text: "Keepers", Span: domain.Span{End: 7}}, {Level: 2, Text: "Years", Span: domain.Span{Start: 49, End: 54}}}, got.Headings); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	if got.Title != "The lock" || got.Facts.Author != "Ada Brook" {
		t.Errorf("title %q, facts %+v", got.Title, got.Facts)
	}
}
