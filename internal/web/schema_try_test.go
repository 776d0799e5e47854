package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/testkit"
)

// TestADraftIsTriedThenReadAgain narrows the graph by a schema that is typed on
// the page, lists what was dropped, and lets it come back.
func TestADraftIsTriedThenReadAgain(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	d := b.Read(t, "mill.txt", "Anna Quill met Maud Ferring at an old mill by a river.")
	form := b.post(t, "/schema", b.get(t, "/schema").schemaForm(t, "add.label")).schemaForm(t, "try")
	form["label.name"][0] = "Place"
	form.Set("strict", "yes")
	tried := b.post(t, "/schema", form)
	said := tried.main(t)
	for _, part := range []string{"Dry run on 1 of 1 passage", "no model, no tokens", "2 → 0", "The schema has no label Person.", "Read again what this changes: 1 of 1 passage"} {
		if !strings.Contains(said, part) {
			t.Errorf("the dry run lacks %q: %s", part, said)
		}
	}
	if b.schema(t, schemas.Scope{}).Number != 0 || b.Document(t, d.ID).Dropped != 0 {
		t.Error("a dry run changed something")
	}
	form = tried.schemaForm(t, "try")
	form.Set("words", "nobody says this")
	if missing := b.post(t, "/schema", form); missing.status != 422 || !strings.Contains(missing.main(t), "No chunk contains") {
		t.Errorf("words that no chunk says: %d %s", missing.status, missing.main(t))
	}

	b.postAndFollow(t, "/schema", tried.schemaForm(t, "apply"))
	if d = b.Settle(t, b.Document(t, d.ID)); d.Schema != 1 || d.Entities != 0 || d.Dropped != 3 {
		t.Errorf("read again as %+v", d)
	}
	if page := b.get(t, "/documents/"+string(d.ID)).main(t); !strings.Contains(page, "Dropped 3") || !strings.Contains(page, "Its end Anna Quill was dropped.") {
		t.Errorf("the document's page: %s", page)
	}
	if rows := b.get(t, "/documents").main(t); !strings.Contains(rows, "3 dropped") {
		t.Errorf("the list: %s", rows)
	}

	// What was dropped is allowed by its button, and comes back.
	again := b.post(t, "/schema", b.get(t, "/schema").schemaForm(t, "try"))
	buttons := nodes(t, again.body, func(n *html.Node) bool { return attr(n, "data-testid") == "allow" })
	if len(buttons) != 2 {
		t.Fatalf("%d buttons to allow: %s", len(buttons), again.main(t))
	}
	allowed := b.post(t, "/schema", again.schemaForm(t, attr(buttons[0], "value")))
	form = allowed.schemaForm(t, "apply")
	if names := form["label.name"]; !slices.Equal(names, []string{"Place", "Person"}) {
		t.Errorf("labels %q", names)
	}
	b.postAndFollow(t, "/schema", form)
	if d = b.Settle(t, b.Document(t, d.ID)); d.Schema != 2 || d.Entities != 2 || d.Relations != 1 || d.Dropped != 0 {
		t.Errorf("read again as %+v", d)
	}
	form = url.Values{"do": {"apply"}, "label.name": {"7"}, "label.description": {""}, "label.synonyms": {""}, "base": {"2"}}
	if refused := b.post(t, "/schema", form); refused.status != 422 || b.schema(t, schemas.Scope{}).Number != 2 {
		t.Errorf("an invalid draft: %d", refused.status)
	}
}
