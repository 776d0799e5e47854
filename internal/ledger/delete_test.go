package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Marker is a word that only the document deleted by the tests contains.
const Marker = "Zyzzogeton"

// Doomed names the rows that Doom made.
type Doomed struct {
	Document, Kept           domain.Document
	Reader, Bystander, Inner domain.RunID // runs: an answer that read the document, one that did not, the document's ingest
	Message                  domain.MessageID
}

// Doom fills a bench with a document whose every trace contains Marker: its
// name, text, chunks, contributions, model calls, events, the quotations and
// events of an answer, a branch of it, a schema of its own, and a curator's decision about an entity of that name. A
// second document, with traces too, is kept.
func Doom(t *testing.T, b Bench) Doomed {
	t.Helper()
	ctx := t.Context()
	d := Doomed{Reader: "reader", Bystander: "bystander", Inner: "inner", Message: "m1"}
	d.Document = b.add(t, ws, Marker, Marker+" of the first chunk", "The second one has "+Marker)
	d.Kept = b.add(t, ws, "kept", "Ada met Babbage.")
	doomed, err := b.Ledger.Chunks(ctx, ws, d.Document.ID)
	must(t, err)
	kept, err := b.Ledger.Chunks(ctx, ws, d.Kept.ID)
	must(t, err)
	for _, c := range doomed {
		with := ledgerContribution(c, Marker, "Ada")
		with.Dropped = []domain.Dropped{droppedItem(c, Marker)}
		must(t, b.Ledger.RecordContribution(ctx, ws, with))
	}
	must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(kept[0], "Ada", "Babbage")))
	for _, doc := range []domain.Document{d.Document, d.Kept} {
		_, err = b.Ledger.Publish(ctx, ws, doc.ID)
		must(t, err)
	}
	d.runs(t, b, doomed[1], kept[0])
	d.answers(t, b, doomed[0], kept[0])
	must(t, b.addSummary(ctx, d.summary(doomed[0], kept[0])))
	must(t, b.Queue.Add(ctx, ws, "summing", "summarize", "s1", "Summary of "+Marker))
	_, err = b.Ledger.AddSchema(ctx, ws, ledger.SchemaVersion{Scope: ledger.SchemaScope{Document: d.Document.ID}, Body: `{"instructions":"` + Marker + `"}`}, 0)
	must(t, err)
	marked := entityID(domain.UnknownLabel, strings.ToLower(Marker))
	_, err = b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationRename, Operation: ledger.Operation{
		Entity: marked, Form: domain.Hash([]byte(Marker)), Name: "typed by hand",
	}}, map[domain.EntityID]string{marked: strings.ToLower(Marker)})
	must(t, err)
	return d
}

// runs stores an ingest of the document and two answers, one of which read one
// of its chunks.
func (d Doomed) runs(t *testing.T, b Bench, doomed, kept domain.Chunk) {
	t.Helper()
	b.run(t, d.Inner, "ingest", string(d.Document.ID))
	b.run(t, d.Reader, "answer", string(d.Message))
	b.run(t, d.Bystander, "answer", "m2")
	must(t, b.Queue.Claim(t.Context(), "answer"))
	must(t, b.Queue.Claim(t.Context(), "answer"))
	b.event(t, d.Inner, 1, `{"said":"`+Marker+`"}`)
	b.event(t, d.Reader, 1, `{"said":"`+Marker+`"}`) // before it records its sources
	b.event(t, d.Reader, 2, fmt.Sprintf(`{"documents":[{"id":%q}]}`, doomed.ID))
	b.event(t, d.Bystander, 1, fmt.Sprintf(`{"documents":[{"id":%q,"document_id":%q}]}`, kept.ID, d.Kept.ID))
	for key, owner := range map[string]domain.CallOwner{
		"by document": {Workspace: ws, Document: d.Document.ID},
		"by its run":  {Workspace: ws, Run: d.Inner},
		"by reader":   {Workspace: ws, Run: d.Reader},
	} {
		must(t, b.Ledger.SaveModelCall(t.Context(), key, owner, answer(Marker)))
	}
	must(t, b.Ledger.SaveModelCall(t.Context(), "by bystander", domain.CallOwner{Workspace: ws, Run: d.Bystander}, answer("Ada")))
	must(t, b.Ledger.SaveModelCall(t.Context(), "by kept", domain.CallOwner{Workspace: ws, Document: d.Kept.ID}, answer("Ada")))
}

