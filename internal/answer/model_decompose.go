package answer

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

// modelDecomposer is a Decomposer over a model.
type modelDecomposer struct{ caller }

var _ Decomposer = modelDecomposer{}

var decomposeForm = llm.Form{
	Name:        "plan_searches",
	Description: "Lists the questions to search for one after the other. None, if one search can answer the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{"questions":{"type":"array","items":{"type":"string"},` +
		`"description":"the questions in order; #1 stands for the answer to the first"}},"required":["questions"],"additionalProperties":false}`),
}

var stepForm = llm.Form{
	Name:        "report_finding",
	Description: "Reports what the passages answer.",
	Schema: json.RawMessage(`{"type":"object","properties":{"finding":{"type":"string",` +
		`"description":"the answer in a few words, empty if the passages don't hold it"}},"required":["finding"],"additionalProperties":false}`),
}

// Decompose asks for the questions. What can't be read leaves the question whole.
func (m modelDecomposer) Decompose(ctx context.Context, asked Asked, emit Emit) ([]string, error) {
	var questions []string
	data := decomposeData{Question: prompts.Fence("question", asked.Question)}
	read, _, err := m.ask(ctx, asked, RoleDecompose, data, decomposeForm, func(said string) (ok bool) {
		questions, ok = parseQuestions(said)
		return ok
	}, emit)
	if !read {
		return nil, err
	}
	return questions, err
}

// Settle asks for the finding. What can't be read is none.
func (m modelDecomposer) Settle(ctx context.Context, asked Asked, passages []domain.Passage, emit Emit) (string, error) {
	finding := ""
	_, _, err := m.ask(ctx, asked, RoleStep, stepData{prompts.Fence("question", asked.Question), numbered(passages)}, stepForm, func(said string) (ok bool) {
		finding, ok = parseFinding(said)
		return ok
	}, emit)
	return finding, err
}

// listed is a line of a list: "1. Who built it?" or "- Who built it?".
var listed = regexp.MustCompile(`^\s*(?:\d+[.):]|[-*•])\s*(.+)`)

// parseQuestions returns the questions in a model's answer; "none" is an empty list.
func parseQuestions(said string) ([]string, bool) {
	if o, whole, ok := llm.ReadObject(said, "questions"); ok {
		var questions []string
		for _, v := range o.List("questions") {
			if q := llm.Scalar(v); q != "" {
				questions = append(questions, q)
			}
		}
		return questions, whole
	}
	var questions []string
	for line := range strings.Lines(said) {
		if at := listed.FindStringSubmatch(line); at != nil {
			questions = append(questions, at[1])
		}
	}
	return questions, len(questions) > 0 || noneSaid.MatchString(said)
}

// parseFinding returns the finding in a model's answer; "none" is none.
func parseFinding(said string) (string, bool) {
	said = strings.TrimSpace(said)
	ok := said != ""
	if v, whole, err := llm.ReadJSON(said, isObject); err == nil {
		o, _ := v.(llm.Object)
		said, ok = o.Text("finding"), whole && o.Has("finding")
	}
	said = llm.Unwrap(said)
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if noneSaid.MatchString(line) {
		return "", ok
	}
	return strings.TrimRight(strings.Trim(oneLine(line), "\"'`“”"), "."), ok
}
