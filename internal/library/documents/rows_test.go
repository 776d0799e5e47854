package documents_test

import (
	"database/sql"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// uploads counts the uploads in db, and fails the test if a row has no file or
// a file no row.
func uploads(t *testing.T, db *sql.DB) int {
	t.Helper()
	var begun, kept, stray int
	testkit.Must(t, db.QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*) FROM uploads), (SELECT COUNT(*) FROM uploaded_files),
		(SELECT COUNT(*) FROM upload_parts p WHERE NOT EXISTS (SELECT 1 FROM uploads u WHERE u.number = p.upload))`).Scan(&begun, &kept, &stray))
	if stray > 0 || kept > begun {
		t.Errorf("got %d rows without a file and %d files without a row, want none", stray, kept-begun)
	}
	return begun
}

func TestRowsOfFiles(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		testStore(t, func(t *testing.T) (documents.FileStore, func() int) {
			db := servers.Postgres(t)
			f, err := documents.NewRows(t.Context(), db.Writer, db.Reader, time.Now, postgres.Explain)
			testkit.Must(t, err)
			return f, func() int { return uploads(t, db.Reader) }
		})
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		testStore(t, func(t *testing.T) (documents.FileStore, func() int) {
			db := rowsOnSQLite(t)
			f, err := documents.NewRows(t.Context(), db.Writer, db.Reader, time.Now, sqlite.Explain)
			testkit.Must(t, err)
			return f, func() int { return uploads(t, db.Reader) }
		})
	})
}

func rowsOnSQLite(t *testing.T) *sqlite.DB {
	t.Helper()
	return database.Open(t, filepath.Join(t.TempDir(), "clew.db"))
}

func TestRowsOfAKilledProcessAreRemovedAfterADay(t *testing.T) {
	t.Parallel()
	db := rowsOnSQLite(t)
	began := time.Now()
	open := func(at time.Time) *documents.Rows {
		f, err := documents.NewRows(t.Context(), db.Writer, db.Reader, func() time.Time { return at }, sqlite.Explain)
		testkit.Must(t, err)
		return f
	}
	_, err := open(began).Put(t.Context(), testkit.Workspace, strings.NewReader("whole"), 100)
	testkit.Must(t, err)
	for _, half := range []string{
		`INSERT INTO uploads (number, workspace_id, at) VALUES (1000, 'w', ` + strconv.FormatInt(began.UnixMilli(), 10) + `)`,
		`INSERT INTO upload_parts (workspace_id, upload, part, data) VALUES ('w', 1000, 0, x'00')`,
	} {
		_, err := db.Writer.ExecContext(t.Context(), half)
		testkit.Must(t, err)
	}
	for _, tt := range []struct {
		later time.Duration
		left  int
	}{{time.Minute, 2}, {25 * time.Hour, 1}} {
		open(began.Add(tt.later))
		if n := uploads(t, db.Reader); n != tt.left {
			t.Errorf("%s later: got %d uploads, want %d", tt.later, n, tt.left)
		}
	}
}
