package web

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
)

// TestReplayOnTheRunsPage replays an answer, and again after a document was added
// that its search finds.
func TestReplayOnTheRunsPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "What did the foundry cast?")
	run := "/runs/" + string(m.Run)
	replayed := func() reply {
		t.Helper()
		r := b.post(t, run+"/replay", nil)
		if r.status != http.StatusSeeOther || r.header.Get("Location") != run+"#replay" {
			t.Fatalf("%d: %s", r.status, r.body)
		}
		runs, err := b.Queue.List(t.Context(), testkit.Workspace, job.Query{Kind: "branch", Limit: 1})
		testkit.Must(t, err)
		b.Watch(t, runs[0].ID)
		return b.get(t, run)
	}
	marks := func(page reply) (list []string) {
		for _, n := range nodes(t, page.body, func(n *html.Node) bool { return attribute(n, "data-testid") == "replayed" }) {
			list = append(list, attribute(n, "data-mark"))
		}
		return list
	}
	if page := replayed(); !strings.Contains(page.main(t), "All 5 nodes did the same.") || strings.Contains(strings.Join(marks(page), " "), "differs") {
		t.Errorf("the page says %s", page.main(t))
	}
	b.Read(t, "second.txt", "Another foundry is said to have cast nothing but bells, and the foundry closed.")
	page := replayed()
	if got := marks(page); len(got) < 5 || got[0] != "differs" || !strings.Contains(page.main(t), "Wrote something else, first at") {
		t.Errorf("the page says %s", page.main(t))
	}
	if r := b.get(t, run+"/replay", "HX-Request", "true"); r.status != 200 || strings.Contains(r.body, "<main") || len(marks(r)) < 5 {
		t.Errorf("a script gets %d: %s", r.status, r.body)
	}
	if r := b.get(t, run+"/replay"); r.status != http.StatusSeeOther {
		t.Errorf("without a script: %d", r.status)
	}
	reading := b.get(t, "/runs/"+string(b.reading(t)))
	if strings.Contains(reading.body, "replay-run") {
		t.Error("the page of a run that reads a document has a button to replay it")
	}
}

// reading returns the latest run that read a document.
func (b *bench) reading(t *testing.T) domain.RunID {
	t.Helper()
	runs, err := b.Queue.List(t.Context(), testkit.Workspace, job.Query{Kind: "ingest", Limit: 1})
	testkit.Must(t, err)
	return runs[0].ID
}
