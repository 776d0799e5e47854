package answer

import (
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The names of the subgraph that writes and of its nodes.
const (
	WritingName = "generate_with_tools"

	NodeModel       = "model"
	NodeChart       = "chart"
	NodeUpdateChart = "update_chart"
)

const (
	caseNoCall = "no tool call"
	caseCall   = "chart call"
	caseWrites = "goes on writing"
	caseEach   = "each chart"
	caseOK     = "ok"
	caseFailed = "failed"
	caseMore   = "more calls"
)

// rounds is how many turns of a writer may ask for charts. After that none is
// offered, so the writing ends.
const rounds = 3

// writingLimit is how many super-steps the subgraph takes at most: each round
// one of writing and one of answering its calls, a last turn, and an apology.
const writingLimit = 2*rounds + 2

// writers are the functions of the subgraph's nodes.
type writers struct {
	Params
	writingFields
	update stategraph.Target[Writing, job]
}

// job is a chart on its way to be made.
type job struct {
	Asked
	Figure   domain.Figure    `json:"figure"`
	Passages []domain.ChunkID `json:"passages"`
}

// writingGraph puts the subgraph together.
func writingGraph(p Params) (*stategraph.Graph[Writing], error) {
	charts, err := chartGraph(p)
	if err != nil {
		return nil, err
	}
	w := &writers{Params: p, writingFields: newWritingFields()}
	b := stategraph.New(WritingName, w.schema)
	reads, writes := stategraph.Reads, stategraph.Writes
	b.Node(NodeModel, w.model, reads(w.messages, w.text, w.sorry, w.answered), writes(w.messages, w.text, w.before, w.sorry, w.answered, w.ms))
	b.Node(NodeChart, w.chart, reads(w.messages, w.text), writes(w.messages))
	w.update = stategraph.SubgraphTask(b, NodeUpdateChart, charts, begun, w.replaced, writes(w.messages))

	b.Edge(stategraph.Start, NodeModel)
	b.Branch(NodeModel, "calls", w.calls,
		stategraph.Case{Label: caseNoCall, Target: stategraph.End},
		stategraph.Case{Label: caseCall, Target: NodeChart})
	b.Branch(NodeChart, "both", w.both,
		stategraph.Case{Label: caseWrites, Target: NodeModel},
		stategraph.Case{Label: caseEach, Target: NodeUpdateChart})
	b.Branch(NodeUpdateChart, "came_out", w.cameOut,
		stategraph.Case{Label: caseOK, Target: stategraph.End},
		stategraph.Case{Label: caseFailed, Target: NodeModel},
		stategraph.Case{Label: caseMore, Target: stategraph.End})
	return b.Compile(stategraph.WithCodec(p.Codec))
}

// chartGraph is the graph that makes a chart. Where nobody specifies charts
// none is ever asked for.
func chartGraph(p Params) (*stategraph.Graph[chart.State], error) {
	if p.Roles.Specifier == nil {
		return chart.Shape()
	}
	return chart.Graph(chart.Params{Passages: p.Passages, Specifier: p.Roles.Specifier, Counts: p.Counts, Timeout: p.ChartTimeout, Codec: p.Codec})
}

// calls goes on to the tools when the last turn asks for any.
func (w *writers) calls(_ *stategraph.Context, s Writing) (stategraph.Route[Writing], error) {
	if len(messages(s.Messages).open()) > 0 {
		return stategraph.Choose[Writing](caseCall), nil
	}
	return stategraph.Choose[Writing](caseNoCall), nil
}

// chart answers all calls of the last turn at once.
func (w *writers) chart(ctx *stategraph.Context, s Writing) (state.Update[Writing], error) {
	all := messages(s.Messages)
	taken := len(all.figures())
	var answers []Message
	for _, call := range all.open() {
		switch task, err := chartTool.task(call); {
		case call.Name != chartTool.name:
			answers = append(answers, refused(call, "There is no tool of that name."))
		case err != nil:
			answers = append(answers, refused(call, err.Error()))
		case taken == chartTool.most:
			answers = append(answers, refused(call, "The answer has as many charts as it may have."))
		default:
			taken++
			m := chartTool.placeholder(call, domain.Figure{ID: call.ID, Task: task, Paragraph: openPage(s.Text, nil).paragraphs()})
			ctx.Emit(domain.EventFigure, m.Artifact.Figure)
			answers = append(answers, m)
		}
	}
	for _, m := range answers {
		if m.Status == domain.FigureFailed {
			ctx.Emit(domain.EventNote, domain.Note{Text: m.Content})
		}
	}
	return w.messages.Put(answers...), nil
}

// both goes on writing and, beside that, makes every chart that is pending.
func (w *writers) both(_ *stategraph.Context, s Writing) (stategraph.Route[Writing], error) {
	var sends []stategraph.Send[Writing]
	for _, f := range messages(s.Messages).figures() {
		if f.Status == domain.FigurePending {
			sends = append(sends, w.update.Send(job{s.Asked, f, s.Passages}))
		}
	}
	return stategraph.Choose[Writing](caseWrites).And(stategraph.Fan(sends...)), nil
}

// begun is a chart's graph at its start.
func begun(j job) chart.State {
	return chart.Start(chart.Begin{Workspace: j.Workspace, Run: j.Run, Salt: j.Salt, Question: j.Question, Figure: j.Figure, Evidence: j.Passages})
}

// replaced puts what came of a chart in the place of its placeholder.
func (w *writers) replaced(j job, s chart.State) state.Update[Writing] {
	return w.messages.Put(chartTool.settled(s.Figure, apologyFor(j.Question)))
}

// cameOut asks the writer for words when charts failed: once, when all are
// settled. It goes by the status of the calls, whatever message came last.
func (w *writers) cameOut(_ *stategraph.Context, s Writing) (stategraph.Route[Writing], error) {
	all := messages(s.Messages)
	switch {
	case len(all.open()) > 0:
		return stategraph.Choose[Writing](caseMore), nil
	case all.have(domain.FigureFailed) && !s.Sorry:
		return stategraph.Choose[Writing](caseFailed), nil
	}
	return stategraph.Choose[Writing](caseOK), nil
}
