package documents_test

import (
	"context"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/extract"
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

// TestRenameWhileRead gives a document that is being read another name, the first time and once more: its title follows in the
// ledger and in the search index.
func TestRenameWhileRead(t *testing.T) {
	t.Parallel()
	started, goOn := make(chan struct{}, 1), make(chan struct{})
	e := &testkit.Extractor{Before: func(ctx context.Context, _ extract.Request) error {
		started <- struct{}{}
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	a := testkit.Open(t, testkit.Options{Extractor: e})
	d := a.Add(t, "anna.txt", letter("Dora")).Document
	<-started
	testkit.Must(t, a.Documents.Rename(t.Context(), testkit.Workspace, d.ID, "berta.txt"))
	goOn <- struct{}{}
	indexed(t, a, a.Settle(t, d), "berta", "anna")

	e.Name = "scripted/2"
	_, err := a.Documents.ReadAgain(t.Context(), testkit.Workspace, d.ID)
	testkit.Must(t, err)
	<-started
	testkit.Must(t, a.Documents.Rename(t.Context(), testkit.Workspace, d.ID, "clara.txt"))
	indexed(t, a, a.Document(t, d.ID), "clara", "berta")
	goOn <- struct{}{}
	indexed(t, a, a.Settle(t, a.Document(t, d.ID)), "clara", "berta")
}

// indexed checks that a document has a title, and is found by it and no longer by another.
func indexed(t *testing.T, a *testkit.App, d domain.Document, title, before string) {
	t.Helper()
	if d.Title != title {
		t.Errorf("the title is %q, want %q", d.Title, title)
	}
	for word, want := range map[string]bool{title: true, before: false} {
		hits, err := a.Vectors.Lexical(t.Context(), testkit.Workspace, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: word, Limit: 5})
		testkit.Must(t, err)
		if len(hits) > 0 != want {
			t.Errorf("%q is found: %v, want %v", word, !want, want)
		}
	}
}
