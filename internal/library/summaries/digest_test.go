package summaries_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/testkit"
)

const (
	foundry = "The Carrow Foundry cast the bells of Osterby. It burned down in the year of the flood.\n"
	school  = "Agnes Lovibond taught arithmetic at the school. She retired to Highmoor.\n"
)

func TestSummaryCitesItsSources(t *testing.T) {
	t.Parallel()
	by := &testkit.Summaries{}
	a := testkit.Open(t, testkit.Options{Summariser: by})
	one, two := a.Read(t, "foundry.txt", foundry), a.Read(t, "school.txt", school)
	s := a.Summarised(t, summaries.Order{Documents: []domain.DocumentID{two.ID, one.ID, two.ID}, Focus: "  for\na lawyer "})
	if s.Status != ledger.SummaryDone || s.Focus != "for a lawyer" || !s.Condensed || summaries.Title(s) != "Summary of school.txt and foundry.txt" {
		t.Fatalf("got summary %+v", s)
	}
	if len(s.Sentences) != 2 || len(s.Citations) != 2 || s.Citations[0].Text != "Agnes Lovibond taught arithmetic at the school." || s.Citations[0].Document != "school.txt" {
		t.Errorf("got sentences %+v, citations %+v", s.Sentences, s.Citations)
	}
	for _, c := range s.Citations {
		text, err := a.Ledger.Text(t.Context(), testkit.Workspace, c.DocumentID)
		testkit.Must(t, err)
		if c.Span.Slice(text.Content) != c.Text {
			t.Errorf("citation %d: got text %q", c.N, c.Text)
		}
	}
	if calls := by.Calls(); len(calls) != 3 {
		t.Errorf("got calls %v", calls)
	}
	if again, err := a.Summaries.Again(t.Context(), testkit.Workspace, s.ID); err != nil || again.ID == s.ID || len(again.Documents) != 2 {
		t.Errorf("summarising again: got %+v, error %v", again, err)
	}
}

