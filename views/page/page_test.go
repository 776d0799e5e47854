package page

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/partial"
)

// TestAnAbsentStoreIsToldInGerman looks at what the notice of pages and the page Health say of a store that is away.
func TestAnAbsentStoreIsToldInGerman(t *testing.T) {
	t.Parallel()
	const away = "Neo4j does not answer. Work that needs the graph waits for it. Check NEO4J_URL."
	de := lang.With(t.Context(), lang.Suits("de", ""))
	p := HealthProps{App: layout.Props{Away: away}}
	for _, role := range []string{"Ledger", "Graph", "Search index"} {
		p.Stores = append(p.Stores, maintenance.StoreState{Role: role, Name: "Neo4j at bolt://127.0.0.1:7687", Problem: away + " It has been away for 2.6 s."})
	}
	p.Dead = []QueuedItem{{Kind: "Answer", Run: job.Run{Attempt: 2, Status: job.Failed, Problem: away}}}
	var page strings.Builder
	if err := HealthPage(p).Render(de, &page); err != nil {
		t.Fatal(err)
	}
	if err := layout.Notice(p.App).Render(de, &page); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]int{
		"Neo4j does not answer": 0, "has been away": 0, "Neo4j at": 0, "Answer, ": 0,
		"Neo4j antwortet nicht.": 6, "So ist es seit 2,6": 3, "Neo4j unter bolt": 3, "Antwort, 2 Versuche": 1,
	} {
		if n := strings.Count(page.String(), words); n != want {
			t.Errorf("%q stands there %d times, want %d", words, n, want)
		}
	}
}

func TestDayNames(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 0, 30, 0, 0, time.UTC)
	tests := map[string]time.Time{
		"Today": now.Add(-20 * time.Minute), "Yesterday": now.Add(-40 * time.Minute), "Last seven days": now.AddDate(0, 0, -6),
		"November": now.AddDate(0, 0, -8), "October": now.AddDate(0, -1, 0), "December 2025": now.AddDate(-1, 1, 0),
	}
	for want, at := range tests {
		if got := dayName(t.Context(), at, now); got != want {
			t.Errorf("%s is %q, want %q", at, got, want)
		}
	}
}

