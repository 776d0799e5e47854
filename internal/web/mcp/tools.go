package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clewhq/clew/internal/domain"
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

// The addresses of resources.
const (
	documentURI = "clew://documents/"
	entityURI   = "clew://entities/"
)

// addResources adds documents and entities as resources.
func (s *Service) addResources(server *sdk.Server, by Caller) {
	add := func(uri, name, title, about, tool string) {
		server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: uri + "{id}", Name: name, Title: title, Description: about, MIMEType: "application/json"},
			func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				id, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, uri))
				if err != nil {
					return nil, sdk.ResourceNotFoundError(r.Params.URI)
				}
				text, err := s.resource(ctx, tool, id, by)
				if domain.KindOf(err) == domain.NotFound {
					return nil, sdk.ResourceNotFoundError(r.Params.URI)
				}
				if err != nil {
					return nil, err
				}
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: text}}}, nil
			})
	}
	add(documentURI, "document", "A document", "The text of a document, by its id.", documentTool)
	add(entityURI, "entity", "An entity", "An entity with its properties, relations and passages, by its id.", "entity")
}

// resource returns what a tool says of an id.
func (s *Service) resource(ctx context.Context, tool, id string, by Caller) (string, error) {
	out, err := s.do(ctx, tool, map[string]any{"id": id})
	if err != nil {
		return "", err
	}
	r, err := result(out, by.Address, mostByDefault)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(r.StructuredContent)
	return string(b), err
}

// addPrompts adds prompts that people choose.
func addPrompts(server *sdk.Server) {
	add := func(name, title, about, argument, says string, text func(string) string) {
		server.AddPrompt(&sdk.Prompt{Name: name, Title: title, Description: about, Arguments: []*sdk.PromptArgument{{Name: argument, Description: says, Required: true}}},
			func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				return &sdk.GetPromptResult{Description: about, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text(r.Params.Arguments[argument])}}}}, nil
			})
	}
	add("answer_with_sources", "Answer with sources", "Answer a question from the library, with the exact sentences.", "question", "what to ask", func(q string) string {
		return "Answer this question from the library of Clew alone. Search it, read the passages that matter, and cite each statement with the document and the address of its passage. " +
			"If the library does not say, say so.\n\nQuestion: " + q
	})
	add("summarise", "Summarise a document", "Sum a document up, with the places of what is said.", "document", "name or id of the document", func(d string) string {
		return "Read this document of the library of Clew with read_document, part by part, and sum it up in ten sentences at most, each with the place that it comes from.\n\nDocument: " + d
	})
}
