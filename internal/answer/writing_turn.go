package answer

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// model writes the next turn from all passages graded relevant. Without any it
// declines and calls no writer, unless the question is about counts.
func (w *writers) model(ctx *stategraph.Context, s Writing) (state.Update[Writing], error) {
	start := w.Now()
	var passages []domain.Passage
	if len(s.Passages) > 0 {
		var err error
		if passages, err = w.Passages.Passages(ctx, s.Workspace, s.Passages); err != nil {
			return state.Update[Writing]{}, err
		}
	}
	c := resumeComposer(s.Text, ctx.Emit)
	if len(passages) == 0 && !w.counts(s.Asked) && !s.Stopped { // or deleted in the meantime
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
	m := w.meter(ctx, s.Budget, ctx.Emit)
	u, err := w.turn(ctx, s, c, passages, m.emit)
	if err != nil {
		return state.Update[Writing]{}, err
	}
	if *m.spent > 0 {
		u = state.Merge(u, w.spent.Add(*m.spent))
	}
	return state.Merge(u, w.text.Set(c.text()), w.answered.Set(true), w.ms.Add(w.Now().Sub(start).Milliseconds())), nil
}

// turn calls the writer. When the turn calls no tool the text is complete, though
// charts may still be pending.
func (w *writers) turn(ctx *stategraph.Context, s Writing, c *composer, passages []domain.Passage, emit Emit) (state.Update[Writing], error) {
	all := messages(s.Messages)
	r := WriteRequest{
		Asked: s.Asked, Survey: s.Survey, Passages: passages, Messages: s.Messages, Steps: s.Steps,
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

// decline says that there is no answer and, where nobody wrote one, which words of
// the question the library lacks.
func (w *writers) decline(ctx *stategraph.Context, s Writing, c *composer) error {
	var words domain.Words
	if w.Roles.Words != nil && s.Searched && !s.Nowhere {
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
	return p.Counts != nil && p.Roles.Specifier != nil && p.Roles.Counting != nil && p.Roles.Counting.Counts(a.Question)
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
