package documents_test

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
)

// TestRename moves the file of a document: name and title follow, also in the stores, the
// versions stay, and nothing is mined once more.
func TestRename(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	_, d := added(t, a, "anna.txt", documents.How{Source: domain.SourceFolder}, letter("Anna"))
	before := d
	testkit.Must(t, a.Documents.Rename(t.Context(), testkit.Workspace, d.ID, "letters/../old/berta.txt"))
	d = a.Settle(t, a.Document(t, d.ID))
	if d.Name != "old/berta.txt" || d.Title != "berta" || d.Status != domain.DocumentReady || d.ChunksDone != before.ChunksDone || d.Entities != before.Entities {
		t.Errorf("renamed: %+v", d)
	}
	run := d.Run
	testkit.Must(t, a.Documents.Rename(t.Context(), testkit.Workspace, d.ID, "old/berta.txt"))
	if d := a.Document(t, d.ID); d.Run != run {
		t.Error("the same name has it read again")
	}
	if err := a.Documents.Rename(t.Context(), testkit.Workspace, "none", "a.txt"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("an unknown document: %v", err)
	}
	if err := a.Documents.Rename(t.Context(), testkit.Workspace, d.ID, ".."); domain.KindOf(err) != domain.Invalid {
		t.Errorf("no name: %v", err)
	}
}
