package web

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// propose stores a pair that may be the same.
func (b *bench) propose(t *testing.T, x, y domain.Entity) domain.ProposalID {
	t.Helper()
	testkit.Must(t, b.Ledger.Propose(t.Context(), testkit.Workspace, []ledger.Proposal{{
		A: x.ID, B: y.ID, Score: 0.87, Pattern: "title", Evidence: []ledger.ProposalEvidence{{Kind: "name", Words: "The same family name.", Weight: 2}},
	}}))
	return domain.NewProposalID(testkit.Workspace, x.ID, y.ID)
}

// TestPairsAreDecidedWithoutAScript decides by forms alone.
func TestPairsAreDecidedWithoutAScript(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	b.Read(t, "b.txt", "Mrs Lovibond kept a diary in Velm.")
	if p := b.get(t, "/review"); !strings.Contains(p.main(t), "No pair waits") || !strings.Contains(p.body, `action="/review/look"`) {
		t.Errorf("without a pair the page says %s", p.main(t))
	}
	agnes, mrs := b.entity(t, "Agnes Lovibond"), b.entity(t, "Mrs Lovibond")
	id := b.propose(t, agnes, mrs)
	p := b.get(t, "/review")
	for _, want := range []string{"1 left, 0 decided today", "score of 0.87", "The same family name.", "Agnes Lovibond wrote of it.", "kept a diary"} {
		if !strings.Contains(p.main(t), want) {
			t.Errorf("the page lacks %q: %s", want, p.main(t))
		}
	}
	p = b.postAndFollow(t, "/review/pairs/"+string(id), url.Values{"decision": {"accept"}, "entity": {string(mrs.ID)}})
	if !strings.Contains(p.main(t), "1 decided today") || !strings.Contains(p.body, "Merged “Agnes Lovibond” into “Mrs Lovibond”") {
		t.Errorf("after the merge: %s", p.main(t))
	}
	if again := b.post(t, "/review/pairs/"+string(id), url.Values{"decision": {"accept"}}); again.status != 409 {
		t.Errorf("deciding twice: status %d", again.status)
	}
	if said := b.get(t, "/review?pair="+string(id)).main(t); !strings.Contains(said, "The two are merged") || strings.Contains(said, "Keep apart") {
		t.Errorf("the decided pair: %s", said)
	}
	p = b.postAndFollow(t, p.undo(t), url.Values{"back": {"/review?pair=" + string(id)}})
	if !strings.Contains(p.main(t), "1 left, 0 decided today") {
		t.Errorf("after the undo: %s", p.main(t))
	}
	p = b.postAndFollow(t, "/review/alike/title", url.Values{"pair": {string(id)}, "decision": {"reject"}})
	if !strings.Contains(p.main(t), "No pair waits") || !strings.Contains(p.body, "Kept “") {
		t.Errorf("after keeping apart: %s", p.main(t))
	}
}

// TestAMergeByRuleIsToldOnTheEntitysPage renames an entity so that a comparison merges
// it with another: the page says so, and undoes it.
func TestAMergeByRuleIsToldOnTheEntitysPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	b.Read(t, "b.txt", "Una Moss kept a diary in Velm.")
	agnes, una := b.entity(t, "Agnes Lovibond"), b.entity(t, "Una Moss")
	p := b.postAndFollow(t, "/entities/"+string(una.ID)+"/rename", url.Values{"name": {"Agnes Lovibonde"}, "label": {una.Label}})
	if said := p.main(t); strings.Contains(said, "by rule") {
		t.Errorf("before the merge: %s", said)
	}
	entry := ledger.Curation{Who: ledger.Rule, Kind: ledger.CurationMerge, Operation: ledger.Operation{Entity: agnes.ID, Others: []domain.EntityID{una.ID}}}
	_, err := b.Ledger.Curate(t.Context(), testkit.Workspace, entry, map[domain.EntityID]string{agnes.ID: agnes.Key, una.ID: una.Key})
	testkit.Must(t, err)
	testkit.Must(t, b.Projector.Apply(t.Context(), testkit.Workspace))
	merged := b.get(t, b.get(t, "/entities/"+string(una.ID)).header.Get("Location"))
	if said := merged.main(t); !strings.Contains(said, "Merged “Agnes Lovibonde” into “Agnes Lovibond” by rule") || !strings.Contains(merged.body, "/review?pair=") {
		t.Fatalf("the page of what became of it: %s", said)
	}
	log, err := b.Ledger.Curations(t.Context(), testkit.Workspace, 1<<62)
	testkit.Must(t, err)
	undo := "/review/changes/" + strconv.FormatInt(log[len(log)-1].Seq, 10) + "/undo"
	if !strings.Contains(merged.body, `action="`+undo+`"`) {
		t.Fatalf("the page has no form to %s", undo)
	}
	p = b.postAndFollow(t, undo, url.Values{"back": {"/entities/" + string(agnes.ID)}})
	if said := p.main(t); strings.Contains(said, "by rule,") {
		t.Errorf("after the undo: %s", said)
	}
}

