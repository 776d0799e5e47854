package schemas

import (
	"embed"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
)

//go:embed templates/*.yaml
var templateFiles embed.FS

// A Template is a schema to start from.
type Template struct {
	Name  string `json:"name"` // for addresses and commands
	Title string `json:"title"`
	About string `json:"about"` // its purpose
}

// Templates lists the templates.
func Templates() []Template {
	return []Template{
		{"people", "People and organisations", "Who works where, who founded and leads what, who knows whom."},
		{"papers", "Research papers", "Who wrote it, what it proposes, on which data, with what result."},
		{"contracts", "Contracts", "Who owes what to whom, by when, and how it ends. Strict."},
		{"minutes", "Minutes", "Who was there, what was decided, who is to do what, what it cost."},
		{"incidents", "Incidents", "What failed, why, what came of it, who did what."},
		{"software", "Software docs", "Components, what they need and offer, settings, errors."},
	}
}

// Guide returns the schema of the template.
func (t Template) Guide() (extract.Guide, error) {
	data, err := templateFiles.ReadFile("templates/" + t.Name + ".yaml")
	if err != nil {
		return extract.Guide{}, fmt.Errorf("open a template: %w", err)
	}
	return Read(data)
}

// FindTemplate returns the template of a name, or an error of kind NotFound.
func FindTemplate(name string) (Template, error) {
	for _, t := range Templates() {
		if t.Name == name {
			return t, nil
		}
	}
	return Template{}, domain.Errorf(domain.NotFound, "There is no template %q. The page Schema and clew schema templates list them.", name)
}
