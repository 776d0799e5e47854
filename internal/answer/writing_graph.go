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

// maxChartTurns is how many turns of a writer may call for charts. Later turns are
// offered none, so the writing ends.
const maxChartTurns = 3

// writingLimit is the most super-steps of the subgraph: for each of these turns
// one to write and one to answer its calls, then a last turn and an apology.
const writingLimit = 2*maxChartTurns + 2

// writers holds the functions of the subgraph's nodes.
type writers struct {
	Params
	writingFields
	update stategraph.Target[Writing, chartJob]
}

// chartJob is a chart to make.
type chartJob struct {
	Asked
	Figure   domain.Figure    `json:"figure"`
	Passages []domain.ChunkID `json:"passages"`
}

func writingGraph(p Params) (*stategraph.Graph[Writing], error) {
	charts, err := chartGraph(p)
	if err != nil {
		return nil, err
	}
	w := &writers{Params: p, writingFields: newWritingFields()}
	b := stategraph.New(WritingName, w.schema)
	reads, writes := stategraph.Reads, stategraph.Writes
	b.Node(NodeModel, w.model, reads(w.messages, w.text, w.sorry, w.answered, w.spent), writes(w.messages, w.text, w.before, w.sorry, w.answered, w.ms, w.spent))
	b.Node(NodeChart, w.chart, reads(w.messages, w.text), writes(w.messages))
	w.update = stategraph.SubgraphTask(b, NodeUpdateChart, charts, startChart, w.replace, writes(w.messages))

	b.Edge(stategraph.Start, NodeModel)
	b.Branch(NodeModel, "calls", w.afterModel,
		stategraph.Case{Label: caseNoCall, Target: stategraph.End},
		stategraph.Case{Label: caseCall, Target: NodeChart})
	b.Branch(NodeChart, "both", w.afterChart,
		stategraph.Case{Label: caseWrites, Target: NodeModel},
		stategraph.Case{Label: caseEach, Target: NodeUpdateChart})
	b.Branch(NodeUpdateChart, "came_out", w.afterUpdate,
		stategraph.Case{Label: caseOK, Target: stategraph.End},
		stategraph.Case{Label: caseFailed, Target: NodeModel},
		stategraph.Case{Label: caseMore, Target: stategraph.End})
	return b.Compile(stategraph.WithCodec(p.Codec))
}

// chartGraph returns the graph that makes a chart. Without a specifier it is only
// drawn, never run.
func chartGraph(p Params) (*stategraph.Graph[chart.State], error) {
	if p.Roles.Specifier == nil {
		return chart.Shape()
	}
	return chart.Graph(chart.Params{Passages: p.Passages, Specifier: p.Roles.Specifier, Counts: p.Counts, Timeout: p.ChartTimeout, Codec: p.Codec})
}

// afterModel goes to the tool if the last turn called it.
func (w *writers) afterModel(_ *stategraph.Context, s Writing) (stategraph.Route[Writing], error) {
	if len(messages(s.Messages).open()) > 0 {
		return stategraph.Choose[Writing](caseCall), nil
	}
	return stategraph.Choose[Writing](caseNoCall), nil
}

// chart answers all calls of the last turn at once, by placeholders.
func (w *writers) chart(ctx *stategraph.Context, s Writing) (state.Update[Writing], error) {
	all := messages(s.Messages)
	taken := len(all.figures())
	var answers []Message
	for _, call := range all.open() {
		switch task, err := chartTask(call); {
		case err != nil:
			answers = append(answers, refused(call, err.Error()))
		case taken == MaxFigures:
			answers = append(answers, refused(call, "The answer has as many charts as it may have."))
		default:
			taken++
			m := placeholder(domain.Figure{ID: call.ID, Task: task, Paragraph: resumeComposer(s.Text, nil).paragraphs()})
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

// afterChart goes on writing and, in the same super-step, makes every pending chart.
func (w *writers) afterChart(_ *stategraph.Context, s Writing) (stategraph.Route[Writing], error) {
	var sends []stategraph.Send[Writing]
	for _, f := range messages(s.Messages).withStatus(domain.FigurePending) {
		sends = append(sends, w.update.Send(chartJob{s.Asked, f, s.Passages}))
	}
	return stategraph.Choose[Writing](caseWrites).And(stategraph.Fan(sends...)), nil
}

func startChart(j chartJob) chart.State {
	return chart.Start(chart.Begin{Workspace: j.Workspace, Run: j.Run, Salt: j.Salt, Prompts: j.Prompts, Question: j.Question, Figure: j.Figure, Evidence: j.Passages})
}

// replace replaces the placeholder of a chart by its outcome.
func (w *writers) replace(_ chartJob, s chart.State) state.Update[Writing] {
	return w.messages.Put(settled(s.Figure))
}

// afterUpdate goes back to the writer if charts failed: once, when all calls are
// answered, in whatever order.
func (w *writers) afterUpdate(_ *stategraph.Context, s Writing) (stategraph.Route[Writing], error) {
	all := messages(s.Messages)
	switch {
	case len(all.open()) > 0:
		return stategraph.Choose[Writing](caseMore), nil
	case len(all.withStatus(domain.FigureFailed)) > 0 && !s.Sorry:
		return stategraph.Choose[Writing](caseFailed), nil
	}
	return stategraph.Choose[Writing](caseOK), nil
}
