package extract

import (
	"embed"
	"encoding/json"
	"strings"
	"text/template"
)

// promptVersion changes with the words of a prompt: recorded answers are kept
// by version.
const promptVersion = "1"

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join, "json": asJSON}).ParseFS(promptFiles, "prompts/*.tmpl"))

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// An example is a passage with the relations that it states.
type example struct {
	Text  string
	Facts []Fact
}

// Fact is a relation in the form of the prompt mode.
type Fact struct {
	Head     string `json:"head"`
	HeadType string `json:"head_type"`
	Relation string `json:"relation"`
	Tail     string `json:"tail"`
	TailType string `json:"tail_type"`
}

var examples = []example{
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
