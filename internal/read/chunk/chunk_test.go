package chunk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
)

// words counts words, so that a test's sizes can be read off its text.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

// document joins paragraphs into a text; those that begin with # are headings
// of as many levels, without the marks.
func document(paragraphs ...string) domain.Text {
	var t domain.Text
	for i, p := range paragraphs {
		if i > 0 {
			t.Content += "\n\n"
		}
		bare := strings.TrimLeft(p, "#")
		if level := len(p) - len(bare); level > 0 {
			start := domain.Runes(t.Content)
			p = strings.TrimSpace(bare)
			span := domain.Span{Start: start, End: start + domain.Runes(p)}
			t.Headings = append(t.Headings, domain.Heading{Level: level, Text: p, Span: span})
		}
		t.Content += p
	}
	return t
}

// chunks splits t without end of time.
func chunks(id domain.DocumentID, t domain.Text, o chunk.Options) []domain.Chunk {
	out, err := chunk.Split(context.Background(), id, t, o)
	if err != nil {
		panic(err)
	}
	return out
}

// split is the texts of the chunks of t, at most limit words each.
func split(t domain.Text, limit int) []string {
	var out []string
	for _, c := range chunks("d", t, chunk.Options{Tokens: limit, Counter: words{}}) {
		out = append(out, c.Text)
	}
	return out
}

