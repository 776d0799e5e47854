package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func summaries(t *testing.T, b Bench) {
	ctx := t.Context()
	one, two := b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage built an engine.")
	first := ledger.Summary{
		ID: "s2", Workspace: ws, Whole: true, Documents: []ledger.SummaryDocument{{ID: two.ID, Name: two.Name}, {ID: one.ID, Name: one.Name}},
		Focus: "for Ada", Length: "short", Review: true, MaxCollapses: 5, Run: "r1", Status: ledger.SummaryWaiting, CreatedAt: b.Clock.Now(),
		UpdatedAt: b.Clock.Now(),
	}
	must(t, b.addSummary(ctx, first))
	wantKind(t, b.addSummary(ctx, first), domain.Conflict)
	b.Clock.Advance(time.Second)
	later := ledger.Summary{
		ID: "s1", Workspace: ws, Tag: "minutes", Documents: []ledger.SummaryDocument{{ID: one.ID, Name: one.Name}}, Status: ledger.SummaryWorking,
		CreatedAt: b.Clock.Now(), UpdatedAt: b.Clock.Now(),
	}
	must(t, b.addSummary(ctx, later))
	written := func(s *ledger.Summary) {
		s.Status, s.Problem, s.Condensed, s.Warnings, s.Edits = ledger.SummaryDone, "p", true, []string{"w"}, []string{"as edited", ""}
		s.Documents[0].Hash = "h"
		s.Sentences = []domain.Sentence{
			{Text: "Both met.", Citations: []int{1, 2}, Supported: true}, {Text: "So they say.", Citations: []int{}, Paragraph: 1},
		}
		s.Citations = []domain.Citation{
			{N: 1, Document: two.Name, DocumentID: two.ID, Page: 2, Place: "Slide 2", Span: domain.Span{Start: 1, End: 3}, Text: "ab"},
			{N: 2, Document: one.Name, DocumentID: one.ID, Span: domain.Span{Start: 0, End: 3}, Text: "Ada"},
		}
		s.ID, s.Workspace, s.CreatedAt = "other", "other", time.Time{}
	}
	want := first
	want.Documents = append([]ledger.SummaryDocument{}, first.Documents...)
	written(&want)
	want.ID, want.Workspace, want.CreatedAt, want.UpdatedAt = first.ID, ws, first.CreatedAt, b.Clock.Now()
	for range 2 { // the second time replaces
		got, err := b.Ledger.UpdateSummary(ctx, ws, "s2", written)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("updated: -want +got\n%s", diff)
		}
	}
	all, total, err := b.Ledger.Summaries(ctx, ws, 0, 0)
	must(t, err)
	if diff := cmp.Diff([]ledger.Summary{later, want}, all); diff != "" || total != 2 {
		t.Errorf("all %d: -want +got\n%s", total, diff)
	}
	part, err := b.Ledger.SummariesOf(ctx, ws, two.ID, 1)
	must(t, err)
	if len(part) != 1 || part[0].ID != "s2" {
		t.Errorf("second document: got %+v", part)
	}
	_, err = b.Ledger.Summary(ctx, "another", "s2")
	wantKind(t, err, domain.NotFound)
	must(t, b.Ledger.SaveModelCall(ctx, "of s2", domain.CallOwner{Workspace: ws, Run: want.Run}, answer("Ada")))
	must(t, b.Ledger.DeleteSummary(ctx, ws, "s2"))
	if left, err := b.Ledger.ModelCall(ctx, "of s2"); err != nil || left != nil {
		t.Errorf("a recorded call of its run is left: %s, %v", left, err)
	}
	_, err = b.Ledger.Summary(ctx, ws, "s2")
	wantKind(t, err, domain.NotFound)
	wantKind(t, b.Ledger.DeleteSummary(ctx, ws, "s2"), domain.NotFound)
	_, err = b.Ledger.UpdateSummary(ctx, ws, "gone", func(*ledger.Summary) { t.Error("the update was called for a missing summary") })
	wantKind(t, err, domain.NotFound)
}

