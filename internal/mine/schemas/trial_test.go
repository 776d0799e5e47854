package schemas_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/testkit"
)

func open(t *testing.T, x extract.Extractor) (*testkit.App, *schemas.Trials) {
	t.Helper()
	a := testkit.Open(t, testkit.Options{Extractor: x})
	return a, a.Trial
}

// library adds three documents of two chunks each.
func library(t *testing.T, a *testkit.App) []domain.DocumentID {
	t.Helper()
	var ids []domain.DocumentID
	for _, name := range []string{"Anna", "Berta", "Clara"} {
		var b strings.Builder
		for _, verb := range []string{"greeted", "inspected"} {
			fmt.Fprintf(&b, "%s Quill %s Maud Ferring at an old mill by a river. %s", name, verb, strings.Repeat("it rained for a long while on copper and tin and on grass. ", 3)+"\n\n")
		}
		d := a.Settle(t, a.Add(t, name+".txt", b.String()).Document)
		if d.Chunks != 2 {
			t.Fatalf("%d chunks, want 2", d.Chunks)
		}
		ids = append(ids, d.ID)
	}
	return ids
}

func save(t *testing.T, a *testkit.App, base int64, g extract.Guide) int64 {
	t.Helper()
	v, err := a.Schemas.Save(t.Context(), testkit.Workspace, schemas.Draft{Base: base, Guide: g})
	testkit.Must(t, err)
	return v.Number
}

func strict(labels ...string) extract.Guide {
	g := extract.Guide{Schema: extract.Schema{Strict: true}}
	for _, l := range labels {
		g.Schema.Labels = append(g.Schema.Labels, extract.LabelRule{Name: l})
	}
	return g
}

// recorded returns all contributions with what was dropped.
func recorded(t *testing.T, a *testkit.App, ids []domain.DocumentID) (all []any) {
	t.Helper()
	for _, id := range ids {
		c, err := a.Ledger.Contributions(t.Context(), testkit.Workspace, id)
		testkit.Must(t, err)
		d, err := a.Ledger.Dropped(t.Context(), testkit.Workspace, id, 0)
		testkit.Must(t, err)
		m, err := a.Ledger.Mined(t.Context(), testkit.Workspace, id)
		testkit.Must(t, err)
		all = append(all, c, d, m)
	}
	return all
}

func TestADryRunChangesNothing(t *testing.T) {
	t.Parallel()
	a, s := open(t, &testkit.Extractor{})
	ids := library(t, a)
	before := recorded(t, a, ids)
	d := schemas.Draft{Guide: strict("Place")}
	one, err := s.Run(t.Context(), testkit.Workspace, d, nil)
	testkit.Must(t, err)
	two, err := s.Run(t.Context(), testkit.Workspace, d, nil)
	testkit.Must(t, err)
	if diff := cmp.Diff(one.Chunks, two.Chunks); diff != "" {
		t.Errorf("the second dry run differs (-first +second):\n%s", diff)
	}
	seen := map[domain.DocumentID]int{}
	for _, c := range one.Chunks {
		seen[c.Document]++
		if len(c.Now.Graph.Nodes) != 2 || len(c.Draft.Graph.Nodes) != 0 || len(c.Draft.Dropped) != 3 || c.Cost.Calls != 0 {
			t.Errorf("%+v", c)
		}
	}
	if len(one.Chunks) != schemas.SampleSize || len(seen) != 3 || one.Of != 6 {
		t.Errorf("%d chunks of %d in %d documents", len(one.Chunks), one.Of, len(seen))
	}
	if diff := cmp.Diff(before, recorded(t, a, ids)); diff != "" {
		t.Errorf("the ledger changed:\n%s", diff)
	}

	chosen, err := s.Saying(t.Context(), testkit.Workspace, d, "quill  INSPECTED")
	testkit.Must(t, err)
	if len(chosen) != 3 {
		t.Errorf("%d chunks say it", len(chosen))
	}
	three, err := s.Run(t.Context(), testkit.Workspace, d, chosen[:1])
	if err != nil || len(three.Chunks) != 1 || three.Chunks[0].Chunk.ID != chosen[0] {
		t.Errorf("chosen: %+v, error %v", three.Chunks, err)
	}
	for _, tt := range []struct {
		d      schemas.Draft
		chunks []domain.ChunkID
		kind   domain.Kind
	}{
		{schemas.Draft{Guide: strict("7")}, nil, domain.Invalid},
		{d, make([]domain.ChunkID, schemas.MaxChunks+1), domain.Invalid},
		{d, []domain.ChunkID{"gone"}, domain.NotFound},
		{schemas.Draft{Scope: schemas.Scope{Document: ids[1]}, Guide: d.Guide}, []domain.ChunkID{one.Chunks[0].Chunk.ID, one.Chunks[4].Chunk.ID}, domain.NotFound},
	} {
		if _, err := s.Run(t.Context(), testkit.Workspace, tt.d, tt.chunks); domain.KindOf(err) != tt.kind {
			t.Errorf("%v: error %v, want %v", tt.chunks, err, tt.kind)
		}
	}
	if _, err := s.Saying(t.Context(), testkit.Workspace, d, "no such words"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("error %v", err)
	}
}

