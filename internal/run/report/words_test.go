package report

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// asked builds the events of an answer that searches, judges and rewords.
type asked struct {
	*testing.T
	log
	step int
}

func ask(t *testing.T) *asked {
	t.Helper()
	a := &asked{T: t}
	a.add(trace.Event{Kind: string(stategraph.RunStart)})
	return a
}

// search adds a search with the grades of what it found.
func (a *asked) search(grades ...domain.Grade) {
	a.Helper()
	methods := []trace.Event{
		says(a.T, domain.EventMethod, domain.Method{Name: domain.MethodWords}),
		says(a.T, domain.EventMethod, domain.Method{Name: domain.MethodVectors, Reason: "left out: no embedding model is set up"}),
		says(a.T, domain.EventMethod, domain.Method{Name: domain.MethodWalk}),
		says(a.T, domain.EventNote, domain.Note{Text: domain.Counted(len(grades), "passage", "passages")}),
	}
	a.step++
	a.node(a.step, answer.NodeRetrieve, methods...)
	graded := make([]trace.Event, len(grades))
	for i, g := range grades {
		graded[i] = says(a.T, domain.EventGrade, domain.Grading{Grade: g})
	}
	a.step++
	a.node(a.step, answer.NodeGrade, graded...)
}

func (a *asked) rewords() {
	a.Helper()
	a.step++
	a.node(a.step, answer.NodeTransform, says(a.T, domain.EventRewrite, domain.Rewrite{From: "a", To: "b"}))
}

// writes ends the answer with what it cites and claims.
func (a *asked) writes(citations []domain.Citation, sentences []domain.Sentence) {
	a.Helper()
	update, err := json.Marshal(map[string]any{"citations": citations, "sentences": sentences})
	if err != nil {
		a.Fatal(err)
	}
	a.step++
	a.add(trace.Event{Kind: string(stategraph.NodeStart), Node: answer.NodeGenerate, Step: a.step, Attempt: 1})
	a.add(trace.Event{Kind: string(stategraph.NodeEnd), Node: answer.NodeGenerate, Step: a.step, Update: update})
}

// charts draws a chart of one number of a table.
func (a *asked) charts(p domain.Point) {
	a.Helper()
	figure := domain.Figure{ID: "f1", Status: domain.FigureDone, Chart: &domain.Chart{Series: []domain.Series{{Points: []domain.Point{p}}}}}
	a.add(trace.Event{Kind: string(stategraph.NodeStart), Node: answer.NodeGenerate, Step: a.step + 1, Attempt: 1})
	e := says(a.T, domain.EventFigure, figure)
	e.Kind, e.Node, e.Step = string(stategraph.Custom), answer.NodeGenerate, a.step+1
	a.add(e)
	a.step++
	a.add(trace.Event{Kind: string(stategraph.NodeEnd), Node: answer.NodeGenerate, Step: a.step, Update: json.RawMessage(`{"citations": null, "sentences": [{"text": "Drawn.", "remark": true}]}`)})
}

func (a *asked) view(status string) *trace.View {
	if status == "done" {
		a.add(trace.Event{Kind: string(stategraph.RunEnd)})
	}
	a.add(trace.Event{Kind: trace.Settled, Label: status})
	return trace.Fold("run1", shape(a.T), a.events)
}

var (
	yes  = domain.Grade{Verdict: domain.Relevant}
	no   = domain.Grade{Verdict: domain.Irrelevant}
	near = domain.Grade{Verdict: domain.Relevant, Nearest: &domain.Nearest{Score: .9}}
	far  = domain.Grade{Verdict: domain.Irrelevant, Nearest: &domain.Nearest{Score: .1}}
)

