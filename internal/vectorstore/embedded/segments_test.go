package embedded_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/vectorstore"
)

// TestWordsThatComeBitByBitAreFewSegments adds documents one by one: deleting a word looks into every segment.
func TestWordsThatComeBitByBitAreFewSegments(t *testing.T) {
	t.Parallel()
	file := path(t)
	s := open(t, file, "")
	for i := range 15 {
		var text strings.Builder
		for n := range 150 {
			fmt.Fprintf(&text, "word%d ", (n*7+i*13)%5000)
		}
		ref := vectorstore.Ref{Collection: vectorstore.Chunks, ID: fmt.Sprint("c", i)}
		apply(t, s, vectorstore.Batch{After: int64(i), Cursor: int64(i + 1), Upsert: []vectorstore.Point{{Ref: ref, Document: "d", Text: text.String()}}})
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var segments int
	if err := db.QueryRowContext(t.Context(), `SELECT count(DISTINCT segid) FROM words_1_chunks_idx`).Scan(&segments); err != nil || segments == 0 || segments > 6 { // three on each of two levels
		t.Errorf("%d segments, want at most 6: %v", segments, err)
	}
}
