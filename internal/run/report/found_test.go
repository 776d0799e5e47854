package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/trace"
)

// missed is a question that was searched for twice without a relevant passage.
func missed() (ledger.Answer, *trace.View) {
	no := func(id domain.ChunkID, reason string) domain.Grading {
		return domain.Grading{Chunk: id, Document: "d" + domain.DocumentID(id), Name: string(id) + ".md", Grade: domain.Grade{Verdict: domain.Irrelevant, Reason: reason}}
	}
	m := ledger.Answer{
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
	got := FoundFor(m, v)
	want := &outline.Found{
		Rest: 1,
		Closest: []outline.Near{
			{Chunk: "b", Document: "db", Name: "b.md", Where: "b.md", Said: "not relevant", Reason: "says who built it"},
			{Chunk: "a", Document: "da", Name: "a.md", Where: "a.md", Said: "not relevant", Reason: "names another"},
			{Chunk: "d", Document: "dd", Name: "d.md", Where: "d.md", Said: "not relevant"},
		},
		Asked: []outline.Wording{{Text: "Who paid for the bridges?", Graded: 2}, {Text: "bridge payer", Graded: 3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("miss (-want +got)\n%s", diff)
	}
	passage := passageOf("b", "Nobody knew. A mason built the Copper Bridge, and paid for it, they say. He was old.", 100)
	passage.Name, passage.Places = "b.md", []domain.Page{{Number: 4, Span: domain.Span{Start: 90, End: 300}}}
	sourcesOf(passage).Excerpts(t.Context(), got, m.Question, nil)
	if len(got.Closest) != 1 {
		t.Fatalf("%d passages, want the one that is still there", len(got.Closest))
	}
	pieces := []outline.Piece{{Text: "Nobody knew. "}, {Text: "A mason built the Copper Bridge, and paid for it, they say.", Marked: true}, {Text: " He was old."}}
	if diff := cmp.Diff(pieces, got.Closest[0].Excerpt); diff != "" {
		t.Errorf("excerpt (-want +got)\n%s", diff)
	}
	if near := got.Closest[0]; near.Document != "db" || near.Span != (domain.Span{Start: 113, End: 172}) || near.Where != "b.md, p. 4" {
		t.Errorf("found at %v of %s, %q", near.Span, near.Document, near.Where)
	}
}

// passageOf returns a passage that begins at a place of the document "d" and its id.
func passageOf(id domain.ChunkID, text string, at int) (p domain.Passage) {
	p.ID, p.Document, p.Text = id, "d"+domain.DocumentID(id), text
	p.Span = domain.Span{Start: at, End: at + domain.Runes(text)}
	return p
}

func sourcesOf(passages ...domain.Passage) Sources {
	s := Sources{passages: map[domain.ChunkID]domain.Passage{}, headings: map[domain.DocumentID][]domain.Heading{}}
	for _, p := range passages {
		s.passages[p.ID] = p
	}
	return s
}

// citing returns a citation of words of a passage, with the decisive ones.
func citing(n int, p domain.Passage, words string, decisive ...string) domain.Citation {
	span := func(words string) domain.Span {
		start := domain.Runes(p.Text[:strings.Index(p.Text, words)]) + p.Span.Start
		return domain.Span{Start: start, End: start + domain.Runes(words)}
	}
	c := domain.Citation{N: n, Document: string(p.Document) + ".md", DocumentID: p.Document, Chunk: p.ID, Span: span(words), Text: words, Close: n > 1}
	for _, d := range decisive {
		c.Marks = append(c.Marks, span(d))
	}
	return c
}

const minutes = "A tree “struck” the roof. The repainting of Copper Bridge cost 118 crowns, since only the boards need paint.\n\nHythe Bridge\n\nIt cost 385. Olive thought that high."

// quotedTurn is a question whose answer quotes prose, a table and a passage that is gone.
func quotedTurn() (ledger.Answer, *outline.Found, Sources) {
	prose, table := passageOf("a", minutes, 40), passageOf("b", "Bridge | Work | Crowns\nCopper Bridge | Roof | 640\nCopper Bridge | Boards | 118\nMercers’ Bridge | Diver | 28\nHythe Bridge | Paint | 385", 900)
	best := citing(1, prose, "The repainting of Copper Bridge cost 118 crowns, since only the boards need paint.", "118 crowns")
	row, gone := citing(2, table, "Copper Bridge | Boards | 118", "118"), citing(3, prose, "It cost 385.")
	gone.Chunk, gone.Text = "x", ""
	m := ledger.Answer{
		Message: "m", Conversation: "k", Run: "r", Question: "How much did it cost to repaint Copper Bridge?", Status: ledger.MessageDone,
		Sentences: []domain.Sentence{
			{Text: "Most likely:", Remark: true}, {Text: "“" + best.Text + "”", Citations: []int{1}, Quote: true}, {Text: "Also close:", Remark: true},
			{Text: "Copper Bridge, Boards — Crowns: 118", Citations: []int{2}, Quote: true}, {Text: "It cost 385.", Citations: []int{3}, Quote: true}, {Text: "The graph can’t be reached.", Remark: true},
		},
		Citations: []domain.Citation{best, row, gone},
	}
	s := sourcesOf(prose, table)
	heading := func(level int, text string, at int) domain.Heading {
		return domain.Heading{Level: level, Text: text, Span: domain.Span{Start: at, End: at + domain.Runes(text)}}
	}
	s.headings["da"] = []domain.Heading{heading(1, "Minutes", 0), heading(2, "2. Copper Bridge", 20), heading(2, "Hythe Bridge", 40+strings.Index(minutes, "Hythe")-4)}
	return m, FoundFor(m, &trace.View{}), s
}

func TestAQuotationIsShownWithWhatIsClose(t *testing.T) {
	t.Parallel()
	m, p, s := quotedTurn()
	s.Excerpts(t.Context(), p, m.Question, m.Citations)
	if p == nil || !p.Quoted || len(p.Best) != 1 || len(p.Closest) != 2 {
		t.Fatalf("found %+v", p)
	}
	best := p.Best[0]
	text := []outline.Piece{{Text: "“The repainting of Copper Bridge cost "}, {Text: "118 crowns", Marked: true}, {Text: ", since only the boards need paint.”"}}
	if diff := cmp.Diff(text, best.Text); diff != "" || best.Heading != "2. Copper Bridge" {
		t.Errorf("under %q (-want +got)\n%s", best.Heading, diff)
	}
	cells := func(on int, texts ...string) (all []outline.Cell) {
		for i, text := range texts {
			all = append(all, outline.Cell{Text: text, On: i == on})
		}
		return all
	}
	table := &outline.Table{Head: cells(2, "Bridge", "Work", "Crowns"), Rows: []outline.Row{
		{Cells: cells(-1, "Copper Bridge", "Roof", "640")}, {On: true, Cells: cells(2, "Copper Bridge", "Boards", "118")}, {Cells: cells(-1, "Mercers’ Bridge", "Diver", "28")},
	}}
	if diff := cmp.Diff(table, p.Closest[0].Table); diff != "" {
		t.Errorf("table (-want +got)\n%s", diff)
	}
	if gone := p.Closest[1]; !gone.Deleted || gone.Table != nil || len(gone.Excerpt) != 1 || gone.Excerpt[0].Text != "It cost 385." {
		t.Errorf("of a passage that is gone: %+v", gone)
	}
	if diff := cmp.Diff([]string{"The graph can’t be reached."}, p.Says); diff != "" {
		t.Errorf("what it says besides (-want +got)\n%s", diff)
	}
	if p.InPlace == nil || p.InPlace.Heading != "2. Copper Bridge" || p.InPlace.Window.Slice(minutes) != minutes[:strings.Index(minutes, "Hythe")] {
		t.Errorf("in place: %+v", p.InPlace)
	}
}

// TestAChainIsShownWhole puts the passage that a name ties to the best beside it, whether it says that it is close or not.
func TestAChainIsShownWhole(t *testing.T) {
	t.Parallel()
	m, _, _ := quotedTurn()
	m.Citations[1].Tie = "Copper Bridge"
	if p := FoundFor(m, &trace.View{}); len(p.Best) != 2 || p.Best[1].Tie != "Copper Bridge" || len(p.Closest) != 1 {
		t.Errorf("found %+v", p)
	}
}

// TestAQuotationOfAnotherVersionHasNoPlace shows the words alone.
func TestAQuotationOfAnotherVersionHasNoPlace(t *testing.T) {
	t.Parallel()
	m, p, s := quotedTurn()
	changed := s.passages["a"]
	changed.Text = strings.ReplaceAll(changed.Text, "118", "181")
	s.passages["a"] = changed
	s.Excerpts(t.Context(), p, m.Question, m.Citations)
	if len(p.Best) != 1 || p.Best[0].Heading != "" || p.InPlace != nil {
		t.Errorf("found %+v", p)
	}
}

func TestNothingNearShowsTheWords(t *testing.T) {
	t.Parallel()
	m := ledger.Answer{Status: ledger.MessageDone, Question: "Who built the Viaduckt?", Sentences: []domain.Sentence{{Text: "Nothing close was found.", Remark: true}, {Text: "Viaduckt is in no document.", Remark: true}}}
	words := &domain.Words{Words: []domain.AskedWord{{Text: "Viaduckt", Meant: "viaduct", MeantIn: 1}, {Text: "built", Documents: 4}}}
	far := func(id domain.ChunkID, score float64) domain.Grading {
		return domain.Grading{Chunk: id, Grade: domain.Grade{Verdict: domain.Irrelevant, Nearest: &domain.Nearest{Score: score}}}
	}
	grades := []domain.Grading{far("a", 0.1), far("b", 0.4), far("c", 0), far("d", 0.2), far("e", 0.3)}
	p := FoundFor(m, &trace.View{Steps: []*trace.Step{{Words: words, Grades: grades}, {}}})
	if p == nil || !p.Quoted || len(p.Words) != 2 || len(p.Best) > 0 {
		t.Errorf("found %+v", p)
	}
	var nearest []domain.ChunkID
	for _, n := range p.Closest {
		nearest = append(nearest, n.Chunk)
	}
	if want := []domain.ChunkID{"b", "e", "d"}; !slices.Equal(nearest, want) || p.Closest[0].Said != "far" {
		t.Errorf("the nearest are %v, want %v: %+v", nearest, want, p.Closest)
	}
	if p := FoundFor(m, &trace.View{}); p != nil {
		t.Errorf("of a run that is gone: %+v, want the text alone", p)
	}
}

func TestATableThatBeganBeforeHasItsHead(t *testing.T) {
	t.Parallel()
	p := passageOf("a", "1 | a | b | c | d | e\n2 | f | g | h | i | j", 10)
	p.Headings = []string{"Part", "No | A | B | C | D | E"}
	got := tableAround(p, p.Span, []domain.Span{{Start: 10 + 18, End: 10 + 19}})
	for _, words := range [][2]string{{"D", "e"}} {
		if got == nil || len(got.Head) != maxColumns || len(got.Rows) != 2 || !got.Rows[0].On {
			t.Fatalf("%v: got %+v", words, got)
		}
	}
	if tableAround(passageOf("a", "It stood.\nIt fell.", 0), domain.Span{Start: 10, End: 18}, nil) != nil {
		t.Error("two lines are a table")
	}
}

// TestTheRestOfAMissIsSaidAsItWasGraded says no for all only where all are.
func TestTheRestOfAMissIsSaidAsItWasGraded(t *testing.T) {
	t.Parallel()
	m, v := missed()
	v.Steps[4].Grades[2].Verdict = domain.Ungraded
	v.Steps[4].Found = []domain.FoundPassage{{Chunk: "c"}, {Chunk: "a"}, {Chunk: "d"}}
	if got := FoundFor(m, v); got.Rest != 1 || !got.Unread || got.Closest[2].Chunk != "c" {
		t.Errorf("got %+v", got)
	}
}

func TestOnlyAMissIsOne(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*ledger.Answer, *trace.View){
		"stopped":         func(m *ledger.Answer, _ *trace.View) { m.Status = ledger.MessageStopped },
		"cites a source":  func(m *ledger.Answer, _ *trace.View) { m.Citations = []domain.Citation{{N: 1}} },
		"draws a chart":   func(m *ledger.Answer, _ *trace.View) { m.Figures = []domain.Figure{{ID: "f"}} },
		"says something":  func(m *ledger.Answer, _ *trace.View) { m.Sentences[0].Remark = false },
		"found nothing":   func(_ *ledger.Answer, v *trace.View) { v.Steps = v.Steps[:1] },
		"no longer kept":  func(_ *ledger.Answer, v *trace.View) { v.Steps = nil },
		"nothing written": func(m *ledger.Answer, _ *trace.View) { m.Sentences = nil },
	} {
		m, v := missed()
		change(&m, v)
		if got := FoundFor(m, v); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestQuotationsInGroups expects those of a list or a comparison below the name of what
// they are quoted for.
func TestQuotationsInGroups(t *testing.T) {
	t.Parallel()
	m := ledger.Answer{
		Status: ledger.MessageDone, Question: "Compare the boat and the tug",
		Sentences: []domain.Sentence{
			{Text: "the boat:", Remark: true}, {Text: "“The boat is red.”", Citations: []int{1}, Quote: true},
			{Text: "the tug:", Remark: true}, {Text: "“The tug is old.”", Citations: []int{2}, Quote: true}, {Text: "“The tug and the boat float.”", Citations: []int{3}, Quote: true},
		},
		Citations: []domain.Citation{
			{N: 1, Document: "boats.txt", Text: "The boat is red."}, {N: 2, Document: "boats.txt", Text: "The tug is old."},
			{N: 3, Document: "tugs.txt", Text: "The tug and the boat float."},
		},
	}
	p := FoundFor(m, new(trace.View))
	var got []string
	for _, g := range p.Groups {
		for _, n := range g.Near {
			got = append(got, fmt.Sprint(g.Name, " ", n.N, " ", n.Where))
		}
	}
	if want := []string{"the boat 1 boats.txt", "the tug 2 boats.txt", "the tug 3 tugs.txt"}; !slices.Equal(got, want) || len(p.Best)+len(p.Closest)+len(p.Says) > 0 {
		t.Errorf("%q, want %q; %+v", got, want, p)
	}
}
