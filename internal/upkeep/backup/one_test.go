package backup_test

import (
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/upkeep/backup"
)

// TestEveryTableBelongsToAWorkspaceOrToTheInstallation fails for a new table that a backup of one workspace would not know
// what to do with.
func TestEveryTableBelongsToAWorkspaceOrToTheInstallation(t *testing.T) {
	t.Parallel()
	all := tables(t, migrated(t))
	if err := backup.Whose(all); err != nil {
		t.Error(err)
	}
	if err := backup.Whose(append(slices.Clone(all), backup.Table{Name: "of_nobody", Columns: []backup.Column{{Name: "id", Kind: backup.Text}}})); err == nil {
		t.Error("a table of nobody's is backed up with a workspace")
	}
}

// TestNumbersAreGivenOutAnew looks for columns in which a database gives out numbers. Join must know each, because the
// library has given out the same.
func TestNumbersAreGivenOutAnew(t *testing.T) {
	t.Parallel()
	db := migrated(t)
	archived := tables(t, db)
	given, err := sqlio.Collect(t.Context(), db.Reader, sqlio.Column[string], `SELECT t.name || '.' || c.name FROM pragma_table_list t, pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND c.pk = 1 AND UPPER(c.type) = 'INTEGER'
		AND (SELECT COUNT(*) FROM pragma_table_info(t.name) k WHERE k.pk > 0) = 1 AND t.name <> 'goose_db_version' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range given {
		known := backup.Numbered[column] == column
		for _, table := range archived {
			if !known && len(column) > len(table.Name) && column[:len(table.Name)+1] == table.Name+"." {
				t.Errorf("%s is given out by the database: Join has to number it anew", column)
			}
		}
	}
	if len(given) < 2 {
		t.Errorf("found %v", given)
	}
}
