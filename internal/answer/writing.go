package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Writing is the state of the subgraph that writes the answer.
type Writing struct {
	Asked
	Passages []domain.ChunkID    `json:"passages"`           // relevant ones, in the order found
	Survey   *Survey             `json:"survey,omitempty"`   // for a question about the whole
	Searched bool                `json:"searched,omitempty"` // the library has been searched
	Found    int                 `json:"found,omitempty"`    // passages, relevant or not
	Within   []domain.DocumentID `json:"within,omitempty"`   // the only documents searched
	Scoped   bool                `json:"scoped,omitempty"`   // only part of the library was searched
	Nowhere  bool                `json:"nowhere,omitempty"`  // that part has no documents
	Missing  []string            `json:"missing,omitempty"`  // sentences about unavailable stores
	Steps    []Step              `json:"steps,omitempty"`    // settled ones
	Budget   Budget              `json:"budget,omitzero"`
	Spent    int64               `json:"spent,omitempty"`   // of the budget
	Stopped  bool                `json:"stopped,omitempty"` // the budget was already used up
	Silent   bool                `json:"silent,omitempty"`  // nothing is to be written

	Messages []Message `json:"messages"`
	Text     Text      `json:"text"`               // so far
	Before   int       `json:"before"`             // sentences written before the apology
	Sorry    bool      `json:"sorry"`              // the writer was asked to replace failed charts
	Answered bool      `json:"answered"`           // from the library
	MS       int64     `json:"ms" volatile:"true"` // of writing
}

// Text is the text of an answer so far.
type Text struct {
	Plain     string            `json:"plain"` // without marks
	Marks     []Mark            `json:"marks"`
	Citations []domain.Citation `json:"citations"`
	Remarks   []domain.Span     `json:"remarks,omitempty"` // spans of Plain about the library or the search
	Quotes    []domain.Span     `json:"quotes,omitempty"`  // spans of Plain that are quotations
}

// Mark is a citation in a plain text.
type Mark struct {
	At int `json:"at"` // code points before it
	N  int `json:"n"`
}

// writingFields holds the handles for writing the state.
type writingFields struct {
	messages state.UpsertField[Writing, Message]
	passages state.ReplaceField[Writing, []domain.ChunkID]
	text     state.ReplaceField[Writing, Text]
	before   state.ReplaceField[Writing, int]
	sorry    state.ReplaceField[Writing, bool]
	answered state.ReplaceField[Writing, bool]
	ms       state.SumField[Writing, int64]
	spent    state.SumField[Writing, int64]
	schema   *state.Schema[Writing]
}

// writingVersion must change when a field changes its name or meaning.
const writingVersion = 1

func newWritingFields() writingFields {
	sc := state.NewSchema[Writing](writingVersion)
	return writingFields{
		passages: state.Replace(sc, "passages", func(w *Writing) *[]domain.ChunkID { return &w.Passages }),
		messages: state.Upsert(sc, "messages", func(w *Writing) *[]Message { return &w.Messages }, Message.key),
		text:     state.Replace(sc, "text", func(w *Writing) *Text { return &w.Text }),
		before:   state.Replace(sc, "before", func(w *Writing) *int { return &w.Before }),
		sorry:    state.Replace(sc, "sorry", func(w *Writing) *bool { return &w.Sorry }),
		answered: state.Replace(sc, "answered", func(w *Writing) *bool { return &w.Answered }),
		ms:       state.Sum(sc, "ms", func(w *Writing) *int64 { return &w.MS }),
		spent:    state.Sum(sc, "spent", func(w *Writing) *int64 { return &w.Spent }),
		schema:   sc,
	}
}

// startWriting returns the first state of the subgraph.
func (n *nodes) startWriting(s State) Writing {
	w := Writing{Asked: s.asked(), Survey: s.Survey, Searched: len(s.Retrieval) > 0 || s.Survey != nil, Found: len(s.Documents), Missing: s.missing(), Passages: chunks(s.relevant()), Steps: s.settled(), Budget: s.Budget, Spent: s.Spent, Stopped: s.overBudget(), Silent: s.ContextOnly}
	w.Scoped, w.Nowhere, w.Within = s.UserContext.Scope != nil, s.UserContext.nowhere(), s.UserContext.Within
	return w
}

