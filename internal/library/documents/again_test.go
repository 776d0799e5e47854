package documents_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
)

// TestTheRestOfARereadingIsLeft chooses documents to be read again, lets one begin, and leaves the others as they were.
func TestTheRestOfARereadingIsLeft(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	t.Run("read at first", func(t *testing.T) {
		a := testkit.Open(t, testkit.Options{Dir: dir})
		for _, name := range []string{"Anna", "Berta", "Clara"} {
			a.Read(t, name+".txt", letter(name))
		}
	})
	a := testkit.Open(t, testkit.Options{Dir: dir, Idle: true})
	library := func() map[domain.DocumentID]domain.Document {
		t.Helper()
		docs, err := a.Ledger.ListDocuments(ctx, testkit.Workspace, ledger.DocumentQuery{})
		testkit.Must(t, err)
		by := map[domain.DocumentID]domain.Document{}
		for _, d := range docs {
			by[d.ID] = d
		}
		return by
	}
	before := library()
	id, n, err := a.Documents.ReadSelectedAgain(ctx, testkit.Workspace, ledger.DocumentQuery{})
	if err != nil || n != 3 {
		t.Fatalf("%d documents are queued, error %v", n, err)
	}
	if _, n, err := a.Documents.ReadSelectedAgain(ctx, testkit.Workspace, ledger.DocumentQuery{}); err != nil || n != 0 {
		t.Errorf("%d documents are queued twice, error %v", n, err)
	}
	progress := func(want ...ledger.Rereading) {
		t.Helper()
		got, err := a.Ledger.Rereadings(ctx, testkit.Workspace)
		testkit.Must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("progress (-want +got)\n%s", diff)
		}
	}
	progress(ledger.Rereading{ID: id, Documents: 3, Unbegun: 3})
	begun, ok, err := a.Queue.Claim(ctx, "another worker", job.Room{documents.Kind: {}}, time.Minute)
	if err != nil || !ok {
		t.Fatalf("nothing is claimed: %v", err)
	}
	progress(ledger.Rereading{ID: id, Documents: 3, Unbegun: 2})
	if n, err := a.Documents.LeaveRest(ctx, testkit.Workspace, id); n != 2 || err != nil {
		t.Errorf("%d documents are left, error %v", n, err)
	}
	progress(ledger.Rereading{ID: id, Documents: 3})
	for id, d := range library() {
		if string(id) == begun.Subject {
			continue
		}
		if diff := cmp.Diff(before[id], d, cmpopts.IgnoreFields(domain.Document{}, "UpdatedAt")); diff != "" {
			t.Errorf("%s is not as it was (-want +got)\n%s", d.Name, diff)
		}
	}
	_, err = a.Queue.Release(ctx, begun.ID, "another worker")
	testkit.Must(t, err)
	if n, err := a.Documents.LeaveRest(ctx, testkit.Workspace, id); n != 0 || err != nil {
		t.Errorf("%d documents that had begun are left, error %v", n, err)
	}
	a.Start(t)
	if d := a.Settle(t, a.Document(t, domain.DocumentID(begun.Subject))); d.Status != domain.DocumentReady || d.Run != begun.ID {
		t.Errorf("the one that had begun is %+v", d)
	}
	progress()
}
