package llm

import (
	"fmt"
	"strings"
	"text/template"
)

// RenderPrompt executes the template of the file name.tmpl and trims the
// result.
func RenderPrompt(templates *template.Template, name string, data any) (string, error) {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		return "", fmt.Errorf("render the prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}
