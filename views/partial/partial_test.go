package partial_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/viewstest"
)

func TestStages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		document domain.Document
		want     []string
	}{
		"parsing":          {domain.Document{Status: domain.DocumentWorking, Stage: "parse"}, []string{"now parse", " split", " extract", " resolve", " project"}},
		"extracting":       {domain.Document{Status: domain.DocumentWorking, Stage: "extract", Chunks: 42, ChunksDone: 17}, []string{"done parse", "done split", "now extract 17 of 42", " resolve", " project"}},
		"embedding":        {domain.Document{Status: domain.DocumentWorking, Stage: "embed", Chunks: 2, ChunksDone: 2}, []string{"done parse", "done split", "now extract 2 of 2", " resolve", " project"}},
		"failed in one":    {domain.Document{Status: domain.DocumentFailed, Stage: "project"}, []string{"done parse", "done split", "done extract", "done resolve", "stuck project"}},
		"an unknown stage": {domain.Document{Status: domain.DocumentWorking, Stage: "nobody"}, []string{"now parse", " split", " extract", " resolve", " project"}},
	}
	for name, tt := range tests {
		var got []string
		for _, s := range (partial.DocumentRowProps{Document: tt.document}).Stages(t.Context()) {
			got = append(got, s.Class+" "+s.Label)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestStationsAreTheMainLine(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range viewstest.AnswerTrace(false).Stations(viewstest.AnswerTrace(false).PlainDrawing()) {
		got = append(got, fmt.Sprint(s.Times, " ", s.State, " ", s.Short()))
	}
	want := []string{"1 seen understood", "2 seen searched", "2 seen judged", "1 seen reworded", "1 now writing", "0 waiting check"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSummarySaysWhatThePictureShows(t *testing.T) {
	t.Parallel()
	got := viewstest.AnswerTrace(false).Summary()
	want := "The way of this run. Writing the answer. Searched, 2 times. Judged the passages, 2 times."
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	for state, want := range map[diagram.State]bool{"": true, diagram.Waiting: true, diagram.Now: true, diagram.Seen: false, diagram.Failed: false, diagram.Stopped: false} {
		if got := (outline.Trace{State: state}).Live(); got != want {
			t.Errorf("a run that is %q is live: %v, want %v", state, got, want)
		}
	}
	for status, want := range map[partial.TurnStatus]string{partial.TurnAnswering: "/runs/r1/events?after=7", partial.TurnDone: "", partial.TurnStopped: ""} {
		if got := (partial.TurnProps{Run: "r1", After: 7, Status: status}).Stream(); got != want {
			t.Errorf("a turn that is %s has the stream %q, want %q", status, got, want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	t.Parallel()
	var got []int
	for _, p := range viewstest.SecondTurn(false).Paragraphs() {
		got = append(got, len(p))
	}
	if diff := cmp.Diff([]int{2, 2}, got); diff != "" {
		t.Errorf("sentences a paragraph (-want +got):\n%s", diff)
	}
}

func TestSourceKnowsItsNeighbours(t *testing.T) {
	t.Parallel()
	p := partial.SourceProps{Conversation: "k1", Message: "m1", Numbers: []int{1, 3, 4}, Pages: 8, Citation: domain.Citation{N: 3, Page: 3, Span: domain.Span{Start: 1203, End: 1391}}}
	tests := []struct{ got, want string }{
		{p.Neighbour(-1), "/ask/k1/source/m1/1"}, {p.Neighbour(1), "/ask/k1/source/m1/4"}, {p.Neighbour(2), ""}, {p.Place(t.Context()), "2 of 3"},
		{p.Where(t.Context()), "Page 3 of 8, characters 1,204 to 1,391"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	p.Citation.Page = 0
	if got := p.Where(t.Context()); got != "Characters 1,204 to 1,391" {
		t.Errorf("without pages it says %q", got)
	}
}

func TestCountsSayWhatTheyCount(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]domain.Count{
		"93 entities with the label Person": {Of: domain.CountEntities, Key: "Person"},
		"93 entities without a label":       {Of: domain.CountEntities, Key: domain.UnknownLabel},
		"93 mentions, a.txt":                {Of: domain.CountMentions, Key: "a.txt"},
	} {
		if got := partial.CountLabel(t.Context(), 93, c); got != want {
			t.Errorf("%+v is called %q, want %q", c, got, want)
		}
	}
}

// TestAFirstQuestionPassesNoStation leaves out of the line what the run went past.
func TestAFirstQuestionPassesNoStation(t *testing.T) {
	t.Parallel()
	p := viewstest.AnswerTrace(false)
	p.Visits = p.Visits[:0:0]
	p.Visits = append(p.Visits, diagram.Visit{Node: "start", State: diagram.Seen}, diagram.Visit{Node: "retrieve", State: diagram.Seen, Times: 1}, diagram.Visit{Node: "grade_documents", State: diagram.Now, Times: 1})
	p.Walked = nil
	var line []string
	for _, s := range p.Stations(p.PlainDrawing()) {
		line = append(line, s.Node)
	}
	if diff := cmp.Diff([]string{"retrieve", "grade_documents", "generate", "check_support"}, line); diff != "" {
		t.Errorf("stations (-want +got):\n%s", diff)
	}
}

// TestWhatIsToComeStandsBelowTheSteps names the nodes after the one at work.
func TestWhatIsToComeStandsBelowTheSteps(t *testing.T) {
	t.Parallel()
	p := viewstest.AnswerTrace(false)
	if diff := cmp.Diff([]string{"check_support"}, p.Later(p.PlainDrawing())); diff != "" {
		t.Errorf("while it writes (-want +got):\n%s", diff)
	}
	p.Visits = []diagram.Visit{{Node: "retrieve", State: diagram.Now, Times: 2}, {Node: "grade_documents", State: diagram.Seen, Times: 1}, {Node: "transform_query", State: diagram.Seen, Times: 1}}
	if diff := cmp.Diff([]string{"generate", "check_support"}, p.Later(p.PlainDrawing())); diff != "" {
		t.Errorf("in the second search (-want +got):\n%s", diff)
	}
	if p.State = diagram.Stopped; p.Later(p.PlainDrawing()) != nil {
		t.Errorf("after the end: %v", p.Later(p.PlainDrawing()))
	}
}

// answered renders an answer in one line.
func answered(t *testing.T, p partial.TurnProps) string {
	t.Helper()
	var b strings.Builder
	if err := partial.Answer(p).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return domain.OneLine(b.String())
}

// holds checks how often an answer has each text.
func holds(t *testing.T, got string, want map[string]int) {
	t.Helper()
	for text, times := range want {
		if n := strings.Count(got, text); n != times {
			t.Errorf("%q stands %d times, want %d, in\n%s", text, n, times, got)
		}
	}
}

// TestAMissIsShown renders the passages that came close where a model found no answer.
func TestAMissIsShown(t *testing.T) {
	t.Parallel()
	near := outline.Near{Where: "a.md, p. 2", Said: "not relevant", Excerpt: []outline.Piece{{Text: "It stood.", Marked: true}}, Reason: "names another"}
	p := partial.TurnProps{Status: partial.TurnDone, Sentences: []domain.Sentence{{Text: "No sentence says it outright.", Remark: true, Supported: true}}, Found: &outline.Found{
		Closest: []outline.Near{near, near}, Rest: 2, Asked: []outline.Wording{{Text: "Who mended Weir Bridge?"}, {Text: "mason of Weir Bridge"}},
	}}
	holds(t, answered(t, p), map[string]int{
		"No sentence says it outright.": 1, ">Came close<": 1, "not relevant": 2, "names another": 2, "2 more passages, none relevant": 1, "<ins>mason of</ins> Weir Bridge": 1, `<mark class="has">It stood.</mark>`: 2,
		"Found by search": 0, "score": 0,
	})
}

// TestAQuotationIsRendered with its marks in quotation marks, and no remark of the plain text.
func TestAQuotationIsRendered(t *testing.T) {
	t.Parallel()
	p := partial.TurnProps{
		Conversation: "k", Message: "m", Run: "r", Status: partial.TurnDone, Sentences: []domain.Sentence{{Text: "Most likely:", Remark: true}}, Citations: []domain.Citation{{N: 1}, {N: 2}},
		Found: &outline.Found{
			Quoted:  true,
			Best:    []outline.Near{{N: 1, Where: "a.md", Heading: "2. Costs", Text: []outline.Piece{{Text: "“It cost "}, {Text: "118 crowns", Marked: true}, {Text: ".”"}}}},
			Closest: []outline.Near{{N: 2, Where: "b.md, p. 3", Table: &outline.Table{Head: []outline.Cell{{Text: "Work"}, {Text: "Crowns", On: true}}, Rows: []outline.Row{{On: true, Cells: []outline.Cell{{Text: "Boards"}, {Text: "118", On: true}}}}}}},
		},
	}
	holds(t, answered(t, p), map[string]int{
		"Found by search on this machine.": 1, "Most likely:": 0, `>Most likely<`: 1, `>Also close<`: 1, `“It cost <mark>118 crowns</mark>.”`: 1, "2. Costs": 1, "A table": 1,
		`<th scope="col" class="hd on">Crowns</th>`: 1, `<mark class="has">118</mark>`: 1, `href="/ask/k/source/m/1"`: 2, `href="/ask/k/source/m/2"`: 1, `data-testid="copy"`: 1,
	})
}

// TestNothingNearOffersTheWordsThatAreMeant asks with all of them at once, and with no part of another word.
func TestNothingNearOffersTheWordsThatAreMeant(t *testing.T) {
	t.Parallel()
	p := partial.TurnProps{
		Question: "Who built the Viaduckt of Viaduckten at Marlok?", Status: partial.TurnDone, Sentences: []domain.Sentence{{Text: "Nothing close was found.", Remark: true}, {Text: "It is in no document.", Remark: true}},
		Found: &outline.Found{Quoted: true, Try: []partial.TryProps{{Text: "Who built Weir Bridge?", Note: "guide.pdf"}}, Words: []domain.AskedWord{
			{Text: "Viaduckt", Meant: "viaduct", MeantIn: 1}, {Text: "Marlok", Meant: "Marlock", MeantIn: 2}, {Text: "Xyz"}, {Text: "built", Documents: 4}, {Text: "of", Documents: 1},
		}},
	}
	holds(t, answered(t, p), map[string]int{
		"Nothing close was found.": 1, "It is in no document.": 0, "Did you mean <b>viaduct</b>? In 1 document": 1, "in no document, and no name is like it": 1, "in 4 documents, too common to go by alone": 1,
		"in 1 document, not enough to go by alone": 1, "Ask with “viaduct” and “Marlock”": 1, `value="Who built the viaduct of Viaduckten at Marlock?"`: 1, "Who built Weir Bridge?</b>": 1, "Add a document": 1, "Most likely": 0,
	})
}

// TestADecisionCrossesTheGradeBeforeOut opens the list that holds it, and says that a person decided.
func TestADecisionCrossesTheGradeBeforeOut(t *testing.T) {
	t.Parallel()
	passage := func(d outline.Decision) outline.Member {
		return outline.Member{Value: outline.Value{Count: 1, Members: []outline.Member{{Name: "page", Value: outline.Value{Text: "2"}}}, Decided: d}}
	}
	for _, tt := range []struct {
		decided outline.Decision
		want    string
		open    bool
	}{
		{outline.Decision{Grade: "yes", Was: "no"}, "<del>no</del> <b>yes</b> by hand", true},
		{outline.Decision{Grade: "yes", Was: "no", Why: "Names <nobody>."}, "<span class=\"why\">“Names &lt;nobody&gt;.”</span>", true},
		{outline.Decision{Grade: "yes"}, "<b>yes</b> by hand", true},
		{outline.Decision{}, "1 field", false},
	} {
		var b strings.Builder
		if err := partial.StateValue(outline.Value{List: true, Count: 1, Members: []outline.Member{passage(tt.decided)}}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, tt.want) || strings.Contains(got, "<details class=\"tree\" open>") != tt.open || strings.Contains(got, "<del>") != (tt.decided.Was != "") {
			t.Errorf("%+v is shown as\n%s", tt.decided, got)
		}
	}
}

// TestPagesAreShownWithNothingToMark: the viewer's script goes through the marks of a page, also where there are none.
func TestPagesAreShownWithNothingToMark(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	if err := partial.Pages(partial.PagesProps{Document: "d1"}).Render(t.Context(), &page); err != nil || !strings.Contains(page.String(), `data-marks="[]"`) {
		t.Errorf("no list of marks: %v\n%s", err, page.String())
	}
}

// TestWhatFailedOrWasStoppedIsOfferedToBeRetried draws what the library says about documents to look at.
func TestWhatFailedOrWasStoppedIsOfferedToBeRetried(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]partial.CountsProps{
		"1 document failed, 2 documents were stopped.": {Failed: 1, Stopped: 2},
		"2 documents were stopped.":                    {Stopped: 2},
		"1 document has nothing for the graph.":        {Empty: 1},
		"":                                             {Documents: 3},
	} {
		var b strings.Builder
		if err := partial.Standing(p).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) || strings.Contains(b.String(), "Retry all failed and stopped") != (p.Failed > 0) || strings.Contains(b.String(), "Retry all") != (p.Failed+p.Stopped > 0) || strings.Contains(b.String(), `data-testid="look"`) != (want != "") {
			t.Errorf("%+v is drawn as %s", p, b.String())
		}
	}
}

// TestACitationOfASummaryStandsBeforeTheFullStop draws a sentence that ends with signs.
func TestACitationOfASummaryStandsBeforeTheFullStop(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := partial.SummaryProps{ID: "s1", Status: "done", Sentences: []domain.Sentence{{Text: "It stood.", Supported: true, Citations: []int{1}}}, Citations: []domain.Citation{{N: 1, Document: "a.md"}}}
	if err := partial.Summary(p).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "It stood<a class=\"cite\"") || !strings.Contains(got, "</a>.") {
		t.Errorf("the sentence is %s", got)
	}
}
