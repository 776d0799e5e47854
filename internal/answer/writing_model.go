package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// model has the next turn written, from what was graded relevant in any search.
// With nothing relevant it says so, without asking a writer; only questions
// about the graph itself need no passages.
func (w *writers) model(ctx *stategraph.Context, s Writing) (state.Update[Writing], error) {
	start := w.Now()
	var passages []domain.Passage
	if len(s.Passages) > 0 {
		var err error
		if passages, err = w.Passages.Passages(ctx, s.Workspace, s.Passages); err != nil {
			return state.Update[Writing]{}, err
		}
	}
	p := openPage(s.Text, ctx.Emit)
	if len(passages) == 0 && !w.counts(s.Asked) { // or deleted in the meantime
		p.declines(s)
		ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(p.sentences())})
		return w.text.Set(p.text()), nil
	}
	u, err := w.turn(ctx, s, p, passages)
	if err != nil {
		return state.Update[Writing]{}, err
	}
	return state.Merge(u, w.text.Set(p.text()), w.answered.Set(true), w.ms.Add(w.Now().Sub(start).Milliseconds())), nil
}

// turn has the writer write and ask for tools. Once it asks for none the text
// is complete, though charts may still be on their way.
func (w *writers) turn(ctx *stategraph.Context, s Writing, p *page, passages []domain.Passage) (state.Update[Writing], error) {
	all := messages(s.Messages)
	r := WriteRequest{
		Asked: s.Asked, Passages: passages, Messages: s.Messages,
		Charts: w.Roles.Specifier != nil && all.turns() < rounds && len(all.figures()) < MaxFigures,
	}
	var u state.Update[Writing]
	if failures := failed(all.figures()); len(failures) > 0 && !all.have(domain.FigurePending) && !s.Sorry {
		r.Charts, r.Apology = false, string(apologyFor(s.Question))
		r.Failed = failures
		u = state.Merge(w.sorry.Set(true), w.before.Set(len(p.sentences())))
	} else {
		r.Messages = unfailed(s.Messages)
	}
	turn, err := w.Roles.Writer.Write(ctx, r, &paragraph{on: p}, ctx.Emit)
	if err != nil {
		return u, err
	}
	if !r.Charts {
		turn.Calls = nil
	}
	p.remark(turn.Remarks)
	if len(turn.Calls) == 0 {
		if len(s.Missing) > 0 && !strings.Contains(p.plain.String(), s.Missing[0]) {
			p.remark(s.Missing)
		}
		ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(p.sentences())})
	}
	said := Message{ID: fmt.Sprintf("turn-%d", all.turns()+1), From: FromWriter, Content: turn.Text, Calls: all.named(turn.Calls)}
	return state.Merge(u, w.messages.Put(said)), nil
}

// counts reports whether a question is about the graph and nothing else.
func (p Params) counts(a Asked) bool {
	return p.Counts != nil && p.Roles.Specifier != nil && p.Roles.Counting != nil && p.Roles.Counting.Counts(a.Question)
}

// unfailed shows a chart that failed as one that is still being made, as long
// as the writer is not to make up for it.
func unfailed(all []Message) []Message {
	all = slices.Clone(all)
	for i, m := range all {
		if m.Artifact != nil && m.Status == domain.FigureFailed {
			all[i].Content, all[i].Status = chartTool.holds, domain.FigurePending
		}
	}
	return all
}

// named gives each call an id of its own: some models leave it out, or begin
// anew with each turn.
func (all messages) named(calls []ToolCall) []ToolCall {
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

// paragraph is the pen of one turn: what it writes begins a paragraph.
type paragraph struct {
	on    *page
	begun bool
}

func (p *paragraph) Write(text string) {
	if !p.begun && text != "" {
		p.begun = true
		p.on.paragraph()
	}
	p.on.Write(text)
}

func (p *paragraph) Cite(passage domain.Passage, span domain.Span) { p.on.Cite(passage, span) }