func TestRefusedOrders(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	waiting := a.Add(t, "foundry.txt", foundry).Document
	for _, tt := range []struct {
		name string
		o    summaries.Order
		kind domain.Kind
		says string
	}{
		{"nothing", summaries.Order{}, domain.Invalid, "at least one document"},
		{"an empty library", summaries.Order{Whole: true}, domain.Invalid, "nothing to summarise"},
		{"not read", summaries.Order{Documents: []domain.DocumentID{waiting.ID}}, domain.Conflict, "foundry.txt has not been read"},
		{"gone", summaries.Order{Documents: []domain.DocumentID{"d0"}}, domain.NotFound, "d0"},
		{"length", summaries.Order{Length: "epic"}, domain.Invalid, "short, medium or long"},
		{"too few tokens", summaries.Order{TokenMax: summaries.LeastTokens - 1}, domain.Invalid, "200 to 8,000"},
		{"too many tokens", summaries.Order{TokenMax: summaries.MostTokens + 1}, domain.Invalid, "200 to 8,000"},
		{"focus", summaries.Order{Focus: strings.Repeat("ä", summaries.MaxFocus+1)}, domain.TooLarge, "501"},
	} {
		tt.o.Workspace = testkit.Workspace
		if _, err := a.Summaries.Start(t.Context(), tt.o); domain.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	if _, n, err := a.Ledger.Summaries(t.Context(), testkit.Workspace, 0, 0); n != 0 || err != nil {
		t.Errorf("got %d summaries left, error %v; want none", n, err)
	}
}

// TestSummaryAndRunAreStoredTogether makes the queue fail: no summary is
// stored, and after a failed edit the run still waits for one.
func TestSummaryAndRunAreStoredTogether(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	read := a.Read(t, "long.txt", testkit.Sections(4))
	allow := a.RefuseRuns(t)
	if _, err := a.Summaries.Start(t.Context(), summaries.Order{Workspace: testkit.Workspace, Documents: []domain.DocumentID{read.ID}}); err == nil {
		t.Error("got no error")
	}
	if _, n, err := a.Ledger.Summaries(t.Context(), testkit.Workspace, 0, 0); n != 0 || err != nil {
		t.Errorf("got %d summaries left, error %v; want none", n, err)
	}
	allow()
	s, err := a.Summaries.Start(t.Context(), summaries.Order{Workspace: testkit.Workspace, Documents: []domain.DocumentID{read.ID}, Review: true})
	testkit.Must(t, err)
	draft := a.WaitForDraft(t, s.ID)
	a.WaitForSleep(t, s.Run)
	a.RefuseRuns(t)
	if err := a.Summaries.Continue(t.Context(), testkit.Workspace, s.ID, draft); err == nil {
		t.Error("got no error for the edit")
	}
	again, err := a.Summaries.Draft(t.Context(), a.Summary(t, s.ID))
	if diff := cmp.Diff(draft, again); diff != "" || err != nil {
		t.Errorf("waiting again, error %v (-before +after)\n%s", err, diff)
	}
}

func TestTheTraceCountsPartsAndRounds(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	d := a.Read(t, "long.txt", testkit.Sections(14))
	s := a.Summarised(t, summaries.Order{Documents: []domain.DocumentID{d.ID}, Length: summarize.Long})
	events, err := a.Hub.Events(t.Context(), testkit.Workspace, s.Run, 0)
	testkit.Must(t, err)
	view := trace.Fold(s.Run, a.Summarize.Topology(), events)
	for _, step := range view.Steps {
		if step.Node == summarize.NodeMap && (step.TasksDone != 14 || step.Progress == nil || step.Progress.Total != 14) {
			t.Errorf("got %d of %+v parts", step.TasksDone, step.Progress)
		}
	}
	if s.Status != ledger.SummaryDone || view.State != trace.Done {
		t.Errorf("got status %s, view %s: %s", s.Status, view.State, s.Problem)
	}
}

func TestEditAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	by := &testkit.Summaries{}
	a := testkit.Open(t, testkit.Options{Dir: dir, Summariser: by})
	a.Read(t, "foundry.txt", foundry)
	a.Read(t, "school.txt", school)
	s, err := a.Summaries.Start(t.Context(), summaries.Order{Workspace: testkit.Workspace, Whole: true, Review: true})
	testkit.Must(t, err)
	draft := a.WaitForDraft(t, s.ID)
	want := []string{"The Carrow Foundry cast the bells of Osterby. [1]", "Agnes Lovibond taught arithmetic at the school. [2]"}
	if diff := cmp.Diff(want, draft); diff != "" {
		t.Fatalf("draft (-want +got)\n%s", diff)
	}
	testkit.Must(t, a.Worker.Stop(context.Background()))
	if n, err := a.Threads.Prune(t.Context(), time.Now().AddDate(1, 0, 0)); n != 0 || err != nil {
		t.Errorf("got %d threads pruned, error %v; want none: the only one waits for an answer", n, err)
	}
	before := len(by.Calls())

	b := testkit.Open(t, testkit.Options{Dir: dir, Summariser: by})
	if err := b.Summaries.Continue(t.Context(), testkit.Workspace, s.ID, []string{" ", ""}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("empty edit: got error %v, want Invalid", err)
	}
	if err := b.Summaries.Continue(t.Context(), testkit.Workspace, s.ID, slices.Repeat([]string{"More."}, 9)); domain.KindOf(err) != domain.Invalid {
		t.Errorf("more texts than the draft has: %v", err)
	}
	testkit.Must(t, b.Summaries.Continue(t.Context(), testkit.Workspace, s.ID, []string{"", "Agnes Lovibond taught, and more by hand. [2]"}))
	b.Watch(t, s.Run)
	got := b.Summary(t, s.ID)
	if got.Status != ledger.SummaryDone || len(got.Sentences) != 1 || got.Sentences[0].Text != "Agnes Lovibond taught, and more by hand." || got.Edits != nil {
		t.Fatalf("got summary %+v", got)
	}
	if got.Citations[0].Text != "Agnes Lovibond taught arithmetic at the school." {
		t.Errorf("got citations %+v", got.Citations)
	}
	if n := len(by.Calls()) - before; n != 1 {
		t.Errorf("got %d calls after the edit, want only the last", n)
	}
	if err := b.Summaries.Continue(t.Context(), testkit.Workspace, s.ID, []string{"More."}); domain.KindOf(err) != domain.Conflict {
		t.Errorf("second edit: %v", err)
	}
	if _, err := b.Summarize.StateAt(t.Context(), string(s.Run), 0); err != nil {
		t.Errorf("the states of a finished summary: %v", err)
	}
	events, err := b.Hub.Events(t.Context(), testkit.Workspace, s.Run, 0)
	testkit.Must(t, err)
	view := trace.Fold(s.Run, b.Summarize.Topology(), events)
	if view.State != trace.Done || view.Asks || view.Problem != "" || view.Resumed {
		t.Errorf("got view %s, asks %v, resumed %v: %s", view.State, view.Asks, view.Resumed, view.Problem)
	}
	testkit.Must(t, b.Summaries.Delete(t.Context(), testkit.Workspace, s.ID))
	if _, err := b.Summarize.StateAt(t.Context(), string(s.Run), 0); !errors.Is(err, stategraph.ErrNoThread) {
		t.Errorf("the states of a deleted summary: got %v, want them gone", err)
	}
}

