package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/testkit"
)

// sendBy uploads a file with a schema that is chosen in the form.
func (b *bench) sendBy(t *testing.T, schema, name, content string, headers ...string) reply {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	testkit.Must(t, w.WriteField("schema", schema))
	part, err := w.CreateFormFile("files", name)
	testkit.Must(t, err)
	_, err = part.Write([]byte(content))
	testkit.Must(t, err)
	testkit.Must(t, w.Close())
	return b.do(t, http.MethodPost, "/documents", &body, append(headers, "Content-Type", w.FormDataContentType())...)
}

func TestASchemaIsChosenForAnUpload(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	testkit.Must(t, b.Schemas.Keep(t.Context(), testkit.Workspace, "mills", extract.Guide{Schema: extract.Schema{Labels: []extract.LabelRule{{Name: "Place"}}, Strict: true}}, "", ""))
	form := b.get(t, "/documents")
	var offered []string
	for _, n := range nodes(t, form.body, func(n *html.Node) bool { return n.Data == "option" }) {
		offered = append(offered, attr(n, "value"))
	}
	if want := []string{"", "mills", "people", "papers", "contracts", "minutes", "incidents", "software"}; !slices.Equal(offered[:len(want)], want) {
		t.Errorf("to choose from: %q", offered)
	}
	mill := results(t, b.sendBy(t, "mills", "mill.txt", "Anna Quill met Maud Ferring at an old mill.", "Accept", "application/json"))
	if len(mill) != 1 || mill[0].Outcome != "added" || !strings.Contains(mill[0].Message, "read with the schema mills") {
		t.Fatalf("added: %+v", mill)
	}
	plain := results(t, b.sendBy(t, "", "river.txt", "Bob Turner met Rose Dale at a river.", "Accept", "application/json"))
	d := b.Settle(t, b.Document(t, mill[0].ID))
	if d.Schema != 1 || d.Chosen != "mills" || d.Entities != 0 || d.Dropped == 0 {
		t.Errorf("with the schema: read as %+v", d)
	}
	if d := b.Settle(t, b.Document(t, plain[0].ID)); d.Schema != 0 || d.Entities != 2 {
		t.Errorf("without one: read as %+v", d)
	}
	if said := b.get(t, "/documents/"+string(d.ID)).main(t); !strings.Contains(said, "Read with version 1 of the schema mills") {
		t.Errorf("the document's page: %s", said)
	}
	if said := b.get(t, "/schema?name=mills").main(t); !strings.Contains(said, "Named mills") {
		t.Errorf("the schema's page: %s", said)
	}

	// The same content keeps its schema, and says so; a choice can be changed later.
	again := results(t, b.sendBy(t, "people", "mill.txt", "Anna Quill met Maud Ferring at an old mill.", "Accept", "application/json"))
	if !strings.Contains(again[0].Message, "It keeps its schema") || b.Document(t, d.ID).Chosen != "mills" {
		t.Errorf("added again: %+v", again)
	}
	b.postAndFollow(t, "/documents/"+string(d.ID)+"/schema", url.Values{"schema": {"people"}})
	if said := b.get(t, "/documents/"+string(d.ID)).main(t); !strings.Contains(said, "Version 2 guides it when it is read again") {
		t.Errorf("after another choice: %s", said)
	}
	b.postAndFollow(t, "/documents/"+string(d.ID)+"/schema", url.Values{"schema": {""}})
	if d := b.Document(t, d.ID); d.Chosen != "" {
		t.Errorf("after no choice: %q", d.Chosen)
	}

	// A name that nobody knows adds nothing. Pasted text takes a schema too.
	if p := b.sendBy(t, "nobody’s", "new.txt", "New."); p.status != 404 || len(b.documents(t)) != 2 {
		t.Errorf("an unknown schema: %d %s", p.status, p.main(t))
	}
	b.postAndFollow(t, "/documents/text", url.Values{"name": {"notes"}, "text": {"Clara Dean met Maud Ferring."}, "schema": {"mills"}})
	if docs := b.documents(t); len(docs) != 3 || !slices.ContainsFunc(docs, func(d domain.Document) bool { return d.Name == "notes.txt" && d.Chosen == "mills" }) {
		t.Errorf("pasted: %+v", docs)
	}
}