// TestAWeakSentenceIsShown: the list of relations with one weak sentence says the
// sentence, the relation and how sure it is.
func TestAWeakSentenceIsShown(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Extractor: extract.Local(func(_ string, c domain.Chunk) domain.GraphDocument {
		return domain.GraphDocument{
			Nodes: []domain.GraphNode{
				{Name: "Carrow Foundry", Label: domain.UnknownLabel, Spans: []domain.Span{c.Span}}, {Name: "Osterby", Label: domain.UnknownLabel, Spans: []domain.Span{c.Span}},
			},
			Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "CAST_FOR", Spans: []domain.Span{c.Span}}},
		}
	}, "builtin/test")})
	b.Read(t, "a.txt", foundry)
	said := b.get(t, "/review?list=weak").main(t)
	for _, want := range []string{"Relations with one weak sentence", "Carrow Foundry", "cast for", "The Carrow Foundry cast the bells of Osterby."} {
		if !strings.Contains(said, want) {
			t.Errorf("the list lacks %q: %s", want, said)
		}
	}
}

// TestLaterIsTakenBack puts a pair off, and takes that back by the button of the
// message.
func TestLaterIsTakenBack(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	b.Read(t, "b.txt", "Mrs Lovibond kept a diary in Velm.")
	id := b.propose(t, b.entity(t, "Agnes Lovibond"), b.entity(t, "Mrs Lovibond"))
	status := func() ledger.ProposalStatus {
		p, err := b.Ledger.Proposal(t.Context(), testkit.Workspace, id)
		testkit.Must(t, err)
		return p.Status
	}
	p := b.postAndFollow(t, "/review/pairs/"+string(id), url.Values{"decision": {"later"}})
	if !strings.Contains(p.body, "moved to the end of the queue") || status() != ledger.ProposalLater {
		t.Fatalf("put off: %s, %s", status(), p.main(t))
	}
	b.postAndFollow(t, p.undo(t), url.Values{})
	if status() != ledger.ProposalOpen {
		t.Errorf("taken back, it is %s", status())
	}
}

// TestAnEntryOfAWorkListIsLabelled labels and hides by forms alone.
func TestAnEntryOfAWorkListIsLabelled(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	agnes := b.entity(t, "Agnes Lovibond")
	const list = "/review?list=once"
	if said := b.get(t, list).main(t); !strings.Contains(said, "Agnes Lovibond wrote of it.") {
		t.Fatalf("the list says %s", said)
	}
	p := b.postAndFollow(t, "/review/work", url.Values{"entity": {string(agnes.ID)}, "label": {"Writer"}, "back": {list}})
	if !strings.Contains(p.body, "Labelled “Agnes Lovibond” as Writer") || !strings.Contains(p.main(t), "Writer") {
		t.Errorf("after the label: %s", p.main(t))
	}
	p = b.postAndFollow(t, "/review/work", url.Values{"entity": {string(agnes.ID)}, "do": {"hide"}, "back": {list}})
	if strings.Contains(p.main(t), "Agnes Lovibond wrote") {
		t.Errorf("after hiding: %s", p.main(t))
	}
	if p = b.postAndFollow(t, p.undo(t), url.Values{"back": {list}}); !strings.Contains(p.main(t), "Agnes Lovibond wrote") {
		t.Errorf("after the undo: %s", p.main(t))
	}
}