// TestARunIsSaidInPlainWords tells in a sentence how runs went, and what their steps did.
func TestARunIsSaidInPlainWords(t *testing.T) {
	t.Parallel()
	cited := []domain.Citation{{Chunk: "c1"}, {Chunk: "c1"}, {Chunk: "c2"}}
	for _, tt := range []struct {
		name   string
		run    func(a *asked)
		status string
		gist   string
		rows   []string
	}{
		{"found", func(a *asked) {
			a.search(no, no)
			a.rewords()
			a.search(yes, yes, no)
			a.writes(cited, []domain.Sentence{{Supported: true}, {}})
		}, "done", "Found at the second search. Of 5 passages judged, 2 were used. 1 sentence of the answer without support.", []string{
			"Searched 2 ways, 2 passages", "Judged 2 passages: none relevant", "Reworded (1 of 3)", "Searched 2 ways, 3 passages", "Judged 3 passages: 2 relevant", "Wrote the answer",
		}},
		{"capped", func(a *asked) {
			a.search(no)
			a.writes(nil, []domain.Sentence{{Remark: true}})
		}, "done", "Searched once and found no answer. Of 1 passage judged, none was used.", []string{"Searched 2 ways, 1 passage", "Judged 1 passage: none relevant", "Found no answer"}},
		{"nothing there", func(a *asked) {
			a.search()
			a.rewords()
			a.search()
			a.writes(nil, []domain.Sentence{{Remark: true}})
		}, "done", "Searched twice and found no passage.", []string{"Searched 2 ways, 0 passages", "Nothing to judge", "Reworded (1 of 3)", "Searched 2 ways, 0 passages", "Nothing to judge", "Found no answer"}},
		{"widened", func(a *asked) {
			a.search(no)
			a.step++
			a.node(a.step, answer.NodeTransform, says(a.T, domain.EventRewrite, domain.Rewrite{From: "Who paid?", To: "who paid", How: "the same words, wider"}))
			a.search(no)
			a.writes(nil, []domain.Sentence{{Remark: true}})
		}, "done", "Searched twice and found no answer. Of 2 passages judged, none was used.", []string{
			"Searched 2 ways, 1 passage", "Judged 1 passage: none relevant", "Widened the search (1 of 3)", "Searched 2 ways, 1 passage", "Judged 1 passage: none relevant", "Found no answer",
		}},
		{"quoted", func(a *asked) {
			a.search(near, far)
			a.writes([]domain.Citation{{Chunk: "c1"}, {Chunk: "c2", Close: true}, {Chunk: "c3", Close: true}}, []domain.Sentence{{Quote: true}})
		}, "done", "Found at the first search. Nothing was written: each line stands in a document word for word.", []string{
			"Searched 2 ways, 2 passages", "Compared 2 passages: 1 near", "Quoted the best, and 2 more",
		}},
		{"nothing near", func(a *asked) {
			a.search(far)
			a.writes(nil, []domain.Sentence{{Remark: true}})
		}, "done", "Searched once. Of 1 passage compared, none close to the question.", []string{"Searched 2 ways, 1 passage", "Compared 1 passage: none near", "Found no answer"}},
		{"drawn", func(a *asked) {
			a.search(near, near, far)
			a.charts(domain.Point{Value: 3, Citation: 1})
		}, "done", "Found at the first search. Each number of the chart stands in a document.", []string{"Searched 2 ways, 3 passages", "Compared 3 passages: 2 near", "Wrote the answer"}},
		{"near but not quoted", func(a *asked) {
			a.search(near, near, far)
			a.writes(nil, []domain.Sentence{{Remark: true}})
		}, "done", "Searched once. Of 3 passages compared, 2 close to the question.", []string{"Searched 2 ways, 3 passages", "Compared 3 passages: 2 near", "Found no answer"}},
		{"failed", func(a *asked) {
			a.search(no)
			a.rewords()
			a.search(no)
		}, "failed", "It failed at “Judge the passages”, the second time.", nil},
		{"stopped", func(a *asked) { a.search(no) }, "stopped", "It was stopped at “Judge the passages”. What it had found is kept.", nil},
		{"not searched", func(a *asked) { a.writes(cited, []domain.Sentence{{Supported: true}}) }, "done", "Answered without a search.", []string{"Wrote the answer"}},
	} {
		a := ask(t)
		tt.run(a)
		p := draw(a.view(tt.status), shape(t), loop)
		if p.Gist != tt.gist {
			t.Errorf("%s: the sentence on top is %q, want %q", tt.name, p.Gist, tt.gist)
		}
		if slices.Contains([]string{"quoted", "nothing near", "drawn", "near but not quoted"}, tt.name) != (p.Undone != "") {
			t.Errorf("%s: left undone is %q", tt.name, p.Undone)
		}
		if tt.rows == nil {
			continue
		}
		var rows []string
		for _, s := range p.Steps {
			rows = append(rows, s.Said)
		}
		if diff := cmp.Diff(tt.rows, rows); diff != "" {
			t.Errorf("%s: rows (-want +got)\n%s", tt.name, diff)
		}
	}
}

// TestAForkSaysThatItIsOne begins at a step of another run.
func TestAForkSaysThatItIsOne(t *testing.T) {
	t.Parallel()
	a := &asked{T: t, step: 3}
	a.add(trace.Event{Kind: string(stategraph.RunStart), Resumed: true, Step: 3})
	a.search(yes)
	a.writes([]domain.Citation{{Chunk: "c1"}}, []domain.Sentence{{Supported: true}})
	want := "It runs on from a step of an earlier run. Found at the first search. Of 1 passage judged, 1 was used."
	if got := Gist(a.view("done")); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
