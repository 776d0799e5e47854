package mcp

import (
	"encoding/json"

	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
)

// Names of tools that do more than their operations.
const (
	passageTool  = "read_passage"
	documentTool = "read_document"
)

// fetching reads what search has found. Connectors that know two tools alone expect it beside search.
var fetching = operation.Tool{
	Name: "fetch", Title: "Fetch a result", About: "Read a passage that search found with what stands around it, or a document from its beginning, by its id.",
	Fields: "id=passage",
}

// The limits of a result, in characters of its texts. What is around them is not counted: names of fields, addresses.
const (
	mostByDefault = 20_000
	fewest        = 1_000
	mostAtAll     = 200_000
	beside        = 1_000 // more that is let pass, of what stands beside a long text
)

// mostField is the field of each tool that limits its result.
const mostField = "max_characters"

// A tool is an operation with the input that models give it.
type tool struct {
	operation.Tool
	row   row
	input api.Input
}

func newTool(t operation.Tool, r row) tool {
	in := api.NewInput(r, t.Names())
	in.AddNumber(mostField, "most characters of the result; longer texts and lists are cut, and truncated says so", mostByDefault, fewest, mostAtAll)
	return tool{t, r, in}
}

// mostOf returns how many characters the result of a call may have.
func mostOf(arguments []byte) int {
	var given struct {
		Most int `json:"max_characters"`
	}
	if json.Unmarshal(arguments, &given) != nil || given.Most == 0 {
		return mostByDefault
	}
	return given.Most
}
