package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

var (
	firstPassage = domain.Passage{Name: "a.txt", Chunk: domain.Chunk{ID: "a", Document: "A", Page: 2,
		Span: domain.Span{Start: 10, End: 58}, Text: "Ünder the bridge. Ann Lee built Weir Bridge. 1812"}}
	secondPassage = domain.Passage{Name: "b.txt", Chunk: domain.Chunk{ID: "b", Document: "B",
		Span: domain.Span{Start: 0, End: 34}, Text: "Weir Bridge has one arch of stone."}}
)

// writtenBy parses the pieces of a stream into a composer.
func writtenBy(passages []domain.Passage, pieces ...string) (*composer, string) {
	var shown strings.Builder
	c := resumeComposer(Text{}, func(_ string, payload any) { shown.WriteString(payload.(domain.Token).Text) })
	p := newMarkParser(c, passages)
	for _, piece := range pieces {
		p.add(piece)
	}
	p.end()
	return c, shown.String()
}

func TestMarksBecomeCitationsOfSentences(t *testing.T) {
	t.Parallel()
	p, shown := writtenBy([]domain.Passage{firstPassage, secondPassage},
		"The bridge has one arch of stone", " [2", "]. ", "It was built by Ann Lee.[1", "][2]\n\nIt [is] old", ", [7] so they", " say.")
	const want = "The bridge has one arch of stone [1]. It was built by Ann Lee. [2][1]\n\nIt [is] old, so they say."
	if p.answer() != want || shown != want {
		t.Errorf("answer %q\nshown  %q", p.answer(), shown)
	}
	wantCited := []domain.Citation{
		{N: 1, Document: "b.txt", DocumentID: "B", Chunk: "b", Span: domain.Span{Start: 0, End: 34}, Text: "Weir Bridge has one arch of stone."},
		{N: 2, Document: "a.txt", DocumentID: "A", Chunk: "a", Page: 2, Span: domain.Span{Start: 28, End: 54}, Text: "Ann Lee built Weir Bridge."},
	}
	if diff := cmp.Diff(wantCited, p.citations); diff != "" {
		t.Errorf("citations (-want +got):\n%s", diff)
	}
	wantSaid := []domain.Sentence{
		{Text: "The bridge has one arch of stone.", Citations: []int{1}},
		{Text: "It was built by Ann Lee.", Citations: []int{2, 1}},
		{Text: "It [is] old, so they say.", Citations: []int{}, Paragraph: 1},
	}
	if diff := cmp.Diff(wantSaid, p.sentences()); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
}

// TestSourcesComeWithTheirMarks tells each source once, and one that resumes a text those
// of before again.
func TestSourcesComeWithTheirMarks(t *testing.T) {
	t.Parallel()
	var told []string
	emit := func(_ string, payload any) {
		token := payload.(domain.Token)
		for _, c := range token.Cited {
			told = append(told, token.Text+c.Document)
		}
	}
	c := resumeComposer(Text{}, emit)
	c.Write("One")
	c.Cite(firstPassage, firstPassage.Span)
	c.Write(" and two")
	c.Cite(secondPassage, secondPassage.Span)
	c.Cite(firstPassage, firstPassage.Span)
	resumeComposer(c.text(), emit).Write("more")
	if diff := cmp.Diff([]string{" [1]a.txt", " [2]b.txt", " morea.txt", " moreb.txt"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestATurnThatBeginsAnew drops what a turn has written, not what came before.
func TestATurnThatBeginsAnew(t *testing.T) {
	t.Parallel()
	shown := ""
	c := resumeComposer(Text{}, func(_ string, payload any) {
		token := payload.(domain.Token)
		if token.Anew {
			shown = ""
		}
		shown += token.Text
	})
	c.Write("The bridge is old.")
	c.Cite(firstPassage, firstPassage.Span)
	pen := newTurnPen(c)
	p := newMarkParser(pen, []domain.Passage{firstPassage, secondPassage})
	p.add("Okay, passage [2] says so. ")
	p.anew()
	p.add("It has one arch [1].")
	p.end()
	c.attribute("Who built it?", []domain.Passage{firstPassage, secondPassage})
	c.remark([]string{"The model's answer was cut off at its limit of tokens."})
	const want = "The bridge is old. [1]\n\nIt has one arch [1].\n\nThe model's answer was cut off at its limit of tokens."
	if got := c.answer(); got != want || strings.TrimSpace(shown) != want {
		t.Errorf("answer %q\nshown  %q", got, shown)
	}
}

// TestAStreamReadsTheSameHoweverItIsCut cuts the same text anywhere.
func TestAStreamReadsTheSameHoweverItIsCut(t *testing.T) {
	t.Parallel()
	passages := []domain.Passage{firstPassage, secondPassage}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"Ann ", "built it. ", "[1]", " [2]", "[1, 2]", "[", "]", "[x]", "\n\n", ".", "[9]", "Ü"})).Draw(t, "text"), "")
		whole, _ := writtenBy(passages, text)
		var pieces []string
		for rest := []rune(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			pieces, rest = append(pieces, string(rest[:n])), rest[n:]
		}
		cut, shown := writtenBy(passages, pieces...)
		if cut.answer() != whole.answer() || cut.answer() != strings.TrimSpace(shown) {
			t.Fatalf("whole %q, cut %q, shown %q", whole.answer(), cut.answer(), shown)
		}
		if !cmp.Equal(cut.sentences(), whole.sentences()) || !cmp.Equal(cut.citations, whole.citations) {
			t.Fatalf("citations differ: %v and %v", whole.citations, cut.citations)
		}
	})
}

func TestASpanOutsideItsPassageCitesThePassage(t *testing.T) {
	t.Parallel()
	p := resumeComposer(Text{}, nil)
	p.Write("So.")
	p.Cite(secondPassage, domain.Span{Start: 30, End: 40})
	p.Cite(secondPassage, domain.Span{})
	if len(p.citations) != 1 || p.citations[0].Text != secondPassage.Text || p.answer() != "So. [1]" {
		t.Errorf("%q with %+v", p.answer(), p.citations)
	}
}

func TestWordsAreCutAfterTheirSpaces(t *testing.T) {
	t.Parallel()
	if got, want := words(" one  two\n\nthree "), []string{" one  ", "two\n\n", "three "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestATextReadsTheSameWhenItIsResumed stores a text at any point, as between two
// turns or two processes.
func TestATextReadsTheSameWhenItIsResumed(t *testing.T) {
	t.Parallel()
	passages := []domain.Passage{firstPassage, secondPassage}
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"It was built. ", "By Ann", " Lee", "[1]", " [2]", "[1][2]", ".", "\n\n", "(so)", " "})).Draw(t, "pieces")
		p, shown := writtenBy(passages, pieces...)
		p.remark([]string{"The graph is away."})
		shown += p.marked.String()[len(shown):]
		again := resumeComposer(p.text(), nil)
		if again.marked.String() != shown || again.answer() != p.answer() {
			t.Fatalf("%q became %q", shown, again.marked.String())
		}
		if diff := cmp.Diff(p.sentences(), again.sentences()); diff != "" {
			t.Fatalf("sentences (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(p.text(), again.text()); diff != "" {
			t.Fatalf("text (-want +got):\n%s", diff)
		}
	})
}