// written returns the update with the subgraph's answer.
func (n *nodes) written(s State, w Writing) state.Update[State] {
	c := resumeComposer(w.Text, nil)
	return state.Merge(
		n.generation.Set(c.answer()), n.sentences.Set(c.sentences()), n.citations.Set(c.citations), n.answered.Set(w.Answered),
		n.figures.Set(w.figures()), n.timings.Add(Timing{NodeGenerate, s.LoopCount, w.MS}),
		n.spent.Add(w.Spent-s.Spent),
	)
}

// figures returns the figures of the answer.
func (w Writing) figures() []domain.Figure {
	figures := append([]domain.Figure{}, messages(w.Messages).figures()...)
	for i := range figures {
		if figures[i].Status == domain.FigureFailed {
			figures[i].Sentences = w.Before
		}
	}
	return figures
}

// TextSoFar returns the text, with marks, after an update of NodeModel, as the reader of a resumed run has seen it. It
// returns false for updates of other nodes.
func TextSoFar(update json.RawMessage) (string, bool) {
	var u struct {
		Text *Text `json:"text"`
	}
	if json.Unmarshal(update, &u) != nil || u.Text == nil {
		return "", false
	}
	return resumeComposer(*u.Text, nil).marked.String(), true
}

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

// maxChartTurns is the maximum number of a writer's turns that may call for charts. Later turns are offered none, so the
// writing ends.
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
	b.Node(NodeModel, w.model, reads(w.messages, w.passages, w.text, w.sorry, w.answered, w.spent), writes(w.messages, w.passages, w.text, w.before, w.sorry, w.answered, w.ms, w.spent))
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

// chart answers all calls of the last turn at once, with placeholders.
func (w *writers) chart(ctx *stategraph.Context, s Writing) (state.Update[Writing], error) {
	all := messages(s.Messages)
	taken := len(all.figures())
	var answers []Message
	for _, call := range all.open() {
		switch task, err := chartTask(call); {
		case err != nil:
			answers = append(answers, refused(call, err.Error()))
		case taken == MaxFigures:
			answers = append(answers, refused(call, "The answer already has as many charts as it may have."))
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

// afterChart continues writing and, in the same super-step, makes every pending chart.
func (w *writers) afterChart(_ *stategraph.Context, s Writing) (stategraph.Route[Writing], error) {
	var sends []stategraph.Send[Writing]
	for _, f := range messages(s.Messages).withStatus(domain.FigurePending) {
		sends = append(sends, w.update.Send(chartJob{s.Asked, f, s.Passages}))
	}
	return stategraph.Choose[Writing](caseWrites).And(stategraph.Fan(sends...)), nil
}

func startChart(j chartJob) chart.State {
	return chart.State{Workspace: j.Workspace, Run: j.Run, Salt: j.Salt, Prompts: j.Prompts, Question: j.Question, Figure: j.Figure, Evidence: j.Passages}
}

// replace replaces the placeholder of a chart with its outcome.
func (w *writers) replace(_ chartJob, s chart.State) state.Update[Writing] {
	return w.messages.Put(settled(s.Figure))
}

// afterUpdate returns to the writer if charts failed: once, when all calls are answered, in any order.
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

// model writes the next turn from all passages graded relevant. Without any it
// declines and calls no writer, unless the question is about counts.
func (w *writers) model(ctx *stategraph.Context, s Writing) (state.Update[Writing], error) {
	start := w.Now()
	if s.Silent {
		c := resumeComposer(s.Text, ctx.Emit)
		c.remark(append([]string{InLanguageOf(s.Question, SaysNotWritten)}, s.Missing...))
		ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(c.sentences())})
		return w.text.Set(c.text()), nil
	}
	var passages []domain.Passage
	if len(s.Passages) > 0 {
		var err error
		if passages, err = w.Passages.Passages(ctx, s.Workspace, s.Passages); err != nil {
			return state.Update[Writing]{}, err
		}
	}
	c := resumeComposer(s.Text, ctx.Emit)
	if len(passages) == 0 && !w.counts(s.Asked) && !s.Stopped { // or they were deleted in the meantime
		if err := w.decline(ctx, s, c); err != nil {
			return state.Update[Writing]{}, err
		}
		ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(c.sentences())})
		return w.text.Set(c.text()), nil
	}
	if s.Stopped || s.Budget.Most > 0 && s.Spent >= s.Budget.Most {
		c.stop(s, passages)
		ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(c.sentences())})
		return state.Merge(w.text.Set(c.text()), w.answered.Set(len(passages) > 0)), nil
	}
	if s.Survey != nil && s.Survey.Count != nil {
		c.count(s.Question, *s.Survey, passages)
		ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(c.sentences())})
		return state.Merge(w.text.Set(c.text()), w.answered.Set(true), w.ms.Add(w.Now().Sub(start).Milliseconds())), nil
	}
	table, passages, err := w.reckon(ctx, s.Asked, passages)
	if err != nil {
		return state.Update[Writing]{}, err
	}
	m := w.meter(ctx, s.Budget, ctx.Emit)
	u, err := w.turn(ctx, s, c, passages, table, m.emit)
	if err != nil {
		return state.Update[Writing]{}, err
	}
	if len(passages) > len(s.Passages) { // charts may use numbers from its rows
		u = state.Merge(u, w.passages.Set(passageIDs(passages)))
	}
	if *m.spent > 0 {
		u = state.Merge(u, w.spent.Add(*m.spent))
	}
	return state.Merge(u, w.text.Set(c.text()), w.answered.Set(true), w.ms.Add(w.Now().Sub(start).Milliseconds())), nil
}

