package web

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/testkit"
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
		"/graph?q=nobody":                "No entity is called “nobody”",
		at + "&view=table":               "Agnes Lovibond",
		at + "&to=zebedee":               "No entity is called “zebedee”",
		at + "&label=Place":              "Take off label",
		"/graph?doc=" + string(f.doc.ID): "foundry.txt",
		"/graph?tag=letters":             "Nothing passes the filters",
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
