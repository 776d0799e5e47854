package answer

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// promptVersion must change with any prompt: model calls are recorded under it.
const promptVersion = "2"

// prompts holds the templates, by file name without extension.
type prompts struct{ all *template.Template }

func parsePrompts() (prompts, error) {
	all, err := template.New("").Funcs(template.FuncMap{"join": strings.Join}).ParseFS(promptFiles, "prompts/*.tmpl")
	if err != nil {
		return prompts{}, fmt.Errorf("parse the prompts of answering: %w", err)
	}
	return prompts{all}, nil
}

func (p prompts) render(name string, data any) (string, error) {
	var b strings.Builder
	if err := p.all.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		return "", fmt.Errorf("fill in the prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}
