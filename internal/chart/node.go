package chart

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

type update = state.Update[State]

// collect counts what the task asks for and checks that there are numbers to
// draw.
func (n *nodes) collect(ctx *stategraph.Context, s State) (update, error) {
	counts := []GraphCount{}
	if n.Counts != nil {
		found, err := n.Counts.Counts(ctx, s.Workspace, s.Figure.Task)
		if domain.KindOf(err) == domain.TooLarge {
			return n.problem.Set(domain.InWords(err)), nil
		}
		if err != nil && domain.KindOf(err) != domain.Unavailable { // the passages may suffice
			return update{}, err
		}
		counts = append(counts, found...)
	}
	s.Counts = counts
	e, err := n.evidence(ctx, s)
	if err != nil {
		return update{}, err
	}
	amounts := e.amounts()
	if amounts == 0 && len(e.Counts) == 0 {
		return n.problem.Set("No numbers were found in the sources of this answer that a chart could show."), nil
	}
	note := domain.Counted(amounts, "number", "numbers") + " in " + domain.Counted(len(e.Passages), "passage", "passages")
	if len(e.Counts) > 0 {
		note += ", " + domain.Counted(len(e.Counts), "count", "counts") + " of the graph"
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: note})
	return n.counts.Set(counts), nil
}

// evidence reads the passages at each node, because the state holds no text of
// sources.
func (n *nodes) evidence(ctx context.Context, s State) (Evidence, error) {
	e := Evidence{Counts: s.Counts}
	if len(s.Evidence) == 0 {
		return e, nil
	}
	var err error
	e.Passages, err = n.Passages.Passages(ctx, s.Workspace, s.Evidence)
	return e, err
}

// specify requests a specification. A failure or a timeout is a problem of the
// chart, not an error of the run; an unreadable answer counts as a mistake.
func (n *nodes) specify(ctx *stategraph.Context, s State) (update, error) {
	e, err := n.evidence(ctx, s)
	if err != nil {
		return update{}, err
	}
	timed, cancel := context.WithTimeout(ctx, n.Timeout)
	defer cancel()
	spec, err := n.Specifier.Specify(timed, Request{
		Workspace: s.Workspace, Run: s.Run, Salt: s.Salt, Prompts: s.Prompts, Question: s.Question, Task: s.Figure.Task, Evidence: e, Before: s.Specification, Mistakes: s.Mistakes,
	}, ctx.Emit)
	var unreadable *UnreadableError
	switch {
	case err == nil:
		return state.Merge(n.specification.Set(&spec), n.mistakes.Set([]string{}), n.attempts.Add(1)), nil
	case ctx.Err() != nil:
		return update{}, err
	case errors.As(err, &unreadable):
		return state.Merge(n.specification.Set(nil), n.mistakes.Set([]string{strings.ToUpper(unreadable.Why[:1]) + unreadable.Why[1:] + "."}), n.attempts.Add(1)), nil
	case timed.Err() != nil:
		return n.problem.Set(fmt.Sprintf("The chart was not ready within %s.", inWords(n.Timeout))), nil
	}
	return n.problem.Set("The chart could not be made: " + domain.InWords(err)), nil
}

func inWords(d time.Duration) string {
	if d >= time.Second && d%time.Second == 0 {
		return domain.Counted(int(d/time.Second), "second", "seconds")
	}
	return d.String()
}

// validate builds the chart or records the mistakes.
func (n *nodes) validate(ctx *stategraph.Context, s State) (update, error) {
	mistakes := s.Mistakes
	if s.Specification != nil {
		e, err := n.evidence(ctx, s)
		if err != nil {
			return update{}, err
		}
		var c domain.Chart
		if c, mistakes = Validate(*s.Specification, e); len(mistakes) == 0 {
			ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(points(c), "point", "points") + ", each with its source"})
			return n.chart.Set(&c), nil
		}
	}
	for _, m := range mistakes {
		ctx.Emit(domain.EventNote, domain.Note{Text: m})
	}
	if s.Attempts < maxAttempts {
		return n.mistakes.Set(mistakes), nil
	}
	return state.Merge(n.mistakes.Set(mistakes), n.problem.Set("No chart could be drawn whose numbers all stand in the sources. "+mistakes[0])), nil
}

func points(c domain.Chart) int {
	n := 0
	for _, s := range c.Series {
		n += len(s.Points)
	}
	return n
}

// settle sets the outcome of the figure.
func (n *nodes) settle(ctx *stategraph.Context, s State) (update, error) {
	f := s.Figure
	f.Status, f.Chart = domain.FigureDone, s.Chart
	if s.Chart == nil {
		f.Status, f.Problem = domain.FigureFailed, s.Problem
	}
	ctx.Emit(domain.EventFigure, f)
	return n.figure.Set(f), nil
}
