package web

import (
	"net/url"
	"testing"

	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestSubjectsOfRunsLinkToTheirPages compares the paths that the kinds of runs
// spell out, because they may not import views, with the addresses in link.
func TestSubjectsOfRunsLinkToTheirPages(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Summariser: &testkit.Summaries{}})
	f := b.fill(t)
	s := b.orderSummary(t, url.Values{"whole": {"1"}})
	want := map[string]string{
		documents.Kind: link.Document(f.doc.ID),
		questions.Kind: link.TurnAt(f.message.Conversation, f.message.Message, ""),
		summaries.Kind: link.Summary(s.ID),
	}
	ids := map[string]string{documents.Kind: string(f.doc.ID), questions.Kind: string(f.message.Message), summaries.Kind: string(s.ID)}
	for _, k := range b.Kinds {
		if k.Name == questions.BranchKind || k.Name == evaluation.Kind { // have tests of their own
			continue
		}
		got, err := b.Kinds.Subjects(t.Context(), job.Run{Workspace: testkit.Workspace, Kind: k.Name, Subject: ids[k.Name]})
		testkit.Must(t, err)
		if got[0].Path == "" || got[0].Path != want[k.Name] {
			t.Errorf("a run of kind %s links to %q, want %q", k.Name, got[0].Path, want[k.Name])
		}
	}
}
