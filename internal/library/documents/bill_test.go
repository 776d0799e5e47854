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

// asking is an extractor that says that it asks a model.
type asking struct{ *testkit.Extractor }

func (asking) Asks() bool { return true }

// TestABillBeforeReading asks what files would cost: nothing of them is kept, and no
// model is asked.
func TestABillBeforeReading(t *testing.T) {
	t.Parallel()
	x := &testkit.Extractor{}
	a := testkit.Open(t, testkit.Options{Extractor: asking{x}, MaxUpload: 10_000})
	a.Documents.Price = func(ctx context.Context, least, most domain.Usage) (costs.MoneyRange, bool, error) {
		m, err := a.Costs.Estimate(ctx, []domain.Usage{{Model: "gpt-4o", Input: least.Input, Output: least.Output}}, []domain.Usage{{Model: "gpt-4o", Input: most.Input, Output: most.Output}})
		return m, false, err
	}
	bill := func(name, text string) documents.Bill {
		t.Helper()
		b, err := a.Documents.Bill(t.Context(), testkit.Workspace, name, domain.Chunking{}, strings.NewReader(text))
		testkit.Must(t, err)
		return b
	}
	text := strings.Repeat("Anna Quill greeted Maud Ferring at an old mill. It rained for a long while on copper and tin.\n\n", 12)
	b := bill("notes.txt", text)
	if b.Problem != "" || b.Chunks < 4 || b.Calls != b.Chunks || b.Tokens.From < 900*b.Chunks || b.Tokens.To <= b.Tokens.From || b.Seconds.To <= b.Seconds.From {
		t.Errorf("%+v", b)
	}
	if b.Money == nil || b.Money.From <= 0 || b.Money.To <= b.Money.From || !strings.Contains(b.Money.String(), " to $") {
		t.Errorf("money %v", b.Money)
	}
	if docs, _, err := a.Ledger.Conversations(t.Context(), testkit.Workspace, 0, 0); err != nil || len(docs) != 0 || len(x.Calls()) != 0 {
		t.Errorf("%d chunks were mined for a bill", len(x.Calls()))
	}
	counts, err := a.Ledger.CountDocuments(t.Context(), testkit.Workspace, "")
	if err != nil || counts.All() != 0 {
		t.Errorf("%d documents, error %v", counts.All(), err)
	}
	for name, text := range map[string]string{"plan.dwg": "x", "empty.txt": "", "large.txt": strings.Repeat("x", 10_001)} {
		if b := bill(name, text); b.Problem == "" || b.Money != nil {
			t.Errorf("%s: %+v", name, b)
		}
	}
	read := a.Read(t, "notes.txt", text)
	if read.Chunks != b.Chunks {
		t.Errorf("a bill of %d chunks, and %d were read", b.Chunks, read.Chunks)
	}
	if b := bill("copy.txt", text); !b.Known || b.Calls != 0 {
		t.Errorf("what is in the library: %+v", b)
	}
	sum := documents.Sum([]documents.Bill{b, b, {Name: "plan.dwg", Problem: "no"}})
	if sum.Calls != 2*b.Calls || sum.Money.To != 2*b.Money.To || sum.Tokens.From != 2*b.Tokens.From {
		t.Errorf("in all %+v", sum)
	}
	if again, n, err := a.Documents.BillAgain(t.Context(), testkit.Workspace); n != 0 || again.Calls != 0 || err != nil {
		t.Errorf("nothing is outdated: %d documents, %+v, error %v", n, again, err)
	}
	_, err = a.Ledger.UpdateDocument(t.Context(), testkit.Workspace, read.ID, func(d *domain.Document) { d.Reader = "rules" })
	testkit.Must(t, err)
	if again, n, err := a.Documents.BillAgain(t.Context(), testkit.Workspace); n != 1 || again.Calls != b.Calls || again.Chunks != b.Chunks || again.Tokens != b.Tokens || err != nil {
		t.Errorf("reading it again: %d documents, %+v, error %v; want %+v", n, again, err, b)
	}
	a.Documents.Price = func(_ context.Context, _, _ domain.Usage) (costs.MoneyRange, bool, error) {
		return costs.MoneyRange{}, true, nil
	}
	if b := bill("other.txt", "Anna Quill greeted Maud Ferring."); b.Money != nil || b.Chunks != 1 {
		t.Errorf("without a model: %+v", b)
	}
}