// TestAnEditBeforeTheRunSleeps edits a draft while its run has asked and does not
// sleep yet: the run goes on, however long it took to fall asleep.
func TestAnEditBeforeTheRunSleeps(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Summariser: &testkit.Summaries{}, Idle: true})
	a.Start(t)
	d := a.Read(t, "foundry.txt", foundry)
	testkit.Must(t, a.Worker.Stop(t.Context()))
	s, err := a.Summaries.Start(t.Context(), summaries.Order{Workspace: testkit.Workspace, Documents: []domain.DocumentID{d.ID}, Review: true})
	testkit.Must(t, err)
	r, ok, err := a.Queue.ClaimOne(t.Context(), s.Run, "slow", time.Hour)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := a.Worker.Handlers[summaries.Kind].Handle(t.Context(), r); !errors.Is(err, job.ErrAsleep) {
		t.Fatal(err)
	}
	testkit.Must(t, a.Summaries.Continue(t.Context(), testkit.Workspace, s.ID, a.WaitForDraft(t, s.ID)))
	if r, err = a.Queue.Sleep(t.Context(), r, "slow"); err != nil || r.Status.Asleep() {
		t.Fatalf("the run sleeps: %+v, error %v", r, err)
	}
	a.Start(t)
	a.Watch(t, s.Run)
	if got := a.Summary(t, s.ID); got.Status != ledger.SummaryDone {
		t.Errorf("got status %s: %s", got.Status, got.Problem)
	}
}

func TestStopWhileWaitingForAnEdit(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Summariser: &testkit.Summaries{}})
	d := a.Read(t, "foundry.txt", foundry)
	s, err := a.Summaries.Start(t.Context(), summaries.Order{Workspace: testkit.Workspace, Documents: []domain.DocumentID{d.ID}, Review: true})
	testkit.Must(t, err)
	a.WaitForDraft(t, s.ID)
	testkit.Must(t, a.Queue.Stop(t.Context(), testkit.Workspace, s.Run))
	a.Watch(t, s.Run)
	if got := a.Summary(t, s.ID); got.Status != ledger.SummaryStopped {
		t.Errorf("got status %s", got.Status)
	}
}

func TestDeletingADocumentEndsTheWaitForAnEdit(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Summariser: &testkit.Summaries{}})
	d := a.Read(t, "foundry.txt", foundry)
	s, err := a.Summaries.Start(t.Context(), summaries.Order{Workspace: testkit.Workspace, Documents: []domain.DocumentID{d.ID}, Review: true})
	testkit.Must(t, err)
	a.WaitForDraft(t, s.ID)
	a.WaitForSleep(t, s.Run)
	a.Delete(t, d.ID)
	a.Clock.Advance(time.Second)
	a.Watch(t, s.Run)
	if got := a.Summary(t, s.ID); got.Status != ledger.SummaryFailed || !strings.Contains(got.Problem, "deleted") {
		t.Errorf("got status %s: %s", got.Status, got.Problem)
	}
	if found := testkit.Holding(t, a.Dir, "cast the bells"); len(found) > 0 {
		t.Errorf("words of the deleted document are left in %v", found)
	}
}

