package documents_test

import (
	"context"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
)

// TestADocumentIsHeld: a held document is not read until somebody says yes, whether to
// it, to all, or by adding it again without holding it. Its bill waits with it.
func TestADocumentIsHeld(t *testing.T) {
	t.Parallel()
	x := &testkit.Extractor{}
	a := testkit.Open(t, testkit.Options{Extractor: x})
	a.Documents.Price = func(_ context.Context, _, _ domain.Usage) (costs.MoneyRange, bool, error) {
		return costs.MoneyRange{From: 140_000, To: 180_000, Currency: "USD"}, false, nil
	}
	hold := func(name, text string) domain.Document {
		t.Helper()
		added, err := a.Documents.Add(t.Context(), testkit.Workspace, name, documents.How{Hold: true}, strings.NewReader(text)).One()
		testkit.Must(t, err)
		return added.Document
	}
	mill, river, pond, gone := hold("mill.txt", "Anna Quill met Maud Ferring."), hold("river.txt", "Bob Turner met Rose Dale."), hold("pond.txt", "Ida Crane met Tom Reed."), hold("gone.txt", "Una Moss met Jo Fell.")
	a.Read(t, "other.txt", "Ada Brook met Lee Stone.") // what came later is read meanwhile
	if len(x.Calls()) != 1 {
		t.Errorf("%d chunks were mined", len(x.Calls()))
	}
	for _, d := range []domain.Document{mill, river, pond, gone} {
		r, err := a.Queue.Get(t.Context(), testkit.Workspace, d.Run)
		testkit.Must(t, err)
		if b, held := documents.Held(r); !held || b.Chunks != 1 || b.String() != "1 passage, 0 calls, 0 to 0 tokens, $0.14 to $0.18" || d.Status != domain.DocumentWaiting {
			t.Errorf("%s is %s, held %t with the bill %s", d.Name, d.Status, held, b)
		}
	}
	a.Delete(t, gone.ID)
	_, err := a.Documents.ReadAgain(t.Context(), testkit.Workspace, mill.ID)
	testkit.Must(t, err)
	a.Settle(t, mill)
	a.Add(t, "copy.txt", "Ida Crane met Tom Reed.") // not held
	a.Settle(t, pond)
	if len(x.Calls()) != 3 {
		t.Errorf("%d chunks were mined after two yeses", len(x.Calls()))
	}
	if n, err := a.Documents.ReadHeld(t.Context(), testkit.Workspace); n != 1 || err != nil {
		t.Errorf("%d were held, error %v", n, err)
	}
	if d := a.Settle(t, river); d.Status != domain.DocumentReady {
		t.Errorf("%s is %s", d.Name, d.Status)
	}
	if added, err := a.Documents.Add(t.Context(), testkit.Workspace, "torn.pdf", documents.How{Hold: true}, strings.NewReader("%PDF-1.4\nno")).One(); err == nil {
		if d := a.Settle(t, added.Document); d.Status != domain.DocumentFailed {
			t.Errorf("what can't be read is %s", d.Status)
		}
	}
}
