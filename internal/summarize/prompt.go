package summarize

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

	Map        string `json:"map"`         // system message; Focus, Words
	MapUser    string `json:"map_user"`    // Text of the part
	Reduce     string `json:"reduce"`      // system message of collapsing and of the last step; Focus, Words, Final
	ReduceUser string `json:"reduce_user"` // Summaries, each with Marked
}

var (
	//go:embed prompts/map.tmpl
	mapPrompt string
	//go:embed prompts/map_user.tmpl
	mapUserPrompt string
	//go:embed prompts/reduce.tmpl
	reducePrompt string
	//go:embed prompts/reduce_user.tmpl
	reduceUserPrompt string
)

// DefaultPrompts are the program's own.
func DefaultPrompts() Prompts {
	return Prompts{Version: "1", Map: mapPrompt, MapUser: mapUserPrompt, Reduce: reducePrompt, ReduceUser: reduceUserPrompt}
}

// templates are the parsed prompts.
type templates struct{ mapSystem, mapUser, reduceSystem, reduceUser *template.Template }

func (p Prompts) parse() (templates, error) {
	var t templates
	for _, one := range []struct {
		name, text string
		into       **template.Template
	}{
		{"map", p.Map, &t.mapSystem}, {"map_user", p.MapUser, &t.mapUser},
		{"reduce", p.Reduce, &t.reduceSystem}, {"reduce_user", p.ReduceUser, &t.reduceUser},
	} {
		parsed, err := template.New(one.name).Parse(one.text)
		if err != nil {
			return t, domain.Because(domain.Invalid, err, "The summary prompt %s is no valid template: %v.", one.name, err)
		}
		*one.into = parsed
	}
	return t, nil
}

// render fills a template in.
func render(t *template.Template, data any) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", domain.Because(domain.Invalid, err, "The summary prompt %s can't be filled in: %v.", t.Name(), err)
	}
	return strings.TrimSpace(b.String()), nil
}