// found is what the built-in mode finds in the documents of the test below.
func found(_ string, c domain.Chunk) domain.GraphDocument {
	at := func(words string) []domain.Span {
		i := strings.Index(c.Text, words)
		return []domain.Span{domain.Span{Start: i, End: i + len(words)}.Shift(c.Span.Start)}
	}
	return domain.GraphDocument{
		Nodes: []domain.GraphNode{
			{Name: "Pell", Label: "Foundry", Spans: at("Pell"), Properties: domain.Properties{{Key: "men", Value: "9"}, {Key: "founded", Value: "1802"}}},
			{Name: "Big Tom", Label: "Bell", Spans: at("Big Tom")},
		},
		Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "CAST", Spans: at("Pell, a foundry of 9 men, cast Big Tom.")}},
	}
}

// TestATripleAndAPropertyAreAllowedFromTheDocument presses what a document's page
// offers beside each dropped item, and saves the draft that it leads to.
func TestATripleAndAPropertyAreAllowedFromTheDocument(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Extractor: extract.Local(found, "builtin/test")})
	_, err := b.Schemas.Save(t.Context(), testkit.Workspace, schemas.Draft{Scope: schemas.Scope{Tag: "bells"}, Guide: extract.Guide{Schema: extract.Schema{
		Labels:  []extract.LabelRule{{Name: "Foundry", Properties: []extract.PropertyRule{{Key: "founded", Type: extract.Year}}}, {Name: "Bell"}},
		Types:   []extract.TypeRule{{Name: "CAST"}},
		Triples: []extract.Triple{{Source: "Foundry", Type: "CAST", Target: "Foundry"}},
		Strict:  true,
	}}})
	testkit.Must(t, err)
	added := b.Add(t, "pell.txt", "Pell, a foundry of 9 men, cast Big Tom. It was founded in 1802.").Document
	b.Settle(t, added)
	b.Tag(t, added.ID, "bells")
	_, err = b.Documents.ReadAgain(t.Context(), testkit.Workspace, added.ID)
	testkit.Must(t, err)
	d := b.Settle(t, b.Document(t, added.ID))
	if d.Dropped != 2 || d.Relations != 0 {
		t.Fatalf("read as %+v", d)
	}
	version := int64(1)
	for left := d.Dropped - 1; left >= 0; left-- {
		links := nodes(t, b.get(t, "/documents/"+string(d.ID)).body, func(n *html.Node) bool { return n.Data == "a" && attr(n, "data-testid") == "allow" })
		if len(links) != left+1 {
			t.Fatalf("%d items can be allowed, want %d", len(links), left+1)
		}
		draft := b.get(t, attr(links[0], "href"))
		if said := draft.main(t); !strings.Contains(said, "The draft allows the") || !strings.Contains(said, "+ new") || !strings.Contains(said, "Tagged bells") {
			t.Errorf("the draft: %s", said)
		}
		b.postAndFollow(t, "/schema?tag=bells", draft.schemaForm(t, "apply"))
		version++
		if d = b.Settle(t, b.Document(t, d.ID)); d.Dropped != left || d.Schema != version {
			t.Errorf("read again as %+v, want %d dropped", d, left)
		}
	}
	if d.Relations != 1 {
		t.Errorf("in the end: %+v", d)
	}
	b.postAndFollow(t, "/schema/versions/1/restore", nil)
	if v := b.schema(t, schemas.Scope{Tag: "bells"}); len(v.Guide.Schema.Triples) != 1 {
		t.Errorf("restored: %+v", v)
	}
	if said := b.get(t, "/schema?tag=none&allow=label.Bell").main(t); !strings.Contains(said, "No schema applies here") {
		t.Errorf("where there is no schema: %s", said)
	}
}