// turn calls the writer. When the turn calls no tool the text is complete, though
// charts may still be pending.
func (w *writers) turn(ctx *stategraph.Context, s Writing, c *composer, passages []domain.Passage, table Reckoned, emit Emit) (state.Update[Writing], error) {
	all := messages(s.Messages)
	r := WriteRequest{
		Asked: s.Asked, Survey: s.Survey, Passages: passages, Messages: s.Messages, Steps: s.Steps, Reckoned: table,
		Charts: w.Roles.Specifier != nil && all.turns() < maxChartTurns && len(all.figures()) < MaxFigures,
	}
	var u state.Update[Writing]
	if failures := all.withStatus(domain.FigureFailed); len(failures) > 0 && len(all.withStatus(domain.FigurePending)) == 0 && !s.Sorry {
		r.Charts, r.Apology, r.Failed = false, InLanguageOf(s.Question, apology), failures
		u = state.Merge(w.sorry.Set(true), w.before.Set(len(c.sentences())))
	} else {
		r.Messages = all.failuresHidden()
	}
	turn, err := w.Roles.Writer.Write(ctx, r, newTurnPen(c), emit)
	if err != nil {
		return u, err
	}
	if !r.Charts {
		turn.Calls = nil
	}
	if len(turn.Calls) == 0 {
		c.attribute(s.Question, passages)
		if len(c.sentences()) == 0 && len(turn.Remarks) == 0 && len(all.figures()) == 0 {
			c.wroteNothing(s.Question)
		}
	}
	c.remark(turn.Remarks)
	if turn.Cut != "" && len(turn.Calls) == 0 {
		c.remark([]string{turn.Cut})
	}
	if len(turn.Calls) == 0 {
		if len(s.Missing) > 0 && !strings.Contains(c.plain.String(), s.Missing[0]) {
			c.remark(s.Missing)
		}
		ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(c.sentences())})
	}
	m := Message{ID: fmt.Sprintf("turn-%d", all.turns()+1), From: FromWriter, Content: turn.Text, Calls: all.withUniqueIDs(turn.Calls)}
	return state.Merge(u, w.messages.Put(m)), nil
}

