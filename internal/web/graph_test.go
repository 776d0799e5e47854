package web

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/link"
)

func TestTheExplorerOfAnEmptyLibrarySaysWhatToDo(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	p := b.get(t, "/graph")
	if p.status != 200 || !strings.Contains(p.main(t), "Add documents") || strings.Contains(p.body, "graph-picture") {
		t.Errorf("status %d: %s", p.status, p.main(t))
	}
}

func TestTheExplorerWorksWithoutItsScript(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	at := "/graph?at=" + string(f.entity)
	for path, want := range map[string]string{
		"/graph":                         "communities",
		"/graph?q=agnes":                 "Agnes Lovibond",
		"/graph?q=nobody":                "No entity matches",
		at + "&view=table":               "Agnes Lovibond",
		at + "&to=zebedee":               "No entity is called “zebedee”",
		at + "&label=Place":              "Take off label",
		"/graph?doc=" + string(f.doc.ID): "foundry.txt",
		"/graph?tag=letters":             "Nothing matches the filters",
	} {
		if p := b.get(t, path); p.status != 200 || !strings.Contains(p.body, want) {
			t.Errorf("GET %s: status %d, without %q: %s", path, p.status, want, p.main(t))
		}
	}
	p := b.get(t, at)
	rows := nodes(t, p.body, func(n *html.Node) bool { return n.Data == "tr" && attr(n, "data-id") == string(f.entity) })
	if len(rows) != 1 || !strings.Contains(p.body, `data-testid="card-name"`) {
		t.Errorf("%d rows of the centre, or no card: %s", len(rows), p.main(t))
	}
}

func TestThePictureAndTheTableShowTheSame(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	for _, query := range []string{"?at=" + string(f.entity) + "&steps=3", "?all=1", "?doc=" + string(f.doc.ID)} {
		var drawn struct{ Nodes struct{ ID []string } }
		testkit.Must(t, json.Unmarshal([]byte(b.get(t, "/graph/data"+query).body), &drawn))
		page := b.get(t, "/graph"+query)
		rows := nodes(t, page.body, func(n *html.Node) bool { return n.Data == "tr" && attr(n, "data-id") != "" })
		if len(drawn.Nodes.ID) == 0 || len(rows) != len(drawn.Nodes.ID) {
			t.Errorf("%s: %d entities are drawn and %d listed", query, len(drawn.Nodes.ID), len(rows))
		}
	}
}

func TestTheGraphIsExported(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	for format, want := range map[string]string{"graphml": "<graphml", "csv": "kind,id,name", "json": `{"entities":[`, "cypher": "MERGE (e:Entity"} {
		for _, scope := range []string{"&scope=all", "&at=" + string(f.entity)} {
			p := b.get(t, "/graph/export?format="+format+scope)
			if p.status != 200 || !strings.Contains(p.body, want) || !strings.Contains(p.body, "Agnes Lovibond") || !strings.Contains(p.header.Get("Content-Disposition"), "."+format) {
				t.Errorf("%s %s: status %d, %v: %.200s", format, scope, p.status, p.header, p.body)
			}
		}
	}
}

func TestPagesShowTheirPartOfTheGraph(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "bridge.txt", "Henrike Aldous designed Copper Bridge. Ambrose Keel painted Copper Bridge.")
	bridge := b.entity(t, "Copper Bridge")
	for path, link := range map[string]string{"/entities/" + string(bridge.ID): "/graph?at=" + string(bridge.ID), "/documents/" + string(doc.ID): "/graph?doc=" + string(doc.ID)} {
		p := b.get(t, path)
		pictures := nodes(t, p.body, func(n *html.Node) bool { return attr(n, "data-testid") == "graph-picture" })
		if len(pictures) != 1 || !strings.Contains(text(pictures[0]), "Copper Bridge") || !strings.Contains(p.body, link) {
			t.Errorf("%s has %d pictures, or no link to %s", path, len(pictures), link)
		}
		if open := b.get(t, link); open.status != 200 || !strings.Contains(open.main(t), "Henrike Aldous") {
			t.Errorf("%s: status %d", link, open.status)
		}
	}
}

