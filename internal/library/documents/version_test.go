package documents_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/testkit"
)

// added adds a file and waits until it has been read. It returns the document that
// holds it then.
func added(t *testing.T, a *testkit.App, name string, by documents.How, content string) (documents.Added, domain.Document) {
	t.Helper()
	got, err := a.Documents.Add(t.Context(), testkit.Workspace, name, by, strings.NewReader(content)).One()
	testkit.Must(t, err)
	if !got.Skipped {
		a.Watch(t, got.Document.Run)
	}
	return got, a.Document(t, got.Document.Becomes())
}

func count(t *testing.T, a *testkit.App) int {
	t.Helper()
	_, all, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{})
	testkit.Must(t, err)
	return all
}

func TestAFileOfTheSameName(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	first := a.Read(t, "anna.txt", letter("Anna"))
	skipped, _ := added(t, a, "anna.txt", documents.How{Named: documents.Skip}, letter("Berta"))
	if !skipped.Skipped || skipped.Document.ID != first.ID || count(t, a) != 1 {
		t.Errorf("skipped: %+v", skipped)
	}
	apart, second := added(t, a, "anna.txt", documents.How{Named: documents.Apart}, letter("Clara"))
	if apart.Document.VersionOf != "" || second.ID == first.ID || count(t, a) != 2 {
		t.Errorf("apart: %+v", apart)
	}
	next, d := added(t, a, "anna.txt", documents.How{Of: first.ID}, letter("Dora"))
	if next.Document.VersionOf != first.ID || d.ID != first.ID || d.Version != 1 || d.Took <= 0 || count(t, a) != 2 {
		t.Errorf("the next version: %+v, %+v", next, d)
	}
	if again, d := added(t, a, "anna.txt", documents.How{Named: documents.Next}, letter("Dora")); !again.Existing || d.ID != first.ID || d.Version != 1 {
		t.Errorf("the same content: %+v, %+v", again, d)
	}
	if back, d := added(t, a, "anna.txt", documents.How{Of: first.ID}, letter("Anna")); back.Existing || d.Version != 2 || d.Hash != first.Hash {
		t.Errorf("back to the first content: %+v, %+v", back, d)
	}
	if latest, d := added(t, a, "anna.txt", documents.How{Named: documents.Next}, letter("Erna")); latest.Document.VersionOf != second.ID || d.Version != 1 {
		t.Errorf("of several documents of a name, the last: %+v, %+v", latest, d)
	}
	if other, d := added(t, a, "other.txt", documents.How{Named: documents.Next}, letter("Flora")); other.Document.VersionOf != "" || d.Version != 0 || count(t, a) != 3 {
		t.Errorf("a new name: %+v, %+v", other, d)
	}
}

// TestAContentThatADocumentBeganWith adds what was the first version of a document
// as a document of its own.
func TestAContentThatADocumentBeganWith(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	first := a.Read(t, "anna.txt", letter("Anna"))
	added(t, a, "anna.txt", documents.How{Named: documents.Next}, letter("Berta"))
	for _, name := range []string{"copy.txt", "another copy.txt"} {
		_, d := added(t, a, name, documents.How{}, letter("Anna"))
		if d.ID == first.ID || d.Name != "copy.txt" || d.Status != domain.DocumentReady {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if n := count(t, a); n != 2 {
		t.Errorf("%d documents, want 2", n)
	}
}

func TestDeletingADocumentDeletesAllItsVersions(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	first := a.Read(t, "anna.txt", letter("Anna"))
	shared := a.Read(t, "berta.txt", letter("Berta"))
	added(t, a, "anna.txt", documents.How{Named: documents.Next}, letter("Clara"))
	added(t, a, "berta.txt", documents.How{Named: documents.Next}, letter("Dora"))
	added(t, a, "berta again.txt", documents.How{}, letter("Berta"))
	if files := stored(t, a.Path("files")); len(files) != 4 {
		t.Fatalf("%d files, want those of four contents", len(files))
	}
	a.Delete(t, first.ID)
	a.Delete(t, shared.ID)
	if files := stored(t, a.Path("files")); len(files) != 1 || !strings.Contains(files[0], shared.Hash) {
		t.Errorf("left are %q, want the file that another document has", files)
	}
	for _, name := range []string{"Anna Quill", "Clara Quill", "Dora Quill"} {
		if _, n, err := a.Graph.Entities(t.Context(), testkit.Workspace, graphstore.EntityQuery{Text: name, Limit: 1}); err != nil || n != 0 {
			t.Errorf("the graph has %s, error %v", name, err)
		}
	}
}

// TestANewerFileOvertakes adds a third file while the second is being read: the
// second never comes into force. Deleting the document deletes what it waits for.
func TestANewerFileOvertakes(t *testing.T) {
	t.Parallel()
	blocking, begun, free := blockingExtractor()
	var blocks atomic.Bool
	a := testkit.Open(t, testkit.Options{Extractor: &testkit.Extractor{Before: func(ctx context.Context, r extract.Request) error {
		if blocks.Load() {
			return blocking.Before(ctx, r)
		}
		return nil
	}}})
	first := a.Read(t, "anna.txt", letter("Anna"))
	defer free()
	blocks.Store(true)
	second, err := a.Documents.Add(t.Context(), testkit.Workspace, "anna.txt", documents.How{Named: documents.Next}, strings.NewReader(letter("Berta"))).One()
	testkit.Must(t, err)
	<-begun
	if d := a.Document(t, first.ID); d.Status != domain.DocumentReady || d.Version != 0 {
		t.Errorf("while its next version is read, the document is %+v", d)
	}
	third, err := a.Documents.Add(t.Context(), testkit.Workspace, "anna.txt", documents.How{Named: documents.Next}, strings.NewReader(letter("Clara"))).One()
	testkit.Must(t, err)
	if _, err := a.Ledger.Document(t.Context(), testkit.Workspace, second.Document.ID); domain.KindOf(err) != domain.NotFound {
		t.Errorf("the second is still there, error %v", err)
	}
	free()
	a.Watch(t, third.Document.Run)
	if d := a.Document(t, first.ID); d.Version != 1 || d.Hash == first.Hash {
		t.Errorf("then the document is %+v", d)
	}
	if files := stored(t, a.Path("files")); len(files) != 2 || slices.ContainsFunc(files, func(f string) bool { return strings.Contains(f, second.Document.Hash) }) {
		t.Errorf("files %q", files)
	}
}
