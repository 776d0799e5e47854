package ledger_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/sqlio"
)

// TestAPageOfDocumentsIsReadFromItsPlace reads how the database finds a page: by the index of its
// order, without going through the table or sorting it.
func TestAPageOfDocumentsIsReadFromItsPlace(t *testing.T) {
	t.Parallel()
	b := bench(t, open(t))
	for i := range 200 {
		_, _, err := b.Ledger.AddDocument(t.Context(), domain.Document{
			Workspace: "w", ID: domain.DocumentID(fmt.Sprint("d", i)), Name: fmt.Sprint(i, ".txt"), Status: domain.DocumentReady, Format: domain.FormatText, Entities: i % 7,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, by := range domain.DocumentSorts {
		for _, sort := range []domain.DocumentSort{by, "-" + by} {
			q := ledger.DocumentQuery{Sort: sort, Limit: 51}
			first, err := b.Ledger.ListDocuments(t.Context(), "w", q)
			if err != nil || len(first) != 51 {
				t.Fatalf("%d documents by %q, error %v", len(first), sort, err)
			}
			for _, at := range []ledger.DocumentQuery{{}, {After: q.Place(first[50])}, {Before: q.Place(first[50])}} {
				q.After, q.Before = at.After, at.Before
				query, args := q.Listing("w")
				plan, err := sqlio.Collect(t.Context(), b.Writer, func(rows *sql.Rows) (string, error) {
					var id, parent, unused int
					var detail string
					return detail, rows.Scan(&id, &parent, &unused, &detail)
				}, "EXPLAIN QUERY PLAN "+query, args...)
				if err != nil {
					t.Fatal(err)
				}
				said := strings.Join(plan, "; ")
				if !strings.Contains(said, "SEARCH documents USING INDEX documents_") || strings.Contains(said, "USE TEMP B-TREE FOR ORDER BY") {
					t.Errorf("by %q, after %q, before %q: %s", sort, q.After, q.Before, said)
				}
			}
		}
	}
}
