package summarize

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/chunk"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// shouldCollapse decides whether the summaries fit into one account. After
// MaxCollapses rounds it has to do with what there is.
func (n *nodes) shouldCollapse(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if tokens(s.Collapsed) <= TokenMax || s.MaxCollapses > 0 && s.Rounds >= s.MaxCollapses {
		return stategraph.Choose[State](caseFits), nil
	}
	return stategraph.Choose[State](caseTooLong), nil
}

// collapse makes one account of each group of summaries. Groups are at work at
// the same time, as many as AtOnce says, and stay in their order.
func (n *nodes) collapse(ctx *stategraph.Context, s State) (update, error) {
	groups := grouped(n.pieces(s.Collapsed))
	ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("Round %d: %s of %d tokens together, in %s.", s.Rounds+1,
		domain.Counted(len(s.Collapsed), "summary", "summaries"), tokens(s.Collapsed), domain.Counted(len(groups), "group", "groups"))})
	made := make([]Summary, len(groups))
	err := each(ctx, len(groups), n.AtOnce, func(call context.Context, i int) (err error) {
		made[i], err = n.account(call, s, groups[i], ctx.Emit)
		return err
	})
	if err != nil {
		return update{}, err
	}
	return state.Merge(n.collapsed.Set(made), n.rounds.Add(1)), nil
}

// account makes one summary of a group. A short one that is alone waits for
// company as it is.
func (n *nodes) account(ctx context.Context, s State, group []Summary, emit Emit) (Summary, error) {
	if len(group) == 1 && group[0].Tokens <= TokenMax/2 {
		return group[0], nil
	}
	lines, err := n.Summariser.Reduce(ctx, ReduceRequest{Asked: s.asked(), Summaries: group}, emit)
	if err != nil {
		return Summary{}, err
	}
	if len(lines) == 0 { // nothing is lost because a model had nothing to say
		for _, x := range group {
			lines = append(lines, x.Lines...)
		}
	}
	return n.summary(lines), nil
}

// grouped parts summaries, in order, into groups that fit into one account.
func grouped(list []Summary) [][]Summary {
	var groups [][]Summary
	size := 0
	for _, s := range list {
		if last := len(groups) - 1; last >= 0 && size+s.Tokens <= TokenMax {
			groups[last] = append(groups[last], s)
			size += s.Tokens
			continue
		}
		groups, size = append(groups, []Summary{s}), s.Tokens
	}
	return groups
}

// pieces splits summaries that are too long by themselves for one account.
func (n *nodes) pieces(list []Summary) []Summary {
	var out []Summary
	for _, s := range list {
		if s.Tokens <= TokenMax {
			out = append(out, s)
			continue
		}
		var open []Line
		for _, line := range n.short(s.Lines) {
			if len(open) > 0 && n.Counter.Count(textOf(append(slices.Clip(open), line))) > TokenMax {
				out, open = append(out, n.summary(open)), nil
			}
			open = append(open, line)
		}
		out = append(out, n.summary(open))
	}
	return out
}

// short cuts lines that are too long by themselves.
func (n *nodes) short(lines []Line) []Line {
	var out []Line
	for _, line := range lines {
		if n.Counter.Count(line.Text) <= TokenMax {
			out = append(out, line)
			continue
		}
		for _, c := range chunk.Split("", domain.Text{Content: line.Text}, chunk.Options{Tokens: TokenMax, Counter: n.Counter}) {
			out = append(out, Line{Text: c.Text, Parts: line.Parts, Paragraph: line.Paragraph})
		}
	}
	return out
}

// each calls f for every number below n, most of them at the same time, until
// one fails, and returns the error of the first that did.
func each(ctx context.Context, n, most int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, most)
	var wg sync.WaitGroup
	for i := range n {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := f(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