// decline writes that there is no answer and, if no model wrote one, which words of the question the library lacks.
func (w *writers) decline(ctx *stategraph.Context, s Writing, c *composer) error {
	var words domain.Words
	if w.Roles.Words != nil && s.Searched && !s.Nowhere && !s.Web {
		var err error
		words, err = w.Roles.Words.Words(ctx, s.Workspace, s.Question, s.Within)
		if err != nil && domain.KindOf(err) != domain.Unavailable {
			return err
		}
		ctx.Emit(domain.EventWords, words)
	}
	c.decline(s, w.Roles.Words != nil, words)
	switch {
	case s.Found > 0 && w.Roles.Words != nil:
		ctx.Emit(domain.EventNote, domain.Note{Text: SaysNoneNear})
	case s.Found > 0:
		ctx.Emit(domain.EventNote, domain.Note{Text: SaysClosest})
	}
	return nil
}

// counts reports whether a question is only about the graph itself.
func (p Params) counts(a Asked) bool {
	return p.Counts != nil && p.Roles.Specifier != nil && p.Roles.Counts && chart.CountsRequested(a.Question)
}

// turnPen is the Pen of one turn: its first text begins a paragraph.
type turnPen struct {
	*composer
	before Text
	begun  bool
}

func newTurnPen(c *composer) *turnPen { return &turnPen{composer: c, before: c.text()} }

// Write implements Pen.
func (p *turnPen) Write(text string) {
	if !p.begun && text != "" {
		p.begun = true
		p.paragraph()
	}
	p.composer.Write(text)
}

// Quote implements Pen.
func (p *turnPen) Quote(q Quotation) {
	p.begun = true
	p.composer.Quote(q)
}

// Remark implements Pen.
func (p *turnPen) Remark(sentence string) {
	p.begun = true
	p.composer.Remark(sentence)
}

// Anew implements Pen.
func (p *turnPen) Anew() {
	p.begun = false
	p.restore(p.before)
}

// The senders of messages.
const (
	FromWriter = "assistant"
	FromTool   = "tool"
)

// Message is a message between a writer and its tools. Messages keep the order in which they first arrived.
type Message struct {
	ID      string     `json:"id"`
	From    string     `json:"role"` // FromWriter or FromTool
	Content string     `json:"content"`
	Calls   []ToolCall `json:"tool_calls,omitempty"` // of the writer

	ToolCallID string              `json:"tool_call_id,omitempty"` // from a tool: the call it answers
	Name       string              `json:"name,omitempty"`         // of the tool
	Status     domain.FigureStatus `json:"status,omitempty"`
	Artifact   *Artifact           `json:"artifact,omitempty"` // of a tool that works in the background
}

// ToolCall is a writer's call of a tool.
type ToolCall struct {
	ID        string `json:"id"` // unique in an answer
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the writer sent them: usually JSON
}

// Artifact is a tool's product made in the background: while pending its task, which is enough to resume from, then its
// outcome.
type Artifact struct {
	Figure domain.Figure `json:"figure"`
}

// key identifies a message: a later one with the same key replaces it.
func (m Message) key() string {
	return cmp.Or(m.ToolCallID, m.ID)
}

type messages []Message

// open returns the calls of the last turn that have no answer.
func (all messages) open() []ToolCall {
	for _, m := range slices.Backward(all) {
		if m.From != FromWriter {
			continue
		}
		return slices.DeleteFunc(slices.Clone(m.Calls), func(c ToolCall) bool {
			return slices.ContainsFunc(all, func(a Message) bool { return a.ToolCallID == c.ID })
		})
	}
	return nil
}

// figures returns the charts in the order of their calls.
func (all messages) figures() []domain.Figure {
	var out []domain.Figure
	for _, m := range all {
		if m.Artifact != nil {
			out = append(out, m.Artifact.Figure)
		}
	}
	return out
}

// withStatus returns the charts with a status.
func (all messages) withStatus(status domain.FigureStatus) []domain.Figure {
	return slices.DeleteFunc(all.figures(), func(f domain.Figure) bool { return f.Status != status })
}

