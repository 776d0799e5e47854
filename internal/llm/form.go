package llm

import "encoding/json"

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
