package sqlite

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/graphstore"
)

// TestRelationsAreFoundByTheirEnds: relations are found by their ends and ids, never
// by going through the workspace.
func TestRelationsAreFoundByTheirEnds(t *testing.T) {
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
	for name, statement := range map[string]struct {
		text string
		args []any
	}{
		"the relations around entities": {around, []any{1, `["a"]`, -1}},
		"deleting an entity":            {deleteRelationsOf, []any{1, "a"}},
	} {
		by := plan(t, s, statement.text, statement.args...)
		for _, index := range []string{"relations_source (workspace=? AND source=?)", "relations_target (workspace=? AND target=?)", "PRIMARY KEY (workspace=? AND id=?)"} {
			if !strings.Contains(by, index) {
				t.Errorf("%s: nothing is found by %s:\n%s", name, index, by)
			}
		}
		if strings.Contains(by, "(workspace=?)") {
			t.Errorf("%s: a whole workspace is read:\n%s", name, by)
		}
	}
}

// plan returns how SQLite would run a statement, a step on each line.
func plan(t *testing.T, s *Store, statement string, args ...any) string {
	t.Helper()
	var steps []string
	err := s.file.Read(t.Context(), "main", func(tx *sql.Tx, _ projected.Workspace) error {
		return sqlio.Each(t.Context(), tx, func(rows *sql.Rows) error {
			var id, parent, unused int
			var step string
			err := rows.Scan(&id, &parent, &unused, &step)
			steps = append(steps, step)
			return err
		}, `EXPLAIN QUERY PLAN `+statement, args...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

// TestNearReadsOnlyNeighbours expects an index for each table.
func TestNearReadsOnlyNeighbours(t *testing.T) {
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
	small := []string{"SCAN j VIRTUAL", "SCAN r", "SCAN entity_words VIRTUAL TABLE INDEX 0:M"} // the keys that are asked for, and rows found before
	for name, by := range map[string]string{
		"names":  plan(t, s, nearNames, 1, `["a"]`, 200),
		"chunks": plan(t, s, nearChunks, 1, `["a"]`),
		"words":  plan(t, s, spelt, 1, `["a"]`),
		"begun":  plan(t, s, begun, 1, `["abc"]`, mostBegun),

		"an entity":          plan(t, s, `SELECT `+entityColumns+` FROM entities e WHERE e.workspace = ? AND e.id = ?`, 1, "a"),
		"adjacent entities":  plan(t, s, adjacentEntities, 1, `["a"]`),
		"linked entities":    plan(t, s, adjacentLinked, 1, `[1]`),
		"adjacent relations": plan(t, s, adjacentRelations, 1, `["a"]`, 9),
		"adjacent chunks":    plan(t, s, adjacentChunks, 1, `["a"]`, 9, `["a"]`, `["a"]`),
	} {
		for step := range strings.SplitSeq(by, "\n") {
			scan := strings.HasPrefix(step, "SCAN") && !slices.ContainsFunc(small, func(k string) bool { return strings.HasPrefix(step, k) })
			if scan || strings.Contains(step, "(workspace=?)") {
				t.Errorf("%s: a table is scanned:\n%s", name, by)
			}
		}
	}
}
