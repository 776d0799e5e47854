package builtin_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/summarize"
)

const harbour = `# The harbour

The harbour of Osterby was built in 1871 to ship the bells of the foundry. ☂ The bells left the harbour on barges. ` +
	`A cat lived in the customs house. The foundry paid for the harbour and for its barges. In 1897 fire destroyed the foundry, and the harbour silted up.

Swans are fed at noon.`

func mapped(t *testing.T, focus string) []summarize.Sentence {
	t.Helper()
	lines, err := builtin.Summarising(0).Map(t.Context(), summarize.MapRequest{
		Options: summarize.Options{Focus: focus, Length: summarize.Short},
		Part:    summarize.Part{N: 3, Span: domain.Span{Start: 100, End: 100 + domain.Runes(harbour)}}, Text: harbour,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestExcerptsAreWholeSentencesInTheirPlace(t *testing.T) {
	t.Parallel()
	lines := mapped(t, "")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, l := range lines {
		if got := l.Span.Shift(-100).Slice(harbour); got != l.Text || !cmp.Equal(l.Parts, []int{3}) {
			t.Errorf("line %q of parts %v stands at %q", l.Text, l.Parts, got)
		}
		if !strings.Contains(l.Text, "harbour") {
			t.Errorf("line %d is about something else: %q", i, l.Text)
		}
		if i > 0 && l.Span.Start < lines[i-1].Span.Start {
			t.Error("the lines are out of order")
		}
	}
	for range 5 {
		if diff := cmp.Diff(lines, mapped(t, "")); diff != "" {
			t.Errorf("the same text has another summary\n%s", diff)
		}
	}
}

func TestAFocusDrawsTheExcerpt(t *testing.T) {
	t.Parallel()
	lines := mapped(t, "What became of the swans?")
	if last := lines[len(lines)-1].Text; last != "Swans are fed at noon." {
		t.Errorf("the last line is %q", last)
	}
}

func TestReducedExcerptsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	from := mapped(t, "")
	twice := summarize.Summary{Sentences: append(append([]summarize.Sentence{}, from...), summarize.Sentence{Text: from[0].Text, Parts: []int{4}})}
	var shown strings.Builder
	lines, err := builtin.Summarising(0).Reduce(t.Context(), summarize.ReduceRequest{
		Options: summarize.Options{Length: summarize.Long}, Summaries: []summarize.Summary{twice}, Final: true, Write: func(s string) { shown.WriteString(s) },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(from, lines); diff != "" {
		t.Errorf("what is said twice is kept twice (-want +got)\n%s", diff)
	}
	if shown.String() != from[0].Text+" "+from[1].Text+" " {
		t.Errorf("shown %q", shown.String())
	}
}

func TestCollapsedExcerptsHalve(t *testing.T) {
	t.Parallel()
	var s summarize.Summary
	for i := range 40 {
		text := strings.Repeat(strings.Repeat(string(rune('a'+i%26)), 3+i/26)+" ", 19) + "end."
		s.Sentences = append(s.Sentences, summarize.Sentence{Text: text, Parts: []int{i}})
	}
	lines, err := builtin.Summarising(0).Reduce(t.Context(), summarize.ReduceRequest{Summaries: []summarize.Summary{s}}, nil)
	if err != nil || len(lines) != 14 { // of 20 words each
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

// TestEveryDocumentIsHeard reduces a document of many parts, whose lines are much alike, with two of one.
func TestEveryDocumentIsHeard(t *testing.T) {
	t.Parallel()
	var s summarize.Summary
	say := func(part int, text string) {
		s.Sentences = append(s.Sentences, summarize.Sentence{Text: text, Parts: []int{part}})
	}
	for i, told := range []string{
		"shipped bronze bells to distant cathedrals", "hired forty barges every spring", "raised tall cranes beside the quay", "roofed its sheds with slate",
		"twisted ropes from imported hemp", "kept careful ledgers of tolls", "lit lamps along both piers", "mended nets for poor fishermen",
	} {
		say(i+1, "The harbour of Osterby "+told+".")
	}
	say(9, "A school was opened in Velmdale.")
	say(10, "The mill burnt down.")
	document := func(part int) domain.DocumentID {
		return domain.DocumentID([]string{"harbour", "school", "mill"}[max(0, part-8)])
	}
	heard := map[domain.DocumentID]int{}
	lines, err := builtin.Summarising(0).Reduce(t.Context(), summarize.ReduceRequest{
		Options: summarize.Options{Length: summarize.Medium}, Summaries: []summarize.Summary{s}, Final: true, DocumentOf: document,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		heard[document(l.Parts[0])]++
	}
	if heard["school"] != 1 || heard["mill"] != 1 || heard["harbour"] < 3 {
		t.Errorf("of each document are kept %v", heard)
	}
}

// TestBoilerplateDoesNotLead expects none of it in a summary, unless the text has little
// else.
func TestBoilerplateDoesNotLead(t *testing.T) {
	t.Parallel()
	const notice = "Copyright 2024 by the Tarn Company. Licensed under the Apache License, Version 2.0. "
	sum := func(text string) string {
		lines, err := builtin.Summarising(0).Map(t.Context(), summarize.MapRequest{
			Options: summarize.Options{Length: summarize.Short}, Part: summarize.Part{N: 1, Span: domain.Span{End: domain.Runes(text)}}, Text: text,
		}, nil)
		if err != nil || len(lines) == 0 {
			t.Fatalf("%v, %v", lines, err)
		}
		var said []string
		for _, l := range lines {
			said = append(said, l.Text)
		}
		return strings.Join(said, " ")
	}
	if got := sum(notice + "The Tarn Company builds ferries. Its ferries cross the Tarn in nine minutes. The company has its yard in Brenn."); strings.Contains(got, "Licen") || strings.Contains(got, "Copyright") {
		t.Errorf("the notice leads: %s", got)
	}
	if got := sum(notice + "Permission is hereby granted to copy the ferry."); !strings.Contains(got, "License") {
		t.Errorf("a licence is not summed up: %s", got)
	}
}