// studySets stores one, takes an item out, and deletes the document of another: numbers stay.
func studySets(t *testing.T, b Bench) {
	ctx := t.Context()
	one, two := b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage built an engine.")
	set := ledger.Summary{
		ID: "s1", Workspace: ws, Kind: domain.FAQ, Most: 30, Documents: []ledger.SummaryDocument{{ID: one.ID, Name: one.Name}, {ID: two.ID, Name: two.Name}}, Status: ledger.SummaryDone,
		Items: []domain.StudyItem{{N: 1, Front: "Who met Babbage?", Back: "Ada.", Source: 1}, {N: 2, Front: "What was built?", Back: "An engine.", Source: 2}},
		Citations: []domain.Citation{
			{N: 1, Document: one.Name, DocumentID: one.ID, Span: domain.Span{End: 16}, Text: "Ada met Babbage."}, {N: 2, Document: two.Name, DocumentID: two.ID, Span: domain.Span{End: 24}, Text: "Babbage built an engine."},
		},
		CreatedAt: b.Clock.Now(), UpdatedAt: b.Clock.Now(),
	}
	must(t, b.addSummary(ctx, set))
	_, err := b.Ledger.Summary(ctx, ws, "s1")
	wantKind(t, err, domain.NotFound)
	got, err := b.Ledger.StudySet(ctx, ws, "s1")
	must(t, err)
	if diff := cmp.Diff(set, got); diff != "" {
		t.Errorf("stored: -want +got\n%s", diff)
	}
	got, err = b.Ledger.UpdateSummary(ctx, ws, "s1", func(s *ledger.Summary) { s.Items[1].Removed = true })
	must(t, err)
	if !got.Items[1].Removed || got.Items[0].Removed {
		t.Errorf("the second item was removed, got %+v", got.Items)
	}
	if _, all, err := b.Ledger.Summaries(ctx, ws, 0, 0); err != nil || all != 0 {
		t.Errorf("%d summaries, %v", all, err)
	}
	if of, err := b.Ledger.SummariesOf(ctx, ws, one.ID, 9); err != nil || len(of) != 0 {
		t.Errorf("summaries of a document: %v, %v", of, err)
	}
	_, err = b.Ledger.DeleteDocument(ctx, ws, one.ID)
	must(t, err)
	sets, all, err := b.Ledger.StudySets(ctx, ws, 1, 0)
	must(t, err)
	if all != 1 || len(sets[0].Items) != 1 || sets[0].Items[0] != (domain.StudyItem{N: 2, Front: "What was built?", Back: "An engine.", Source: 2, Removed: true}) {
		t.Errorf("after a document is gone: %+v", sets)
	}
	_, err = b.Ledger.StudySet(ctx, "another", "s1")
	wantKind(t, err, domain.NotFound)
}

// summary returns a summary of both documents, with the doomed one's words in
// every field that can hold them.
func (d Doomed) summary(doomed, kept domain.Chunk) ledger.Summary {
	return ledger.Summary{
		ID: "s1", Workspace: ws, Documents: []ledger.SummaryDocument{{ID: d.Document.ID}, {ID: d.Kept.ID}}, Run: d.Reader, Status: ledger.SummaryDone,
		Warnings: []string{Marker}, Edits: []string{Marker},
		Sentences: []domain.Sentence{
			{Text: "It says " + Marker, Citations: []int{1}}, {Text: "Ada met Babbage.", Citations: []int{2}},
			{Text: Marker + " and Ada.", Citations: []int{1, 2}}, {Text: "Nobody knows " + Marker},
		},
		Citations: []domain.Citation{
			{N: 1, DocumentID: d.Document.ID, Span: doomed.Span, Place: "Sheet " + Marker, Text: doomed.Text}, {N: 2, DocumentID: d.Kept.ID, Span: kept.Span, Text: kept.Text},
		},
	}
}

func (d Doomed) checkSummary(t *testing.T, b Bench) {
	t.Helper()
	s, err := b.Ledger.Summary(t.Context(), ws, "s1")
	must(t, err)
	if len(s.Sentences) != 1 || s.Sentences[0].Text != "Ada met Babbage." || s.Warnings != nil || s.Edits != nil {
		t.Errorf("got summary %+v, want its text gone", s)
	}
	if s.Citations[0].Text != "" || s.Citations[1].Text == "" || s.Documents[0].Name != "" || s.Documents[1].Name == "" {
		t.Errorf("got citations %+v of documents %+v", s.Citations, s.Documents)
	}
}
