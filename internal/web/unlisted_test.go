package web

import (
	"context"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/stategraph/emit"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestWhatRulesNameBesideAModelIsOnNoPage reads a document of which a model listed the
// foundry and rules named Osterby.
func TestWhatRulesNameBesideAModelIsOnNoPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Extractor: extract.Local(func(_ string, c domain.Chunk) domain.GraphDocument {
		at := []domain.Span{c.Span}
		return domain.GraphDocument{
			Nodes: []domain.GraphNode{{Name: "Carrow Foundry", Label: "Organization", Spans: at}},
			Names: []domain.GraphNode{{Name: "Osterby", Label: "Place", Spans: at}},
		}
	}, "model/test")})
	d := b.Read(t, "a.txt", foundry)
	ctx, ws := t.Context(), testkit.Workspace
	kept, err := b.Graph.ByKey(ctx, ws, []string{"osterby"})
	testkit.Must(t, err)
	if len(kept) != 1 || !kept[0].Unlisted {
		t.Fatalf("retrieval finds %+v", kept)
	}
	if d.Entities != 1 {
		t.Errorf("the document counts %d entities, want 1", d.Entities)
	}
	pages := []string{"/entities", "/entities?q=osterby", link.Find + "?q=osterby", link.Graph, link.GraphData, link.GraphFind + "?q=ost", "/review", "/health", "/documents/" + string(d.ID) + "/chunks"}
	for _, list := range []string{"unlabelled", "isolated", "weak", "contradictions"} {
		pages = append(pages, "/review?list="+list)
	}
	for _, format := range []string{"graphml", "csv", "json", "cypher"} {
		pages = append(pages, link.GraphExport+"?format="+format, link.GraphExport+"?scope=all&format="+format)
		if p := b.get(t, link.GraphExport+"?scope=all&format="+format); !strings.Contains(p.body, "Carrow Foundry") {
			t.Errorf("the file of the format %s has the status %d and lacks the foundry", format, p.status)
		}
	}
	for _, path := range pages {
		p := b.get(t, path)
		for _, field := range []string{`value="osterby"`, "“osterby”"} { // what was typed
			p.body = strings.ReplaceAll(p.body, field, "")
		}
		words := strings.ReplaceAll(p.body, "The Carrow Foundry cast the bells of Osterby", "") // the passage
		if strings.Contains(words, "Osterby") {
			at := strings.Index(words, "Osterby")
			t.Errorf("%s (%d) shows it: …%s…", path, p.status, words[max(0, at-100):min(len(words), at+100)])
		}
	}
	if p := b.get(t, link.Entity(kept[0].ID)); p.status != 404 {
		t.Errorf("its page has the status %d", p.status)
	}
	if found, err := b.Curator.Named(ctx, ws, "Osterby"); err != nil || len(found) > 0 {
		t.Errorf("commands find %+v, error %v", found, err)
	}
}

// TestARowSaysHowFarACallIs shows in the list of documents what a call of the model
// that takes long has told.
func TestARowSaysHowFarACallIs(t *testing.T) {
	t.Parallel()
	work := newGate()
	b := open(t, testkit.Options{Extractor: &testkit.Extractor{Before: func(ctx context.Context, _ extract.Request) error {
		emit.Emit(ctx, domain.EventWait, domain.Wait{For: domain.WaitModel, Why: "which has been writing for 40 seconds, 1,200 characters so far"})
		err := work.pass(ctx)
		emit.Emit(ctx, domain.EventWait, domain.Wait{For: domain.WaitModel, Over: true})
		return err
	}}})
	work.close()
	const said = "Reading part 1 of 1: waiting for the model, which has been writing for 40 seconds, 1,200 characters so far."
	s := b.stream(t, "/documents/events")
	d := b.Add(t, "a.txt", foundry).Document
	s.until(t, "a row with how far the call is", func(e event) bool { return strings.Contains(e.data, said) })
	if p := b.get(t, "/documents"); !strings.Contains(p.body, said) {
		t.Errorf("the list lacks it: %s", p.main(t))
	}
	work.open()
	b.Settle(t, d)
	if p := b.get(t, "/documents"); strings.Contains(p.body, "waits for the model") {
		t.Error("the call is shown after its end")
	}
}