// answers stores an answer that quotes both documents.
func (d Doomed) answers(t *testing.T, b Bench, doomed, kept domain.Chunk) {
	t.Helper()
	b.conversation(t, "k1")
	must(t, b.addMessage(t.Context(), ledger.Answer{
		Message: d.Message, Workspace: ws, Conversation: "k1", Question: "Who?", Text: "Two of them.", Run: d.Reader, Status: ledger.MessageDone,
		Citations: d.citations(doomed, kept), Figures: d.figures(doomed, kept),
	}))
	b.addBranch(t, ledger.Answer{
		Branch: "b1", Workspace: ws, Message: d.Message, Run: "forked", Parent: d.Reader, Changes: []byte(`{}`), Text: Marker,
		Citations: d.citations(doomed, kept), Figures: d.figures(doomed, kept),
	})
	must(t, b.Ledger.AddEvaluation(t.Context(), ledger.Evaluation{ID: "v1", Workspace: ws, Setting: []byte(`{}`), Facts: []byte(`{}`), Score: []byte(`{}`), Status: ledger.EvaluationWorking}, []ledger.EvaluationReply{
		{N: 1, Text: "Who?", Figures: []byte(`{"verdict":"right"}`)},
	}))
	b.advances(t, "evaluated", 1)
	b.event(t, "evaluated", 1, fmt.Sprintf(`{"documents":[{"id":%q}]}`, doomed.ID))
	_, err := b.Ledger.UpdateAnswer(t.Context(), ws, "evaluated", func(a *ledger.Answer) {
		a.Status, a.Text, a.Citations, a.Figures = ledger.MessageDone, Marker, d.citations(doomed, kept), d.figures(doomed, kept)
	})
	must(t, err)
}

func (d Doomed) citations(doomed, kept domain.Chunk) []domain.Citation {
	return []domain.Citation{
		{N: 1, Document: "old name.txt", DocumentID: d.Document.ID, Chunk: doomed.ID, Span: doomed.Span, Place: "Sheet " + Marker, Text: doomed.Text},
		{N: 2, Document: d.Kept.Name, DocumentID: d.Kept.ID, Chunk: kept.ID, Span: kept.Span, Text: kept.Text},
	}
}

// figures returns a chart that draws on both documents.
func (d Doomed) figures(doomed, kept domain.Chunk) []domain.Figure {
	return []domain.Figure{{ID: "f1", Task: "both", Status: domain.FigureFailed, Problem: "It could not."}, {
		ID: "f2", Task: "both", Paragraph: 1, Status: domain.FigureDone, Chart: &domain.Chart{
			Type: domain.ChartBar, Title: "Both", Categories: []string{"one", "two"},
			Series:    []domain.Series{{Points: []domain.Point{{Value: 1, Citation: 1}, {Category: 1, Value: 2, Citation: 2}}}},
			Citations: d.citations(doomed, kept),
		},
	}}
}

func deletion(t *testing.T, b Bench) {
	ctx := t.Context()
	d := Doom(t, b)
	doomed, err := b.Ledger.Chunks(ctx, ws, d.Document.ID)
	must(t, err)
	kept, err := b.Ledger.Chunks(ctx, ws, d.Kept.ID)
	must(t, err)
	_, err = b.Ledger.DeleteDocument(ctx, ws, d.Document.ID)
	must(t, err)

	_, err = b.Ledger.Document(ctx, ws, d.Document.ID)
	wantKind(t, err, domain.NotFound)
	_, err = b.Ledger.Text(ctx, ws, d.Document.ID)
	wantKind(t, err, domain.NotFound)
	if left, err := b.Ledger.Passages(ctx, ws, []domain.ChunkID{doomed[0].ID, doomed[1].ID}); err != nil || len(left) != 0 {
		t.Errorf("got %d chunks, error %v; want none", len(left), err)
	}
	rows, err := b.Ledger.Mentions(ctx, ws, []string{"zyzzogeton", "ada"})
	must(t, err)
	if len(rows) != 1 || rows[0].Document != d.Kept.ID {
		t.Errorf("got folded %+v, want the rows of the kept document only", rows)
	}
	d.checkAnswer(t, b, doomed[0], kept[0])
	if a, err := b.Ledger.Answer(ctx, ws, "evaluated"); err != nil || a.Text != "" || len(a.Citations)+len(a.Figures) > 0 || a.Status != ledger.MessageDone {
		t.Errorf("in the evaluation: %+v, error %v", a, err)
	}
	d.checkSummary(t, b)
	d.checkCalls(t, b)
	d.checkRuns(t, b)
	d.writeAfterDeletion(t, b, doomed[0], kept[0])

	_, err = b.Ledger.DeleteDocument(ctx, ws, d.Kept.ID)
	must(t, err)
	for _, run := range []domain.RunID{d.Reader, d.Bystander} {
		if left, err := b.Ledger.Events(ctx, ws, run, 0); err != nil || len(left) != 1 {
			t.Errorf("run %s: got %d events, error %v; want its end, for which its watchers wait", run, len(left), err)
		}
	}
}