func TestAKilledRunRepeatsOnlyWhatWasInFlight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reached, never := make(chan struct{}, 20), make(chan struct{})
	by := &testkit.Summaries{Before: func(ctx context.Context, part int) error {
		if part < 9 {
			return nil
		}
		reached <- struct{}{}
		select {
		case <-never:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	a := testkit.Open(t, testkit.Options{Dir: dir, Summariser: by})
	d := a.Read(t, "long.txt", testkit.Sections(10))
	s, err := a.Summaries.Start(t.Context(), summaries.Order{Workspace: testkit.Workspace, Documents: []domain.DocumentID{d.ID}})
	testkit.Must(t, err)
	for range 2 {
		select {
		case <-reached:
		case <-time.After(time.Minute):
			t.Fatal("the ninth part was not reached")
		}
	}
	testkit.Must(t, a.Worker.Stop(context.Background()))
	again := &testkit.Summaries{}
	b := testkit.Open(t, testkit.Options{Dir: dir, Summariser: again})
	b.Watch(t, s.Run)
	if got := b.Summary(t, s.ID); got.Status != ledger.SummaryDone {
		t.Fatalf("got status %s: %s", got.Status, got.Problem)
	}
	for _, part := range again.Calls() {
		if part != 0 && part < 9 {
			t.Errorf("part %d was summarised again", part)
		}
	}
}

func TestSentencesThatCannotBeCondensedAreKept(t *testing.T) {
	t.Parallel()
	by := &testkit.Summaries{}
	a := testkit.Open(t, testkit.Options{Summariser: noCondensing{by}})
	d := a.Read(t, "long.txt", testkit.Sections(3))
	s := a.Summarised(t, summaries.Order{Documents: []domain.DocumentID{d.ID}, Strict: true})
	if s.Status != ledger.SummaryFailed || !strings.Contains(s.Problem, "did not become short enough") || len(s.Sentences) == 0 || len(s.Citations) == 0 {
		t.Errorf("got status %s: %s; %d sentences", s.Status, s.Problem, len(s.Sentences))
	}
	s = a.Summarised(t, summaries.Order{Documents: []domain.DocumentID{d.ID}})
	if s.Status != ledger.SummaryDone || s.Condensed || len(s.Warnings) != 1 {
		t.Errorf("got status %s: condensed %v, warnings %q", s.Status, s.Condensed, s.Warnings)
	}
}

// noCondensing never shortens anything.
type noCondensing struct{ *testkit.Summaries }

func (noCondensing) Map(_ context.Context, r summarize.MapRequest, _ summarize.Emit) ([]summarize.Sentence, error) {
	return []summarize.Sentence{{Text: domain.OneLine(r.Text), Parts: []int{r.Part.N}}}, nil
}

func TestOutdatedSummariesSaySo(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Summariser: &testkit.Summaries{}})
	one := a.Read(t, "foundry.txt", foundry)
	whole := a.Summarised(t, summaries.Order{Whole: true})
	says := func() string {
		t.Helper()
		why, err := a.Summaries.Outdated(t.Context(), testkit.Workspace, a.Summary(t, whole.ID))
		testkit.Must(t, err)
		return why[whole.ID]
	}
	if why := says(); why != "" {
		t.Errorf("fresh summary: got outdated because %s", why)
	}
	two := a.Read(t, "school.txt", school)
	if why := says(); why != "1 document has been added to the library since." {
		t.Errorf("after another document: got %s", why)
	}
	a.Clock.Advance(time.Minute)
	testkit.Must(t, a.Ledger.SaveText(t.Context(), testkit.Workspace, one.ID, domain.Text{Content: "Other words."}))
	_, err := a.Ledger.UpdateDocument(t.Context(), testkit.Workspace, one.ID, func(*domain.Document) {})
	testkit.Must(t, err)
	if why := says(); why != "1 document of it has changed since." {
		t.Errorf("after a change: got %s", why)
	}
	a.Delete(t, one.ID)
	if why := says(); !strings.HasPrefix(why, "1 document of it was deleted since") {
		t.Errorf("after a deletion: got %s", why)
	}
	if got := a.Summary(t, whole.ID); len(got.Sentences) != 0 {
		t.Errorf("got the deleted document's words: %+v", got.Sentences)
	}
	if _, err := a.Summaries.Again(t.Context(), testkit.Workspace, whole.ID); err != nil || two.ID == "" {
		t.Errorf("summarising again: got error %v", err)
	}
}