// TestWhatIsAllowedComesBack drops everything and allows it again: nothing is
// mined a second time, and the result is that of reading by the second schema at
// once.
func TestWhatIsAllowedComesBack(t *testing.T) {
	t.Parallel()
	x := &testkit.Extractor{}
	a, s := open(t, x)
	ids := library(t, a)
	mined := len(x.Calls())

	first := save(t, a, 0, strict("Place"))
	pending, err := s.Pending(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	applied, err := s.Apply(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	if len(applied.Queued) != 3 || pending.Queued != nil {
		t.Errorf("%v are read again, %v were before", applied.Queued, pending.Queued)
	}
	pending.Queued = applied.Queued
	if diff := cmp.Diff(pending, applied); diff != "" || applied.Documents != 3 || applied.Chunks != 6 || applied.Applied != 6 || applied.Calls != 0 {
		t.Errorf("applied %+v, announced otherwise:\n%s", applied, diff)
	}
	for _, id := range ids {
		d := a.Settle(t, a.Document(t, id))
		if d.Status != domain.DocumentEmpty || d.Dropped != 6 || d.Schema != first || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "dropped everything") {
			t.Errorf("read as %+v", d)
		}
	}

	g := strict("Place", "Person")
	save(t, a, first, g)
	_, err = s.Apply(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	for _, id := range ids {
		if d := a.Settle(t, a.Document(t, id)); d.Status != domain.DocumentReady || d.Dropped != 0 || d.Entities != 2 {
			t.Errorf("read as %+v", d)
		}
	}
	if n := len(x.Calls()); n != mined {
		t.Errorf("%d chunks were mined again", n-mined)
	}

	fresh, _ := open(t, &testkit.Extractor{})
	save(t, fresh, 0, strict("Place")) // so that both have the same numbers
	save(t, fresh, 1, g)
	again := library(t, fresh)
	clear := func(all []any) string {
		return strings.NewReplacer("Schema:2", "Schema:0").Replace(fmt.Sprintf("%+v", all))
	}
	if diff := cmp.Diff(clear(recorded(t, fresh, again)), clear(recorded(t, a, ids))); diff != "" {
		t.Errorf("read by the schema at once (-) and applied later (+):\n%s", diff)
	}
	if bill, err := s.Apply(t.Context(), testkit.Workspace); err != nil || bill.Chunks != 0 || bill.Documents != 0 {
		t.Errorf("applied once more: %+v, error %v", bill, err)
	}
}

// modelOf returns an extractor that records its answers once the ledger is there.
func modelOf(t *testing.T, s *llmtest.Server, kept *late) extract.Extractor {
	t.Helper()
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: s.URL, Model: "scripted"})
	testkit.Must(t, err)
	recorded := llm.Record(chat, kept)
	return extract.New(extract.Params{
		Chat: recorded, Fitness: llm.NewFitness(recorded, llm.ModeTool, nil), Prompts: prompts.New(nil, prompts.NewFences([]byte("test")), extract.Prompt()),
	})
}

