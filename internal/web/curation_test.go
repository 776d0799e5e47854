package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
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
	if said := pair.main(t); !strings.Contains(said, "wrote of it") || !strings.Contains(said, "kept a diary") {
		t.Errorf("the evidence is not side by side: %s", said)
	}
	for _, path := range []string{"/merge?with=" + string(mrs.ID), "/split"} {
		if said := b.get(t, at+path).main(t); !strings.Contains(said, "Agnes Lovibond wrote of it.") || strings.Contains(said, "cast the bells") {
			t.Errorf("%s shows more than the sentence with the name: %s", path, said)
		}
	}
	p := b.postAndFollow(t, "/entities/merge", merging(agnes.ID, mrs.ID))
	if said := p.main(t); !strings.Contains(said, "kept a diary") || !strings.Contains(p.body, "Merged “Mrs Lovibond” into “Agnes Lovibond”") {
		t.Errorf("the merged entity: %s", said)
	}
	if moved := b.get(t, "/entities/"+string(mrs.ID)); moved.status != 303 || moved.header.Get("Location") != at {
		t.Errorf("the old address: %d to %q", moved.status, moved.header.Get("Location"))
	}
	if moved := b.get(t, "/graph?at="+string(mrs.ID)+"&steps=2"); moved.status != 303 || moved.header.Get("Location") != "/graph?at="+string(agnes.ID)+"&steps=2" {
		t.Errorf("the old address in the explorer: %d to %q", moved.status, moved.header.Get("Location"))
	}
	if answer := b.get(t, "/ask/"+string(m.Conversation)); answer.status != 200 {
		t.Errorf("the answer from before: %d", answer.status)
	}
	if again := b.Answered(t, "", "What did the foundry cast then?"); len(again.Citations) == 0 {
		t.Errorf("an answer from after cites nothing: %+v", again)
	}
	back := b.post(t, p.undo(t), url.Values{"back": {at}})
	if to := back.header.Get("Location"); !strings.HasPrefix(to, at+"?change=") || !strings.Contains(b.get(t, to).body, "Took back: merged “Mrs Lovibond”") {
		t.Errorf("undoing leads to %q, want the page where it was", to)
	}
	list := b.get(t, "/review/changes")
	if said := list.main(t); !strings.Contains(said, "Took back: merged “Mrs Lovibond”") || !strings.Contains(said, "undone") {
		t.Errorf("the list of changes: %s", said)
	}
	if b.entity(t, "Mrs Lovibond").ID != mrs.ID {
		t.Error("the merge is not taken back")
	}
	if p := b.post(t, p.undo(t), nil); p.status != 409 {
		t.Errorf("taking it back twice: %d, want 409", p.status)
	}
	if p := b.postAndFollow(t, b.get(t, back.header.Get("Location")).undo(t), nil); !strings.Contains(p.main(t), "Brought back: merged") || b.get(t, at+"/merge?with="+string(mrs.ID)).status != 404 {
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
	for _, path := range []string{at, "/review/changes", at + "/rename", at + "/split", at + "/merge"} {
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
	if b.get(t, at).status != 404 || !strings.Contains(list.body, "Deleted “Agnes Lovibond”") {
		t.Errorf("deleted: %s", list.main(t))
	}
	b.postAndFollow(t, list.undo(t), nil)
	if b.get(t, at).status != 200 {
		t.Error("what was hidden does not come back")
	}
	if p := b.post(t, at+"/hide", nil, "Sec-Fetch-Site", "cross-site"); p.status != 403 {
		t.Errorf("a form of another site: %d, want 403", p.status)
	}
	b.Delete(t, f.doc.ID)
	if said := b.get(t, "/review/changes").main(t); !strings.Contains(said, "no effect") || strings.Contains(said, "Lovibond") {
		t.Errorf("after deleting the document: %s", said)
	}
}

// undoIn returns where undoing the change of a page leads, from that page.
func (b *bench) undoIn(t *testing.T, p reply, page string) string {
	t.Helper()
	answer := b.post(t, p.undo(t), url.Values{"back": {page}})
	if answer.status != 303 {
		t.Fatalf("undo: %d %s", answer.status, answer.main(t))
	}
	return answer.header.Get("Location")
}

// TestAnEntityIsMadeFromMarkedWords marks words of a document, makes an entity of
// them and relates it, edits properties, and deletes the document.
func TestAnEntityIsMadeFromMarkedWords(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	marked := "/entities/new?document=" + string(f.doc.ID) + "&words="
	if p := b.get(t, marked+"a+whistle"); !strings.Contains(p.main(t), "does not contain these words") {
		t.Errorf("words that are not there: %s", p.main(t))
	}
	form := b.get(t, marked+"the+bells")
	if said := form.main(t); !strings.Contains(said, "The Carrow Foundry cast the bells of Osterby.") || strings.Contains(said, "Agnes") {
		t.Errorf("the form shows %q, want the sentence", said)
	}
	span := url.Values{"document": {string(f.doc.ID)}, "start": {"24"}, "end": {"33"}, "name": {"the bells"}, "label": {"thing"}}
	p := b.postAndFollow(t, "/entities/new", span)
	if !strings.Contains(p.body, "Added “the bells” as Thing, from a document") || !strings.Contains(p.main(t), "Carrow") {
		t.Errorf("after adding it: %s", p.main(t))
	}
	bells := b.entity(t, "bells")
	if bells.Documents != 1 || bells.Label != "Thing" {
		t.Errorf("got %+v", bells)
	}
	if again := b.post(t, "/entities/new", span); again.status != 422 || !strings.Contains(again.main(t), "already stand for “the bells”") {
		t.Errorf("twice: %d %s", again.status, again.main(t))
	}
	relation := url.Values{"document": span["document"], "start": span["start"], "end": span["end"], "source": {"nobody"}, "type": {"are for"}, "target": {"Agnes Lovibond"}}
	if p := b.post(t, "/relations/new", relation); p.status != 422 || !strings.Contains(p.main(t), "No entity is called “nobody”") {
		t.Errorf("an unknown end: %d %s", p.status, p.main(t))
	}
	relation.Set("source", "the bells")
	p = b.postAndFollow(t, "/relations/new", relation)
	if !strings.Contains(p.body, "Added that “the bells” are for “Agnes Lovibond”, from a document") {
		t.Errorf("after relating: %s", p.main(t))
	}
	at := "/entities/" + string(bells.ID)
	if said := b.get(t, at).main(t); !strings.Contains(said, "1 sentence") || strings.Contains(said, "by hand") {
		t.Errorf("its page: %s", said)
	}
	p = b.postAndFollow(t, at+"/properties", url.Values{"key": {"cast in"}, "value": {"1874"}})
	if !strings.Contains(p.body, "Set cast in of “the bells” to “1874”") {
		t.Errorf("a property: %s", p.main(t))
	}
	p = b.postAndFollow(t, at+"/properties", url.Values{"key": {"cast_in"}, "was": {"1874"}, "value": {"1875"}})
	if !strings.Contains(p.body, "Changed cast in of “the bells” from “1874” to “1875”") {
		t.Errorf("another value: %s", p.main(t))
	}
	if to := b.undoIn(t, p, at+"/properties"); !strings.HasPrefix(to, at+"/properties?change=") || !strings.Contains(b.get(t, to).body, "1874") {
		t.Errorf("undoing leads to %s", to)
	}
	b.Delete(t, f.doc.ID)
	if p := b.get(t, at); p.status != 404 {
		t.Errorf("without its document: %d", p.status)
	}
	if said := b.get(t, "/review/changes").main(t); strings.Contains(said, "bells") || !strings.Contains(said, "no effect") {
		t.Errorf("the list of changes: %s", said)
	}
}

// TestWhatHasNoSourceIsMarked adds two entities and a relation by hand, in an
// empty library.
func TestWhatHasNoSourceIsMarked(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	p := b.postAndFollow(t, "/entities/new", url.Values{"name": {"Guild of Founders"}, "label": {"Organisation"}})
	if said := p.main(t); !strings.Contains(said, "in no document added by hand") || !strings.Contains(p.body, "without a source") {
		t.Errorf("its page: %s", said)
	}
	if p := b.post(t, "/entities/new", url.Values{"name": {"Guild of Founders"}, "label": {"Organisation"}}); p.status != 422 || !strings.Contains(p.main(t), "already in the graph") {
		t.Errorf("twice: %d %s", p.status, p.main(t))
	}
	p = b.postAndFollow(t, "/entities/new", url.Values{"name": {"Ida Quennell"}})
	p = b.postAndFollow(t, "/relations/new", url.Values{"source": {"Ida Quennell"}, "type": {"leads"}, "target": {"Guild of Founders"}})
	if said := p.main(t); !strings.Contains(said, "leads") || strings.Count(said, "added by hand") != 2 {
		t.Errorf("the relation: %s", said)
	}
	ida := b.entity(t, "Ida Quennell")
	edges, err := b.Graph.Relations(t.Context(), testkit.Workspace, ida.ID, 0)
	testkit.Must(t, err)
	at := "/entities/" + string(ida.ID) + "/relations/" + string(edges[0].ID)
	p = b.postAndFollow(t, at+"/properties", url.Values{"key": {"since"}, "value": {"1870"}})
	if said := p.main(t); !strings.Contains(said, "added by hand") || !strings.Contains(p.body, `value="1870"`) {
		t.Errorf("a property of the relation: %s", said)
	}
	list := b.get(t, link.Entities)
	if said := list.main(t); strings.Count(said, "added by hand") != 2 {
		t.Errorf("the list: %s", said)
	}
	b.Read(t, "foundry.txt", foundry)
	if said := b.get(t, "/entities/"+string(ida.ID)).main(t); !strings.Contains(said, "Guild of Founders") {
		t.Errorf("after a document was added: %s", said)
	}
	filtered := b.get(t, "/review/changes?kind=relate")
	if said := filtered.main(t); !strings.Contains(said, "Added that") || strings.Contains(said, "as Organisation") {
		t.Errorf("the filtered list: %s", said)
	}
	if p := b.get(t, "/review/changes?kind=nonsense"); p.status != 422 {
		t.Errorf("an unknown kind: %d", p.status)
	}
}

// TestSeveralAreMergedInOneStep merges three entities, and undoes it in one
// step.
func TestSeveralAreMergedInOneStep(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	b.Read(t, "b.txt", "Mrs Lovibond kept a diary in Velm. Miss Lovibond drew.")
	names := []string{"Agnes Lovibond", "Mrs Lovibond", "Miss Lovibond"}
	form := url.Values{}
	for _, name := range names {
		form.Add("id", string(b.entity(t, name).ID))
	}
	listed := link.GraphView{Table: true, Query: "Lovibond"}.URL()
	form.Set("back", listed)
	if list := b.get(t, listed); !strings.Contains(list.body, `name="back" value="/graph?q=Lovibond&amp;view=table"`) {
		t.Errorf("the list doesn't say where it is: %s", list.body)
	}
	several := b.get(t, "/entities/merge?"+form.Encode())
	if !strings.Contains(several.body, `href="/graph?q=Lovibond&amp;view=table"`) {
		t.Errorf("the page has no way back")
	}
	if said := several.main(t); !strings.Contains(said, "Merge 3 entities") || !strings.Contains(said, "kept a diary") {
		t.Errorf("the page: %s", said)
	}
	form.Del("back")
	form = url.Values{"entity": form["id"][:1], "others": form["id"]}
	p := b.postAndFollow(t, "/entities/merge", form)
	if said := p.main(t); !strings.Contains(said, "Miss Lovibond") || !strings.Contains(said, "kept a diary") {
		t.Errorf("merged: %s", said)
	}
	if again := b.post(t, "/entities/merge", form); again.status != 422 && again.status != 409 {
		t.Errorf("merging again: %d %s", again.status, again.main(t))
	}
	b.undoIn(t, p, link.Entities)
	for _, name := range names {
		b.entity(t, name)
	}
}

// TestTheSecondOfTwoCuratorsIsTold decides on forms that were opened before
// somebody else changed the same.
func TestTheSecondOfTwoCuratorsIsTold(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	b.Read(t, "b.txt", "Mrs Lovibond kept a diary in Velm.")
	agnes, mrs := b.entity(t, "Agnes Lovibond"), b.entity(t, "Mrs Lovibond")
	at := "/entities/" + string(agnes.ID)
	seen, err := b.Graph.Cursor(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	old := fmt.Sprint(seen)
	late := func(what, path string, form url.Values, says string) {
		t.Helper()
		form.Set("seen", old)
		if p := b.post(t, path, form); p.status != 422 && p.status != 409 || !strings.Contains(p.main(t), says) {
			t.Errorf("%s: %d %s", what, p.status, p.main(t))
		}
	}
	b.postAndFollow(t, at+"/properties", url.Values{"key": {"born"}, "value": {"1831"}})
	late("the same property", at+"/properties", url.Values{"key": {"born"}, "value": {"1832"}}, "has since changed this property")
	b.postAndFollow(t, at+"/properties", url.Values{"key": {"died"}, "value": {"1901"}, "seen": {old}})
	b.postAndFollow(t, at+"/rename", url.Values{"name": {"Agnes L."}, "label": {"Person"}})
	late("another name", at+"/rename", url.Values{"name": {"Agnes"}, "label": {"Person"}}, "has since renamed this entity")
	b.postAndFollow(t, "/entities/merge", merging(mrs.ID, agnes.ID))
	late("an entity that is gone", "/entities/merge", merging(agnes.ID, mrs.ID), "has since become part of “Mrs Lovibond”")
	late("one that was merged", "/entities/"+string(mrs.ID)+"/properties", url.Values{"key": {"born"}, "value": {"1832"}}, "has since merged this entity with another one")
}

// TestUndoingASplitLeadsToTheOriginal comes from a page that the undo takes
// away.
func TestUndoingASplitLeadsToTheOriginal(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	at := "/entities/" + string(f.entity)
	answer := b.post(t, at+"/split", url.Values{"form": {"Agnes Lovibond"}, "name": {"A namesake"}})
	made, _, _ := strings.Cut(answer.header.Get("Location"), "?")
	p := b.get(t, answer.header.Get("Location"))
	if to := b.undoIn(t, p, made); !strings.HasPrefix(to, at+"?change=") {
		t.Errorf("undoing leads to %s, want %s", to, at)
	}
	if p := b.get(t, made); p.status != 303 || p.header.Get("Location") != at {
		t.Errorf("its old address: %d to %s", p.status, p.header.Get("Location"))
	}
}

// TestARowCountsTheEntitiesOfItsPage merges two entities of one document: its row counts one
// less, as its page does.
func TestARowCountsTheEntitiesOfItsPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "a.txt", "Agnes Lovibond wrote to Tobias Quennell. Tobias Quennell built the Velm Bridge.").ID
	counted := func() string {
		t.Helper()
		counts, err := b.Graph.CountIn(t.Context(), testkit.Workspace, []domain.DocumentID{doc})
		testkit.Must(t, err)
		return fmt.Sprintf("%d entities", counts[doc])
	}
	before := counted()
	agnes, tobias := b.entity(t, "Agnes Lovibond"), b.entity(t, "Tobias Quennell")
	b.postAndFollow(t, "/entities/merge", merging(agnes.ID, tobias.ID))
	want := counted()
	if want == before {
		t.Fatalf("there are %s still", want)
	}
	for _, path := range []string{"/documents", "/documents/" + string(doc)} {
		if said := b.get(t, path).main(t); !strings.Contains(said, want) {
			t.Errorf("%s does not say %s: %s", path, want, said)
		}
	}
}

// merging is the form that merges two entities shown side by side.
func merging(into, from domain.EntityID) url.Values {
	return url.Values{"pair": {"1"}, "entity": {string(into)}, "others": {string(into), string(from)}}
}