// TestTheLabelsOfTheSchemaComeFirst sets a schema. The keys of the work list offer
// its labels before those that the graph has.
func TestTheLabelsOfTheSchemaComeFirst(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", foundry)
	_, err := b.Schemas.Save(t.Context(), testkit.Workspace, schemas.Draft{Guide: extract.Guide{Schema: extract.Schema{Labels: []extract.LabelRule{{Name: "bell founder"}}}}})
	testkit.Must(t, err)
	page := b.get(t, "/review?list=once")
	if !strings.Contains(page.body, `value="BellFounder" class="btn small" data-row-key="1"`) {
		t.Errorf("with a schema the page offers %s", page.main(t))
	}
}

// TestTheLaterOneHolds lists two relations of which an entity has one, ends the earlier one when the later began, as a person says, and
// takes that back.
func TestTheLaterOneHolds(t *testing.T) {
	t.Parallel()
	mine := func(_ string, c domain.Chunk) domain.GraphDocument {
		place, year := "Osterby", 1890
		if strings.Contains(c.Text, "Velmdale") {
			place, year = "Velmdale", 1921
		}
		return domain.GraphDocument{
			Nodes: []domain.GraphNode{{Name: "Carrow Foundry", Label: "Company", Spans: []domain.Span{c.Span}}, {Name: place, Label: "Place", Spans: []domain.Span{c.Span}}},
			Relationships: []domain.GraphRelationship{{
				Source: 0, Target: 1, Type: "LOCATED_IN", Spans: []domain.Span{c.Span}, Periods: []domain.Period{{From: domain.Day{Year: year}, At: c.Span}},
			}},
		}
	}
	b := open(t, testkit.Options{Extractor: extract.Local(mine, "builtin/test")})
	b.Read(t, "one.txt", "The Carrow Foundry has been in Osterby since 1890.")
	b.Read(t, "two.txt", "The Carrow Foundry has been in Velmdale since 1921.")
	b.postAndFollow(t, "/schema", url.Values{"do": {"save"}, "label.name": {"Company", "Place"}, "type.name": {"LOCATED_IN"}, "type.one": {"one"}})
	list := b.get(t, "/review?list=contradictions")
	if list.count(t, "successors") != 1 {
		t.Fatalf("the list offers no successor: %s", list.main(t))
	}
	form := url.Values{"do": {"later"}}
	_, row, _ := strings.Cut(list.body, `data-testid="successors"`)
	for _, name := range []string{"entity", "relation", "later"} {
		_, value, _ := strings.Cut(row, `name="`+name+`" value="`)
		value, _, _ = strings.Cut(value, `"`)
		form.Set(name, value)
	}
	decided := b.postAndFollow(t, link.ReviewWork, form)
	if said := b.get(t, link.Entity(domain.EntityID(form.Get("entity")))).main(t); !strings.Contains(said, "1890–1921") {
		t.Errorf("the earlier one has not ended: %s", said)
	}
	if left := b.get(t, "/review?list=contradictions").count(t, "successors"); left != 0 {
		t.Error("what was decided is still listed")
	}
	b.postAndFollow(t, decided.undo(t), nil)
	if said := b.get(t, link.Entity(domain.EntityID(form.Get("entity")))).main(t); strings.Contains(said, "1890–1921") {
		t.Errorf("the decision was not taken back: %s", said)
	}
	if again := b.get(t, "/review?list=contradictions"); again.count(t, "successors") != 1 {
		t.Errorf("what was taken back is not listed: %s", again.main(t))
	}
}
