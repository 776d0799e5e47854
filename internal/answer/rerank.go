package answer

import (
	"context"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
)

// reranks reports whether a model puts what is found in order. A question that names a
// method keeps that method's order.
func (n *nodes) reranks(s State) bool {
	return n.Rerank > 0 && n.Roles.Ranker != nil && s.Method == domain.MethodDefault
}

// What a model takes to order passages besides their texts, in tokens of its answer for
// each.
const tokensOfPlace = 4

// rerank has a model put the first passages of a search in order, and keeps as many of
// all as limit says. If there is no order, the passages stay as they were found, and the
// trace says why.
func (n *nodes) rerank(ctx *stategraph.Context, s State, found retrieve.Result, limit int, emit Emit) (retrieve.Result, error) {
	start := n.Now()
	list := found.Passages[:min(len(found.Passages), n.Rerank)]
	ids := make([]domain.ChunkID, len(list))
	for i, p := range list {
		ids[i] = p.Chunk
	}
	passages, err := n.Passages.Passages(ctx, s.Workspace, ids)
	if err != nil {
		return found, err
	}
	report := domain.Method{Name: domain.MethodRerank, Candidates: len(passages)}
	switch {
	case len(passages) < 2:
		report.Reason = "there is nothing to put in order"
	case !n.affordsOrder(ctx, s, passages):
		report.Reason = "the order stays, for the cap of the question leaves too little to ask a model"
	default:
		order, err := n.Roles.Ranker.Rank(ctx, s.searching(), passages, emit)
		if err != nil {
			return found, err
		}
		report.Reason = "the order stays, for the model's could not be read"
		if len(order) > 0 {
			report.Reason = fmt.Sprintf("a model moved %d of %d", inOrder(list, passages, order), len(list))
		}
	}
	for _, p := range list {
		report.Ranked = append(report.Ranked, p.Chunk)
	}
	found.Passages = found.Passages[:min(len(found.Passages), limit)]
	report.Took = n.Now().Sub(start)
	ctx.Emit(domain.EventMethod, report)
	found.Methods = append(found.Methods, report)
	return found, nil
}

// inOrder puts those of list first that order names by their places in passages, the
// others after them as they were, and returns how many have another place. Each place
// keeps its score.
func inOrder(list []domain.FoundPassage, passages []domain.Passage, order []int) (moved int) {
	before, after := slices.Clone(list), make([]domain.FoundPassage, 0, len(list))
	add := func(p domain.FoundPassage) {
		if !slices.ContainsFunc(after, func(x domain.FoundPassage) bool { return x.Chunk == p.Chunk }) {
			after = append(after, p)
		}
	}
	for _, i := range order {
		add(before[slices.IndexFunc(before, func(p domain.FoundPassage) bool { return p.Chunk == passages[i].ID })])
	}
	for _, p := range before {
		add(p)
	}
	for i, p := range after {
		p.Score = before[i].Score
		list[i] = p
		if p.Chunk != before[i].Chunk {
			moved++
		}
	}
	return moved
}

// affordsOrder reports whether what is left of the budget lasts for the call.
func (n *nodes) affordsOrder(ctx context.Context, s State, passages []domain.Passage) bool {
	if s.Budget.Most == 0 {
		return true
	}
	input := tokensOfForm + domain.Runes(s.searching().Question)/runesPerToken
	for _, p := range passages {
		input += (domain.Runes(p.Title) + domain.Runes(p.Text)) / runesPerToken
	}
	return n.cost(ctx, s.Budget, domain.Usage{Input: input, Output: tokensOfPlace * len(passages)}) <= s.Budget.Most-s.Spent
}
