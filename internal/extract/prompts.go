package extract

import (
	_ "embed"
	"encoding/json"
	"strings"
	"text/template"

	"github.com/clewhq/clew/internal/domain"
)

// Prompts are the words with which a model is asked. Each template can be
// replaced whole; the version is part of what an answer is recorded under, so
// whoever changes the words changes the version too.
type Prompts struct {
	Version string `json:"version"`

	Structured string `json:"structured"` // system message of the tool and schema modes
	Plain      string `json:"plain"`      // system message of the prompt mode
	Chunk      string `json:"chunk"`      // user message: title, headings, text before, passage
	Repair     string `json:"repair"`     // asks again after an answer that can't be read

	Instructions string       `json:"instructions"` // added to the system message
	Examples     []Example    `json:"examples"`
	Fields       Descriptions `json:"fields"`
}

// Example is a passage with what it states.
type Example struct {
	Text  string `json:"text"`
	Facts []Fact `json:"facts"`
}

// Fact is one relation in the flat form of the prompt mode.
type Fact struct {
	Head     string `json:"head"`
	HeadType string `json:"head_type"`
	Relation string `json:"relation"`
	Tail     string `json:"tail"`
	TailType string `json:"tail_type"`
}

// Descriptions say what the fields of the structured form mean.
type Descriptions struct {
	ID, Label, Aliases, Type, Properties string
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
)

// DefaultPrompts are the program's own.
func DefaultPrompts() Prompts {
	return Prompts{
		Version:    "1",
		Structured: structuredPrompt,
		Plain:      plainPrompt,
		Chunk:      chunkPrompt,
		Repair:     repairPrompt,
		Examples:   defaultExamples(),
		Fields: Descriptions{
			ID:         "The most complete name of the entity, as people write it; no number, no code.",
			Label:      "What kind of thing the entity is.",
			Aliases:    "Other forms by which the passage names the entity.",
			Type:       "How the source stands to the target, in capitals with underscores.",
			Properties: "What the passage says of it that is no entity of its own.",
		},
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

// templates are the parsed prompts.
type templates struct {
	structured, plain, chunk, repair *template.Template
}

func (p Prompts) parse() (templates, error) {
	var t templates
	for _, one := range []struct {
		name, text string
		into       **template.Template
	}{
		{"structured", p.Structured, &t.structured}, {"plain", p.Plain, &t.plain},
		{"chunk", p.Chunk, &t.chunk}, {"repair", p.Repair, &t.repair},
	} {
		parsed, err := template.New(one.name).Funcs(template.FuncMap{"join": strings.Join, "json": asJSON}).Parse(one.text)
		if err != nil {
			return t, domain.Because(domain.Invalid, err, "The extraction prompt %s is no valid template: %v.", one.name, err)
		}
		*one.into = parsed
	}
	return t, nil
}

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// render fills a template in.
func render(t *template.Template, data any) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", domain.Because(domain.Invalid, err, "The extraction prompt %s can't be filled in: %v.", t.Name(), err)
	}
	return strings.TrimSpace(b.String()), nil
}