// late is a ledger that is opened later.
type late struct{ *ledger.Ledger }

// TestOnlyWhatChangesIsAskedFor has a model read by several schemas, and counts
// the calls of each change.
func TestOnlyWhatChangesIsAskedFor(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		name := "Anna"
		for _, n := range []string{"Berta", "Clara"} {
			if strings.Contains(r.Last(), n+" Quill") {
				name = n
			}
		}
		person := func(id, label string) object {
			return object{"id": id, "label": label, "aliases": []string{}, "properties": []object{}}
		}
		kind := "GREETED"
		if strings.Contains(r.Last(), "inspected") && strings.Contains(r.Text(), "INSPECTED") {
			kind = "INSPECTED"
		}
		return llmtest.Call("knowledge_graph", object{
			"nodes": []object{person(name+" Quill", "Person"), person("Maud Ferring", "Person"), person("old mill", "Building")},
			"relationships": []object{{
				"source_node_id": name + " Quill", "source_node_label": "Person", "type": kind, "target_node_id": "Maud Ferring", "target_node_label": "Person", "properties": []object{},
			}},
		})
	}))
	kept := &late{}
	a, s := open(t, modelOf(t, server, kept))
	kept.Ledger = a.Ledger
	ids := library(t, a)
	if n := server.Calls(llmtest.Any); n != 6 {
		t.Fatalf("%d calls for 6 chunks", n)
	}

	people := func(labels []string, types ...string) extract.Guide {
		g := strict(labels...)
		for _, k := range types {
			g.Schema.Types = append(g.Schema.Types, extract.TypeRule{Name: k})
		}
		return g
	}
	told := people([]string{"Person", "Building"}, "GREETED", "INSPECTED")
	told.Instructions = "Mind the mill."
	number := int64(0)
	for _, step := range []struct {
		name                string
		guide               extract.Guide
		asked, applied      int
		need                extract.Need
		entities, relations int // of each document
	}{
		{"what was found fits", people([]string{"Person", "Building"}, "GREETED"), 0, 0, "", 3, 1},
		{"a label goes", people([]string{"Person"}, "GREETED"), 6, 0, extract.NeedGone, 2, 1},
		{"it comes back", people([]string{"Person", "Building"}, "GREETED"), 0, 6, "", 3, 1},
		{"a type is added", people([]string{"Person", "Building"}, "GREETED", "INSPECTED"), 3, 0, extract.NeedWords, 3, 2},
		{"instructions change", told, 6, 0, extract.NeedTold, 3, 2},
	} {
		number = save(t, a, number, step.guide)
		calls := server.Calls(llmtest.Any)
		bill, err := s.Apply(t.Context(), testkit.Workspace)
		testkit.Must(t, err)
		if bill.Asked != step.asked || bill.Applied != step.applied || bill.Calls != step.asked || bill.Of != 6 {
			t.Errorf("%s: %+v", step.name, bill)
		}
		if step.need != "" && (len(bill.Why) != 1 || bill.Why[0].Need != step.need || bill.Tokens.From <= 0 || bill.Tokens.To < bill.Tokens.From) {
			t.Errorf("%s: why %+v, tokens %+v", step.name, bill.Why, bill.Tokens)
		}
		for _, id := range ids {
			d := a.Settle(t, a.Document(t, id))
			if d.Entities != step.entities || d.Relations != step.relations {
				t.Errorf("%s: %d entities, %d relations", step.name, d.Entities, d.Relations)
			}
		}
		if n := server.Calls(llmtest.Any) - calls; n != step.asked {
			t.Errorf("%s: %d calls, want %d", step.name, n, step.asked)
		}
	}
}

