package answer

import (
	"context"
	"encoding/json"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

// modelRanker is a Ranker over a model.
type modelRanker struct{ caller }

var _ Ranker = modelRanker{}

var rankForm = llm.Form{
	Name:        "order_passages",
	Description: "Puts the passages in the order in which they help to answer the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{"order":{"type":"array","items":{"type":"integer"},` +
		`"description":"numbers of passages, the best first"}},"required":["order"],"additionalProperties":false}`),
}

// Rank asks for the whole order in one call. Two unreadable answers give none.
func (m modelRanker) Rank(ctx context.Context, asked Asked, passages []domain.Passage, emit Emit) ([]int, error) {
	data := rankData{Question: prompts.Fence("question", asked.Question)}
	for i, p := range passages {
		data.Passages = append(data.Passages, rankedData{Number: i + 1, Title: prompts.Fence("title", p.Title), Text: prompts.Fence("passage", p.Text)})
	}
	var order []int
	_, _, err := m.ask(ctx, asked, RoleRerank, data, rankForm, func(said string) bool {
		order, _ = parseNumbers(said, "order", len(passages))
		return len(order) > 0
	}, emit)
	for i := range order {
		order[i]--
	}
	return order, err
}
