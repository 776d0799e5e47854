package present

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/partial"
)

func shape(t *testing.T) stategraph.Topology {
	t.Helper()
	g, err := answer.Shape()
	if err != nil {
		t.Fatal(err)
	}
	return g.Topology()
}

var loop = Loop{Node: answer.NodeTransform, Max: 3}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// draw returns the drawing of a run at noon.
func draw(v *trace.View, topology stategraph.Topology, l Loop) partial.TraceProps {
	p, _ := drawn(v, narrowed(topology, v), l, noon)
	return p
}

// log records the events of a run, one millisecond apart.
type log struct{ events []trace.Event }

func (l *log) add(e trace.Event) {
	e.Seq = len(l.events) + 1
	e.At = noon.Add(time.Duration(e.Seq) * time.Millisecond)
	l.events = append(l.events, e)
}

func (l *log) node(step int, name string, said ...trace.Event) {
	l.add(trace.Event{Kind: string(stategraph.NodeStart), Node: name, Step: step, Attempt: 1})
	for _, e := range said {
		e.Kind, e.Node, e.Step = string(stategraph.Custom), name, step
		l.add(e)
	}
	l.add(trace.Event{Kind: string(stategraph.NodeEnd), Node: name, Step: step, Took: time.Millisecond})
}

func (l *log) branch(name, label, target string) {
	l.add(trace.Event{Kind: string(stategraph.Branch), Node: name, Label: label, Targets: []string{target}})
}

func says(t *testing.T, kind string, payload any) trace.Event {
	t.Helper()
	b, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	return trace.Event{Custom: kind, Payload: b}
}

// follow returns the run of a follow-up question whose second search found
// something.
func follow(t *testing.T) *trace.View {
	t.Helper()
	grade := func(v domain.Verdict) trace.Event {
		return says(t, domain.EventGrade, domain.Grading{Grade: domain.Grade{Verdict: v}})
	}
	rewrite := says(t, domain.EventRewrite, domain.Rewrite{From: "a", To: "b", How: answer.ByModel})
	found := says(t, domain.EventMethod, domain.Method{Name: domain.MethodWords, Candidates: 1})
	handed := says(t, domain.EventNote, domain.Note{Text: "1 passage"})
	var l log
	l.add(trace.Event{Kind: string(stategraph.RunStart)})
	l.branch("begin", "with history", "condense")
	l.node(1, "condense", rewrite)
	l.node(2, "retrieve", found, handed)
	l.branch("fan_out", "each passage", "grade_documents")
	l.node(3, "grade_documents", grade(domain.Irrelevant), grade(domain.Irrelevant))
	l.branch("decide", "irrelevant", "transform_query")
	l.node(4, "transform_query", rewrite, says(t, domain.EventUsage, domain.Usage{Model: "tiny", Input: 30, Output: 4}))
	l.node(5, "retrieve", found, handed)
	l.branch("fan_out", "each passage", "grade_documents")
	l.node(6, "grade_documents", grade(domain.Relevant), grade(domain.Irrelevant))
	l.branch("decide", "relevant", "generate")
	l.node(7, "generate")
	l.node(8, "check_support")
	l.add(trace.Event{Kind: string(stategraph.RunEnd)})
	l.add(trace.Event{Kind: trace.Settled, Label: "done"})
	return trace.Fold("run1", shape(t), l.events)
}

func TestOnlyDecisionsAreDiamonds(t *testing.T) {
	t.Parallel()
	drawn := Topology(shape(t))
	for _, n := range drawn.Nodes {
		if n.Name == "begin" || n.Name == "fan_out" {
			t.Errorf("%s is drawn", n.Name)
		}
	}
	edges := map[string]bool{}
	for _, e := range drawn.Edges {
		edges[e.From+" → "+e.To] = true
	}
	for _, want := range []string{"start → condense", "start → retrieve", "retrieve → grade_documents", "grade_documents → decide", "decide → generate"} {
		if !edges[want] {
			t.Errorf("no edge %s among %v", want, edges)
		}
	}
	for e := range edges {
		if strings.Contains(e, "begin") || strings.Contains(e, "fan_out") {
			t.Errorf("edge %s leads to what is not drawn", e)
		}
	}
}