// TestADryRunIsPaidForOnce tries a draft and then puts it in force.
func TestADryRunIsPaidForOnce(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Call("knowledge_graph", object{"nodes": []object{}, "relationships": []object{}}))
	kept := &late{}
	a, s := open(t, modelOf(t, server, kept))
	kept.Ledger = a.Ledger
	library(t, a)
	g := extract.Guide{Instructions: "Mind the mill."}
	run, err := s.Run(t.Context(), testkit.Workspace, schemas.Draft{Guide: g}, nil)
	testkit.Must(t, err)
	if run.Cost.Calls != 5 || run.Chunks[0].Need.Need != extract.NeedTold {
		t.Errorf("%d calls, %+v", run.Cost.Calls, run.Chunks[0].Need)
	}
	calls := server.Calls(llmtest.Any)
	save(t, a, 0, g)
	_, err = s.Apply(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	docs, _, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{})
	testkit.Must(t, err)
	for _, d := range docs {
		a.Settle(t, d)
	}
	if n := server.Calls(llmtest.Any) - calls; n != 1 {
		t.Errorf("%d calls after a dry run on 5 of 6 chunks, want 1", n)
	}
}

// TestABillLeavesOutWhatIsReadAgainAnyway edits the prompt, after which a model
// would read all documents again whatever the schema.
func TestABillLeavesOutWhatIsReadAgainAnyway(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Call("knowledge_graph", object{"nodes": []object{}, "relationships": []object{}}))
	kept := &late{}
	a, s := open(t, modelOf(t, server, kept))
	kept.Ledger = a.Ledger
	library(t, a)
	d := schemas.Draft{Guide: extract.Guide{Instructions: "Mind the mill."}}
	for _, want := range []int{6, 0} {
		if bill, err := s.Bill(t.Context(), testkit.Workspace, d); err != nil || bill.Asked != want || bill.Calls != want || bill.Of != 6 {
			t.Errorf("%+v, error %v; want %d chunks asked", bill, err, want)
		}
		text := strings.Replace(extract.Prompt().Builtin, "You read", "Mind the river. You read", 1)
		if want > 0 {
			_, err := a.Prompts.Save(t.Context(), testkit.Workspace, domain.PromptVersion{Role: extract.PromptRole, Text: text}, 0)
			testkit.Must(t, err)
		}
	}
	run, err := s.Run(t.Context(), testkit.Workspace, d, nil)
	testkit.Must(t, err)
	for _, r := range server.Requests(llmtest.Prompt("Mind the mill."))[:run.Cost.Calls] {
		if !strings.Contains(r.Text(), "Mind the river.") {
			t.Error("a dry run asks with another prompt than the edited one")
		}
	}
	if run.Cost.Calls != 5 {
		t.Errorf("%d calls", run.Cost.Calls)
	}
}

// TestGraphsCostNothing counts imported graphs as changed by a schema, but not as
// asked for.
func TestGraphsCostNothing(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	a, s := open(t, extract.WithGraphs(modelOf(t, server, &late{})))
	d := a.Settle(t, a.Add(t, "graph.csv", "source,source_label,type,target,target_label\nAnna Quill,Person,MET,Old Mill,Building\n").Document)
	if d.Format != domain.FormatGraph || d.Entities != 2 {
		t.Fatalf("read as %+v", d)
	}
	g := strict("Person")
	g.Instructions = "Mind the mill."
	draft := schemas.Draft{Guide: g}
	bill, err := s.Bill(t.Context(), testkit.Workspace, draft)
	if err != nil || bill.Documents != 1 || bill.Applied != 1 || bill.Asked != 0 || bill.Calls != 0 || bill.Tokens.To != 0 {
		t.Errorf("%+v, error %v", bill, err)
	}
	save(t, a, 0, g)
	if applied, err := s.Apply(t.Context(), testkit.Workspace); err != nil || applied.Documents != 1 {
		t.Errorf("%+v, error %v", applied, err)
	}
	if d = a.Settle(t, a.Document(t, d.ID)); d.Entities != 1 || d.Dropped == 0 || server.Calls(llmtest.Any) != 0 {
		t.Errorf("%d entities, %d dropped items, %d calls", d.Entities, d.Dropped, server.Calls(llmtest.Any))
	}
}