func TestAgesHaveOneUnit(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Minute: "just now", 2*time.Minute + 59*time.Second: "2 minutes ago", 119 * time.Minute: "119 minutes ago", 2 * time.Hour: "2 hours ago", 47 * time.Hour: "47 hours ago", 48 * time.Hour: "2 days ago",
	} {
		if got := ago(t.Context(), d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

// TestTheTrailCountsIds sums up many ids, and leaves names and few ids as they are.
func TestTheTrailCountsIds(t *testing.T) {
	t.Parallel()
	for things, want := range map[string]string{
		"d40ac3aed9e223694f2f8, runbebb548db043448de7da":                                                   "",
		"d40ac3aed9e223694f2f8, runbebb548db043448de7da, daa26a4a15463c72c01f0, dac74d38a1bd41b3ac079":     "3 documents, 1 run",
		"minutes.docx, d40ac3aed9e223694f2f8, daa26a4a15463c72c01f0, dac74d38a1bd41b3ac079":                "",
		"wbc569aa362c0, d40ac3aed9e223694f2f8, daa26a4a15463c72c01f0, dac74d38a1bd41b3ac079":               "",
		"v48519fa9fa64e2e56c03, q2ee4588338a41733896d, runebdc77f5e0bc1f9c6fd3, q5d8cf499a9067d1ea9b2, qq": "",
	} {
		if got := idsCounted(t.Context(), things); got != want {
			t.Errorf("%q is summed up as %q, want %q", things, got, want)
		}
	}
}

func TestTheTrailNamesWhoHasNoAccount(t *testing.T) {
	t.Parallel()
	for want, row := range map[string]audit.Row{
		"command line": {Action: "ingest"}, "not signed in": {Action: "ingest", Address: "10.0.0.1"}, "someone": {Action: audit.SignInFailed, Address: "10.0.0.1"}, "ada": {Person: "ada"},
	} {
		if got := who(t.Context(), row); got != want {
			t.Errorf("%+v is by %q, want %q", row, got, want)
		}
	}
}

// TestRunsAreComparedInPlainWords has both names of each step and field, of which a page shows one.
func TestRunsAreComparedInPlainWords(t *testing.T) {
	t.Parallel()
	trace := outline.Trace{Topology: diagram.Topology{Name: "answer"}}
	step := &outline.Step{Node: "transform_query", State: diagram.Seen}
	p := CompareProps{Left: RunSide{Trace: trace}, Right: RunSide{Trace: trace}, Pairs: []StepPair{{Left: step, Right: step}}, At: 1, States: []StatePair{{Name: "loop_count"}, {Name: "answered"}}}
	if got := p.heading(t.Context(), partial.Said); got != "States after Reworded" {
		t.Errorf("the heading is %q", got)
	}
	if got := p.heading(t.Context(), nodeOf); got != "States after transform_query" {
		t.Errorf("the technical heading is %q", got)
	}
	if got := []string{p.field("loop_count"), p.field("answered")}; got[0] != "Times reworded" || got[1] != "answered" {
		t.Errorf("the fields are called %q", got)
	}
	fork := ForkProps{Graph: "answer", After: []string{"grade_documents"}, Ahead: []string{"transform_query", "generate"}}
	if got := fork.done(t.Context()); got != "Judged the passages" {
		t.Errorf("before it ran %q", got)
	}
	if got := fork.ahead(t.Context()); got != "Reword, Write the answer" {
		t.Errorf("from there may run %q", got)
	}
}

func TestConversationsAreGroupedInOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p := AskProps{Now: now, Conversations: []ConversationItem{{ID: "1", UpdatedAt: now}, {ID: "2", UpdatedAt: now.AddDate(0, 0, -1)}, {ID: "3", UpdatedAt: now.AddDate(0, 0, -1)}}}
	var got []string
	for _, g := range p.groups(t.Context()) {
		for _, c := range g.items {
			got = append(got, g.name+" "+string(c.ID))
		}
	}
	if diff := cmp.Diff([]string{"Today 1", "Yesterday 2", "Yesterday 3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestASearchWhileTypingIsInTheAddress keeps what was searched when a person comes back to the list.
func TestASearchWhileTypingIsInTheAddress(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]interface {
		Render(context.Context, io.Writer) error
	}{
		"documents": DocumentsPage(DocumentsProps{Counts: partial.CountsProps{Filter: domain.DocumentFilter{Text: "bells"}}}),
	} {
		var b strings.Builder
		if err := list.Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `hx-replace-url="true"`) || !strings.Contains(b.String(), `value="bells"`) {
			t.Errorf("the list of %s forgets what was searched: %s", name, b.String())
		}
	}
}

func TestMarksOfAPassage(t *testing.T) {
	t.Parallel()
	p := explore.Quote{Text: "☂ Ann met Bob", Marks: []domain.Span{{Start: 2, End: 5}, {Start: 4, End: 6}, {Start: 10, End: 90}, {Start: 40, End: 50}}}
	want := []marked{{"☂ ", false}, {"Ann", true}, {" ", true}, {"met ", false}, {"Bob", true}}
	if diff := cmp.Diff(want, pieces(p), cmp.AllowUnexported(marked{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStopOrAsk(t *testing.T) {
	t.Parallel()
	p := AskProps{Turns: []partial.TurnProps{{Run: "r1", Status: partial.TurnDone}, {Run: "r2", Status: partial.TurnWaiting}}}
	if got := p.running(); got != "r2" {
		t.Errorf("the running run is %q, want the last turn's", got)
	}
	p.Turns[1].Status = partial.TurnFailed
	if got := p.running(); got != "" {
		t.Errorf("the running run is %q, want none", got)
	}
}

func TestAVeryLongTextIsShownInParts(t *testing.T) {
	t.Parallel()
	long := make([]rune, part*2)
	for i := range long {
		long[i] = 'a'
		if i%100 > 97 {
			long[i] = '\n'
		}
	}
	p := DocumentProps{Text: domain.Text{Content: string(long)}, Hit: domain.Span{Start: part*2 - 50, End: part*2 - 40}}
	c := p.cut()
	if !c.Window.Contains(p.Hit) || !c.Before || c.After {
		t.Errorf("the window %v does not hold the marked %v", c.Window, p.Hit)
	}
	p.Hit, p.At = domain.Span{}, 0
	if c := p.cut(); c.Before || !c.After || c.Window.Len() < part {
		t.Errorf("the first part is %v", c.Window)
	}
}

func TestALongTableOfContentsComesInParts(t *testing.T) {
	t.Parallel()
	p := DocumentProps{Text: domain.Text{Content: strings.Repeat("a title\n\n", 40_000)}}
	for i := range 40_000 {
		p.Text.Headings = append(p.Text.Headings, domain.Heading{Level: 2, Text: "a title", Span: domain.Span{Start: i * 9, End: i*9 + 7}})
	}
	for listed := 0; listed < 40_000; {
		p.Contents = listed
		entries, next := p.contents()
		if len(entries) == 0 || len(entries) > maxEntries || entries[0].Start != listed*9 {
			t.Fatalf("%d entries after %d", len(entries), listed)
		}
		if listed += len(entries); (next == "") != (listed == 40_000) {
			t.Fatalf("after %d entries come those at %q", listed, next)
		}
	}
	p.Contents = 0
	entries, _ := p.contents()
	if got, want := p.heading(p.cut(), entries[0]), "#h-1"; got != want {
		t.Errorf("the first heading is at %q, want %q", got, want)
	}
	if got, want := p.heading(doctext.Cut{}, entries[39]), "/documents/?at=351#h-40"; got != want {
		t.Errorf("a heading of another part is at %q, want %q", got, want)
	}
}

// TestRareTypesAreFolded draws the filter with more types than it shows: those
// that are chosen are never folded.
func TestRareTypesAreFolded(t *testing.T) {
	t.Parallel()
	p := GraphProps{}
	for i := range 12 {
		p.Types = append(p.Types, GraphCheck{Name: "TYPE_" + string(rune('A'+i)), Count: 12 - i, On: true})
	}
	folded := func() int {
		var b strings.Builder
		if err := graphFilters(p).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "Find one of 12") || !strings.Contains(b.String(), `data-words="type l"`) {
			t.Errorf("the types can't be searched: %s", b.String())
		}
		return strings.Count(b.String(), `class="beyond"`)
	}
	if n := folded(); n != 4 {
		t.Errorf("%d types are folded, want 4 of 12", n)
	}
	for i := range p.Types {
		p.Types[i].On = i == 10
	}
	p.View.Types = []string{"TYPE_K"}
	if n := folded(); n != 3 {
		t.Errorf("%d types are folded, want 3: one is chosen", n)
	}
}

// TestSupportedSentencesAreCounted says of an answer how many of its sentences a passage supports.
func TestSupportedSentencesAreCounted(t *testing.T) {
	t.Parallel()
	for turn, want := range map[RunTurn]string{
		{Sentences: 5, Supported: 4}: "5 sentences, 4 supported", {Sentences: 1, Supported: 1}: "1 sentence, supported", {Sentences: 1}: "1 sentence, 0 supported", {}: "",
	} {
		if got := turn.supported(t.Context()); got != want {
			t.Errorf("%+v is %q, want %q", turn, got, want)
		}
	}
}