// turns counts the turns of the writer.
func (all messages) turns() int {
	return lists.CountFunc(all, func(m Message) bool { return m.From == FromWriter })
}

// failuresHidden returns the messages with failed charts shown as pending, until the writer is asked to make up for them.
func (all messages) failuresHidden() messages {
	all = slices.Clone(all)
	for i, m := range all {
		if m.Artifact != nil && m.Status == domain.FigureFailed {
			all[i].Content, all[i].Status = placeholderText, domain.FigurePending
		}
	}
	return all
}

// withUniqueIDs gives each call a unique id: some models leave it out or count
// from the start in each turn.
func (all messages) withUniqueIDs(calls []ToolCall) []ToolCall {
	taken := map[string]bool{"": true}
	for _, m := range all {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	out := slices.Clone(calls)
	for i := range out {
		if taken[out[i].ID] || len(out[i].ID) > 64 {
			out[i].ID = fmt.Sprintf("call-%d-%d", all.turns()+1, i+1)
		}
		taken[out[i].ID] = true
	}
	return out
}

// ChartTool is the name of the tool that draws charts.
const ChartTool = "chart"

// MaxFigures is the maximum number of charts in an answer.
const MaxFigures = 4

// maxTask bounds the task of a call, in code points.
const maxTask = 500

// What the messages of the chart tool say to the writer.
const (
	placeholderText = "The chart is being made and will be put where your text stands now. Go on writing; don't wait for it, don't describe how it looks, and don't draw it in text."
	doneText        = "The chart is done and stands where you asked for it."
	failedText      = "The chart could not be made."
)

// chartOffer describes the tool to a model.
var chartOffer = llm.Tool{
	Name: ChartTool,
	Description: "Has a chart drawn of numbers that the passages state, and puts it where your text stands. " +
		"Call it when the question asks for a chart, or when several numbers are compared or change over time, and a picture says more than a sentence. Not for one or two numbers.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"task":{"type":"string",` +
		`"description":"what the chart is to show: which values, of what, over what; with the type of chart if the reader named one"}},` +
		`"required":["task"],"additionalProperties":false}`),
}

// chartCall returns a call of the chart tool.
func chartCall(task string) ToolCall {
	arguments, _ := json.Marshal(map[string]string{"task": task}) // strings can always be encoded
	return ToolCall{Name: ChartTool, Arguments: string(arguments)}
}

// chartTask returns the task of a call, on one line of bounded length. The error
// of a bad call is for the writer to read.
func chartTask(call ToolCall) (string, error) {
	if call.Name != ChartTool {
		return "", errors.New("There is no tool of that name.")
	}
	var arguments struct {
		Task string `json:"task"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil {
		return "", fmt.Errorf("The arguments of %s are not a JSON object with a text named task.", ChartTool)
	}
	task := domain.Cut(domain.OneLine(strings.ToValidUTF8(arguments.Task, "")), maxTask)
	if task == "" {
		return "", fmt.Errorf("The call of %s has no task: say what it is to show.", ChartTool)
	}
	return task, nil
}

// placeholder answers a call before its work begins.
func placeholder(f domain.Figure) Message {
	f.Status = domain.FigurePending
	return figureMessage(f, placeholderText)
}

// settled replaces the placeholder of a figure.
func settled(f domain.Figure) Message {
	if f.Status == domain.FigureFailed {
		return figureMessage(f, failedText)
	}
	return figureMessage(f, doneText)
}

func figureMessage(f domain.Figure, content string) Message {
	return Message{
		ID: "tool-" + f.ID, From: FromTool, ToolCallID: f.ID, Name: ChartTool,
		Status: f.Status, Content: content, Artifact: &Artifact{f},
	}
}

// refused answers a call that can't be followed.
func refused(call ToolCall, why string) Message {
	return Message{
		ID: "tool-" + call.ID, From: FromTool, ToolCallID: call.ID, Name: call.Name, Status: domain.FigureFailed,
		Content: why + " Go on in words.",
	}
}