func (d Doomed) checkAnswer(t *testing.T, b Bench, doomed, kept domain.Chunk) {
	t.Helper()
	m, err := b.Ledger.Message(t.Context(), ws, d.Message)
	must(t, err)
	want := d.citations(doomed, kept)
	want[0].Place, want[0].Text = "", ""
	if diff := cmp.Diff(want, m.Citations); diff != "" || m.Text != "Two of them." {
		t.Errorf("got answer %q; citations (-want +got)\n%s", m.Text, diff)
	}
	charts := d.figures(doomed, kept)
	charts[1].Chart.Citations[0].Place, charts[1].Chart.Citations[0].Text = "", ""
	if diff := cmp.Diff(charts, m.Figures); diff != "" {
		t.Errorf("charts -want +got\n%s", diff)
	}
}

func (d Doomed) checkCalls(t *testing.T, b Bench) {
	t.Helper()
	for key, want := range map[string]bool{
		"by document": false, "by its run": false, "by reader": false, "by bystander": true, "by kept": true,
	} {
		if got, err := b.Ledger.ModelCall(t.Context(), key); err != nil || (got != nil) != want {
			t.Errorf("model call %s: got %s, error %v, want found %t", key, got, err, want)
		}
	}
}

func (d Doomed) checkRuns(t *testing.T, b Bench) {
	t.Helper()
	ctx := t.Context()
	_, _, err := b.Queue.State(ctx, ws, d.Inner)
	wantKind(t, err, domain.NotFound)
	for id, want := range map[domain.RunID]struct {
		events int
		stop   bool
	}{d.Inner: {0, false}, d.Reader: {0, true}, d.Bystander: {1, false}} {
		events, err := b.Ledger.Events(ctx, ws, id, 0)
		must(t, err)
		if len(events) != want.events {
			t.Errorf("run %s: got %d events, want %d", id, len(events), want.events)
		}
		if running, stop, err := b.Queue.State(ctx, ws, id); err == nil && (stop != want.stop || !running) {
			t.Errorf("run %s: got stop asked %v and running %v, want %v and running", id, stop, running, want.stop)
		}
	}
}

// writeAfterDeletion makes the writes of runs that have not noticed the
// deletion.
func (d Doomed) writeAfterDeletion(t *testing.T, b Bench, doomed, kept domain.Chunk) {
	t.Helper()
	ctx := t.Context()
	wantKind(t, b.Ledger.SaveText(ctx, ws, d.Document.ID, domain.Text{Content: Marker}), domain.NotFound)
	wantKind(t, b.Ledger.SaveChunks(ctx, ws, d.Document.ID, []domain.Chunk{doomed}), domain.NotFound)
	wantKind(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(doomed, Marker)), domain.NotFound)
	wantKind(t, b.Ledger.AppendEvents(ctx, ws, d.Inner, []ledger.EventRow{{Seq: 2, JSON: []byte(`"` + Marker + `"`)}}), domain.NotFound)
	for _, owner := range []domain.CallOwner{
		{Workspace: ws, Document: d.Document.ID}, {Workspace: ws, Run: d.Reader},
	} {
		must(t, b.Ledger.SaveModelCall(ctx, "late", owner, answer(Marker)))
		if got, err := b.Ledger.ModelCall(ctx, "late"); got != nil || err != nil {
			t.Errorf("a late call of %+v was recorded, error %v", owner, err)
		}
	}
	_, err := b.updateMessage(ctx, d.Message, func(m *ledger.Answer) {
		m.Citations, m.Figures = d.citations(doomed, kept), d.figures(doomed, kept)
	})
	must(t, err)
	d.checkAnswer(t, b, doomed, kept)
	_, err = b.Ledger.UpdateSummary(ctx, ws, "s1", func(s *ledger.Summary) { *s = d.summary(doomed, kept) })
	must(t, err)
	d.checkSummary(t, b)

	b.event(t, d.Reader, 3, `{"said":"`+Marker+`"}`)
	b.event(t, d.Reader, 4, `{"seq":4,"kind":"settled","label":"stopped"}`)
	// The bystander found the document too, but records it only now.
	b.event(t, d.Bystander, 2, fmt.Sprintf(`{"grade":%q,"said":"%s"}`, d.Document.ID, Marker))
	b.event(t, d.Bystander, 3, `{"seq":3,"kind":"settled","label":"done"}`)
	for run, want := range map[domain.RunID]string{d.Reader: `{"seq":4,"kind":"settled","label":"stopped"}`, d.Bystander: `{"seq":3,"kind":"settled","label":"done"}`} {
		events, err := b.Ledger.Events(ctx, ws, run, 0)
		must(t, err)
		if len(events) != 1 || string(events[0].JSON) != want {
			t.Errorf("run %s: got %d events, want only the last, %s", run, len(events), want)
		}
	}
}
