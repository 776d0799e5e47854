package answer

import (
	"context"
	"embed"
	"errors"
	"text/template"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// promptVersion must change with any prompt: model calls are recorded under it.
const promptVersion = "3"

var prompts = template.Must(template.New("").Funcs(llm.PromptFunctions()).ParseFS(promptFiles, "prompts/*.tmpl"))

// Model is a language model and the mode of asking that it is fit for.
type Model struct {
	Chat    llm.Chat
	Fitness *llm.Fitness
}

// ModelParams assign models to roles. All are required and may be the same.
type ModelParams struct {
	Answer  Model // writes, and specifies charts
	Grade   Model // grades, and checks support
	Rewrite Model // rewords
	Fences  llm.Fences
}

// ModelRoles returns roles over language models. An answer that can't be read is
// asked for once more, and then ignored.
func ModelRoles(p ModelParams) (Roles, error) {
	for _, m := range []Model{p.Answer, p.Grade, p.Rewrite} {
		if m.Chat == nil || m.Fitness == nil {
			return Roles{}, errors.New("answer: a role has no model")
		}
	}
	return Roles{
		Specifier: chart.ModelSpecifier(p.Answer.Chat, p.Answer.Fitness, p.Fences),
		Condenser: modelCondenser{caller{p.Rewrite, p.Fences}},
		Grader:    modelGrader{caller{p.Grade, p.Fences}},
		Rewriter:  modelRewriter{caller{p.Rewrite, p.Fences}},
		Writer:    modelWriter{caller{p.Answer, p.Fences}},
		Supporter: modelSupporter{caller{p.Grade, p.Fences}},
	}, nil
}

// caller renders prompts and calls a model.
type caller struct {
	Model
	fences llm.Fences
}

// plain is the data of a system prompt.
type plain struct{ Plain bool } // the answer is free text

// ask asks for a form, in the mode that the model is fit for, up to twice until
// accept returns true. It reports whether that happened.
func (c caller) ask(ctx context.Context, asked Asked, prompt string, data any, f llm.Form, accept func(string) bool, emit Emit) (bool, error) {
	mode, err := c.Fitness.Mode(ctx)
	if err != nil {
		return false, err
	}
	r, err := c.request(asked, prompt, plain{mode == llm.ModePrompt}, data)
	if err != nil {
		return false, err
	}
	f.Apply(&r, mode)
	for range 2 {
		answer, err := llm.Ask(ctx, c.Chat, r, emit)
		if err != nil {
			return false, err
		}
		said := f.Output(answer)
		if accept(said) {
			return true, nil
		}
		r.Messages = append(r.Messages,
			llm.Message{Role: llm.Assistant, Text: said},
			llm.Message{Role: llm.User, Text: "That could not be read, or was tried before. Answer again, in exactly the form asked for."})
	}
	return false, nil
}

// request renders the system and the user message of a prompt.
func (c caller) request(asked Asked, prompt string, systemData, userData any) (llm.Request, error) {
	system, err := c.render(prompt, systemData)
	if err != nil {
		return llm.Request{}, err
	}
	user, err := c.render(prompt+"_user", userData)
	if err != nil {
		return llm.Request{}, err
	}
	return llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}},
		Prompt:   prompt + "/" + promptVersion,
		Salt:     asked.Salt,
		Owner:    domain.CallOwner{Workspace: asked.Workspace, Run: asked.Run},
	}, nil
}

func (c caller) render(prompt string, data any) (string, error) {
	return c.fences.Render(prompts, prompt+".tmpl", data)
}
