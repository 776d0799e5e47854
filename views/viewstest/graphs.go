// Package viewstest contains an example of every page in every relevant state, for the golden tests
// and for viewing style changes. Only tests use it.
package viewstest

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
)

// AnswerGraph returns the topology of a corrective retrieval with one loop.
func AnswerGraph() diagram.Topology {
	return diagram.Topology{Name: "answer", Nodes: []diagram.Node{
		{Name: "start", Kind: diagram.Start}, {Name: "condense", Kind: diagram.Ordinary},
		{Name: "retrieve", Kind: diagram.Ordinary}, {Name: "grade_documents", Kind: diagram.Task},
		{Name: "decide", Kind: diagram.Branch}, {Name: "transform_query", Kind: diagram.Ordinary},
		{Name: "generate", Kind: diagram.Ordinary}, {Name: "check_support", Kind: diagram.Ordinary}, {Name: "end", Kind: diagram.End},
	}, Edges: []diagram.Edge{
		{From: "start", To: "condense"}, {From: "condense", To: "retrieve"}, {From: "retrieve", To: "grade_documents"},
		{From: "grade_documents", To: "decide"},
		{From: "decide", To: "generate", Label: "relevant", Conditional: true},
		{From: "decide", To: "transform_query", Label: "irrelevant", Conditional: true},
		{From: "decide", To: "generate", Label: "cap reached", Conditional: true},
		{From: "transform_query", To: "retrieve"}, {From: "generate", To: "check_support"}, {From: "check_support", To: "end"},
	}}
}

// IngestGraph returns the topology of reading a document: two fan-outs side by
// side, each with a bypass.
func IngestGraph() diagram.Topology {
	return diagram.Topology{Name: "ingest", Nodes: []diagram.Node{
		{Name: "start", Kind: diagram.Start}, {Name: "parse", Kind: diagram.Ordinary}, {Name: "split", Kind: diagram.Ordinary},
		{Name: "chunks", Kind: diagram.Branch}, {Name: "extract", Kind: diagram.Task}, {Name: "embed", Kind: diagram.Task},
		{Name: "resolve", Kind: diagram.Ordinary}, {Name: "project", Kind: diagram.Ordinary}, {Name: "report", Kind: diagram.Ordinary},
		{Name: "end", Kind: diagram.End},
	}, Edges: []diagram.Edge{
		{From: "start", To: "parse"}, {From: "parse", To: "split"}, {From: "split", To: "chunks"},
		{From: "chunks", To: "extract", Label: "each window", Conditional: true, Send: true},
		{From: "chunks", To: "embed", Label: "each batch", Conditional: true, Send: true},
		{From: "chunks", To: "resolve", Label: "all recorded", Conditional: true},
		{From: "chunks", To: "project", Label: "no text", Conditional: true},
		{From: "extract", To: "resolve"}, {From: "embed", To: "resolve"}, {From: "resolve", To: "project"},
		{From: "project", To: "report"}, {From: "report", To: "end"},
	}}
}

// SummaryGraph returns the topology of a map-reduce whose reduction repeats.
func SummaryGraph() diagram.Topology {
	return diagram.Topology{Name: "summarize", Nodes: []diagram.Node{
		{Name: "start", Kind: diagram.Start}, {Name: "pre_process", Kind: diagram.Ordinary}, {Name: "generate_summary", Kind: diagram.Task},
		{Name: "collect_summaries", Kind: diagram.Ordinary}, {Name: "should_collapse", Kind: diagram.Branch},
		{Name: "collapse_summaries", Kind: diagram.Ordinary}, {Name: "generate_final_summary", Kind: diagram.Ordinary}, {Name: "end", Kind: diagram.End},
	}, Edges: []diagram.Edge{
		{From: "start", To: "pre_process"}, {From: "pre_process", To: "generate_summary", Label: "each chunk", Conditional: true, Send: true},
		{From: "generate_summary", To: "collect_summaries"}, {From: "collect_summaries", To: "should_collapse"},
		{From: "should_collapse", To: "collapse_summaries", Label: "too long", Conditional: true},
		{From: "collapse_summaries", To: "should_collapse"},
		{From: "should_collapse", To: "generate_final_summary", Label: "fits", Conditional: true}, {From: "generate_final_summary", To: "end"},
	}}
}

