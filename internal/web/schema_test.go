package web

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

// schemaForm returns the fields of the schema's form on a page, as a browser
// sends them with the button do.
func (r reply) schemaForm(t *testing.T, do string) url.Values {
	t.Helper()
	form := url.Values{"do": {do}}
	root := nodes(t, r.body, func(n *html.Node) bool { return attr(n, "id") == "schema-form" })
	if len(root) != 1 {
		t.Fatalf("the page has no form: %s", r.main(t))
	}
	for n := range root[0].Descendants() {
		name := attr(n, "name")
		switch {
		case n.Type != html.ElementNode || name == "" || name == "do":
		case n.Data == "textarea":
			form.Add(name, strings.TrimPrefix(text(n), "\n"))
		case n.Data == "select":
			form.Add(name, selected(n))
		case n.Data == "input" && attr(n, "type") == "radio":
			if has(n, "checked") {
				form.Add(name, attr(n, "value"))
			}
		case n.Data == "input":
			form.Add(name, attr(n, "value"))
		}
	}
	return form
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// selected returns the value of a select element.
func selected(n *html.Node) string {
	first, found := "", false
	for o := range n.Descendants() {
		if o.Data != "option" {
			continue
		}
		if has(o, "selected") {
			return attr(o, "value")
		}
		if !found {
			first, found = attr(o, "value"), true
		}
	}
	return first
}

// count returns how many elements of a page have the test id.
func (r reply) count(t *testing.T, id string) int {
	t.Helper()
	return len(nodes(t, r.body, func(n *html.Node) bool { return attr(n, "data-testid") == id }))
}

func (b *bench) schema(t *testing.T, of schemas.Scope) schemas.Version {
	t.Helper()
	v, err := b.Schemas.Latest(t.Context(), testkit.Workspace, of)
	testkit.Must(t, err)
	return v
}

func TestASchemaIsSetOnThePage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.fill(t)
	empty := b.get(t, "/schema")
	if said := empty.main(t); !strings.Contains(said, "Say what your documents are about") || !strings.Contains(said, "Research papers") {
		t.Errorf("without a schema: %s", said)
	}
	start := b.get(t, "/schema?template=people")
	if said := start.main(t); !strings.Contains(said, "the template “People and organisations”") || !strings.Contains(said, "+ new") || start.count(t, "label") != 5 {
		t.Errorf("the template: %s", said)
	}
	if b.schema(t, schemas.Scope{}).Number != 0 {
		t.Fatal("a template is saved by looking at it")
	}

	// Rows are added and removed by buttons of the form.
	form := start.schemaForm(t, "add.label")
	added := b.post(t, "/schema", form)
	form = added.schemaForm(t, "remove.label.1")
	if names := form["label.name"]; len(names) != 6 || names[5] != "" {
		t.Fatalf("labels after adding one: %q", names)
	}
	form["label.name"][5], form["label.description"][5], form["label.synonyms"][5] = "Bell", "what rings", "Chime, Peal ,"
	removed := b.post(t, "/schema", form)
	form = removed.schemaForm(t, "save")
	if names := form["label.name"]; !slices.Equal(names, []string{"Person", "Place", "Role", "Event", "Bell"}) {
		t.Errorf("labels after removing one: %q", names)
	}
	if slices.Contains(append(form["triple.source"], form["triple.target"]...), "Organisation") || slices.Contains(form["property.of"], "Organisation") {
		t.Errorf("what belongs to a label that was removed stays: %q, %q", form["triple.source"], form["property.of"])
	}

	// What is invalid comes back as typed, with the problem at its field.
	refused := b.post(t, "/schema", form)
	if refused.status != 422 || b.schema(t, schemas.Scope{}).Number != 0 || !slices.Equal(refused.schemaForm(t, "save")["label.name"], form["label.name"]) {
		t.Errorf("an invalid schema: %d %s", refused.status, refused.main(t))
	}
	at := nodes(t, refused.body, func(n *html.Node) bool { return attr(n, "aria-invalid") == "true" })
	if len(at) != 2 || attr(at[0], "name") != "example.text" || attr(at[0], "aria-describedby") == "" || !strings.Contains(refused.main(t), "Fact 1 of example 1") {
		t.Errorf("%d fields are marked as invalid: %s", len(at), refused.main(t))
	}
	form = b.post(t, "/schema", refused.schemaForm(t, "remove.example.0")).schemaForm(t, "save")
	form.Set("note", "bells matter")
	form.Set("strict", "yes")
	saved := b.postAndFollow(t, "/schema", form)
	v := b.schema(t, schemas.Scope{})
	if v.Number != 1 || v.Note != "bells matter" || !v.Guide.Schema.Strict || len(v.Guide.Schema.Labels) != 5 || !slices.Equal(v.Guide.Schema.Labels[4].Synonyms, []string{"Chime", "Peal"}) {
		t.Errorf("saved %+v", v)
	}
	if said := saved.main(t); !strings.Contains(said, "Saved as version 1") || strings.Contains(said, "+ new") || !strings.Contains(said, "this is the current version") {
		t.Errorf("after saving: %s", said)
	}
	// The graph's counts stand beside labels; what goes is named with what it takes along.
	form = saved.schemaForm(t, "remove.label.0")
	if gone := b.post(t, "/schema", form); gone.count(t, "gone") != 8 || !strings.Contains(gone.main(t), "entities are dropped or find another label") {
		t.Errorf("without people: %s", gone.main(t))
	}
	cleared := b.postAndFollow(t, "/schema", saved.schemaForm(t, "clear"))
	if v := b.schema(t, schemas.Scope{}); !v.Cleared || !strings.Contains(cleared.main(t), "No schema here") {
		t.Errorf("cleared: %+v: %s", v, cleared.main(t))
	}
}