// TestNarrowerSchemasKeepTheirDocuments leaves out of a draft for the library
// what a document's or a tag's own schema guides.
func TestNarrowerSchemasKeepTheirDocuments(t *testing.T) {
	t.Parallel()
	a, s := open(t, &testkit.Extractor{})
	ids := library(t, a)
	a.Tag(t, ids[0], "mill")
	_, err := a.Schemas.Save(t.Context(), testkit.Workspace, schemas.Draft{Scope: schemas.Scope{Tag: "mill"}, Guide: strict("Place")})
	testkit.Must(t, err)
	testkit.Must(t, a.Documents.Choose(t.Context(), testkit.Workspace, ids[2], "minutes"))
	for _, tt := range []struct {
		scope schemas.Scope
		of    int
	}{{schemas.Scope{}, 4}, {schemas.Scope{Tag: "mill"}, 2}, {schemas.Scope{Tag: "other"}, 0}, {schemas.Scope{Document: ids[0]}, 2}, {schemas.Scope{Name: "minutes"}, 2}} {
		bill, err := s.Bill(t.Context(), testkit.Workspace, schemas.Draft{Scope: tt.scope, Guide: strict("Event")})
		if err != nil || bill.Of != tt.of || bill.Chunks != tt.of {
			t.Errorf("%+v: %+v, error %v; want %d chunks", tt.scope, bill, err, tt.of)
		}
	}
	bill, err := s.Apply(t.Context(), testkit.Workspace)
	if err != nil || bill.Documents != 1 {
		t.Errorf("%+v, error %v", bill, err)
	}
	for i, id := range ids {
		if d := a.Settle(t, a.Document(t, id)); (d.Dropped > 0) != (i == 0) {
			t.Errorf("document %d: %d dropped", i, d.Dropped)
		}
	}
}

// TestADryRunShowsWhatLinesStateOfFields tries a draft that asks for fields which lines of two documents state, and one that is there
// with other values.
func TestADryRunShowsWhatLinesStateOfFields(t *testing.T) {
	t.Parallel()
	a, trials := open(t, nil)
	one := a.Settle(t, a.Add(t, "one.txt", "Status: final\n\nAnna Quill greeted Maud Ferring.").Document)
	a.Settle(t, a.Add(t, "two.txt", "Stand: draft\nYear: 1871\n\nAnna Quill left.").Document)
	_, _, err := a.Ledger.ChangeField(t.Context(), testkit.Workspace, "", domain.Field{Name: "year", Kind: domain.FieldNumber})
	testkit.Must(t, err)
	draft := schemas.Draft{Guide: extract.Guide{Fields: []extract.FieldRule{{Name: "status", Type: "choice", Choices: []string{"draft", "final"}}, {Name: "year"}, {Name: "place"}}}}
	tried, err := trials.Run(t.Context(), testkit.Workspace, draft, nil)
	testkit.Must(t, err)
	status := tried.Fields[0]
	if tried.Looked != 2 || status.Found != 2 || len(status.Values) != 2 || tried.Fields[2].Found != 0 {
		t.Errorf("got %+v", tried.Fields)
	}
	for _, v := range status.Values {
		if v.Document == one.ID && (v.Line != "Status: final" || v.Values[0] != "final" || v.Span != domain.Span{End: 13}) {
			t.Errorf("of one.txt: %+v", v)
		}
	}
	if year := tried.Fields[1]; year.Found != 0 || !strings.Contains(year.Problem, "of the kind number") {
		t.Errorf("a field of another kind: %+v", year)
	}
	if values, err := a.Ledger.FieldsOf(t.Context(), testkit.Workspace, []domain.DocumentID{one.ID}); err != nil || len(values[one.ID]) != 0 {
		t.Errorf("trying stores %v, %v", values, err)
	}
}
