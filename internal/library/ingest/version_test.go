package ingest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/testkit"
)

// next adds the next version of a document.
func (b *fixture) next(t *testing.T, text string) domain.Document {
	t.Helper()
	added, err := b.Documents.Add(t.Context(), testkit.Workspace, "letters.txt", documents.How{Named: documents.Next}, strings.NewReader(text)).One()
	testkit.Must(t, err)
	return added.Document
}

func TestOnlyChangedChunksOfANewVersionAreAsked(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara", "Dora", "Erna"))
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	id, before := b.doc.ID, b.chunks(t)

	b.doc = b.next(t, letters("Anna", "Berta", "Cornelia", "Dora", "Erna"))
	if diff := cmp.Diff([][]int{{2}}, b.windowed(t, 1200, nil)); diff != "" {
		t.Fatalf("requests (-want +got)\n%s", diff)
	}
	b.doc = b.Document(t, id)
	if d := b.doc; d.Version != 1 || d.Status != domain.DocumentReady || d.ChunksDone != 5 || d.Entities != 7 {
		t.Errorf("the document is %+v", d)
	}
	after := b.chunks(t)
	for i, c := range after {
		if same := c.ID == before[i].ID; same != (i != 2) || c.Document != id {
			t.Errorf("chunk %d is %s of %s, and was %s", i, c.ID, c.Document, before[i].ID)
		}
	}
	versions, err := b.Ledger.Versions(t.Context(), testkit.Workspace, id)
	testkit.Must(t, err)
	if len(versions) != 1 || versions[0].Number != 0 || versions[0].Chunks != 5 {
		t.Errorf("earlier versions %+v", versions)
	}
	for name, want := range map[string]int{"Clara Quill": 0, "Cornelia Quill": 1, "Anna Quill": 1} {
		if _, n, err := b.Graph.Entities(t.Context(), testkit.Workspace, graphstore.EntityQuery{Text: name, Limit: 10}); err != nil || n != want {
			t.Errorf("%d entities %s, error %v", n, name, err)
		}
	}
	if _, all, err := b.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{}); err != nil || all != 1 {
		t.Errorf("%d documents, error %v", all, err)
	}
}

// TestANewVersionIsAsIfItHadComeFirst compares what a document contributes after a new
// version, in which chunks moved, with what the same text contributes alone.
func TestANewVersionIsAsIfItHadComeFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara"))
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	id, text := b.doc.ID, "A foreword, by Maud.\n\n"+letters("Clara", "Anna", "Dora", "Anna")
	b.doc = b.next(t, text)
	_, err = b.run(t.Context())
	testkit.Must(t, err)
	fresh := setup(t, testkit.Options{}, text)
	_, err = fresh.run(t.Context())
	testkit.Must(t, err)

	graphs := func(b *fixture, id domain.DocumentID) (found []domain.GraphDocument) {
		all, err := b.Ledger.Contributions(t.Context(), testkit.Workspace, id)
		testkit.Must(t, err)
		for _, c := range all {
			found = append(found, c.Graph)
		}
		return found
	}
	if diff := cmp.Diff(graphs(fresh, fresh.doc.ID), graphs(b, id)); diff != "" {
		t.Errorf("contributions (-alone +as a version)\n%s", diff)
	}
	got, want := b.Document(t, id), fresh.Document(t, fresh.doc.ID)
	if got.Entities != want.Entities || got.Relations != want.Relations || got.Chunks != want.Chunks {
		t.Errorf("%+v, alone %+v", got, want)
	}
}

func TestFaultTheOldVersionStaysUntilTheNewOneIsRead(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta"))
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	old, before := b.doc, b.chunks(t)
	b.doc = b.next(t, letters("Anna", "Clara", "Dora"))
	stop := domain.Errorf(domain.Forbidden, "The key is refused.")
	b.script.Before = failing(stop)
	if _, err := b.run(t.Context()); domain.KindOf(err) != domain.Forbidden {
		t.Fatalf("error %v", err)
	}
	if d := b.Document(t, old.ID); d.Version != 0 || d.Hash != old.Hash || d.Status != domain.DocumentReady {
		t.Errorf("the document is %+v", d)
	}
	now, err := b.Ledger.Chunks(t.Context(), testkit.Workspace, old.ID)
	testkit.Must(t, err)
	if diff := cmp.Diff(before, now); diff != "" {
		t.Errorf("its chunks (-before +after)\n%s", diff)
	}
	if _, n, err := b.Graph.Entities(t.Context(), testkit.Workspace, graphstore.EntityQuery{Text: "Clara Quill", Limit: 1}); err != nil || n != 0 {
		t.Errorf("the graph names what is not in force, error %v", err)
	}
	b.script.Before = nil
	_, err = b.run(t.Context())
	testkit.Must(t, err)
	if d := b.Document(t, old.ID); d.Version != 1 || d.Chunks != 3 {
		t.Errorf("once it is read, the document is %+v", d)
	}
	testkit.Must(t, b.Ledger.AdoptVersion(t.Context(), testkit.Workspace, b.doc.ID, old.ID)) // a killed process adopts it once more
	if d := b.Document(t, old.ID); d.Version != 1 {
		t.Errorf("adopted twice, it is version %d", d.Version)
	}
}

func failing(err error) func(ctx context.Context, r extract.Request) error {
	return func(context.Context, extract.Request) error { return err }
}
