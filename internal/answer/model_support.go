package answer

import (
	"context"
	"encoding/json"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// modelSupporter is a Supporter over a model.
type modelSupporter struct{ caller }

var _ Supporter = modelSupporter{}

var supportForm = llm.Form{
	Name:        "report_support",
	Description: "Reports which sentences are supported by their quotations.",
	Schema: json.RawMessage(`{"type":"object","properties":{"supported":{"type":"array","items":{"type":"integer"},` +
		`"description":"numbers of the supported sentences"}},"required":["supported"],"additionalProperties":false}`),
}

// numberedClaim is a claim with the number that a model reports it by.
type numberedClaim struct {
	Claim
	Number int
}

// Support asks about all sentences with quotations at once. An unreadable answer
// supports none.
func (m modelSupporter) Support(ctx context.Context, asked Asked, claims []Claim, emit Emit) ([]bool, error) {
	verdicts := make([]bool, len(claims))
	data := struct {
		Question string
		Claims   []numberedClaim
	}{Question: asked.Question}
	for i, c := range claims {
		if len(c.Quotes) > 0 {
			data.Claims = append(data.Claims, numberedClaim{c, i + 1})
		}
	}
	if len(data.Claims) == 0 {
		return verdicts, nil
	}
	read, err := m.ask(ctx, asked, "support", data, supportForm, func(said string) bool {
		numbers, ok := parseNumbers(said, "supported", len(claims))
		for _, n := range numbers {
			verdicts[n-1] = true
		}
		return ok
	}, emit)
	if err == nil && !read {
		emit(domain.EventNote, domain.Note{Text: "the model's check could not be read, so no sentence counts as supported"})
	}
	return verdicts, err
}