func TestFieldsWithProblems(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	for field, c := range map[string]struct {
		form url.Values
		says string
	}{
		"label.name":    {url.Values{"label.name": {"Bell", "bell"}, "label.description": {"", ""}}, "twice"},
		"type.name":     {url.Values{"type.name": {"…"}}, "needs a letter"},
		"property.of":   {url.Values{"label.name": {"Bell"}, "property.of": {"Town"}, "property.key": {"founded"}}, "Neither a label nor a type is called Town"},
		"example.text":  {url.Values{"example.text": {"Pell cast Tom."}, "example.facts": {"Pell cast Tom"}}, "is not a fact"},
		"triple.source": {url.Values{"triple.source": {""}, "triple.type": {"CAST"}, "triple.target": {""}}, "not among the types"},
		"instructions":  {url.Values{"instructions": {strings.Repeat("x", 20_000)}}, "shorten"},
	} {
		c.form.Set("do", "save")
		p := b.post(t, "/schema", c.form)
		at := nodes(t, p.body, func(n *html.Node) bool { return attr(n, "aria-invalid") == "true" })
		if p.status != 422 || !strings.Contains(p.main(t), c.says) || len(at) == 0 || attr(at[0], "name") != field {
			t.Errorf("%s: %d, %d fields, %s", field, p.status, len(at), p.main(t))
		}
	}
	for _, form := range []url.Values{{"do": {"save"}}, {"do": {"clear"}}, {"do": {"propose"}}, {"do": {"save"}, "instructions": {"x"}, "gleaning": {"many"}}} {
		if p := b.post(t, "/schema", form); p.status != 422 || p.count(t, "schema-form") != 1 {
			t.Errorf("%v: %d %s", form, p.status, p.main(t))
		}
	}
	for _, do := range []string{"", "add", "add.nothing", "remove.label", "remove.label.-1", "remove.label.9", "remove.label.x.1", "nonsense"} {
		if p := b.post(t, "/schema", url.Values{"do": {do}, "label.name": {"Bell"}}); p.status != 200 || p.count(t, "label") != 1 {
			t.Errorf("%q: %d %s", do, p.status, p.main(t))
		}
	}
}

