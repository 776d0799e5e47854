package present

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/trace"
	"github.com/clewhq/clew/views/partial"
)

// missed is a question that was searched for twice without a relevant passage.
func missed() (ledger.Message, *trace.View) {
	no := func(id domain.ChunkID, reason string) domain.Grading {
		return domain.Grading{Chunk: id, Document: "d" + domain.DocumentID(id), Name: string(id) + ".md", Grade: domain.Grade{Verdict: domain.Irrelevant, Reason: reason}}
	}
	m := ledger.Message{
		Question: "Who paid for the bridges?", Status: ledger.MessageDone,
		Sentences: []domain.Sentence{{Text: answer.SaysNotOutright, Remark: true}},
	}
	return m, &trace.View{Steps: []*trace.Step{
		{Methods: []domain.Method{{Name: domain.MethodWords, Ranked: []domain.ChunkID{"a"}}, {Name: domain.MethodWalk, Ranked: []domain.ChunkID{"b", "a"}}}},
		{Grades: []domain.Grading{no("a", "names another"), no("b", "says who built it")}, Found: []domain.FoundPassage{{Chunk: "b", Score: 0.5}, {Chunk: "a", Score: 0.25}}},
		{Rewrites: []domain.Rewrite{{To: "bridge payer"}}},
		{Methods: []domain.Method{{Name: domain.MethodWalk, Ranked: []domain.ChunkID{"d", "a", "c"}}}},
		{Grades: []domain.Grading{no("c", ""), no("a", "names another"), no("d", "")}},
	}}
}

func TestAMissShowsWhatWasFoundInstead(t *testing.T) {
	t.Parallel()
	m, v := missed()
	got := Miss(m, v)
	want := &partial.MissProps{
		BuiltIn: true, Rest: 1,
		Closest: []partial.NearProps{
			{Chunk: "b", Document: "db", Name: "b.md", Verdict: "no", Reason: "says who built it", Score: 0.5},
			{Chunk: "a", Document: "da", Name: "a.md", Verdict: "no", Reason: "names another", Score: 0.25},
			{Chunk: "d", Document: "dd", Name: "d.md", Verdict: "no"},
		},
		Asked: []partial.WordingProps{{Text: "Who paid for the bridges?", Graded: 2}, {Text: "bridge payer", Graded: 3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("miss (-want +got)\n%s", diff)
	}
	passage := domain.Passage{Name: "b.md"}
	passage.ID, passage.Document, passage.Span = "b", "db", domain.Span{Start: 100, End: 170}
	passage.Text = "Nobody knew. A mason built the Copper Bridge, and paid for it, they say."
	Quote(got, m.Question, []domain.Passage{passage})
	if len(got.Closest) != 1 {
		t.Fatalf("%d passages, want the one that is still there", len(got.Closest))
	}
	pieces := []partial.PieceProps{{Text: "A mason built the Copper "}, {Text: "Bridge", Marked: true}, {Text: ", and "}, {Text: "paid", Marked: true}, {Text: " for it, they say."}}
	if diff := cmp.Diff(pieces, got.Closest[0].Pieces); diff != "" {
		t.Errorf("pieces (-want +got)\n%s", diff)
	}
	if want := "/documents/db?start=113&end=172#hit"; got.Closest[0].URL != want {
		t.Errorf("address %q, want %q", got.Closest[0].URL, want)
	}
}

// TestTheClosestIsASentence prefers it to what shares more words with the question.
func TestTheClosestIsASentence(t *testing.T) {
	t.Parallel()
	terms := prose.Terms("Who paid for the rebuilding of Mercers’ Bridge?")
	for text, want := range map[string]string{
		"Rebuilding of Mercers’ Bridge\n\nIt fell in 1896. The guild paid nothing.":            "The guild paid nothing.",
		"Repairs\n\nIt was dry.\n\nMercers’ Bridge\n\nNobody came. Nobody asked.":              "Nobody came.",
		"Bridge | Work | Crowns\nMercers’ Bridge | Inspection by diver | 28":                   "Mercers’ Bridge | Inspection by diver | 28",
		"Mercers’ Bridge | Inspection by diver | 28.\nThe toll paid for it (they “hoped.”)":    "The toll paid for it (they “hoped.”)",
		"The bridge was closed for a day. The rebuilding of Mercers’ Bridge was paid at once.": "The rebuilding of Mercers’ Bridge was paid at once.",
		"8. Mercers’ Bridge\n": "Mercers’ Bridge",
		"":                     "",
	} {
		if got := closestSentence(text, terms).Slice(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestAShortSentenceIsQuotedWithTheNext joins no lines, and nothing long.
func TestAShortSentenceIsQuotedWithTheNext(t *testing.T) {
	t.Parallel()
	first := domain.Span{End: 10}
	for text, want := range map[string]string{
		"It was so. It fell. It rose.":                    "It was so. It fell.",
		"It was so.\nIt fell.":                            "It was so.",
		"It was so.":                                      "It was so.",
		"It was so. Bridge | 5 | Done.":                   "It was so.",
		"It was so. " + strings.Repeat("a ", 80) + "end.": "It was so.",
	} {
		if got := withNext(text, first).Slice(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestTheRestOfAMissIsSaidAsItWasGraded says no for all only where all are.
func TestTheRestOfAMissIsSaidAsItWasGraded(t *testing.T) {
	t.Parallel()
	m, v := missed()
	v.Steps[4].Grades[2].Verdict = domain.Ungraded
	v.Steps[4].Found = []domain.FoundPassage{{Chunk: "c"}, {Chunk: "a"}, {Chunk: "d"}}
	if got := Miss(m, v); got.Rest != 1 || !got.RestUnread || got.Closest[2].Chunk != "c" {
		t.Errorf("got %+v", got)
	}
}

func TestOnlyAMissIsOne(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*ledger.Message, *trace.View){
		"stopped":         func(m *ledger.Message, _ *trace.View) { m.Status = ledger.MessageStopped },
		"cites a source":  func(m *ledger.Message, _ *trace.View) { m.Citations = []domain.Citation{{N: 1}} },
		"draws a chart":   func(m *ledger.Message, _ *trace.View) { m.Figures = []domain.Figure{{ID: "f"}} },
		"says something":  func(m *ledger.Message, _ *trace.View) { m.Sentences[0].Remark = false },
		"found nothing":   func(_ *ledger.Message, v *trace.View) { v.Steps = v.Steps[:1] },
		"no longer kept":  func(_ *ledger.Message, v *trace.View) { v.Steps = nil },
		"nothing written": func(m *ledger.Message, _ *trace.View) { m.Sentences = nil },
	} {
		m, v := missed()
		change(&m, v)
		if got := Miss(m, v); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNeighboursAreMarkedTogether(t *testing.T) {
	t.Parallel()
	want := []partial.PieceProps{{Text: "Mercers’ Bridge", Marked: true}, {Text: " stood."}}
	if diff := cmp.Diff(want, shared("Mercers’ Bridge stood.", []string{"mercer", "bridg"})); diff != "" {
		t.Errorf("pieces (-want +got)\n%s", diff)
	}
	if got := shared("", nil); got != nil {
		t.Errorf("pieces of nothing: %+v", got)
	}
}
