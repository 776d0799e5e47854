package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// TestABatchWritesItsWordsAtOnce applies batches of many entities. The words of each
// are one segment of the full-text index, not one for every entity.
func TestABatchWritesItsWordsAtOnce(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "graph.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for n := range 3 {
		b := graphstore.Batch{After: int64(n), Cursor: int64(n + 1)}
		for i := range 50 {
			name := fmt.Sprintf("person %d of %d", i, n)
			b.Entities = append(b.Entities, graphstore.Entity{Entity: domain.Entity{ID: domain.NewEntityID("main", "Person", name), Label: "Person", Key: name, Name: name}})
		}
		if err := s.Apply(t.Context(), "main", b); err != nil {
			t.Fatal(err)
		}
	}
	var segments int
	err = s.file.Read(t.Context(), "main", func(tx *sql.Tx, _ projected.Workspace) error {
		return tx.QueryRow(`SELECT count(DISTINCT segid) FROM entity_words_idx`).Scan(&segments)
	})
	if err != nil || segments != 3 {
		t.Errorf("three batches made %d segments (%v)", segments, err)
	}
}