func TestTwoPeopleSaveASchema(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	_, err := b.Schemas.Save(t.Context(), testkit.Workspace, schemas.Draft{Who: "bob", Guide: extract.Guide{Instructions: "bob's"}})
	testkit.Must(t, err)
	form := url.Values{"do": {"save"}, "base": {"0"}, "label.name": {"Bell"}}
	p := b.post(t, "/schema", form)
	if said := p.main(t); p.status != 409 || !strings.Contains(said, "bob has since saved version 1") || !strings.Contains(said, "− gone") || p.schemaForm(t, "")["label.name"][0] != "Bell" {
		t.Errorf("%d %s", p.status, said)
	}
	if p := b.post(t, "/schema", form, "HX-Request", "true"); p.status != 422 {
		t.Errorf("htmx gets %d, whose page it does not show", p.status)
	}
	b.postAndFollow(t, "/schema", p.schemaForm(t, "save"))
	if v := b.schema(t, schemas.Scope{}); v.Number != 2 || v.Guide.Instructions != "" {
		t.Errorf("saved %+v", v)
	}
}

func TestSchemasOfTagsAndDocuments(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	b.Tag(t, f.doc.ID, "bells & co")
	b.postAndFollow(t, "/schema", url.Values{"do": {"save"}, "label.name": {"Bell"}})
	tagged := b.get(t, "/schema?tag=Bells+%26+co")
	if said := tagged.main(t); !strings.Contains(said, "No schema here. Version 1 of the wider scope") || !strings.Contains(said, "Tagged bells & co") {
		t.Errorf("of a tag: %s", said)
	}
	b.postAndFollow(t, "/schema?tag=bells+%26+co", url.Values{"do": {"save"}, "label.name": {"Chime"}})
	own := "/schema?document=" + string(f.doc.ID)
	if said := b.get(t, own).main(t); !strings.Contains(said, "Version 2 of the wider scope") || !strings.Contains(said, "foundry.txt") {
		t.Errorf("of a document: %s", said)
	}
	b.postAndFollow(t, own, url.Values{"do": {"save"}, "label.name": {"Peal"}})
	_, err := b.Ledger.UpdateDocument(t.Context(), testkit.Workspace, f.doc.ID, func(d *domain.Document) { d.Schema = 1 })
	testkit.Must(t, err)
	if said := b.get(t, "/documents/"+string(f.doc.ID)).main(t); !strings.Contains(said, "Read with version 1 of the library’s schema") || !strings.Contains(said, "Version 3 guides it when it is read again") {
		t.Errorf("the document's page: %s", said)
	}
	if said := b.get(t, "/schema").main(t); !strings.Contains(said, "Tagged bells & co own") {
		t.Errorf("the library's page: %s", said)
	}
	if p := b.get(t, "/schema?tag=a,b"); p.status != 422 {
		t.Errorf("two tags: %d", p.status)
	}
}

