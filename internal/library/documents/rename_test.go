package documents_test

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/vectorstore"
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

// TestRenameAndStop stops the reading that follows a new name: the search index has the new title all the same.
func TestRenameAndStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var d domain.Document
	t.Run("read", func(t *testing.T) {
		_, d = added(t, testkit.Open(t, testkit.Options{Dir: dir}), "anna.txt", documents.How{}, letter("Anna"))
	})
	a := testkit.Open(t, testkit.Options{Dir: dir, Idle: true})
	testkit.Must(t, a.Documents.Rename(t.Context(), testkit.Workspace, d.ID, "berta.txt"))
	testkit.Must(t, a.Documents.Stop(t.Context(), testkit.Workspace, d.ID))
	if d = a.Document(t, d.ID); d.Status != domain.DocumentStopped || d.Title != "berta" {
		t.Fatalf("stopped: %+v", d)
	}
	hits, err := a.Vectors.Lexical(t.Context(), testkit.Workspace, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "berta", Limit: 5})
	testkit.Must(t, err)
	if len(hits) == 0 {
		t.Error("the index does not find the new title")
	}
}
