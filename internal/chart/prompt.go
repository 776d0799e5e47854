package chart

import (
	_ "embed"
	"strings"
	"text/template"

	"github.com/clewhq/clew/internal/domain"
)

// Prompts are the words with which a model is asked. Each template can be
// replaced whole; the version is part of what an answer is recorded under, so
// whoever changes the words changes the version too.
type Prompts struct {
	Version string `json:"version"`

	Specify     string `json:"specify"`      // system message; Plain, Counts
	SpecifyUser string `json:"specify_user"` // Passages, Counts, Question, Task, Before, Mistakes
}

var (
	//go:embed prompts/specify.tmpl
	specifyPrompt string
	//go:embed prompts/specify_user.tmpl
	specifyUserPrompt string
)

// DefaultPrompts are the program's own.
func DefaultPrompts() Prompts {
	return Prompts{Version: "1", Specify: specifyPrompt, SpecifyUser: specifyUserPrompt}
}

// templates are the parsed prompts.
type templates struct{ system, user *template.Template }

func (p Prompts) parse() (t templates, err error) {
	if t.system, err = parsePrompt("specify", p.Specify); err != nil {
		return t, err
	}
	t.user, err = parsePrompt("specify_user", p.SpecifyUser)
	return t, err
}

func parsePrompt(name, text string) (*template.Template, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"join": strings.Join}).Parse(text)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The chart prompt %s is no valid template: %v.", name, err)
	}
	return t, nil
}

// render fills a template in.
func render(t *template.Template, data any) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", domain.Because(domain.Invalid, err, "The chart prompt %s can't be filled in: %v.", t.Name(), err)
	}
	return strings.TrimSpace(b.String()), nil
}
