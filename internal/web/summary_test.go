package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

// orderSummary posts the form of a summary and returns the summary.
func (b *bench) orderSummary(t *testing.T, form url.Values) ledger.Summary {
	t.Helper()
	r := b.post(t, "/summaries", form)
	if r.status != http.StatusSeeOther {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	return b.Summary(t, domain.SummaryID(strings.TrimPrefix(r.header.Get("Location"), "/summaries/")))
}

func TestASummaryFromTheFormToItsPage(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Summariser: &testkit.Summaries{}})
	if page := b.get(t, "/summaries").body; !strings.Contains(page, "No summaries yet") {
		t.Error("the empty list does not say so")
	}
	d := b.Read(t, "foundry.txt", foundry)
	if page := b.get(t, "/documents").body; !strings.Contains(page, `form="bulk"`) {
		t.Error("documents can't be chosen")
	}
	form := b.get(t, "/summaries/new?document="+string(d.ID)).body
	for _, want := range []string{"foundry.txt", "This document", "The whole library, 1 document"} {
		if !strings.Contains(form, want) {
			t.Errorf("the form does not say %q", want)
		}
	}
	s := b.orderSummary(t, url.Values{"document": {string(d.ID)}, "length": {"short"}, "focus": {"<b>bells</b>"}})
	b.Watch(t, s.Run)
	page := b.get(t, "/summaries/"+string(s.ID)).body
	for _, want := range []string{"Summary of foundry.txt", "&lt;b&gt;bells", `data-status="done"`, "generate_final_summary", "/documents/" + string(d.ID) + "?start="} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if list := b.get(t, "/summaries").body; !strings.Contains(list, "Summary of foundry.txt") || !strings.Contains(list, "finished") {
		t.Error("the list does not name it")
	}
	if runs := b.get(t, "/runs?kind=summarize").body; !strings.Contains(runs, "Summary of foundry.txt") {
		t.Error("the list of runs does not name it")
	}
	if page := b.get(t, "/runs/"+string(s.Run)).body; !strings.Contains(page, "Open the summary") {
		t.Error("its run does not lead to it")
	}
	if page := b.get(t, "/documents/"+string(d.ID)).body; !strings.Contains(page, "/summaries/"+string(s.ID)) || strings.Contains(page, "outdated") {
		t.Error("its document does not lead to it, or calls it outdated")
	}
	testkit.Must(t, b.Ledger.SaveText(t.Context(), testkit.Workspace, d.ID, domain.Text{Content: "Other words."}))
	if page := b.get(t, "/documents/"+string(d.ID)).body; !strings.Contains(page, "outdated: the text has changed since") {
		t.Error("the document does not say that the summary is outdated")
	}
	if r := b.post(t, "/summaries/"+string(s.ID)+"/again", nil); r.status != http.StatusSeeOther {
		t.Errorf("again: %d", r.status)
	}
	if page := b.get(t, "/summaries/"+string(s.ID)+"/delete"); page.status != 200 || !strings.Contains(page.main(t), "Delete this summary?") {
		t.Errorf("the question before the deletion: %d, %s", page.status, page.main(t))
	}
	if r := b.post(t, "/summaries/"+string(s.ID)+"/delete", nil); r.status != http.StatusSeeOther || r.header.Get("Location") != "/summaries?done=summary" {
		t.Errorf("deleted: %d to %s", r.status, r.header.Get("Location"))
	}
	if r := b.get(t, "/summaries/"+string(s.ID)); r.status != 404 {
		t.Errorf("after the deletion: %d", r.status)
	}
	if page := b.get(t, "/runs/"+string(s.Run)); page.status != 200 || !strings.Contains(page.main(t), "a summary that was deleted") || strings.Contains(page.body, `data-testid="step"`) {
		t.Errorf("its run: %d, %s", page.status, page.main(t))
	}
}

func TestInvalidOrdersShowTheFormAgain(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	d := b.Read(t, "foundry.txt", foundry)
	for _, tt := range []struct {
		form   url.Values
		status int
		says   string
	}{
		{url.Values{}, 422, "Choose at least one document"},
		{url.Values{"document": {string(d.ID)}, "length": {"epic"}}, 422, "short, medium or long"},
		{url.Values{"document": {string(d.ID)}, "focus": {strings.Repeat("x", 501)}}, 413, "501 characters"},
		{url.Values{"document": {"d0"}}, 404, "There is no document"},
	} {
		if r := b.post(t, "/summaries", tt.form); r.status != tt.status || !strings.Contains(r.body, tt.says) {
			t.Errorf("%v: %d, want %d with %q", tt.form, r.status, tt.status, tt.says)
		}
	}
	for _, path := range []string{"/summaries/s0", "/summaries/new?document=d0"} {
		if r := b.get(t, path); r.status != 404 {
			t.Errorf("%s: %d", path, r.status)
		}
	}
}

func TestReviewingADraft(t *testing.T) {
	race.Want(t)
	t.Parallel()
	go1 := make(chan struct{})
	b := open(t, testkit.Options{Summariser: &testkit.Summaries{Before: func(ctx context.Context, _ int) error {
		select {
		case <-go1:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}})
	d := b.Read(t, "foundry.txt", foundry)
	s := b.orderSummary(t, url.Values{"document": {string(d.ID)}, "review": {"on"}})
	stream := b.stream(t, "/runs/"+string(s.Run)+"/events?after=0")
	close(go1)
	events := stream.until(t, "the end", isEnd)
	last := events[len(events)-2]
	if last.name != "answer" || !strings.Contains(last.data, `data-testid="draft-text"`) {
		t.Errorf("before its end the stream sends %s: %s", last.name, last.data)
	}
	page := b.get(t, "/summaries/"+string(s.ID)).body
	if !strings.Contains(page, "Before the last step") || !strings.Contains(page, "waiting for you") || strings.Contains(page, "/events?after") {
		t.Errorf("the page does not ask, or still waits by itself")
	}
	b.WaitForSleep(t, s.Run)
	if runs := b.get(t, "/runs"); !strings.Contains(runs.main(t), "waiting for you") || !strings.Contains(runs.body, `href="/summaries/`+string(s.ID)+`">waiting for you`) {
		t.Errorf("the list of runs says %s", runs.main(t))
	}
	if r := b.post(t, "/summaries/"+string(s.ID)+"/delete", nil); r.status != http.StatusConflict {
		t.Errorf("deleted while a person is asked: %d", r.status)
	}
	if r := b.post(t, "/summaries/"+string(s.ID)+"/continue", url.Values{"text": {" "}}); r.status != 422 {
		t.Errorf("nothing left: %d", r.status)
	}
	if r := b.post(t, "/summaries/"+string(s.ID)+"/continue", url.Values{"text": {"Bells, by hand. [1]"}}); r.status != http.StatusSeeOther {
		t.Fatalf("goes on with %d: %s", r.status, r.body)
	}
	b.Watch(t, s.Run)
	if page := b.get(t, "/summaries/"+string(s.ID)).body; !strings.Contains(page, "Bells, by hand") || !strings.Contains(page, `data-status="done"`) {
		t.Error("the edited summary is not shown")
	}
	if r := b.post(t, "/summaries/"+string(s.ID)+"/continue", url.Values{"text": {"More."}}); r.status != http.StatusConflict {
		t.Errorf("a second time: %d", r.status)
	}
}
