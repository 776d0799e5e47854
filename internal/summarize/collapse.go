package summarize

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// shouldCollapse collapses once more if the summaries are too long for one
// account and rounds are left.
func (n *nodes) shouldCollapse(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if tokens(s.Collapsed) <= TokenMax || s.MaxCollapses > 0 && s.Rounds >= s.MaxCollapses {
		return stategraph.Choose[State](caseFits), nil
	}
	return stategraph.Choose[State](caseTooLong), nil
}

// collapse reduces each group of summaries to one, up to AtOnce groups at a
// time.
func (n *nodes) collapse(ctx *stategraph.Context, s State) (update, error) {
	fitting, err := n.split(ctx, s.Collapsed)
	if err != nil {
		return update{}, err
	}
	groups := grouped(fitting)
	ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("Round %d: %s of %d tokens together, in %s.", s.Rounds+1,
		domain.Counted(len(s.Collapsed), "summary", "summaries"), tokens(s.Collapsed), domain.Counted(len(groups), "group", "groups"))})
	summaries := make([]Summary, len(groups))
	calls, callCtx := errgroup.WithContext(ctx)
	calls.SetLimit(n.AtOnce)
	for i, group := range groups {
		calls.Go(func() (err error) {
			n.pauses.Begin(string(s.Run))
			defer func() { n.pauses.End(ctx, string(s.Run), err) }()
			if err = callCtx.Err(); err == nil {
				summaries[i], err = n.reduce(callCtx, s, group, ctx.Emit)
			}
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return update{}, err
	}
	var warnings []string
	for i, x := range summaries {
		if x.Cut != "" {
			warnings, summaries[i].Cut = append(warnings, "An account of parts is not whole: "+x.Cut), ""
		}
	}
	return state.Merge(n.collapsed.Set(summaries), n.rounds.Add(1), n.warnings.Add(warnings...)), nil
}

// reduce reduces a group to one summary. A short one on its own stays unchanged
// until the next round.
func (n *nodes) reduce(ctx context.Context, s State, group []Summary, emit Emit) (Summary, error) {
	if len(group) == 1 && group[0].Tokens <= TokenMax/2 {
		return group[0], nil
	}
	cut := ""
	sentences, err := n.Summariser.Reduce(ctx, ReduceRequest{Options: s.options(), Summaries: group, DocumentOf: s.documentOf, Warn: func(s string) { cut = s }}, emit)
	if err != nil {
		return Summary{}, err
	}
	if len(sentences) == 0 { // the model said nothing
		sentences = sentencesOf(group)
	}
	summary := n.summary(sentences)
	summary.Cut = cut
	return summary, nil
}

// grouped groups consecutive summaries that fit into one account.
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

// split splits summaries that are too long for one account.
func (n *nodes) split(ctx context.Context, list []Summary) ([]Summary, error) {
	var out []Summary
	for _, s := range list {
		if s.Tokens <= TokenMax {
			out = append(out, s)
			continue
		}
		sentences, err := n.splitSentences(ctx, s.Sentences)
		if err != nil {
			return nil, err
		}
		var open []Sentence
		for _, sentence := range sentences {
			if len(open) > 0 && n.Counter.Count(textOf(append(slices.Clip(open), sentence))) > TokenMax {
				out, open = append(out, n.summary(open)), nil
			}
			open = append(open, sentence)
		}
		out = append(out, n.summary(open))
	}
	return out, nil
}

// splitSentences splits sentences that are too long for one account.
func (n *nodes) splitSentences(ctx context.Context, sentences []Sentence) ([]Sentence, error) {
	var out []Sentence
	for _, sentence := range sentences {
		if n.Counter.Count(sentence.Text) <= TokenMax {
			out = append(out, sentence)
			continue
		}
		cut, err := chunk.Split(ctx, "", domain.Text{Content: sentence.Text}, chunk.Options{Tokens: TokenMax, Counter: n.Counter})
		if err != nil {
			return nil, err
		}
		for _, c := range cut {
			out = append(out, Sentence{Text: c.Text, Parts: sentence.Parts, Paragraph: sentence.Paragraph})
		}
	}
	return out, nil
}
