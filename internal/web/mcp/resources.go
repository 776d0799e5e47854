package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clewhq/clew/internal/domain"
)

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

// resource returns the output of a tool for an id.
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
