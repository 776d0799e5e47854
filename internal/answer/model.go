package answer

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Model is a language model with the way of asking that it is fit for.
type Model struct {
	Chat    llm.Chat
	Fitness *llm.Fitness
}

// ModelParams say which model does what. All are required; they may be the
// same.
type ModelParams struct {
	Answer  Model // writes, and specifies charts
	Grade   Model // grades, and checks support
	Rewrite Model // rewords
}

// ModelRoles are the roles over language models. What a model says is text to
// read with care: an answer that can't be read is asked for once more, and
// after that counts for nothing.
func ModelRoles(p ModelParams) (Roles, error) {
	for _, m := range []Model{p.Answer, p.Grade, p.Rewrite} {
		if m.Chat == nil || m.Fitness == nil {
			return Roles{}, errors.New("answer: a role has no model")
		}
	}
	prompts, err := parsePrompts()
	if err != nil {
		return Roles{}, err
	}
	return Roles{
		Specifier: chart.ModelSpecifier(p.Answer.Chat, p.Answer.Fitness),
		Condenser: modelCondenser{caller{p.Rewrite, prompts}},
		Grader:    modelGrader{caller{p.Grade, prompts}},
		Rewriter:  modelRewriter{caller{p.Rewrite, prompts}},
		Writer:    modelWriter{caller{p.Answer, prompts}},
		Supporter: modelSupporter{caller{p.Grade, prompts}},
	}, nil
}

// caller puts questions to a model.
type caller struct {
	Model
	prompts prompts
}

// text asks for free text. OnText, when set, gets it as it comes.
func (c caller) text(ctx context.Context, asked Asked, prompt string, data any, onText func(string), emit Emit) (llm.Response, error) {
	r, err := c.request(asked, prompt, llm.ModePrompt, data)
	if err != nil {
		return llm.Response{}, err
	}
	r.OnText = onText
	return c.complete(ctx, r, emit)
}

// ask asks for data of a form, in the mode that the model is fit for, until
// accept takes the answer: twice at most. It reports whether one was taken.
func (c caller) ask(ctx context.Context, asked Asked, prompt string, data any, f llm.Form, accept func(string) bool, emit Emit) (bool, error) {
	mode, err := c.Fitness.Mode(ctx)
	if err != nil {
		return false, err
	}
	r, err := c.request(asked, prompt, mode, data)
	if err != nil {
		return false, err
	}
	f.Apply(&r, mode)
	for range 2 {
		answer, err := c.complete(ctx, r, emit)
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

// request renders the two messages of a prompt.
func (c caller) request(asked Asked, prompt string, mode llm.Mode, data any) (llm.Request, error) {
	system, err := c.prompts.render(prompt, struct{ Plain bool }{mode == llm.ModePrompt})
	if err != nil {
		return llm.Request{}, err
	}
	user, err := c.prompts.render(prompt+"_user", data)
	if err != nil {
		return llm.Request{}, err
	}
	return c.asking(asked, prompt, system, user), nil
}

// asking is a request of two messages.
func (c caller) asking(asked Asked, prompt, system, user string) llm.Request {
	return llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}},
		Prompt:   prompt + "/" + promptVersion,
		Salt:     asked.Salt,
		Owner:    domain.CallOwner{Workspace: asked.Workspace, Run: asked.Run},
	}
}

// complete makes one call and reports what it took.
func (c caller) complete(ctx context.Context, r llm.Request, emit Emit) (llm.Response, error) {
	answer, err := c.Chat.Complete(ctx, r)
	if err != nil {
		return answer, err
	}
	model := answer.Model
	if model == "" {
		model = c.Chat.Model()
	}
	emit(domain.EventUsage, domain.Usage{Model: model, Input: answer.Usage.Input, Output: answer.Usage.Output, Recorded: answer.Recorded})
	return answer, nil
}