const run = domain.RunID("run1284")

// AnswerTrace returns the trace of an answer that rewrote its question once;
// done tells whether it is finished or being written.
func AnswerTrace(done bool) outline.Trace {
	p := outline.Trace{
		Run: run, Topology: AnswerGraph(), State: diagram.Now, Took: 4500 * time.Millisecond, Tokens: 6623, Loop: 1, MaxLoops: 3, After: 31, Gist: "Writing the answer.",
		Visits: []diagram.Visit{
			{Node: "start", State: diagram.Seen, Times: 1}, {Node: "condense", State: diagram.Seen, Times: 1, Took: 340 * time.Millisecond},
			{Node: "retrieve", State: diagram.Seen, Times: 2, Took: 177 * time.Millisecond},
			{Node: "grade_documents", State: diagram.Seen, Times: 2, Took: 1930 * time.Millisecond},
			{Node: "decide", State: diagram.Seen, Times: 2, Note: "4 relevant"}, {Node: "transform_query", State: diagram.Seen, Times: 1},
			{Node: "generate", State: diagram.Now, Times: 1, Note: "61 words"},
		},
		Walked: []diagram.Walk{
			{From: "start", To: "condense", Times: 1}, {From: "condense", To: "retrieve", Times: 1}, {From: "retrieve", To: "grade_documents", Times: 2},
			{From: "decide", To: "transform_query", Label: "irrelevant", Times: 1}, {From: "transform_query", To: "retrieve", Times: 1},
			{From: "decide", To: "generate", Label: "relevant", Times: 1},
		},
		Steps: answerSteps(),
	}
	if done {
		p.Gist = "Found at the second search. Of 16 passages judged, 4 were relied on."
		p.State, p.Took, p.Tokens = diagram.Seen, 6200*time.Millisecond, 7571
		p.Visits[6] = diagram.Visit{Node: "generate", State: diagram.Seen, Times: 1, Took: 2900 * time.Millisecond}
		p.Visits = append(p.Visits, diagram.Visit{Node: "check_support", State: diagram.Seen, Times: 1, Took: 380 * time.Millisecond}, diagram.Visit{Node: "end", State: diagram.Seen, Times: 1})
		p.Walked = append(p.Walked, diagram.Walk{From: "generate", To: "check_support", Times: 1}, diagram.Walk{From: "check_support", To: "end", Times: 1})
		last := &p.Steps[len(p.Steps)-1]
		last.State, last.Note, last.Took = diagram.Seen, "", 2900*time.Millisecond
		p.Steps = append(p.Steps, outline.Step{Run: run, Said: "Checked each sentence: 4 of 5 hold", Note: "4 of 5 supported", N: 8, Node: "check_support", State: diagram.Seen, Usages: used(948, ""), Took: 380 * time.Millisecond})
	}
	return p
}