// TestTheCuriesAreNarrowedOnThePage reads the beginning of a biography from a
// recorded reply, then sets a schema on the page.
func TestTheCuriesAreNarrowedOnThePage(t *testing.T) {
	t.Parallel()
	const text = "Marie Curie won the Nobel Prize in 1903. Her husband, Pierre Curie, won the Nobel Prize with her. Marie Curie was professor at the University of Paris. Robin Williams died in 2014."
	node := func(name, label string) map[string]any {
		return map[string]any{"id": name, "label": label, "aliases": []string{}, "properties": []string{}}
	}
	relation := func(source, kind, target string) map[string]any {
		return map[string]any{"source_node_id": source, "type": kind, "target_node_id": target, "properties": []string{}}
	}
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Call("knowledge_graph", map[string]any{
		"nodes": []any{
			node("Marie Curie", "Person"), node("Pierre Curie", "Person"), node("Nobel Prize", "Award"), node("University of Paris", "University"), node("Robin Williams", "Person"),
		},
		"relationships": []any{
			relation("Marie Curie", "WON", "Nobel Prize"), relation("Marie Curie", "WON", "Nobel Prize"), relation("Pierre Curie", "WON", "Nobel Prize"),
			relation("Marie Curie", "PROFESSOR", "University of Paris"),
		},
	}))
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: server.URL, Model: "scripted"})
	testkit.Must(t, err)
	b := open(t, testkit.Options{Extractor: extract.New(extract.Params{
		Chat: chat, Fitness: llm.NewFitness(chat, llm.ModeTool, nil), Prompts: prompts.New(nil, prompts.NewFences([]byte("test")), extract.Prompt()),
	})})
	d := b.Read(t, "curie.txt", text)
	if d.Entities != 5 || d.Relations != 3 {
		t.Fatalf("read as %+v, want five entities and WON once for each", d)
	}
	form := b.post(t, "/schema", b.get(t, "/schema").schemaForm(t, "add.label")).schemaForm(t, "add.label")
	form["label.name"][0], form["label.description"][0] = "Person", "who is named in full"
	form = b.post(t, "/schema", form).schemaForm(t, "add.type")
	form["label.name"][1] = "Award"
	form = b.post(t, "/schema", form).schemaForm(t, "add.property")
	form["type.name"][0], form["type.description"][0] = "WON", "of prizes alone"
	form = b.post(t, "/schema", form).schemaForm(t, "try")
	form["property.of"][0], form["property.key"][0], form["property.description"][0] = "Person", "born", "the year of birth"
	form.Set("strict", "yes")
	tried := b.post(t, "/schema", form)
	if said := tried.main(t); !strings.Contains(said, "The schema has no label University.") || !strings.Contains(said, "5 → 4") || !strings.Contains(said, "3 → 2") {
		t.Errorf("the dry run: %s", said)
	}
	asked := server.Requests(llmtest.Any)
	last := asked[len(asked)-1]
	for _, told := range []string{"Person: who is named in full", "WON: of prizes alone", "born of Person: the year of birth"} {
		if !strings.Contains(last.Text(), told) {
			t.Errorf("the model is not told %q: %s", told, last.Text())
		}
	}
	b.postAndFollow(t, "/schema", tried.schemaForm(t, "apply"))
	if d = b.Settle(t, b.Document(t, d.ID)); d.Entities != 4 || d.Relations != 2 || d.Dropped != 2 || d.Schema != 1 {
		t.Errorf("narrowed to %+v", d)
	}
}

// TestASchemaSaysWhatContradicts has two documents state two values of what the
// schema says there is one of.
func TestASchemaSaysWhatContradicts(t *testing.T) {
	t.Parallel()
	mine := func(_ string, c domain.Chunk) domain.GraphDocument {
		chair, men := "Anna Quill", "9"
		if strings.Contains(c.Text, "Maud") {
			chair, men = "Maud Ferring", "7"
		}
		return domain.GraphDocument{
			Nodes: []domain.GraphNode{
				{Name: "Bell Guild", Label: "Guild", Spans: []domain.Span{c.Span}, Properties: domain.Properties{{Key: "men", Value: men}}},
				{Name: chair, Label: "Person", Spans: []domain.Span{c.Span}},
			},
			Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "CHAIRED_BY", Spans: []domain.Span{c.Span}}},
		}
	}
	b := open(t, testkit.Options{Extractor: extract.Local(mine, "builtin/test")})
	b.Read(t, "one.txt", "The Bell Guild, of 9 men, was chaired by Anna Quill.")
	b.Read(t, "two.txt", "The Bell Guild, of 7 men, was chaired by Maud Ferring.")
	if p := b.get(t, "/review?list=contradictions"); p.count(t, "work-row") != 0 {
		t.Errorf("without a schema: %s", p.main(t))
	}
	form := url.Values{"do": {"save"}, "label.name": {"Guild", "Person"}, "type.name": {"CHAIRED_BY"}, "type.one": {"one"}, "property.of": {"Guild"}, "property.key": {"men"}, "property.count": {"one"}}
	saved := b.postAndFollow(t, "/schema", form)
	if again := saved.schemaForm(t, "check"); again["type.one"][0] != "one" || again["property.count"][0] != "one" {
		t.Errorf("the form has %q and %q", again["type.one"], again["property.count"])
	}
	p := b.get(t, "/review?list=contradictions")
	said := p.main(t)
	for _, part := range []string{"men: 7 or 9?", "chaired by: Anna Quill or Maud Ferring?"} {
		if !strings.Contains(said, part) {
			t.Errorf("the list lacks %q: %s", part, said)
		}
	}
	for _, sentence := range []string{"of 9 men, was chaired by Anna Quill.", "of 7 men, was chaired by Maud Ferring."} {
		if n := strings.Count(said, sentence); n != 2 {
			t.Errorf("%q is there %d times, want once for each contradiction: %s", sentence, n, said)
		}
	}
}
