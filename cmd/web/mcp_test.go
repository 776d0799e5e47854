package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolsToRead are the tools that change nothing.
var toolsToRead = []string{"ask", "count", "entity", "fetch", "fields", "find_entities", "list_documents", "neighbours", "path", "read_document", "read_passage", "read_pictures", "read_tables", "research", "search", "search_web", "sources", "study", "themes", "timeline"}

const mostCharacters = "max_characters"

// TestResultsForModelsAreShort reads a long document in parts, and cut.
func TestResultsForModelsAreShort(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "long.txt", strings.Repeat("The bell of Velm rings at noon, and the keeper counts its strokes. ", 1000)))
	c := connect(t, sh.talk(t))
	for _, tt := range []struct {
		args map[string]any
		most int
		cut  bool
	}{
		{map[string]any{}, 20_000, false},
		{map[string]any{"limit": 60_000}, 20_000, true},
		{map[string]any{"limit": 60_000, mostCharacters: 2_000}, 2_000, true},
		{map[string]any{"limit": 60_000, mostCharacters: 100_000}, 60_000, false},
	} {
		tt.args["id"] = "long.txt"
		out, refused := c.call("read_document", tt.args)
		text, _ := out["text"].(string)
		if cut := out["truncated"] != nil; refused != "" || cut != tt.cut || utf8.RuneCountInString(text) > tt.most || len(text) < tt.most/2 {
			t.Errorf("%v: %d characters, cut: %t; %s", tt.args, len(text), cut, refused)
		}
	}
}

// talks is a client of the protocol.
type talks struct {
	*sdk.ClientSession
	t     *testing.T
	steps chan string // of questions
}

func connect(t *testing.T, transport sdk.Transport) talks {
	t.Helper()
	c := talks{t: t, steps: make(chan string, 100)}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { c.steps <- r.Params.Message },
	})
	var err error
	if c.ClientSession, err = client.Connect(t.Context(), transport, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// call calls a tool and decodes its result.
func (c talks) call(name string, args map[string]any) (out map[string]any, refused string) {
	c.t.Helper()
	p := &sdk.CallToolParams{Name: name, Arguments: args}
	p.SetProgressToken(name)
	r, err := c.CallTool(c.t.Context(), p)
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return nil, text
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		c.t.Fatalf("%s says %s", name, text)
	}
	return out, ""
}