func TestEveryDrawnEdgeHasItsNodes(t *testing.T) {
	t.Parallel()
	g, err := ingest.Graph(ingest.Params{})
	if err != nil {
		t.Fatal(err)
	}
	for _, topology := range []stategraph.Topology{shape(t), g.Topology()} {
		drawn := Topology(topology)
		known := map[string]bool{}
		for _, n := range drawn.Nodes {
			known[n.Name] = true
		}
		for _, e := range drawn.Edges {
			if !known[e.From] || !known[e.To] {
				t.Errorf("%s: the edge %s → %s has no node at an end", topology.Name, e.From, e.To)
			}
		}
	}
}

// TestAnAnswerThatIsWrittenAgainSaysWhy calls the way from the check to the second writing weak: the
// word of the graph is about sentences, and nobody would say that an answer is unsupported.
func TestAnAnswerThatIsWrittenAgainSaysWhy(t *testing.T) {
	t.Parallel()
	words := func(again bool) map[string]bool {
		var l log
		l.add(trace.Event{Kind: string(stategraph.RunStart)})
		l.branch("begin", "first question", "retrieve")
		l.node(1, "retrieve")
		l.branch("fan_out", "each passage", "grade_documents")
		l.node(2, "grade_documents")
		l.branch("decide", "relevant", "generate")
		l.node(3, "generate")
		l.node(4, "check_support")
		if again {
			l.branch("checked", "unsupported", "regenerate")
			l.node(5, "regenerate")
			l.node(6, "check_support")
		}
		l.branch("checked", "supported", "end")
		l.add(trace.Event{Kind: string(stategraph.RunEnd)})
		said := map[string]bool{}
		for _, w := range draw(trace.Fold("run1", shape(t), l.events), shape(t), loop).PlainDrawing().Words {
			said[w.Text] = true
		}
		return said
	}
	if got := words(true); !got["does not hold"] || got["unsupported"] {
		t.Errorf("at the edges stands %v, want that the answer did not hold", got)
	}
	if got := words(false); got["does not hold"] {
		t.Errorf("at the edges of an answer that holds stands %v", got)
	}
}

func TestARunIsDrawn(t *testing.T) {
	t.Parallel()
	v := follow(t)
	p := draw(v, shape(t), loop)
	if p.State != diagram.Seen || p.Loop != 1 || p.MaxLoops != 3 || p.Tokens != 34 || len(p.Steps) != 8 {
		t.Errorf("state %s, loop %d of %d, %d tokens, %d steps", p.State, p.Loop, p.MaxLoops, p.Tokens, len(p.Steps))
	}
	visits := map[string]int{}
	for _, visit := range p.Visits {
		visits[visit.Node] = visit.Times
		if visit.Node == "decide" && visit.Note != "1 relevant" {
			t.Errorf("at the decision stands %q", visit.Note)
		}
	}
	if visits["retrieve"] != 2 || visits["grade_documents"] != 2 || visits["condense"] != 1 {
		t.Errorf("visits %v", visits)
	}
	walked := map[string]int{}
	for _, w := range p.Walked {
		walked[w.From+" → "+w.To] = w.Times
	}
	want := map[string]int{
		"start → condense": 1, "condense → retrieve": 1, "retrieve → grade_documents": 2, "grade_documents → decide": 2, "decide → transform_query": 1,
		"transform_query → retrieve": 1, "decide → generate": 1, "generate → check_support": 1, "check_support → end": 1,
	}
	if diff := cmp.Diff(want, walked); diff != "" {
		t.Errorf("edges taken (-want +got)\n%s", diff)
	}
	again := draw(v, shape(t), loop)
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("the same run is drawn differently (-first +again)\n%s", diff)
	}
}

