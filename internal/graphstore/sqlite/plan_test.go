package sqlite

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/sqlite/projected"
)

// TestAroundReadsNoOtherRelations: relations are found by their ends and ids,
// never by going through the workspace.
func TestAroundReadsNoOtherRelations(t *testing.T) {
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
	if err := s.Apply(t.Context(), "main", graphstore.Batch{Cursor: 1}); err != nil {
		t.Fatal(err)
	}
	var plan []string
	err = s.file.Read(t.Context(), "main", func(tx *sql.Tx, r projected.Workspace) error {
		return sqlio.Each(t.Context(), tx, func(rows *sql.Rows) error {
			var id, parent, unused int
			var step string
			err := rows.Scan(&id, &parent, &unused, &step)
			plan = append(plan, step)
			return err
		}, `EXPLAIN QUERY PLAN `+around, r.Num, `["a"]`, -1)
	})
	if err != nil {
		t.Fatal(err)
	}
	by := strings.Join(plan, "\n")
	for _, index := range []string{"relations_source (workspace=? AND source=?)", "relations_target (workspace=? AND target=?)", "PRIMARY KEY (workspace=? AND id=?)"} {
		if !strings.Contains(by, index) {
			t.Errorf("nothing is found by %s:\n%s", index, by)
		}
	}
	if strings.Contains(by, "(workspace=?)") {
		t.Errorf("a whole workspace is read:\n%s", by)
	}
}
