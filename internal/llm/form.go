package llm

import (
	"encoding/json"
	"slices"
)

// Form is the structured data that a request asks for in any mode.
type Form struct {
	Name        string // of the tool and of the schema
	Description string // of the tool
	Schema      json.RawMessage
}

// Apply makes r ask for the form. In ModePrompt it does nothing: the messages
// must ask.
func (f Form) Apply(r *Request, mode Mode) {
	switch mode {
	case ModeTool:
		r.Tools = []Tool{{Name: f.Name, Description: f.Description, Parameters: f.Schema}}
		r.ForceTool = f.Name
	case ModeSchema:
		r.Schema = &Schema{Name: f.Name, Schema: f.Schema}
	}
}

// Output returns the arguments of the tool, or else the text: some models answer in it although a tool was forced.
func (f Form) Output(r Response) string {
	for _, call := range r.ToolCalls {
		if call.Name == f.Name {
			return call.Arguments
		}
	}
	return r.Text
}

// Schema asks for an answer in JSON of a given shape.
type Schema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"` // JSON Schema
}

// Strict reports whether the schema meets the demands of the servers' strict
// mode: every object requires all its properties and allows no others.
func (s Schema) Strict() bool {
	var v any
	return json.Unmarshal(s.Schema, &v) == nil && strict(v)
}

func strict(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !strict(e) })
	case map[string]any:
		if v["type"] == "object" && !closed(v) {
			return false
		}
		for _, e := range v {
			if !strict(e) {
				return false
			}
		}
	}
	return true
}

// closed reports whether an object's schema requires exactly its properties.
func closed(object map[string]any) bool {
	properties, _ := object["properties"].(map[string]any)
	required, _ := object["required"].([]any)
	for name := range properties {
		if !slices.Contains(required, any(name)) {
			return false
		}
	}
	return object["additionalProperties"] == false
}