// say is n words that begin with first.
func say(first string, n int) string {
	return first + strings.Repeat(" word", n-2) + " end."
}

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		text  domain.Text
		limit int
		want  []string
	}{
		{"nothing", document(), 20, nil},
		{"white space only", document(" ", "\t"), 20, nil},
		{"short text is one chunk", document("One two.", "Three four."), 20, []string{"One two.\n\nThree four."}},
		{"paragraphs stay whole", document("A b c d e f.", "G h i j k l."), 8, []string{"A b c d e f.", "G h i j k l."}},
		{
			"sentences of a long paragraph stay whole",
			document("One two three four. Five six seven. Eight nine ten eleven."), 8,
			[]string{"One two three four. Five six seven.", "Eight nine ten eleven."},
		},
		{
			"lines of a long list stay whole",
			document("- one two three\n- four five six\n- seven eight"), 10,
			[]string{"- one two three\n- four five six", "- seven eight"},
		},
		{
			"a long sentence breaks between words",
			document("one two three four five six seven"), 3,
			[]string{"one two three", "four five six", "seven"},
		},
		{
			"small sections share a chunk",
			document("# Fruit", "Apples.", "# Tools", "Hammers."), 40,
			[]string{"Fruit\n\nApples.\n\nTools\n\nHammers."},
		},
		{
			"sizeable sections do not",
			document("# Fruit", say("Apples", 12), "## Tools", say("Hammers", 12)), 40,
			[]string{"Fruit\n\n" + say("Apples", 12), "Tools\n\n" + say("Hammers", 12)},
		},
		{
			"subsections of level 3 do while there is room",
			document("# Fruit", say("Apples", 12), "### Tools", say("Hammers", 12)), 40,
			[]string{"Fruit\n\n" + say("Apples", 12) + "\n\nTools\n\n" + say("Hammers", 12)},
		},
		{
			"a section that does not fit begins a chunk",
			document("# A", say("Apples", 12), "### B", say("Bears", 12), say("Cats", 12)), 30,
			[]string{"A\n\n" + say("Apples", 12), "B\n\n" + say("Bears", 12) + "\n\n" + say("Cats", 12)},
		},
		{
			"a heading is not left behind",
			document(say("Apples", 4), "### B", "#### C", say("Bears", 14)), 18,
			[]string{say("Apples", 4), "B\n\nC\n\n" + say("Bears", 14)},
		},
		{
			"a paragraph is cut to begin below its heading",
			document("# B", "One two three. Four five six."), 6,
			[]string{"B\n\nOne two three.", "Four five six."},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, split(tt.text, tt.limit)); diff != "" {
				t.Errorf("chunks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSplitSaysWhereAChunkStands(t *testing.T) {
	t.Parallel()
	text := document("# Fruit", "## Apples", say("Red", 10), "## Pears", say("Green", 10))
	second := text.Headings[2].Span.Start
	text.Pages = []domain.Page{
		{Number: 1, Span: domain.Span{Start: 0, End: second}},
		{Number: 2, Span: domain.Span{Start: second, End: domain.Runes(text.Content)}},
	}
	got := chunks("d1", text, chunk.Options{Tokens: 20, Counter: words{}})
	if len(got) != 2 {
		t.Fatalf("got %d chunks, want 2", len(got))
	}
	if diff := cmp.Diff([]string{"Fruit", "Pears"}, got[1].Headings); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	if got[0].Page != 1 || got[1].Page != 2 {
		t.Errorf("pages %d and %d, want 1 and 2", got[0].Page, got[1].Page)
	}
	if got[0].Document != "d1" || got[0].Ordinal != 0 || got[1].Ordinal != 1 {
		t.Errorf("document %q, ordinals %d and %d", got[0].Document, got[0].Ordinal, got[1].Ordinal)
	}
	if got[1].Tokens != 11 {
		t.Errorf("tokens = %d, want 11", got[1].Tokens)
	}
}

// TestUnits splits texts whose pages are slides, or rows of two sheets.
func TestUnits(t *testing.T) {
	t.Parallel()
	text := document("# One", "Short.", "# Two", "Shorter.")
	two := text.Headings[1].Span.Start
	all := domain.Runes(text.Content)
	text.Pages = []domain.Page{
		{Unit: domain.UnitSlide, Number: 1, Span: domain.Span{End: two - 2}},
		{Unit: domain.UnitSlide, Number: 2, Span: domain.Span{Start: two, End: all}},
	}
	want := []string{"One\n\nShort. (Slide 1, p. 1)", "Two\n\nShorter. (Slide 2, p. 2)"}
	if diff := cmp.Diff(want, located(text, 50)); diff != "" {
		t.Errorf("slides (-want +got):\n%s", diff)
	}
	text = document("# A", "a | b\n1 | 2\n3 | 4\n5 | 6", "# B", "c | d\n7 | 8")
	rows := domain.Runes("A\n\n")
	b := text.Headings[1].Span.Start
	text.Pages = []domain.Page{
		{Unit: domain.UnitRow, Name: "A", Number: 0, Span: domain.Span{End: rows - 2}},
		{Unit: domain.UnitRow, Name: "A", Number: 1, Span: domain.Span{Start: rows, End: b - 2}},
		{Unit: domain.UnitRow, Name: "B", Number: 0, Span: domain.Span{Start: b, End: b + 1}},
		{Unit: domain.UnitRow, Name: "B", Number: 7, Span: domain.Span{Start: b + 3, End: domain.Runes(text.Content)}},
	}
	want = []string{"A\n\na | b\n1 | 2 (Sheet A, rows 1–2, p. 0)", "3 | 4\n5 | 6 (Sheet A, rows 3–4, p. 0) under A, a | b", "B\n\nc | d\n7 | 8 (Sheet B, rows 7–8, p. 0)"}
	if diff := cmp.Diff(want, located(text, 9)); diff != "" {
		t.Errorf("sheets (-want +got):\n%s", diff)
	}
}

// located is the chunks of a text with their places, and the headings of those
// that begin within a table.
func located(t domain.Text, limit int) (out []string) {
	for _, c := range chunks("d", t, chunk.Options{Tokens: limit, Counter: words{}}) {
		said := fmt.Sprintf("%s (%s, p. %d)", c.Text, c.Place(c.Span), c.Page)
		if c.Place(c.Span) != t.Place(c.Span) {
			said += " but " + t.Place(c.Span)
		}
		if len(c.Headings) > 1 {
			said += " under " + strings.Join(c.Headings, ", ")
		}
		out = append(out, said)
	}
	return out
}

// TestTableHeads splits texts with tables: only a chunk that begins within one
// has its first row above it.
func TestTableHeads(t *testing.T) {
	t.Parallel()
	text := document("a | b\n1 | 2\n3 | 4", "Not in a table, but long enough for more than one chunk of these.", "c | d\n5 | 6\n7 | 8")
	var got []string
	for _, c := range chunks("d", text, chunk.Options{Tokens: 7, Counter: words{}}) {
		got = append(got, strings.Join(c.Headings, "/")+": "+c.Text[:min(len(c.Text), 12)])
	}
	want := []string{": a | b\n1 | 2", "a | b: 3 | 4", ": Not in a tab", ": for more tha", ": c | d\n5 | 6", "c | d: 7 | 8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTableHeadsBelowCaptions splits a table with a caption, and sentences with
// marks of notes between them.
func TestTableHeadsBelowCaptions(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range chunks("d", document("Income of\na | b\n1 | 2\n3 | 4", "One came here.[^2] Two went there.[3] And three."), chunk.Options{Tokens: 7, Counter: words{}}) {
		got = append(got, strings.Join(c.Headings, "/")+": "+c.Text)
	}
	want := []string{": Income of\na | b", "a | b: 1 | 2\n3 | 4", ": One came here.[^2] Two went there.[3]", ": And three."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSplitKeepsIDsOfUntouchedChunks(t *testing.T) {
	t.Parallel()
	same := say("Same", 8)
	before := chunks("d", document(same, same, say("Last", 8)), chunk.Options{Tokens: 8, Counter: words{}})
	after := chunks("d", document(say("New", 8), same, same, say("Last", 8)), chunk.Options{Tokens: 8, Counter: words{}})
	for i, c := range before {
		if after[i+1].ID != c.ID {
			t.Errorf("chunk %d changed its id when a paragraph was put before it", i)
		}
	}
	if before[0].ID == before[1].ID {
		t.Error("two chunks of the same text share an id")
	}
}

func TestSplitDefaultsTheLimit(t *testing.T) {
	t.Parallel()
	text := document(strings.Repeat("word ", 3*chunk.DefaultTokens))
	for _, c := range chunks("d", text, chunk.Options{Counter: words{}}) {
		if c.Tokens > chunk.DefaultTokens {
			t.Errorf("chunk of %d words, limit %d", c.Tokens, chunk.DefaultTokens)
		}
	}
}

func TestSplitDoesNotCutWhatIsSeenAsOneCharacter(t *testing.T) {
	t.Parallel()
	family := "👩\u200d👩\u200d👧"
	text := domain.Text{Content: strings.Repeat(family, 40)}
	for _, c := range chunks("d", text, chunk.Options{Tokens: 30, Counter: chunk.NewTokenizer()}) {
		if len(c.Text)%len(family) != 0 {
			t.Errorf("chunk %d cuts an emoji in two: %q", c.Ordinal, c.Text)
		}
	}
}

func TestTokenizer(t *testing.T) {
	t.Parallel()
	tok := chunk.NewTokenizer()
	for text, want := range map[string]int{"": 0, "hello world": 2, "tiktoken is great!": 6} {
		if got := tok.Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}
