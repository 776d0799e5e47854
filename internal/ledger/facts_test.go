package ledger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// facts filters documents by what is known of them, alone and in a scope.
func facts(t *testing.T, b Bench) {
	ctx := t.Context()
	add := func(id domain.DocumentID, s domain.Source, f domain.Facts) {
		t.Helper()
		_, _, err := b.Ledger.AddDocument(ctx, domain.Document{Workspace: ws, ID: id, Name: string(id), Source: s, Index: 3, LinkTag: "etag 1", Facts: f})
		must(t, err)
	}
	add("d1", domain.SourceWeb, domain.Facts{Link: "https://a.example/x", Author: "Ärmine Quill", Published: "2024-05-03", Language: "de"})
	add("d2", domain.SourceArchive, domain.Facts{Author: "Ada_Lovelace", Published: "2024", Language: "en"})
	add("d3", domain.SourceWeb, domain.Facts{Published: "2025-01", Language: "de"})
	add("d4", "", domain.Facts{})
	_, _, err := b.Ledger.AddDocument(ctx, domain.Document{Workspace: "other", ID: "d9", Facts: domain.Facts{Language: "fr"}})
	must(t, err)

	got, err := b.Ledger.Document(ctx, ws, "d1")
	must(t, err)
	want := domain.Facts{Link: "https://a.example/x", Author: "Ärmine Quill", Published: "2024-05-03", Language: "de"}
	if got.Facts != want || got.Source != domain.SourceWeb || got.Index != 3 || got.LinkTag != "etag 1" {
		t.Errorf("read back: %+v from %s, %d", got.Facts, got.Source, got.Index)
	}
	for _, tt := range []struct {
		terms []string
		want  []domain.DocumentID
	}{
		{[]string{"lang:de"}, ids("d1", "d3")},
		{[]string{"lang:de", "lang:en"}, ids("d1", "d2", "d3")},
		{[]string{"source:web", "published:2024"}, ids("d1")},
		{[]string{"author:ÄRMINE"}, ids("d1")},
		{[]string{"author:a_l"}, ids("d2")},
		{[]string{"author:quill", "author:lovelace"}, ids("d1", "d2")},
		{[]string{"published:2024"}, ids("d1", "d2")},
		{[]string{"published:2024-05"}, ids("d1")},
		{[]string{"published:2024-05..2025"}, ids("d1", "d3")},
		{[]string{"published:..2024"}, ids("d1", "d2")},
		{[]string{"published:2025.."}, ids("d3")},
		{[]string{"lang:fr"}, nil},
		{[]string{"lang:de", "doc:d3"}, ids("d3")},
	} {
		var s domain.Scope
		for _, term := range tt.terms {
			must(t, s.Add(term))
		}
		within, err := b.Ledger.Within(ctx, ws, s)
		must(t, err)
		if diff := cmp.Diff(tt.want, within, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("within %q: -want +got\n%s", tt.terms, diff)
		}
		if len(s.Documents) > 0 {
			continue
		}
		if _, total, err := b.Ledger.Documents(ctx, ws, ledger.DocumentQuery{FactFilter: s.FactFilter}); err != nil || total != len(tt.want) {
			t.Errorf("listed by %q: %d documents, error %v", tt.terms, total, err)
		}
	}
	linked, _, err := b.Ledger.Documents(ctx, ws, ledger.DocumentQuery{Link: "https://a.example/x"})
	must(t, err)
	if len(linked) != 1 || linked[0].ID != "d1" {
		t.Errorf("by its link: %+v", linked)
	}
	_, err = b.Ledger.UpdateDocument(ctx, ws, "d4", func(d *domain.Document) {
		d.Facts, d.Source = domain.Facts{Language: "sv", Author: "Bo"}, domain.SourceMail
	})
	must(t, err)
	counts, err := b.Ledger.FactCounts(ctx, ws)
	must(t, err)
	if diff := cmp.Diff([]ledger.FactCount{
		{Term: "lang:de", Count: 2}, {Term: "lang:en", Count: 1}, {Term: "lang:sv", Count: 1},
		{Term: "source:web", Count: 2}, {Term: "source:archive", Count: 1}, {Term: "source:mail", Count: 1},
		{Term: "author:Ada_Lovelace", Count: 1}, {Term: "author:Bo", Count: 1}, {Term: "author:Ärmine Quill", Count: 1},
	}, counts); diff != "" {
		t.Errorf("counts: -want +got\n%s", diff)
	}
}
