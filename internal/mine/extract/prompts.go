package extract

import (
	_ "embed"

	"github.com/clewhq/clew/internal/prompts"
)

//go:embed prompts/extract.tmpl
var builtinText string

// PromptRole names the prompt.
const PromptRole = "extract"

// The parts of the prompt.
const (
	structuredPart = "structured"
	plainPart      = "plain"
	userPart       = "user"
	repairPart     = "repair"
	gleanPart      = "glean"
)

// Prompt returns the prompt of the extractor. Answers are recorded under its
// version, so a change of its text needs a new one.
func Prompt() prompts.Prompt {
	return prompts.Prompt{
		Role: PromptRole, About: "Finds the entities and relations that a passage states.", Version: "3", Builtin: builtinText,
		Parts: []prompts.Part{
			{Name: structuredPart, About: "the instructions, if the model answers by a tool or in a JSON schema", System: true, Data: instructionData{}},
			{Name: plainPart, About: "the instructions, if it answers in plain text", System: true, Data: instructionData{}},
			{Name: userPart, About: "the passage", Data: passageData{}},
			{Name: repairPart, About: "the reply to an answer that can't be read", Data: repairData{}},
			{Name: gleanPart, About: "the question for what was missed, if the schema asks for it", Data: gleanData{}},
		},
	}
}

type instructionData struct {
	Labels       []string  `about:"labels of the schema, if it has any" need:"yes"`
	Types        []string  `about:"types of relations of the schema, if it has any" need:"yes"`
	Triples      []string  `about:"combinations of labels and types of the schema, if it has any"`
	Properties   []string  `about:"properties of the schema, if it has any"`
	Meanings     []string  `about:"what labels and types of the schema mean, if it says so"`
	Strict       bool      `about:"the schema allows nothing else"`
	Instructions string    `about:"instructions of the schema, if it has any" need:"yes"`
	Examples     []Example `about:"examples of passages and what they state"`
	Tool         string    `about:"the tool to call, or nothing if the model answers in another way"`
}

type passageData struct {
	Title    prompts.Outside `about:"title of the document"`
	Headings prompts.Outside `about:"the headings above the passage, if any"`
	Before   prompts.Outside `about:"the end of the text before, if any"`
	Text     prompts.Outside `about:"the passage" need:"yes"`
}

type repairData struct {
	Problem prompts.Outside `about:"why the answer can't be read" need:"yes"`
	Tool    string          `about:"the tool to call, or nothing if the model answers in another way"`
}

type gleanData struct {
	Tool string `about:"the tool to call, or nothing if the model answers in another way"`
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
