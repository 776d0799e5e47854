package extract

import (
	_ "embed"
	"encoding/json"
	"strings"
	"text/template"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Prompts are the templates of a model's messages. Answers are recorded under
// the version, so a change of a template needs a new version.
type Prompts struct {
	Version string `json:"version"`

	Structured string `json:"structured"` // system message of the tool and schema modes
	Plain      string `json:"plain"`      // system message of the prompt mode
	Chunk      string `json:"chunk"`      // user message: title, headings, text before, passage
	Repair     string `json:"repair"`     // user message after an answer that can't be parsed
	Glean      string `json:"glean"`      // user message that asks for what was missed
}

var (
	//go:embed prompts/structured.tmpl
	structuredPrompt string
	//go:embed prompts/plain.tmpl
	plainPrompt string
	//go:embed prompts/chunk.tmpl
	chunkPrompt string
	//go:embed prompts/repair.tmpl
	repairPrompt string
	//go:embed prompts/glean.tmpl
	gleanPrompt string
)

// DefaultPrompts returns the built-in prompts.
func DefaultPrompts() Prompts {
	return Prompts{
		Version:    "2",
		Structured: structuredPrompt,
		Plain:      plainPrompt,
		Chunk:      chunkPrompt,
		Repair:     repairPrompt,
		Glean:      gleanPrompt,
	}
}

func defaultDescriptions() Descriptions {
	return Descriptions{
		ID:         "The most complete name of the entity, as people write it; no number, no code.",
		Label:      "What kind of thing the entity is.",
		Aliases:    "Other forms by which the passage names the entity.",
		Type:       "How the source stands to the target, in capitals with underscores.",
		Properties: "What the passage says of it that is no entity of its own.",
	}
}

func defaultExamples() []Example {
	return []Example{
		{
			Text: "Ada Brandt, who was born in Lübeck, founded the ferry company Nordlicht in 1974 and ran it until her brother Jens took over.",
			Facts: []Fact{
				{"Ada Brandt", "Person", "BORN_IN", "Lübeck", "Place"},
				{"Ada Brandt", "Person", "FOUNDED", "Nordlicht", "Organization"},
				{"Ada Brandt", "Person", "RAN", "Nordlicht", "Organization"},
				{"Jens Brandt", "Person", "BROTHER_OF", "Ada Brandt", "Person"},
				{"Jens Brandt", "Person", "TOOK_OVER", "Nordlicht", "Organization"},
			},
		},
		{
			Text: "The Tamar Bridge crosses the river Tamar. It was opened by the Queen Mother.",
			Facts: []Fact{
				{"Tamar Bridge", "Structure", "CROSSES", "Tamar", "River"},
				{"Queen Mother", "Person", "OPENED", "Tamar Bridge", "Structure"},
			},
		},
	}
}

// The names of the templates.
const (
	structuredName = "structured"
	plainName      = "plain"
	chunkName      = "chunk"
	repairName     = "repair"
	gleanName      = "glean"
)

func (p Prompts) parse() (*template.Template, error) {
	t := template.New("").Funcs(llm.PromptFunctions()).Funcs(template.FuncMap{"json": asJSON})
	for name, text := range map[string]string{structuredName: p.Structured, plainName: p.Plain, chunkName: p.Chunk, repairName: p.Repair, gleanName: p.Glean} {
		if _, err := t.New(name).Parse(text); err != nil {
			return nil, domain.Because(domain.Invalid, err, "The extraction prompt %s is not a valid template: %v.", name, err)
		}
	}
	return t, nil
}

// hash identifies the texts of the prompts.
func (p Prompts) hash() string {
	return domain.Hash([]byte(strings.Join([]string{p.Version, p.Structured, p.Plain, p.Chunk, p.Repair, p.Glean}, "\x00")))
}

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// render fills in a template.
func (m *Model) render(name string, data any) (string, error) {
	text, err := m.Fences.Render(m.templates, name, data)
	if err != nil {
		return "", domain.Because(domain.Invalid, err, "The extraction prompt %s can't be filled in: %v.", name, err)
	}
	return text, nil
}
