package answer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

// modelGrader is a Grader over a model.
type modelGrader struct{ caller }

var _ Grader = modelGrader{}

var gradeForm = llm.Form{
	Name:        "grade_passage",
	Description: "Reports whether the passage helps to answer the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"binary_score":{"type":"string","enum":["yes","no"],"description":"yes when the passage helps to answer the question"},` +
		`"reason":{"type":"string","description":"why, in a few words"}},` +
		`"required":["binary_score","reason"],"additionalProperties":false}`),
}

// Grade asks for yes or no with a reason. Two unreadable answers leave the passage
// ungraded.
func (g modelGrader) Grade(ctx context.Context, r GradeRequest, emit Emit) (domain.Grade, error) {
	grade := domain.Grade{Verdict: domain.Ungraded, Reason: "the model's grade could not be read"}
	read, cut, err := g.ask(ctx, r.Asked, RoleGrade, gradingData(r), gradeForm, func(said string) bool {
		read, ok := parseGrade(said)
		if ok {
			grade = read
		}
		return ok
	}, emit)
	if !read && cut != "" {
		grade.Reason = cut
	}
	return grade, err
}

var gradeManyForm = llm.Form{
	Name:        "grade_passages",
	Description: "Reports for each numbered passage whether it helps to answer the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{"grades":{"type":"array","items":{"type":"object","properties":{` +
		`"passage":{"type":"integer","description":"number of the passage"},` +
		`"binary_score":{"type":"string","enum":["yes","no"],"description":"yes when the passage helps to answer the question"},` +
		`"reason":{"type":"string","description":"why, in a few words"}},` +
		`"required":["passage","binary_score","reason"],"additionalProperties":false}}},"required":["grades"],"additionalProperties":false}`),
}

// GradeMany implements ManyGrader.
func (g modelGrader) GradeMany(ctx context.Context, asked Asked, passages []GradeRequest, emit Emit) ([]domain.Grade, error) {
	data := gradeManyData{Question: prompts.Fence("question", asked.Question)}
	for i, r := range passages {
		one := gradingData(r)
		data.Passages = append(data.Passages, gradedData{Number: i + 1, Title: one.Title, Page: one.Page, Text: one.Text, Names: one.Names})
	}
	grades := make([]domain.Grade, len(passages))
	_, cut, err := g.ask(ctx, asked, RoleGradeMany, data, gradeManyForm, func(said string) bool {
		grades = parseGrades(said, len(passages))
		return slices.ContainsFunc(grades, func(g domain.Grade) bool { return g.Verdict != domain.Ungraded })
	}, emit)
	for i := range grades {
		if grades[i].Verdict == domain.Ungraded && cut != "" {
			grades[i].Reason = cut
		}
	}
	return grades, err
}

// Bounds on the other candidates shown to a grader.
const (
	maxOthers      = 7
	maxOtherLength = 160 // code points
)

// beginning returns what a text begins with, on one line.
func beginning(text string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(text) {
		if b.Len() > utf8.UTFMax*maxOtherLength {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return domain.Cut(b.String(), maxOtherLength)
}

func gradingData(r GradeRequest) gradeData {
	var names, others []string
	for _, h := range r.Path {
		names = append(names, h.Name)
	}
	for _, p := range r.Candidates {
		if p.ID != r.Passage.ID && len(others) < maxOthers {
			others = append(others, "- "+oneLine(p.Title)+": "+beginning(p.Text))
		}
	}
	return gradeData{
		Question: prompts.Fence("question", r.Question), Title: prompts.Fence("title", r.Passage.Title), Page: r.Passage.PagesOf(r.Passage.Span), Text: prompts.Fence("passage", r.Passage.Text),
		Names: prompts.Fence("names", strings.Join(names, ", ")), Others: prompts.Fence("candidates", strings.Join(others, "\n")),
	}
}