func TestVersionsOfASchema(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.postAndFollow(t, "/schema", url.Values{"do": {"save"}, "label.name": {"Bell"}, "note": {"first"}})
	b.postAndFollow(t, "/schema", url.Values{"do": {"save"}, "base": {"1"}, "label.name": {"Bell", "Town"}, "label.description": {"rings", ""}})
	list := b.get(t, "/schema/versions")
	if said := list.main(t); list.count(t, "version") != 2 || !strings.Contains(said, "first 1 change") || !strings.Contains(said, "2 changes in force") {
		t.Errorf("the versions: %s", said)
	}
	if said := b.get(t, "/schema/versions?a=1&b=2").main(t); !strings.Contains(said, "From version 1 to version 2") || !strings.Contains(said, "+ new labelTown") || !strings.Contains(said, "~ changed labelBell rings") {
		t.Errorf("the difference: %s", said)
	}
	if said := b.get(t, "/schema/versions?a=2&b=2").main(t); !strings.Contains(said, "The two versions are the same") {
		t.Errorf("no difference: %s", said)
	}
	one := b.get(t, "/schema/versions/1")
	if said := one.main(t); !strings.Contains(said, "name: Bell") || one.count(t, "restore") != 1 {
		t.Errorf("version 1: %s", said)
	}
	if two := b.get(t, "/schema/versions/2"); two.count(t, "restore") != 0 || !strings.Contains(two.main(t), "In force") {
		t.Errorf("version 2: %s", two.main(t))
	}
	b.postAndFollow(t, "/schema/versions/1/restore", nil)
	if v := b.schema(t, schemas.Scope{}); v.Number != 3 || v.Note != "Restores version 1" || len(v.Guide.Schema.Labels) != 1 {
		t.Errorf("restored %+v", v)
	}
	if p := b.post(t, "/schema/versions/3/restore", nil); p.status != 422 || !strings.Contains(p.main(t), "already the current one") {
		t.Errorf("restoring what is in force: %d %s", p.status, p.main(t))
	}
}

func TestASchemaAsYAML(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.postAndFollow(t, "/schema", url.Values{"do": {"save"}, "label.name": {"Bell"}})
	file := b.get(t, "/schema/file")
	if file.header.Get("Content-Disposition") != `attachment; filename="schema-1.yaml"` || !strings.Contains(file.body, "name: Bell") {
		t.Errorf("the file: %v %s", file.header, file.body)
	}
	bad := b.post(t, "/schema/yaml", url.Values{"text": {"schema:\n  lables: []\n"}})
	if said := bad.main(t); bad.status != 422 || !strings.Contains(said, "Line 2: the key lables is unknown here.") || !strings.Contains(said, "lables: []") {
		t.Errorf("a text that can't be read: %d %s", bad.status, said)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", "schema.yaml")
	testkit.Must(t, err)
	_, err = io.WriteString(part, strings.ReplaceAll(file.body, "Bell", "Chime"))
	testkit.Must(t, err)
	testkit.Must(t, w.Close())
	draft := b.do(t, http.MethodPost, "/schema/yaml", &body, "Content-Type", w.FormDataContentType())
	if said := draft.main(t); draft.status != 200 || !strings.Contains(said, "Nothing is saved yet") || !slices.Equal(draft.schemaForm(t, "")["label.name"], []string{"Chime"}) || draft.count(t, "gone") != 1 {
		t.Errorf("the draft: %d %s", draft.status, said)
	}
	if v := b.schema(t, schemas.Scope{}); v.Number != 1 {
		t.Errorf("the draft was saved as version %d", v.Number)
	}
}

func TestASchemaIsProposedAndNotSaved(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.fill(t)
	p := b.post(t, "/schema", url.Values{"do": {"propose"}})
	if said := p.main(t); p.status != 200 || !strings.Contains(said, "counted in a sample of the library (documents: 1)") || p.schemaForm(t, "")["label.name"][0] != "Person" {
		t.Errorf("%d %s", p.status, said)
	}
	if v := b.schema(t, schemas.Scope{}); v.Number != 0 {
		t.Error("the proposal was saved")
	}
}

func TestMembersSeeTheSchema(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.postAndFollow(t, "/schema", url.Values{"do": {"save"}, "label.name": {"Bell"}})
	testkit.Must(t, b.Auth.Add(here(t), "", "bob", "correct horse", "owner"))
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", "contributor"))
	b.signIn(t)
	p := b.get(t, "/schema")
	if p.status != 200 || p.schemaForm(t, "")["label.name"][0] != "Bell" || p.count(t, "save-schema")+p.count(t, "add-label")+p.count(t, "propose") != 0 {
		t.Errorf("%d %s", p.status, p.main(t))
	}
	if one := b.get(t, "/schema/versions/1"); one.status != 200 || one.count(t, "restore") != 0 {
		t.Errorf("a version: %d %s", one.status, one.main(t))
	}
}
