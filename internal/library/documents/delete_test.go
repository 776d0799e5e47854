package documents_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit"
)

// TestADeletionIsUndone deletes documents and takes that back: meanwhile neither the graph nor
// the search has them, and afterwards both are as they were.
func TestADeletionIsUndone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := testkit.Open(t, testkit.Options{})
	kept := a.Read(t, "kept.txt", letter("Anna"))
	without, err := a.Graph.Stats(ctx, testkit.Workspace)
	testkit.Must(t, err)
	const text = "Wilhelmine Zwiebelfisch met Maud Ferring at the old mill."
	doc := a.Read(t, "gone.txt", text)
	with, err := a.Graph.Stats(ctx, testkit.Workspace)
	testkit.Must(t, err)

	q := ledger.DocumentQuery{IDs: []domain.DocumentID{doc.ID}}
	d, err := a.Documents.Remove(ctx, testkit.Workspace, q, false)
	testkit.Must(t, err)
	hidden, err := a.Graph.Stats(ctx, testkit.Workspace)
	testkit.Must(t, err)
	if diff := cmp.Diff(without, hidden); diff != "" {
		t.Errorf("the graph still has it: -want +got\n%s", diff)
	}
	if m := a.Answered(t, "", "Who was Zwiebelfisch?"); len(m.Citations) > 0 && m.Citations[0].DocumentID == doc.ID {
		t.Errorf("the answer %q cites it", m.Text)
	}
	if _, err := a.Documents.Remove(ctx, testkit.Workspace, q, false); domain.KindOf(err) != domain.NotFound {
		t.Errorf("deleted twice: error %v", err)
	}
	testkit.Must(t, a.Documents.CarryOut(ctx, testkit.Workspace)) // before its time
	if n, err := a.Documents.Undo(ctx, testkit.Workspace, d.ID); n != 1 || err != nil {
		t.Fatalf("%d documents are back, error %v", n, err)
	}
	back, err := a.Graph.Stats(ctx, testkit.Workspace)
	testkit.Must(t, err)
	if diff := cmp.Diff(with, back); diff != "" {
		t.Errorf("the graph is not as it was: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(doc, a.Document(t, doc.ID)); diff != "" {
		t.Errorf("the document is not as it was: -want +got\n%s", diff)
	}
	if m := a.Answered(t, "", "Who was Zwiebelfisch?"); len(m.Citations) == 0 || m.Citations[0].DocumentID != doc.ID {
		t.Errorf("the answer %q does not cite it", m.Text)
	}

	again, err := a.Documents.Remove(ctx, testkit.Workspace, q, false)
	testkit.Must(t, err)
	if added := a.Add(t, "gone.txt", text); !added.Existing || a.Document(t, doc.ID).Status != domain.DocumentReady {
		t.Errorf("its file, added again, gives %+v", added)
	}
	a.Clock.Advance(2 * a.Documents.UndoTime)
	testkit.Must(t, a.Documents.CarryOut(ctx, testkit.Workspace))
	if a.Document(t, doc.ID).ID == "" || a.Document(t, kept.ID).ID == "" {
		t.Error("what was taken back is gone")
	}
	if _, err := a.Documents.Undo(ctx, testkit.Workspace, again.ID); domain.KindOf(err) != domain.Conflict {
		t.Errorf("undone twice: error %v", err)
	}
}

// TestADeletionIsCarriedOutByTheNextProcess ends the program before the time to undo is over.
func TestADeletionIsCarriedOutByTheNextProcess(t *testing.T) {
	t.Parallel()
	const marker = "Wilhelmine Zwiebelfisch"
	ctx, dir := t.Context(), t.TempDir()
	var doc domain.Document
	t.Run("first", func(t *testing.T) {
		a := testkit.Open(t, testkit.Options{Dir: dir})
		doc = a.Read(t, "gone.txt", marker+" met Maud Ferring at the old mill.")
		_, err := a.Documents.Remove(ctx, testkit.Workspace, ledger.DocumentQuery{}, false)
		testkit.Must(t, err)
	})
	if len(testkit.Holding(t, dir, marker)) == 0 {
		t.Fatal("the words are on no file: the test proves nothing")
	}
	a := testkit.Open(t, testkit.Options{Dir: dir})
	a.Clock.Advance(time.Hour)
	testkit.Must(t, a.Documents.CarryOut(ctx, testkit.Workspace))
	if held, err := a.Ledger.DocumentsOfFile(ctx, testkit.Workspace, doc.Hash); err != nil || len(held) > 0 {
		t.Errorf("it is still there: %+v, error %v", held, err)
	}
	for _, path := range testkit.Holding(t, a.Path("files"), marker) {
		t.Errorf("%s still holds the words", path)
	}
}