// TestOnlyTheWayARunBeganIsDrawn draws a first question, a run that has not begun, and one
// that needs no search.
func TestOnlyTheWayARunBeganIsDrawn(t *testing.T) {
	t.Parallel()
	begun := func(label, target string) *trace.View {
		var l log
		l.add(trace.Event{Kind: string(stategraph.RunStart)})
		l.branch("begin", label, target)
		l.node(1, target)
		return trace.Fold("run1", shape(t), l.events)
	}
	for _, tt := range []struct {
		name   string
		v      *trace.View
		to     []string
		walked string
		out    string
		figure string
	}{
		{"a first question", begun("first question", "retrieve"), []string{"condense", "retrieve"}, "retrieve", "decompose", ""},
		{"a later question", begun("with history", "condense"), []string{"condense"}, "condense", "decompose", "1 ms"},
		{"a question left open", begun("left open", "condense"), []string{"condense"}, "condense", "decompose", "1 ms"},
		{"counts", begun("counts of the graph", "generate"), []string{"generate"}, "generate", "retrieve", ""},
		{"not begun", trace.NewView("run1", shape(t)), []string{"condense"}, "", "", ""},
	} {
		var ways []string
		p := draw(tt.v, shape(t), loop)
		for _, e := range p.Topology.Edges {
			if e.From == "start" {
				ways = append(ways, e.To)
			}
		}
		if diff := cmp.Diff(tt.to, ways); diff != "" {
			t.Errorf("%s: ways out of the start (-want +got)\n%s", tt.name, diff)
		}
		for _, n := range p.Topology.Nodes {
			if n.Name == tt.out {
				t.Errorf("%s: %s is drawn, and nothing leads to it", tt.name, n.Name)
			}
		}
		d := p.Drawing()
		if len(d.Words) > 3 {
			t.Errorf("%s: a way out of the start has a name: %v", tt.name, d.Words)
		}
		for _, s := range d.Stops {
			if s.Node == "condense" && s.Figure.Text != tt.figure {
				t.Errorf("%s: at condense stands %q", tt.name, s.Figure.Text)
			}
		}
		for _, w := range p.Walked {
			if w.From == "start" && w.To != tt.walked {
				t.Errorf("%s: the run is drawn to begin with %s", tt.name, w.To)
			}
		}
	}
}

func TestStepNotes(t *testing.T) {
	t.Parallel()
	p := draw(follow(t), shape(t), loop)
	notes := map[int]string{}
	for _, s := range p.Steps {
		if s.Note != "" {
			notes[s.N] = s.Note
		}
	}
	if diff := cmp.Diff(map[int]string{2: "1 passage", 3: "0 of 2", 4: "1 of 3", 5: "1 passage", 6: "1 of 2"}, notes); diff != "" {
		t.Errorf("remarks (-want +got)\n%s", diff)
	}
	if rewrite := p.Steps[3]; len(rewrite.Rewrites) != 1 || rewrite.Rewrites[0].How != "" || !cmp.Equal(rewrite.Models, []string{"tiny"}) || rewrite.Recorded {
		t.Errorf("the rewrite is shown as %+v", rewrite)
	}
	var open []int
	for _, s := range p.Steps {
		if s.Open {
			open = append(open, s.N)
		}
	}
	if diff := cmp.Diff([]int{4, 6}, open); diff != "" {
		t.Errorf("unfolded, of the rewording and what was written from (-want +got)\n%s", diff)
	}
}

// TestNotesOfAMiss says how the searches of a question without an answer ended.
func TestNotesOfAMiss(t *testing.T) {
	t.Parallel()
	no := says(t, domain.EventGrade, domain.Grading{Grade: domain.Grade{Verdict: domain.Irrelevant}})
	var l log
	l.add(trace.Event{Kind: string(stategraph.RunStart)})
	l.node(1, "grade_documents", no, no)
	l.branch("decide", "irrelevant", "transform_query")
	l.node(2, "transform_query")
	l.node(2, "grade_documents", no)
	l.branch("decide", "cap reached", "generate")
	l.add(trace.Event{Kind: string(stategraph.NodeStart), Node: "generate", Step: 3, Attempt: 1})
	l.within(1, "model")
	l.add(trace.Event{Kind: string(stategraph.Custom), Custom: domain.EventNote, Path: []string{"answer", "generate"}, Node: "model", Step: 1, Payload: json.RawMessage(`{"text":"closest, no call"}`)})
	l.withinEnds(1, "model")
	l.add(trace.Event{Kind: string(stategraph.NodeEnd), Node: "generate", Step: 3})
	l.node(4, "check_support", says(t, domain.EventNote, domain.Note{Text: answer.SaysNoClaims}))
	p := draw(trace.Fold("run1", shape(t), l.events), shape(t), loop)
	var notes []string
	for _, s := range p.Steps {
		notes = append(notes, s.Node+" "+s.Note)
		if len(s.Notes) > 0 {
			t.Errorf("%s says %q a second time", s.Node, s.Notes)
		}
	}
	if diff := cmp.Diff([]string{"grade_documents 0 of 2", "transform_query ", "grade_documents 0 of 1, cap", "generate closest, no call", "check_support no claims"}, notes); diff != "" {
		t.Errorf("remarks (-want +got)\n%s", diff)
	}
	var line []string
	for _, s := range p.Stations() {
		line = append(line, strconv.Itoa(s.Times)+" "+s.Short())
	}
	if diff := cmp.Diff([]string{"2 judged", "1 reworded", "1 wrote"}, line); diff != "" {
		t.Errorf("in one line (-want +got)\n%s", diff)
	}
	for _, v := range p.Visits {
		if want := map[string]string{"decide": "none relevant", "check_support": partial.SaysNoClaims}[v.Node]; v.Note != want {
			t.Errorf("at %s stands %q, want %q", v.Node, v.Note, want)
		}
	}
}

