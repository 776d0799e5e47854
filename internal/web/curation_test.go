package web

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
)

// entity returns the only entity with the name.
func (b *bench) entity(t *testing.T, name string) domain.Entity {
	t.Helper()
	found, err := b.Graph.ByKey(t.Context(), testkit.Workspace, []string{strings.ToLower(name)})
	testkit.Must(t, err)
	if len(found) != 1 {
		t.Fatalf("%d entities are called %s, want 1", len(found), name)
	}
	return found[0]
}

// postAndFollow posts a form and gets the page it redirects to.
func (b *bench) postAndFollow(t *testing.T, path string, form url.Values) reply {
	t.Helper()
	p := b.post(t, path, form)
	if p.status != 303 {
		t.Fatalf("POST %s: %d %s", path, p.status, p.main(t))
	}
	return b.get(t, p.header.Get("Location"))
}

// undo returns the path that the undo button of the page posts to.
func (r reply) undo(t *testing.T) string {
	t.Helper()
	for _, n := range nodes(t, r.body, func(n *html.Node) bool { return attr(n, "data-testid") == "undo" }) {
		return attr(n.Parent, "action")
	}
	t.Fatalf("nothing offers to undo: %s", r.main(t))
	return ""
}

func TestMergeAndUndo(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	b.Read(t, "b.txt", "Mrs Lovibond kept a diary in Velm.")
	m := b.Answered(t, "", "What did the foundry cast?")
	agnes, mrs := b.entity(t, "Agnes Lovibond"), b.entity(t, "Mrs Lovibond")
	at := "/entities/" + string(agnes.ID)
	if p := b.get(t, at+"/merge?q=mrs"); !strings.Contains(p.body, "with="+string(mrs.ID)) || strings.Contains(p.main(t), "Velm") {
		t.Errorf("the search for the other: %s", p.main(t))
	}
	pair := b.get(t, at+"/merge?with="+string(mrs.ID))
	if said := pair.main(t); !strings.Contains(said, "Carrow Foundry") || !strings.Contains(said, "kept a diary") {
		t.Errorf("the evidence is not side by side: %s", said)
	}
	p := b.postAndFollow(t, at+"/merge", url.Values{"with": {string(mrs.ID)}, "keep": {string(agnes.ID)}})
	if said := p.main(t); !strings.Contains(said, "kept a diary") || !strings.Contains(p.body, "Merged “Mrs Lovibond” into “Agnes Lovibond”") {
		t.Errorf("the merged entity: %s", said)
	}
	if moved := b.get(t, "/entities/"+string(mrs.ID)); moved.status != 303 || moved.header.Get("Location") != at {
		t.Errorf("the old address: %d to %q", moved.status, moved.header.Get("Location"))
	}
	if answer := b.get(t, "/ask/"+string(m.Conversation)); answer.status != 200 {
		t.Errorf("the answer from before: %d", answer.status)
	}
	if again := b.Answered(t, "", "What did the foundry cast then?"); len(again.Citations) == 0 {
		t.Errorf("an answer from after cites nothing: %+v", again)
	}
	list := b.postAndFollow(t, p.undo(t), nil)
	if said := list.main(t); !strings.Contains(said, "Took back: merged “Mrs Lovibond”") || !strings.Contains(said, "taken back") {
		t.Errorf("the list of changes: %s", said)
	}
	if b.entity(t, "Mrs Lovibond").ID != mrs.ID {
		t.Error("the merge is not taken back")
	}
	if p := b.post(t, p.undo(t), nil); p.status != 409 {
		t.Errorf("taking it back twice: %d, want 409", p.status)
	}
	if p := b.postAndFollow(t, list.undo(t), nil); !strings.Contains(p.main(t), "Brought back: merged") || b.get(t, at+"/merge?with="+string(mrs.ID)).status != 404 {
		t.Errorf("taking the undo back: %s", p.main(t))
	}
}

func TestCuratorsForms(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	at := "/entities/" + string(f.entity)
	if p := b.post(t, at+"/rename", url.Values{"name": {" "}, "label": {"Person"}}); p.status != 422 || !strings.Contains(p.main(t), "at least one character") {
		t.Errorf("a blank name: %d %s", p.status, p.main(t))
	}
	const attack = `<script>alert(1)</script>`
	p := b.postAndFollow(t, at+"/rename", url.Values{"name": {attack}, "label": {"chronicler"}})
	for _, path := range []string{at, "/changes", at + "/rename", at + "/split", at + "/merge"} {
		shown := b.get(t, path)
		if bad := nodes(t, shown.body, func(n *html.Node) bool { return forbidden(n) != "" }); len(bad) > 0 || !strings.Contains(shown.main(t), attack) {
			t.Errorf("%s does not escape the name", path)
		}
	}
	if said := p.main(t); !strings.Contains(said, "Chronicler") || !strings.Contains(said, "Agnes Lovibond") {
		t.Errorf("the renamed entity: %s", said)
	}
	b.postAndFollow(t, p.undo(t), nil)
	if p := b.get(t, at); strings.Contains(p.main(t), attack) || !strings.Contains(p.main(t), "Chronicler") {
		t.Errorf("without the name, with the label: %s", p.main(t))
	}
	p = b.postAndFollow(t, at+"/split", url.Values{"form": {"Agnes Lovibond"}, "name": {"A namesake"}})
	if said := p.main(t); !strings.Contains(said, "A namesake") {
		t.Errorf("what was taken out: %s", said)
	}
	b.postAndFollow(t, p.undo(t), nil)
	list := b.postAndFollow(t, at+"/hide", nil)
	if b.get(t, at).status != 404 || !strings.Contains(list.main(t), "Hid “Agnes Lovibond”") {
		t.Errorf("hidden: %s", list.main(t))
	}
	b.postAndFollow(t, list.undo(t), nil)
	if b.get(t, at).status != 200 {
		t.Error("what was hidden does not come back")
	}
	if p := b.post(t, at+"/hide", nil, "Sec-Fetch-Site", "cross-site"); p.status != 403 {
		t.Errorf("a form of another site: %d, want 403", p.status)
	}
	testkit.Must(t, b.Documents.Delete(t.Context(), testkit.Workspace, f.doc.ID))
	if said := b.get(t, "/changes").main(t); !strings.Contains(said, "no effect") || strings.Contains(said, "Lovibond") {
		t.Errorf("after deleting the document: %s", said)
	}
}