// TestOneIsNotMany reads the lines of entities that are mentioned once, in one document, with one relation.
func TestOneIsNotMany(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "bridge.txt", "Henrike Aldous designed Copper Bridge.")
	for _, path := range []string{link.Entities, link.MergeEntity(b.entity(t, "Copper Bridge").ID)} {
		lines := b.get(t, path).main(t)
		if many := regexp.MustCompile(`\b1\s*(mentions|documents|relations)`).FindString(lines); many != "" || !strings.Contains(lines, "Henrike Aldous") {
			t.Errorf("%s says %q: %s", path, many, lines)
		}
	}
}

// TestAnAnswerShowsWhereItsEvidenceCameFrom opens the picture beside an answer
// and the same part in the explorer.
func TestAnAnswerShowsWhereItsEvidenceCameFrom(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Walk: true})
	b.Read(t, "bridge.txt", "Henrike Aldous designed Copper Bridge. Ambrose Keel painted Copper Bridge.")
	b.Read(t, "mill.txt", "Clement Harrow built Velm Mill. Clement Harrow sold Velm Mill.")
	m := b.Answered(t, "", "Who designed Copper Bridge?")
	if len(m.Citations) == 0 {
		t.Fatalf("the answer cites nothing: %+v", m)
	}
	at := "/ask/" + string(m.Conversation) + "/graph/" + string(m.Message)
	if p := b.get(t, "/ask/"+string(m.Conversation)); !strings.Contains(p.body, `hx-get="`+at+`"`) {
		t.Errorf("the answer does not load its picture: %s", p.main(t))
	}
	picture := b.get(t, at)
	link := "/graph?answer=" + string(m.Message)
	for _, want := range []string{"Copper Bridge", "Henrike Aldous", link} {
		if !strings.Contains(picture.body, want) {
			t.Errorf("the picture has no %q: %s", want, picture.body)
		}
	}
	lit := nodes(t, picture.body, func(n *html.Node) bool { return n.Data == "g" && strings.Contains(attr(n, "class"), "lit") })
	if len(lit) != 1 || !strings.Contains(text(lit[0]), "Copper Bridge") || !strings.Contains(picture.body, "the ways that the search went") {
		t.Errorf("%d entities on the way of the search are lit, want Copper Bridge: %s", len(lit), picture.body)
	}
	if strings.Contains(picture.body, "Velm Mill") {
		t.Errorf("the picture shows what the evidence does not mention: %s", picture.body)
	}
	var drawn struct{ Nodes struct{ Name []string } }
	testkit.Must(t, json.Unmarshal([]byte(b.get(t, strings.Replace(link, "/graph", "/graph/data", 1)).body), &drawn))
	for _, name := range drawn.Nodes.Name {
		if !strings.Contains(picture.body, name) {
			t.Errorf("the explorer shows %s, the picture does not", name)
		}
	}
	if len(drawn.Nodes.Name) < 2 {
		t.Errorf("the explorer shows %v", drawn.Nodes.Name)
	}
}

func TestAnEntityOpensInNeo4jBrowser(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{}, func(p *Params) { p.Browser = "http://127.0.0.1:7474/browser/" })
	f := b.fill(t)
	for _, path := range []string{"/entities/" + string(f.entity), "/graph?at=" + string(f.entity)} {
		p := b.get(t, path)
		links := nodes(t, p.body, func(n *html.Node) bool {
			return strings.HasPrefix(attr(n, "href"), "http://127.0.0.1:7474/browser/?arg=MATCH%20") && strings.Contains(attr(n, "href"), string(f.entity)) && strings.HasSuffix(attr(n, "href"), "&cmd=edit")
		})
		if len(links) != 1 {
			t.Errorf("%s has %d links to Neo4j Browser", path, len(links))
		}
	}
}

// TestLabelsOfATemplateLookDifferent: no two labels of a template have one
// shape.
func TestLabelsOfATemplateLookDifferent(t *testing.T) {
	t.Parallel()
	for _, template := range schemas.Templates() {
		guide, err := template.Guide()
		testkit.Must(t, err)
		seen := map[component.Shape]string{}
		for _, l := range guide.Schema.Labels {
			shape := component.ShapeOf(l.Name)
			if other := seen[shape]; other != "" {
				t.Errorf("%s: %s looks like %s", template.Name, l.Name, other)
			}
			seen[shape] = l.Name
		}
	}
}

