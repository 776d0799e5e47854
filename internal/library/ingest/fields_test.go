package ingest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/testkit"
)

const contract = "Lease of the mill\n\nStatus: final\n\nAnna Quill rents the mill to Maud Ferring from May 3, 2021. The rent is 1,250 crowns a month. Neither side may end it.\n"

var leaseFields = []extract.FieldRule{
	{Name: "status", Type: "choice", Choices: []string{"draft", "final"}}, {Name: "begins", Type: extract.Date, Description: "first day of the lease"},
	{Name: "rent", Type: extract.Number}, {Name: "tenant"}, {Name: "can be ended", Type: extract.YesNo}, {Name: "place"},
}

// TestFieldsOfTheSchemaAreFilledIn reads a lease by a schema that asks for fields, without a model and then with one: a line states
// one field, the model is asked once for the others, and what it says without words of the lease that say so is refused.
func TestFieldsOfTheSchemaAreFilledIn(t *testing.T) {
	t.Parallel()
	a, server, read := filling(t)
	saveFields(t, a, leaseFields...)
	doc := a.Add(t, "lease.txt", contract).Document
	values := func() map[string]string { return valuesOf(t, a, doc.ID) }

	read(doc.ID, false)
	if got, want := values(), (map[string]string{"status": "final at Status: final"}); !maps.Equal(got, want) {
		t.Errorf("without a model: got %v, want %v", got, want)
	}
	type said = map[string]string
	server.On(llmtest.Tool("fill_in"), llmtest.Call("fill_in", map[string]any{"fields": []said{
		{"field": "Begins", "value": "2021-05-03", "quote": "from May 3,  2021"},
		{"field": "rent", "value": "1350", "quote": "The rent is 1,250 crowns"}, // says something else
		{"field": "rent", "value": "1250", "quote": "The rent is 1,250 crowns"},
		{"field": "tenant", "value": "Maud Ferring", "quote": "rents the mill to Maud Ferring"},
		{"field": "can be ended", "value": "no", "quote": "Neither side may end it"},
		{"field": "place", "value": "Orsen", "quote": "the mill at Orsen"}, // stands nowhere
		{"field": "owner", "value": "Anna Quill", "quote": "Anna Quill"},   // nobody asked
	}}))
	read(doc.ID, true)
	want := map[string]string{
		"status": "final at Status: final", "begins": "2021-05-03 at from May 3, 2021", "rent": "1250 at The rent is 1,250 crowns",
		"tenant": "Maud Ferring at rents the mill to Maud Ferring", "can be ended": "no at Neither side may end it",
	}
	if got := values(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	sent := server.Requests(llmtest.Any)
	if asked := sent[0].Messages[0].Text; len(sent) != 1 || strings.Contains(asked, "- status") || !strings.Contains(asked, "- begins (date): first day of the lease") {
		t.Errorf("%d requests, the first says %s", len(sent), asked)
	}
	read(doc.ID, true)
	if got := values(); server.Calls(llmtest.Any) != 1 || !maps.Equal(got, want) {
		t.Errorf("reading again asked %d times, and gives %v", server.Calls(llmtest.Any), got)
	}

	fields, err := a.Ledger.Fields(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	tenant, err := domain.FieldNamed(fields, "tenant")
	testkit.Must(t, err)
	_, err = a.Ledger.SetFields(t.Context(), testkit.Workspace, "", domain.FieldByHand, "", []ledger.FieldSet{{Document: doc.ID, Field: tenant, Values: []string{"The Ferrings"}}})
	testkit.Must(t, err)
	read(doc.ID, true)
	if got := values()["tenant"]; got != "The Ferrings at " {
		t.Errorf("tenant is %q, want what was set by hand", got)
	}
	saveFields(t, a)
	read(doc.ID, true)
	if got := values(); len(got) != 1 {
		t.Errorf("got %v without fields in the schema, want the one set by hand", got)
	}
}

// TestAFieldIsDefinedWithTheSchema saves schemas that ask for fields: one that is there with another kind, or was deleted since.
func TestAFieldIsDefinedWithTheSchema(t *testing.T) {
	t.Parallel()
	a, _, read := filling(t)
	ctx := t.Context()
	_, year, err := a.Ledger.ChangeField(ctx, testkit.Workspace, "", domain.Field{Name: "Year", Kind: domain.FieldNumber})
	testkit.Must(t, err)
	_, err = a.Schemas.Save(ctx, testkit.Workspace, schemas.Draft{Guide: extract.Guide{Fields: []extract.FieldRule{{Name: "topic"}, {Name: "year"}}}})
	if domain.KindOf(err) != domain.Invalid || !strings.Contains(domain.InWords(err), "The field Year of this library is of the kind number") {
		t.Errorf("got %v", err)
	}
	if fields, err := a.Ledger.Fields(ctx, testkit.Workspace); err != nil || len(fields) != 1 {
		t.Errorf("the refused schema left %v, %v", fields, err)
	}
	saveFields(t, a, extract.FieldRule{Name: "year", Type: extract.Number})
	year.Gone = true
	_, _, err = a.Ledger.ChangeField(ctx, testkit.Workspace, "", year)
	testkit.Must(t, err)
	doc := a.Add(t, "a.txt", "Year: 1888\n\nAnna Quill met Maud Ferring.").Document
	read(doc.ID, false)
	if d := a.Document(t, doc.ID); d.Status != domain.DocumentReady || !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "the field year, which was deleted") }) {
		t.Errorf("%s, warnings %q", d.Status, d.Warnings)
	}
}

// filling returns an app, a scripted model, and what reads a document there, with or without the model for fields.
func filling(t *testing.T) (*testkit.App, *llmtest.Server, func(id domain.DocumentID, model bool)) {
	t.Helper()
	server := llmtest.New(t)
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: server.URL, Model: "scripted"})
	testkit.Must(t, err)
	a := testkit.Open(t, testkit.Options{Extractor: &testkit.Extractor{}, Idle: true})
	return a, server, func(id domain.DocumentID, model bool) {
		t.Helper()
		p := a.IngestParams()
		p.Threads = nil
		if model {
			recorded := llm.Record(chat, a.Ledger)
			p.Filling = ingest.Filling{Chat: recorded, Fitness: llm.NewFitness(recorded, llm.ModeTool, nil)}
		}
		graph, err := ingest.Graph(p)
		testkit.Must(t, err)
		_, err = graph.Run(t.Context(), ingest.Begin(testkit.Workspace, id))
		testkit.Must(t, err)
	}
}

// saveFields saves a schema of the library that asks for fields.
func saveFields(t *testing.T, a *testkit.App, rules ...extract.FieldRule) {
	t.Helper()
	latest, err := a.Schemas.Latest(t.Context(), testkit.Workspace, schemas.Scope{})
	testkit.Must(t, err)
	_, err = a.Schemas.Save(t.Context(), testkit.Workspace, schemas.Draft{Base: latest.Number, Guide: extract.Guide{Instructions: "Read.", Fields: rules}})
	testkit.Must(t, err)
}

// valuesOf returns the values of a document's fields with the words that state them.
func valuesOf(t *testing.T, a *testkit.App, id domain.DocumentID) map[string]string {
	t.Helper()
	text, err := a.Ledger.Text(t.Context(), testkit.Workspace, id)
	testkit.Must(t, err)
	all, err := a.Ledger.FieldsOf(t.Context(), testkit.Workspace, []domain.DocumentID{id})
	testkit.Must(t, err)
	values := map[string]string{}
	for _, v := range all[id] {
		values[v.Name] = strings.Join(v.Values, "|") + " at " + v.Span.Slice(text.Content)
	}
	return values
}
