package llm

import "encoding/json"

// Form is structured data that a model is asked for, in whichever mode it is
// fit for.
type Form struct {
	Name        string // of the tool and of the schema
	Description string // of the tool
	Schema      json.RawMessage
}

// Shape makes a request ask for the form. In ModePrompt its messages have to
// say all.
func (f Form) Shape(r *Request, mode Mode) {
	switch mode {
	case ModeTool:
		r.Tools = []Tool{{Name: f.Name, Description: f.Description, Parameters: f.Schema}}
		r.ForceTool = f.Name
	case ModeSchema:
		r.Schema = &Schema{Name: f.Name, Schema: f.Schema}
	}
}

// Said is what a model answered: the arguments of the tool, or the text, which
// some models give although a tool was asked for.
func (f Form) Said(r Response) string {
	for _, call := range r.ToolCalls {
		if call.Name == f.Name {
			return call.Arguments
		}
	}
	return r.Text
}