func answerSteps() []outline.Step {
	return []outline.Step{
		{Run: run, Said: "Understood the question", N: 1, Node: "condense", State: diagram.Seen, Usages: used(412, "archive-14b"), Took: 340 * time.Millisecond, Rewrites: []domain.Rewrite{{
			From: "Which newspaper first reported that its rivets were failing?", To: "Which newspaper first reported that the Lantern Bridge rivets were failing?"}}},
		{Run: run, Said: "Searched 2 ways, 8 passages", Note: "8 passages", N: 2, Node: "retrieve", State: diagram.Seen, Took: 86 * time.Millisecond, Methods: []domain.Method{
			{Name: "words", Candidates: 24, Took: 4 * time.Millisecond}, {Name: domain.MethodWalk, Candidates: 31, Took: 71 * time.Millisecond, Reason: "two names of the question are in the graph"},
			{Name: domain.MethodVectors, Candidates: 0, Reason: "left out: no embedding model is configured"}}},
		{Run: run, Said: "Judged 8 passages: none relevant", Note: "0 of 8 relevant", N: 3, Node: "grade_documents", State: diagram.Seen, Usages: used(2204, ""), Took: 910 * time.Millisecond, Grades: []domain.Grading{
			grading("ferry-to-bridge.md", 0, domain.Irrelevant, "Rivets of the ferry chain, not of a bridge"),
			grading("sallow-bridge.docx", 0, domain.Ungraded, "The model's grade could not be read, twice")}},
		{Run: run, Said: "Reworded (1 of 3)", Note: "1 of 3", Unfolded: true, N: 4, Node: "transform_query", State: diagram.Seen, Usages: used(388, ""), Took: 420 * time.Millisecond, Rewrites: []domain.Rewrite{{
			From: "Which newspaper first reported that the rivets of the Lantern Bridge were failing, and who paid for the repair?",
			To:   "Orrin Courier letter, 1909: loose rivets of the Lantern Bridge, and who paid the repair levy", How: "names and aliases from the graph"}},
			Writes: []string{"loop_count", "query_rewrites"}},
		{Run: run, Said: "Searched 2 ways, 8 passages", Note: "8 passages", N: 5, Node: "retrieve", State: diagram.Seen, Took: 91 * time.Millisecond},
		{Run: run, Said: "Judged 8 passages: 4 relevant", Note: "4 of 8 relevant", Unfolded: true, N: 6, Node: "grade_documents", State: diagram.Seen, Usages: used(2371, "archive-14b"), Took: 1020 * time.Millisecond, Grades: []domain.Grading{
			grading("courier-1909-10-03.pdf", 3, domain.Relevant, "The letter itself, with the date and the count"),
			grading("harrow-kestle-daybook.pdf", 41, domain.Relevant, "The works confirm the count on 9 October"),
			grading("levy-roll-1910.pdf", 1, domain.Relevant, "Names the levy, its rate and its start"),
			grading("courier-1911-03-18.pdf", 1, domain.Irrelevant, "Reports the flood, two years later")}},
		{Run: run, Said: "Writing the answer", Note: "writing", N: 7, Node: "generate", State: diagram.Now, Usages: used(1248, ""), Took: 1610 * time.Millisecond},
	}
}

// used returns the usage of one call.
func used(tokens int, model string) []domain.Usage {
	return []domain.Usage{{Model: model, Input: tokens}}
}

func grading(name string, page int, v domain.Verdict, reason string) domain.Grading {
	return domain.Grading{Name: name, Page: page, Grade: domain.Grade{Verdict: v, Reason: reason}}
}

// IngestTrace returns the trace of a document being read, in the middle of its
// chunks.
func IngestTrace() outline.Trace {
	return outline.Trace{
		Run: "run77", Topology: IngestGraph(), State: diagram.Now, Took: 86 * time.Second, Tokens: 48200,
		Visits: []diagram.Visit{
			{Node: "start", State: diagram.Seen, Times: 1}, {Node: "parse", State: diagram.Seen, Times: 1, Took: 1200 * time.Millisecond},
			{Node: "split", State: diagram.Seen, Times: 1, Took: 40 * time.Millisecond},
			{Node: "extract", State: diagram.Now, Times: 1, Note: "17 of 42"}, {Node: "embed", State: diagram.Failed, Times: 1, Note: "attempt 2 of 3"},
		},
		Walked: []diagram.Walk{
			{From: "start", To: "parse", Times: 1}, {From: "parse", To: "split", Times: 1},
			{From: "chunks", To: "extract", Label: "each window", Times: 1}, {From: "chunks", To: "embed", Label: "each batch", Times: 1},
		},
		Steps: []outline.Step{
			{Run: "run77", Note: "312 pages", N: 1, Node: "parse", State: diagram.Seen, Took: 1200 * time.Millisecond},
			{Run: "run77", Note: "42 chunks", N: 2, Node: "split", State: diagram.Seen, Took: 40 * time.Millisecond},
			{Run: "run77", Note: "17 of 42", N: 3, Node: "extract", State: diagram.Now, Usages: used(48200, "archive-14b"), Took: 84 * time.Second},
			{Run: "run77", N: 4, Node: "embed", State: diagram.Failed, Took: 3 * time.Second, Attempt: 2, Problem: "The model answered 429, too many requests. Next try in 40 s."},
		},
	}
}
