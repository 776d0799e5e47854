package research

import (
	"context"
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/summarize"
)

//go:embed prompts/research.tmpl
var builtinText string

// The prompt and its parts.
const (
	promptRole   = "research"
	planPart     = "plan"
	gapsPart     = "gaps"
	overviewPart = "overview"
	userMessage  = "_user" // ends the name of the part that contains the material
)

// Prompt returns the prompt of the role.
func Prompt() prompts.Prompt {
	return prompts.Prompt{
		Role: promptRole, About: "Plans the questions of a research, finds what they leave open, and sums up what was found.", Version: "1", Builtin: builtinText,
		Parts: []prompts.Part{
			{Name: planPart, About: "the instructions for a plan", System: true, Data: instructions{}},
			{Name: planPart + userMessage, About: "the question, and what the library has near it", Data: planData{}},
			{Name: gapsPart, About: "the instructions for further questions", System: true, Data: instructions{}},
			{Name: gapsPart + userMessage, About: "the question, and what was found", Data: gapsData{}},
			{Name: overviewPart, About: "the instructions for an overview", System: true, Data: instructions{}},
			{Name: overviewPart + userMessage, About: "the question, and the sentences that were found", Data: overviewData{}},
		},
	}
}

type instructions struct {
	Most int `about:"the most questions to write, a line each, or the most sentences"`
}

type planData struct {
	Question prompts.Outside `about:"the question to be researched" need:"yes"`
	Near     prompts.Outside `about:"titles and headings that the library has near it, a line each, if any"`
}

type gapsData struct {
	Question prompts.Outside   `about:"the question to be researched" need:"yes"`
	Findings []findingData     `about:"the questions asked so far" need:"yes"`
	Near     []prompts.Outside `about:"titles and headings near what was found, a line each, if any"`
}

type findingData struct {
	Question prompts.Outside `about:"a question that was asked" need:"yes"`
	Found    prompts.Outside `about:"what was found, or nothing"`
}

type overviewData struct {
	Question  prompts.Outside `about:"the question that was researched" need:"yes"`
	Sentences prompts.Outside `about:"the sentences that were found, with the numbers of their sources" need:"yes"`
}

const (
	maxOverview = 8    // sentences
	maxAnswer   = 900  // code points of an answer that is searched for gaps
	maxGathered = 9000 // code points of the sentences to sum up
)

// ModelRole returns the role over a language model.
func ModelRole(chat llm.Chat, book *prompts.Book) Role { return modelRole{chat, book} }

type modelRole struct {
	chat    llm.Chat
	prompts *prompts.Book
}

// Plan implements Role.
func (m modelRole) Plan(ctx context.Context, t Task, emit answer.Emit) ([]Question, error) {
	text, err := m.complete(ctx, t, planPart, t.Most, planData{question(t), prompts.Fence("titles", nearLines(t))}, emit)
	return questionsOf(text), err
}

// Gaps implements Role.
func (m modelRole) Gaps(ctx context.Context, t Task, emit answer.Emit) ([]Question, error) {
	data := gapsData{Question: question(t)}
	if near := nearLines(t); near != "" {
		data.Near = []prompts.Outside{prompts.Fence("titles", near)}
	}
	for _, q := range t.Planned {
		asked := findingData{Question: prompts.Fence("question", q.Text)}
		for _, f := range t.Findings {
			if f.N == q.N {
				asked.Found = prompts.Fence("answer", domain.Cut(textOf(f.Sentences), maxAnswer))
			}
		}
		data.Findings = append(data.Findings, asked)
	}
	text, err := m.complete(ctx, t, gapsPart, t.Most, data, emit)
	return questionsOf(text), err
}

// Bearing implements Role. What a model has written for a question is kept.
func (modelRole) Bearing(_ string, sentences []domain.Sentence, _ []domain.Citation) []bool {
	return slices.Repeat([]bool{true}, len(sentences))
}

// Overview implements Role. Each sentence is tied to the sources that its marks name.
func (m modelRole) Overview(ctx context.Context, t Task, r Report, emit answer.Emit) ([]domain.Sentence, error) {
	whole := summarize.Summary{}
	for _, s := range r.Sentences {
		whole.Sentences = append(whole.Sentences, summarize.Sentence{Text: s.Text, Parts: s.Citations})
	}
	text, err := m.complete(ctx, t, overviewPart, maxOverview, overviewData{question(t), prompts.Fence("sentences", domain.Cut(whole.Marked(), maxGathered))}, emit)
	if err != nil {
		return nil, err
	}
	out := []domain.Sentence{}
	for _, s := range summarize.ParseMarked(text, whole.Sentences) {
		if len(out) < maxOverview {
			out = append(out, domain.Sentence{Text: s.Text, Citations: s.Parts})
		}
	}
	return out, nil
}

func question(t Task) prompts.Outside { return prompts.Fence("question", t.Question) }

// nearLines lists the titles and headings of the passages, once each.
func nearLines(t Task) string {
	var lines []string
	seen := map[string]bool{}
	for _, p := range t.Passages {
		line := domain.Cut(domain.OneLine(strings.Join(append([]string{p.Title}, p.Headings...), ": ")), 160)
		if !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func textOf(sentences []domain.Sentence) string {
	return strings.Join(lists.Map(sentences, func(s domain.Sentence) string { return s.Text }), " ")
}

// complete returns the text of one call.
func (m modelRole) complete(ctx context.Context, t Task, part string, most int, data any, emit answer.Emit) (string, error) {
	text, err := m.prompts.Text(ctx, t.Workspace, promptRole, t.Prompts)
	if err != nil {
		return "", err
	}
	messages, err := llm.Messages(text, part, instructions{most}, part+userMessage, data)
	if err != nil {
		return "", err
	}
	said, err := llm.Ask(ctx, m.chat, llm.Request{Messages: messages, Prompt: part + "/" + text.Version, Salt: t.Salt, Owner: domain.CallOwner{Workspace: t.Workspace, Run: t.Run}}, emit)
	if err != nil {
		return "", err
	}
	if err := said.Unusable(); err != nil {
		return "", err
	}
	return llm.Unwrap(said.Text), nil
}

// listMark matches what a list puts before an item.
var listMark = regexp.MustCompile(`^(?:[-*•]|\(?\d{1,2}[.):])\s+`)

// questionsOf reads a question from each line. Lines without an end mark of a question introduce others, or say that there are none.
func questionsOf(text string) (all []Question) {
	for line := range strings.Lines(text) {
		line = strings.Trim(listMark.ReplaceAllString(strings.TrimSpace(line), ""), "*\"“” ")
		if strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？") || strings.HasSuffix(line, "؟") {
			all = append(all, Question{Text: line})
		}
	}
	return all
}
