package answer

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

// Model is a language model and the mode of asking that it is fit for.
type Model struct {
	Chat    llm.Chat
	Fitness *llm.Fitness
}

// ModelParams assign models to roles. All are required and may be the same.
type ModelParams struct {
	Answer  Model // writes, and specifies charts
	Grade   Model // grades, puts in order, and checks support
	Rewrite Model // rewords
	Prompts *prompts.Book
}

// ModelRoles returns roles over language models. An answer that can't be read is
// asked for once more, and then ignored.
func ModelRoles(p ModelParams) (Roles, error) {
	for _, m := range []Model{p.Answer, p.Grade, p.Rewrite} {
		if m.Chat == nil || m.Fitness == nil {
			return Roles{}, errors.New("answer: a role has no model")
		}
	}
	grader, writer := modelGrader{caller{p.Grade, p.Prompts}}, modelWriter{caller{p.Answer, p.Prompts}}
	condenser := modelCondenser{caller{p.Rewrite, p.Prompts}}
	return Roles{
		Understander: condenser,

		Specifier:  chart.ModelSpecifier(p.Answer.Chat, p.Answer.Fitness, p.Prompts),
		Condenser:  condenser,
		Decomposer: modelDecomposer{caller{p.Rewrite, p.Prompts}},
		Grader:     grader,
		Ranker:     modelRanker{caller{p.Grade, p.Prompts}},
		Many:       grader,
		Rewriter:   modelRewriter{caller{p.Rewrite, p.Prompts}},
		Writer:     writer,
		Reviser:    writer,
		Supporter:  modelSupporter{caller{p.Grade, p.Prompts}},
	}, nil
}

// caller fills in prompts and calls a model.
type caller struct {
	Model
	prompts *prompts.Book
}

// ask asks for a form, in the mode that the model is fit for, up to twice until
// accept returns true. It reports whether that happened, and if it did not, why: how the
// last answer ended, "" if it was whole.
func (c caller) ask(ctx context.Context, asked Asked, role string, data any, f llm.Form, accept func(string) bool, emit Emit) (accepted bool, cut string, err error) {
	err = c.Fitness.Ask(ctx, noting(emit), func(mode llm.Mode) error {
		r, err := c.request(ctx, asked, role, modeData{mode == llm.ModePrompt}, data)
		if err != nil {
			return err
		}
		f.Apply(&r, mode)
		accepted, cut, err = c.askTwice(ctx, r, f, accept, emit)
		return err
	})
	return accepted, cut, err
}

func (c caller) askTwice(ctx context.Context, r llm.Request, f llm.Form, accept func(string) bool, emit Emit) (accepted bool, cut string, err error) {
	for range 2 {
		answer, err := llm.Ask(ctx, c.Chat, r, emit)
		if err != nil {
			return false, "", err
		}
		said := f.Output(answer)
		accepted = accept(said)
		if cut = answer.Cut(); cut != "" {
			noting(emit)(cut)
		}
		if accepted || answer.Refused() {
			return accepted, cut, nil
		}
		r.Messages = append(r.Messages,
			llm.Message{Role: llm.Assistant, Text: said},
			llm.Message{Role: llm.User, Text: "That could not be read, or was tried before. Answer again, in exactly the form asked for."})
	}
	return false, cut, nil
}

// noting returns a function that puts a sentence into the trace.
func noting(emit Emit) func(string) {
	return func(sentence string) { emit(domain.EventNote, domain.Note{Text: sentence}) }
}

// request fills in the system and the user message of a role.
func (c caller) request(ctx context.Context, asked Asked, role string, system, user any) (llm.Request, error) {
	text, err := c.prompts.Text(ctx, asked.Workspace, role, asked.Prompts)
	if err != nil {
		return llm.Request{}, err
	}
	messages, err := llm.Messages(text, prompts.SystemPart, system, prompts.UserPart, user)
	return llm.Request{
		Messages: messages,
		Prompt:   role + "/" + text.Version,
		Salt:     asked.Salt,
		Owner:    domain.CallOwner{Workspace: asked.Workspace, Run: asked.Run},
	}, err
}