func TestRecordedCallsAreMarked(t *testing.T) {
	t.Parallel()
	usage := func(recorded bool) domain.Usage { return domain.Usage{Model: "tiny", Recorded: recorded} }
	for _, tt := range []struct {
		usages []domain.Usage
		want   bool
	}{{nil, false}, {[]domain.Usage{usage(true)}, true}, {[]domain.Usage{usage(true), usage(false)}, false}} {
		p := Step(&trace.View{}, &trace.Step{Usages: tt.usages}, loop)
		if p.Recorded != tt.want || len(p.Models) > 1 {
			t.Errorf("%+v: recorded %t, models %v", tt.usages, p.Recorded, p.Models)
		}
	}
}

func TestATurnSumsUpItsRun(t *testing.T) {
	t.Parallel()
	p := Turn(ledger.Answer{Message: "m1", Run: "run1", Status: ledger.MessageDone, Text: "Yes."}, follow(t), noon)
	if p.Status != partial.TurnDone || p.Text != "Yes." || p.Tokens != 34 {
		t.Errorf("turn %+v", p)
	}
	drawn := draw(follow(t), shape(t), loop)
	var stations []string
	for _, s := range drawn.Stations() {
		stations = append(stations, s.Node)
		if s.Node == "retrieve" && s.Times != 2 {
			t.Errorf("retrieve is counted %d times, want 2", s.Times)
		}
	}
	want := []string{"condense", "retrieve", "grade_documents", "transform_query", "generate", "check_support"}
	if diff := cmp.Diff(want, stations); diff != "" {
		t.Errorf("stations (-want +got)\n%s", diff)
	}
	drawn.Took, drawn.Cost = 6900*time.Millisecond, "$0.0058"
	if said := drawn.InAll(); said != "2 searches. 6.9 s, $0.0058" {
		t.Errorf("in all it says %q", said)
	}
	drawn.Walked = append(drawn.Walked, diagram.Walk{From: "decide", To: "generate", Label: answer.CaseCap})
	if said := drawn.InAll(); said != "2 searches, tried enough. 6.9 s, $0.0058" {
		t.Errorf("after the last search it says %q", said)
	}
	if drawn.State = diagram.Now; drawn.InAll() != "" {
		t.Errorf("before the end it says %q", drawn.InAll())
	}
}

func TestEveryStatusHasItsWord(t *testing.T) {
	t.Parallel()
	for _, status := range []ledger.MessageStatus{ledger.MessageWaiting, ledger.MessageAnswering, ledger.MessageDone, ledger.MessageStopped, ledger.MessageFailed} {
		if _, ok := statuses[status]; !ok {
			t.Errorf("%s has none", status)
		}
	}
	states := map[trace.State]diagram.State{
		trace.Waiting: diagram.Waiting, trace.Working: diagram.Now, trace.Done: diagram.Seen, trace.Failed: diagram.Failed, trace.Stopped: diagram.Stopped,
	}
	for from, want := range states {
		if got := state(from); got != want {
			t.Errorf("%s is drawn as %s, want %s", from, got, want)
		}
	}
}

// TestStoppedStepsAreToldApart expects another mark and a word at a step that a person
// stopped.
func TestStoppedStepsAreToldApart(t *testing.T) {
	t.Parallel()
	s := &trace.Step{N: 1, Node: "generate", State: trace.Stopped}
	v := &trace.View{State: trace.Stopped, Steps: []*trace.Step{s}, Nodes: map[string]trace.Node{"generate": {State: trace.Stopped, Visits: 1}}}
	if row := Step(v, s, loop); row.State != diagram.Stopped || row.Note != "stopped" {
		t.Errorf("the row is %s and says %q", row.State, row.Note)
	}
	if drawn := visits(v); len(drawn) != 1 || drawn[0].State != diagram.Stopped || drawn[0].Note != "stopped" {
		t.Errorf("the node is drawn as %+v", drawn)
	}
}
