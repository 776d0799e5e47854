package ledger_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
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
				said := plan(t, b.Writer, query, args...)
				if !strings.Contains(said, "SEARCH documents USING INDEX documents_") || strings.Contains(said, "USE TEMP B-TREE FOR ORDER BY") {
					t.Errorf("by %q, after %q, before %q: %s", sort, q.After, q.Before, said)
				}
			}
		}
	}
}

// plan returns how SQLite finds the rows of a query.
func plan(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	steps, err := sqlio.Collect(t.Context(), db, func(rows *sql.Rows) (string, error) {
		var id, parent, unused int
		var detail string
		return detail, rows.Scan(&id, &parent, &unused, &detail)
	}, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "; ")
}

// TestWhatIsNotIndexedIsFoundByItsIndex reads how the database finds titles and chunks
// that are not indexed yet: every change of the library asks for them several times, and
// going through all documents would cost more the larger it is.
func TestWhatIsNotIndexedIsFoundByItsIndex(t *testing.T) {
	t.Parallel()
	db := open(t)
	for query, index := range map[string]string{
		ledger.UnreadTitles(): "d USING INDEX documents_untitled (workspace_id=? AND titled=?)",
		ledger.UnreadChunks(): "c USING INDEX chunks_numbered (workspace_id=? AND number=?)",
	} {
		if said := plan(t, db.Writer, query, "w"); !strings.HasPrefix(said, "SEARCH "+index) {
			t.Errorf("%s\nis answered by %q, not by %q", query, said, index)
		}
	}
}

// TestWhatARunHasReadIsFoundByTheRun reads how the database finds it: every write of a run asks for it, and going through
// what all runs have read would cost more with each question.
func TestWhatARunHasReadIsFoundByTheRun(t *testing.T) {
	t.Parallel()
	db := open(t)
	said := plan(t, db.Writer, `SELECT document_id FROM run_documents WHERE workspace_id = ? AND run_id = ?`, "w", "run")
	if !strings.HasSuffix(said, "(run_id=?)") {
		t.Errorf("it is found by %q", said)
	}
}