// TestFormsOfTheCardLeadBack opens the forms of an entity's card. Each leads back
// to the same view.
func TestFormsOfTheCardLeadBack(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	b.Read(t, "b.txt", "Mrs Lovibond kept a diary in Velm.")
	agnes, mrs := b.entity(t, "Agnes Lovibond"), b.entity(t, "Mrs Lovibond")
	v := link.GraphView{At: []domain.EntityID{agnes.ID}, Steps: 2, Selected: agnes.ID}
	card := b.get(t, v.URL()).body
	for _, form := range []string{link.RenameEntity(agnes.ID), link.Properties(agnes.ID), link.MergeEntity(agnes.ID), link.SplitEntity(agnes.ID), link.With(link.NewRelation, "source", string(agnes.ID))} {
		address := link.With(form, "back", v.URL())
		if !strings.Contains(card, html.EscapeString(address)) && !strings.Contains(card, html.EscapeString(link.With(link.NewRelation, "source", string(agnes.ID), "back", v.URL()))) {
			t.Errorf("the card doesn't link %s", address)
		}
		if p := b.get(t, address); p.status != 200 || !strings.Contains(p.body, html.EscapeString(url.QueryEscape(v.URL()))) && !strings.Contains(p.body, html.EscapeString(v.URL())) {
			t.Errorf("%s: status %d, and nothing leads back", address, p.status)
		}
	}
	returns := func(form string, fields url.Values, want string) {
		t.Helper()
		p := b.post(t, link.With(form, "back", v.URL()), fields)
		to, err := url.Parse(p.header.Get("Location"))
		testkit.Must(t, err)
		if p.status != 303 || to.Path != link.Graph || link.ParseGraph(to.Query()).URL() != want {
			t.Errorf("%s: status %d, to %s, want %s", form, p.status, to, want)
		}
	}
	returns(link.RenameEntity(agnes.ID), url.Values{"name": {"Agnes L."}, "label": {agnes.Label}}, v.URL())
	p := b.post(t, link.With(link.RenameEntity(agnes.ID), "back", "https://evil.example"), url.Values{"name": {"Agnes"}, "label": {agnes.Label}})
	if to := p.header.Get("Location"); !strings.HasPrefix(to, link.Entity(agnes.ID)) {
		t.Errorf("another site's address leads to %s", to)
	}
	merged := v
	merged.At, merged.Selected = []domain.EntityID{mrs.ID}, mrs.ID
	returns(link.MergeEntities, merging(mrs.ID, agnes.ID), merged.URL())
	if p := b.get(t, merged.URL()); p.status != 200 {
		t.Errorf("the view after the merge: status %d", p.status)
	}
}

func TestCypherIsAFormatWhereTheGraphIsInNeo4j(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{true, false} {
		b := open(t, testkit.Options{}, func(p *Params) { p.Neo4j = there })
		b.fill(t)
		if p := b.get(t, "/graph"); strings.Contains(p.body, `"export-cypher"`) != there {
			t.Errorf("in Neo4j: %t, but the formats are those of the other: %s", there, p.main(t))
		}
	}
}

func TestTheExplorerHasARailOfYears(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Extractor: extract.Local(new(builtin.Miner).Mine, builtin.Reader)})
	if p := b.get(t, "/graph?view=table"); strings.Contains(p.body, "data-rail=") {
		t.Errorf("an empty library has a rail: %s", p.body)
	}
	b.Read(t, "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871. Ada Quill was the director of Carrow Foundry from 1890 to 1902.")
	for path, want := range map[string]string{
		"/graph":                           `data-rail="1871,1,0 1890,1,0 1902,0,1"`,
		"/graph?all=1":                     `min="1870" max="1902" value="1870" aria-label="As of" aria-valuetext="Any time"`,
		"/graph?as_of=1890-05":             `value="1890" aria-label="As of" aria-valuetext="1890-05: 1 begin, 0 end"`,
		"/graph?as_of=1066":                `min="1065" max="1902" value="1066" aria-label="As of" aria-valuetext="1066"`,
		"/graph?as_of=soon":                `aria-valuetext="Any time"`,
		"/graph?type=NONE&all=1":           "No relation here has a time.",
		"/graph?view=table&as_of=1880":     `as_of=1880`,
		"/graph/data?all=1&as_of=1066":     `"from":[]`,
		"/graph/data?as_of=1066&view=plan": `"from":[]`,
	} {
		if p := b.get(t, path); p.status != 200 || !strings.Contains(p.body, want) {
			t.Errorf("GET %s: status %d, without %s: %s", path, p.status, want, p.body[max(0, strings.Index(p.body, "graph-rail")):][:min(900, len(p.body)-max(0, strings.Index(p.body, "graph-rail")))])
		}
	}
}
