package mcp

import (
	"encoding/json"
	"maps"

	"github.com/clewhq/clew/internal/web/api"
)

// A tool is an operation as models call it: with few fields, some under the names that models know.
type tool struct {
	name, operation, title, about string
	fields                        map[string]string // of the operation, as the tool names them
	writes                        bool
	destroys                      bool
}

// Names of what the tools with their own handling do.
const (
	askTool   = "ask"
	fetchTool = "fetch"
)

// same names fields as the operation does.
func same(names ...string) map[string]string { return with(nil, names...) }

// with names more fields as the operation does.
func with(renamed map[string]string, names ...string) map[string]string {
	fields := map[string]string{}
	maps.Copy(fields, renamed)
	for _, name := range names {
		fields[name] = name
	}
	return fields
}

// tools are the tools, the most used first.
func tools() []tool {
	return []tool{
		{name: "search", operation: "search", title: "Search passages", about: "Find the passages of the library that fit a question best. Each has its exact place and the address of its words.",
			fields: with(map[string]string{"question": "query"}, "within", "method", "limit")},
		{name: fetchTool, operation: "documents passage", title: "Fetch a result", about: "Read a passage that search found with what stands around it, or a document from its beginning, by its id.",
			fields: map[string]string{"passage": "id"}},
		{name: askTool, operation: "ask", title: "Ask the library", about: "Answer a question from the library alone, with the sentences that the answer rests on. If nothing near was found, it says so. Tells each step as progress.",
			fields: same("question", "within", "method", "max_loops", "passages")},
		{name: "read_passage", operation: "documents passage", title: "Read a passage", about: "Read a passage by its id, with some before and after it.", fields: with(map[string]string{"passage": "id"}, "around")},
		{name: "read_document", operation: "documents text", title: "Read a document", about: "Read the text of a document, or a part of it from a position on.", fields: with(map[string]string{"document": "id"}, "start", "limit")},
		{name: "list_documents", operation: "documents list", title: "List documents", about: "List the documents of the library, newest first, or those that match.", fields: same("words", "tag", "format", "state", "limit")},
		{name: "find_entities", operation: "entities list", title: "Find entities", about: "Find people, places, works and other entities of the graph by a part of their name.", fields: same("name", "limit")},
		{name: "entity", operation: "entities show", title: "Show an entity", about: "Show an entity by name or id: its properties, relations and passages.", fields: with(map[string]string{"entity": "id"})},
		{name: "neighbours", operation: "entities near", title: "Show what is around an entity", about: "List the entities that are connected with one.", fields: with(map[string]string{"name": "id", "steps": "depth"}, "limit")},
		{name: "path", operation: "entities path", title: "Find a path", about: "Find a shortest chain of relations between two entities.", fields: same("from", "to")},
		{name: "themes", operation: "themes", title: "List themes", about: "Say what the library is about: its communities of entities, with sentences that stand for them.", fields: same("within", "limit")},
		{name: "count", operation: "entities count", title: "Count entities", about: "Count the entities of a kind, all or those that a relation leads to from one (or from them to it): bridges by \"Henrike Aldous\", relation designed. Each has the sentence that states it.",
			fields: same("of", "by", "relation", "within")},
		{name: "add_document", operation: "ingest", title: "Add a text", about: "Add a text to the library under a name, and wait until it is read.", fields: same("name", "text", "wait"), writes: true},
		{name: "merge", operation: "entities merge", title: "Merge entities", about: "Make other entities part of one. It can be undone on the page of changes.", fields: with(map[string]string{"entity": "id"}, "others", "name"), writes: true, destroys: true},
		{name: "rename", operation: "entities rename", title: "Rename an entity", about: "Show an entity under another name. It can be undone on the page of changes.", fields: with(map[string]string{"entity": "id", "new": "name"}), writes: true},
	}
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

// input returns what a tool takes.
func (t tool) input(row row) api.Input {
	in := api.NewInput(row, t.fields)
	in.AddNumber(mostField, "most characters of the result; longer texts and lists are cut, and truncated says so", mostByDefault, fewest, mostAtAll)
	return in
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
