package answer

import (
	"context"
	"encoding/json"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

// modelSupporter is a Supporter over a model.
type modelSupporter struct{ caller }

var _ Supporter = modelSupporter{}

var supportForm = llm.Form{
	Name:        "report_support",
	Description: "Reports which sentences are supported by their quotations.",
	Schema: json.RawMessage(`{"type":"object","properties":{"supported":{"type":"array","items":{"type":"integer"},` +
		`"description":"numbers of the supported sentences"},` +
		`"problems":{"type":"array","description":"what is wrong with each of the others","items":{"type":"object","properties":{` +
		`"sentence":{"type":"integer"},"problem":{"type":"string","description":"what its quotations don't say, in a few words"}},` +
		`"required":["sentence","problem"],"additionalProperties":false}}},"required":["supported","problems"],"additionalProperties":false}`),
}

// Support asks about all sentences with quotations at once. An unreadable answer
// supports none.
func (m modelSupporter) Support(ctx context.Context, asked Asked, claims []Claim, emit Emit) ([]Support, error) {
	found := make([]Support, len(claims))
	data := supportData{Question: prompts.Fence("question", asked.Question)}
	for i, c := range claims {
		claim := claimData{Number: i + 1, Text: prompts.Fence("sentence", c.Text)}
		for _, q := range c.Quotes {
			claim.Quotes = append(claim.Quotes, prompts.Fence("quotation", q))
		}
		if len(claim.Quotes) > 0 {
			data.Claims = append(data.Claims, claim)
		}
	}
	if len(data.Claims) == 0 {
		return found, nil
	}
	read, cut, err := m.ask(ctx, asked, RoleSupport, data, supportForm, func(said string) bool {
		numbers, ok := parseNumbers(beforeProblems(said), "supported", len(claims))
		for _, n := range numbers {
			found[n-1].OK = true
		}
		for n, problem := range parseProblems(said, len(claims)) {
			found[n-1].Reason = problem
		}
		return ok
	}, emit)
	for i := range found {
		if err == nil && !read && cut != "" {
			found[i].Reason = cut
		}
	}
	if err == nil && !read {
		emit(domain.EventNote, domain.Note{Text: "the model's check could not be read, so no sentence counts as supported"})
	}
	return found, err
}