func (c talks) tools() (names []string) {
	c.t.Helper()
	list, err := c.ListTools(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Annotations.ReadOnlyHint != slices.Contains(toolsToRead, tool.Name) {
			c.t.Errorf("%s is read-only: %t", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
	slices.Sort(names)
	return names
}

// usesTheLibrary asks, searches, reads and follows the graph of a library with foundry.txt in it.
func (c talks) usesTheLibrary(address string) {
	c.t.Helper()
	said, refused := c.call("ask", map[string]any{"question": "Who founded the Carrow Foundry?"})
	answer, _ := said["answer"].(string)
	if !strings.Contains(answer, "Maud Ferring") {
		c.t.Errorf("ask says %v, %s", said, refused)
	}
	cited := said["citations"].([]any)[0].(map[string]any)
	if at, _ := cited["url"].(string); !strings.HasPrefix(at, address+library("/documents/")) || !strings.Contains(at, "start=") {
		c.t.Errorf("a citation is at %v", cited["url"])
	}
	select {
	case step := <-c.steps:
		if step == "" {
			c.t.Error("a step without words")
		}
	case <-time.After(10 * time.Second):
		c.t.Error("no step was told")
	}
	found, _ := c.call("search", map[string]any{"query": "Carrow Foundry", "limit": 2})
	first := found["items"].([]any)[0].(map[string]any)
	fetched, _ := c.call("fetch", map[string]any{"id": first["chunk"]})
	whole, _ := c.call("fetch", map[string]any{"id": first["document_id"]})
	passage, _ := c.call("read_passage", map[string]any{"id": first["chunk"], "around": 1})
	for what, v := range map[string]map[string]any{"a passage": fetched, "a document": whole, "a passage with its neighbours": passage} {
		if text, _ := v["text"].(string); !strings.Contains(text, "Maud Ferring") {
			c.t.Errorf("%s: %v", what, v)
		}
	}
	entity, refused := c.call("entity", map[string]any{"id": "Maud Ferring"})
	if entity["name"] != "Maud Ferring" {
		c.t.Errorf("entity says %v, %s", entity, refused)
	}
	short, refused := c.call("list_documents", map[string]any{mostCharacters: 1000})
	if refused != "" || short["truncated"] != nil {
		c.t.Errorf("a short list is cut: %v, %s", short, refused)
	}
	if _, refused := c.call("search", map[string]any{"query": "x", mostCharacters: 3}); !strings.Contains(refused, mostCharacters) {
		c.t.Errorf("3 characters at most: %s", refused)
	}
	if counted, refused := c.call("count", map[string]any{"of": "people", "by": "Carrow Foundry", "relation": "founded"}); refused != "" || counted["count"] != 1.0 {
		c.t.Errorf("count: %v, %s", counted, refused)
	}
	for name, args := range map[string]map[string]any{
		"list_documents": {}, "find_entities": {"name": "carrow"}, "neighbours": {"id": "Maud Ferring", "depth": 1}, "themes": {},
	} {
		if out, refused := c.call(name, args); refused != "" || out["items"] == nil {
			c.t.Errorf("%s: %v, %s", name, out, refused)
		}
	}
	for name, args := range map[string]map[string]any{"entity": {"id": "Nobody"}, "ask": {"question": " "}, "search": {}, "read_passage": {"id": "x", "around": 9}} {
		if _, refused := c.call(name, args); refused == "" {
			c.t.Errorf("%s with %v is not refused", name, args)
		}
	}
	if _, err := c.ReadResource(c.t.Context(), &sdk.ReadResourceParams{URI: "clew://documents/" + first["document_id"].(string)}); err != nil {
		c.t.Errorf("a document as a resource: %v", err)
	}
	if _, err := c.ReadResource(c.t.Context(), &sdk.ReadResourceParams{URI: "clew://entities/nobody"}); err == nil {
		c.t.Error("an unknown entity is a resource")
	}
	prompt, err := c.GetPrompt(c.t.Context(), &sdk.GetPromptParams{Name: "answer_with_sources", Arguments: map[string]string{"question": "Why?"}})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*sdk.TextContent).Text, "Why?") {
		c.t.Errorf("a prompt: %v, %v", prompt, err)
	}
}

func TestModelsUseALibraryOverStreams(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."))
	for name, tt := range map[string]struct {
		args []string
		may  []string
	}{
		"to read":  {nil, toolsToRead},
		"to write": {[]string{"--write", "--url", "https://clew.example"}, append(slices.Clone(toolsToRead), "add_document", "look_at_source", "merge", "rename")},
	} {
		c := connect(t, sh.talk(t, tt.args...))
		slices.Sort(tt.may)
		if names := c.tools(); !slices.Equal(names, tt.may) {
			t.Errorf("%s, the tools are %v", name, names)
		}
		if name == "to write" {
			c.usesTheLibrary("https://clew.example")
			if added, refused := c.call("add_document", map[string]any{"name": "note", "text": "Ida Quennell rang the bells.", "wait": 60}); refused != "" || !strings.Contains(asText(added), `"status":"ready"`) {
				t.Errorf("add_document: %v, %s", added, refused)
			}
			if added, refused := c.call("add_document", map[string]any{"name": "bells.txt", "base64": "SWRhIFF1ZW5uZWxsIG9pbGVkIHRoZSBiZWxscy4="}); refused != "" || !strings.Contains(asText(added), `"status":"ready"`) {
				t.Errorf("add_document of a file: %v, %s", added, refused)
			}
			if _, refused := c.call("add_document", map[string]any{"name": "bells.txt", "base64": "?"}); !strings.Contains(refused, "base64") {
				t.Errorf("what is not base64: %s", refused)
			}
			if out, refused := c.call("rename", map[string]any{"id": "Ida Quennell", "name": "Ida Q."}); refused != "" {
				t.Errorf("rename: %v, %s", out, refused)
			}
		}
		_ = c.Close()
	}
}

func asText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// talk starts clew mcp and returns the way to it.
func (sh shell) talk(t *testing.T, args ...string) sdk.Transport {
	t.Helper()
	theirs, ours := io.Pipe()
	back, answers := io.Pipe()
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		e, _, _ := sh.env()
		e.stdin, e.stdout, e.stderr = theirs, answers, io.Discard
		root := program(e)
		root.SetArgs(append([]string{"mcp"}, args...))
		err := root.ExecuteContext(ctx)
		_ = answers.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		_ = ours.Close()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("clew mcp: %v", err)
		}
	})
	return &sdk.IOTransport{Reader: back, Writer: ours}
}

// withToken sends a token with each request.
type withToken struct{ token string }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestModelsUseALibraryBehindAProxy: with a token, over HTTP, under the name that people use.
func TestModelsUseALibraryBehindAProxy(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	v := sh.serve(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."))
	token := func(args ...string) string {
		secret, _, _ := strings.Cut(sh.must(t, append([]string{"token", "create", "model"}, args...)...), "\n")
		return secret
	}
	behind, err := url.Parse(v.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Host = "clew.example"
	}})
	t.Cleanup(proxy.Close)
	way := func(secret string) sdk.Transport {
		return &sdk.StreamableClientTransport{Endpoint: proxy.URL + "/mcp", HTTPClient: &http.Client{Transport: withToken{secret}}, DisableStandaloneSSE: true}
	}
	c := connect(t, way(token()))
	if names := c.tools(); !slices.Equal(names, toolsToRead) {
		t.Errorf("a token to read and ask has the tools %v", names)
	}
	c.usesTheLibrary("http://clew.example")
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "rename", Arguments: map[string]any{"id": "Maud Ferring", "name": "M."}}); err == nil {
		t.Error("a token to read may rename")
	}
	readOnly := connect(t, way(token("--scope", "read")))
	if names := readOnly.tools(); slices.Contains(names, "ask") || !slices.Contains(names, "search") {
		t.Errorf("a token to read has the tools %v", names)
	}
	all := connect(t, way(token("--preset", "everything")))
	if names := all.tools(); !slices.Contains(names, "merge") {
		t.Errorf("a token for everything has the tools %v", names)
	}
	for _, secret := range []string{"", "clew_wrong"} {
		if _, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), way(secret), nil); err == nil {
			t.Errorf("the token %q lets in", secret)
		}
	}
}
