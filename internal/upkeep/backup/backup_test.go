package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/migrations"
)

// memoryFiles holds files in memory.
type memoryFiles map[string]string

func (s memoryFiles) Open(_ context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error) {
	content, ok := s[string(w)+"/"+hash]
	if !ok {
		return nil, 0, domain.Errorf(domain.NotFound, "no file")
	}
	return memoryFile{strings.NewReader(content)}, int64(len(content)), nil
}

type memoryFile struct{ *strings.Reader }

func (memoryFile) Close() error { return nil }

func (s memoryFiles) Keep(_ context.Context, w domain.WorkspaceID, hash string, r io.Reader) error {
	b, err := io.ReadAll(r)
	s[string(w)+"/"+hash] = string(b)
	return err
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// emptyDB returns a database without tables, and without foreign keys.
func emptyDB(t testing.TB) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "clew.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return withoutKeys(t, db)
}

func migrated(t testing.TB) *sqlite.DB {
	t.Helper()
	return withoutKeys(t, database.Open(t, filepath.Join(t.TempDir(), "clew.db")))
}

// withoutKeys ignores foreign keys, so that rows can be written in any order.
func withoutKeys(t testing.TB, db *sqlite.DB) *sqlite.DB {
	t.Helper()
	if _, err := db.Writer.ExecContext(t.Context(), `PRAGMA foreign_keys = OFF`); err != nil {
		t.Fatal(err)
	}
	return db
}

func tables(t testing.TB, db *sqlite.DB) []backup.Table {
	t.Helper()
	all, err := backup.Tables(t.Context(), db.Reader, db.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// oddValues are values that a backup could easily corrupt.
var oddValues = map[backup.Kind][]any{
	backup.Text:    {"plain", "", "🧵 Ünï\u2028\"<&>\n", "a\x00b", string([]byte{0xff, 0xfe}), []byte("bytes in a text column")},
	backup.Integer: {int64(0), int64(-1), int64(1<<63 - 1), int64(-1 << 63), int64(7), int64(1_700_000_000_000)},
	backup.Real:    {0.0, 0.1, -1e300, 3.5, 1e-9, 2.0},
	backup.Blob:    {[]byte{}, []byte{0, 1, 255}, []byte("x"), bytes.Repeat([]byte{7}, 9000), []byte("🧵"), []byte{0}},
}

// fill writes a few rows of odd values to every table.
func fill(t testing.TB, db *sqlite.DB) {
	t.Helper()
	for _, table := range tables(t, db) {
		if _, err := db.Writer.ExecContext(t.Context(), `DELETE FROM "`+table.Name+`"`); err != nil { // a new library has a workspace
			t.Fatal(err)
		}
		for n := range 6 {
			names, values := make([]string, len(table.Columns)), make([]any, len(table.Columns))
			for i, c := range table.Columns {
				names[i] = `"` + c.Name + `"`
				values[i] = oddValues[c.Kind][(n+i)%6]
				if i < 3 && c.Kind == backup.Text {
					values[i] = fmt.Sprintf("%s %d", c.Name, n) // key columns come first
				}
				if c.Kind == backup.Integer && i < 3 {
					values[i] = int64(n + 1)
				}
			}
			_, err := db.Writer.ExecContext(t.Context(),
				`INSERT INTO "`+table.Name+`" (`+strings.Join(names, ", ")+`) VALUES (`+sqlio.Marks(len(values))+`)`, values...)
			if err != nil {
				t.Fatalf("fill %s: %v", table.Name, err)
			}
		}
	}
}

// dump returns every row of every table as SQLite literals.
func dump(t testing.TB, db *sqlite.DB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range tables(t, db) {
		var parts []string
		for _, c := range table.Columns {
			parts = append(parts, `typeof("`+c.Name+`") || ':' || quote("`+c.Name+`")`)
		}
		rows, err := sqlio.Collect(t.Context(), db.Reader, sqlio.Column[string],
			`SELECT `+strings.Join(parts, ` || ' | ' || `)+` FROM "`+table.Name+`" ORDER BY 1`)
		if err != nil {
			t.Fatal(err)
		}
		all[table.Name] = rows
	}
	return all
}

// source returns a library of odd rows and the files of its documents and their
// versions.
func source(t testing.TB) (*sqlite.DB, backup.Source) {
	t.Helper()
	db := migrated(t)
	fill(t, db)
	return db, sourceOf(t, db, giveFiles(t, db))
}

// giveFiles gives each row that refers to a file one of its own.
func giveFiles(t testing.TB, db *sqlite.DB) memoryFiles {
	t.Helper()
	files := memoryFiles{}
	for table, user := range backup.Users() {
		ids, err := sqlio.Collect(t.Context(), db.Reader, func(rows *sql.Rows) (d [2]string, err error) {
			return d, rows.Scan(&d[0], &d[1])
		}, `SELECT workspace_id, `+user+` FROM `+table+` ORDER BY 2`)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			content := strings.Repeat("the file of "+id[1]+" in "+table+"\n", 200)
			files[id[0]+"/"+hashOf(content)] = content
			if _, err := db.Writer.ExecContext(t.Context(), `UPDATE `+table+` SET hash = ? WHERE `+user+` = ?`, hashOf(content), id[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return files
}

func sourceOf(t testing.TB, db *sqlite.DB, files backup.Files) backup.Source {
	t.Helper()
	return backup.Source{DB: db.Reader, Program: "test", Files: files, Now: time.Now}
}

func target(t testing.TB) (*sqlite.DB, memoryFiles, backup.Target) {
	t.Helper()
	db, files := emptyDB(t), memoryFiles{}
	return db, files, backup.Target{DB: db.Writer, Files: func(context.Context) (backup.Store, error) { return files, nil }}
}

func write(t testing.TB, s backup.Source) ([]byte, backup.Summary) {
	t.Helper()
	var archive bytes.Buffer
	summary, err := backup.Write(t.Context(), &archive, s)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Bytes(), summary
}

func TestEveryTableIsBackedUpAndRestored(t *testing.T) {
	t.Parallel()
	db, from := source(t)
	archive, written := write(t, from)

	names, err := sqlio.Collect(t.Context(), db.Reader, sqlio.Column[string],
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, ok := written.Rows[name]; ok == backup.LeftOut(name) {
			t.Errorf("table %s: in the backup %t, left out on purpose %t, want one of the two", name, ok, backup.LeftOut(name))
		}
		if n := written.Rows[name]; !backup.LeftOut(name) && n != 6 {
			t.Errorf("got %d rows of %s, want 6", n, name)
		}
	}
	verified, err := backup.Verify(t.Context(), bytes.NewReader(archive), false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(written, verified); diff != "" {
		t.Errorf("-written +verified\n%s", diff)
	}
	into, files, to := target(t)
	if _, err := backup.Restore(t.Context(), bytes.NewReader(archive), to); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dump(t, db), dump(t, into)); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
	if diff := cmp.Diff(from.Files, backup.Files(files)); diff != "" {
		t.Errorf("files -before +after\n%s", diff)
	}
	again, summary := write(t, sourceOf(t, into, files))
	if len(again) == 0 || !cmp.Equal(summary.Rows, written.Rows) {
		t.Errorf("a backup of the restored library holds %v", summary.Rows)
	}
}

func TestParentTablesComeBeforeChildren(t *testing.T) {
	t.Parallel()
	db := migrated(t)
	at := map[string]int{}
	for i, table := range tables(t, db) {
		at[table.Name] = i
	}
	pairs, err := sqlio.Collect(t.Context(), db.Reader, func(rows *sql.Rows) (p [2]string, err error) {
		return p, rows.Scan(&p[0], &p[1])
	}, `SELECT t.name, k."table" FROM pragma_table_list t, pragma_foreign_key_list(t.name) k WHERE t.type = 'table'`)
	if err != nil || len(pairs) < 5 {
		t.Fatalf("got %d references, error %v", len(pairs), err)
	}
	for _, p := range pairs {
		if p[0] != p[1] && !backup.LeftOut(p[0]) && at[p[0]] < at[p[1]] {
			t.Errorf("table %s comes before %s, which it refers to", p[0], p[1])
		}
	}
}

// TestBackupIsAConsistentSnapshot takes a backup while rows are added and
// deleted.
func TestBackupIsAConsistentSnapshot(t *testing.T) {
	t.Parallel()
	db, from := source(t)
	want := dump(t, db)
	var once bool
	from.Progress = func(string, int64) {
		if once {
			return
		}
		once = true
		for _, change := range []string{
			`DELETE FROM documents`, `UPDATE chunks SET text = 'changed'`, `INSERT INTO workspaces (id, head) VALUES ('late', 9)`,
		} {
			if _, err := db.Writer.ExecContext(context.Background(), change); err != nil {
				t.Error(err)
			}
		}
	}
	archive, _ := write(t, from)
	into, _, to := target(t)
	if _, err := backup.Restore(t.Context(), bytes.NewReader(archive), to); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, dump(t, into)); diff != "" || !once {
		t.Errorf("(-at the start +restored)\n%s", diff)
	}
}

func TestFilesDeletedDuringABackupAndMissingFiles(t *testing.T) {
	t.Parallel()
	db, from := source(t)
	files := from.Files.(memoryFiles)
	refs, err := sqlio.Collect(t.Context(), db.Reader, func(rows *sql.Rows) (d [3]string, err error) {
		return d, rows.Scan(&d[0], &d[1], &d[2])
	}, `SELECT workspace_id, id, hash FROM documents ORDER BY workspace_id, id`)
	if err != nil {
		t.Fatal(err)
	}
	lost, gone := refs[0], refs[1]
	delete(files, lost[0]+"/"+lost[2])
	from.Progress = func(entry string, _ int64) {
		if entry == "clew-backup.json" {
			if _, err := db.Writer.ExecContext(context.Background(), `DELETE FROM documents WHERE id = ?`, gone[1]); err != nil {
				t.Error(err)
			}
			delete(files, gone[0]+"/"+gone[2])
		}
	}
	_, summary := write(t, from)
	ref := func(d [3]string) []backup.Ref {
		return []backup.Ref{{Workspace: domain.WorkspaceID(d[0]), Document: domain.DocumentID(d[1])}}
	}
	if diff := cmp.Diff([][]backup.Ref{ref(lost), ref(gone)}, [][]backup.Ref{summary.Lost, summary.Gone}); diff != "" {
		t.Errorf("(-missing +got)\n%s", diff)
	}
}

func TestANewerBackupIsRefused(t *testing.T) {
	t.Parallel()
	db, from := source(t)
	if _, err := db.Writer.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`); err != nil {
		t.Fatal(err)
	}
	archive, _ := write(t, from)
	_, _, to := target(t)
	_, err := backup.Restore(t.Context(), bytes.NewReader(archive), to)
	if domain.KindOf(err) != domain.Conflict || !strings.Contains(domain.InWords(err), "newer version of Clew") {
		t.Errorf("got error %v", err)
	}
}

// TestRestoreMigratesAnOlderBackup restores a backup of an earlier schema.
func TestRestoreMigratesAnOlderBackup(t *testing.T) {
	t.Parallel()
	old := emptyDB(t)
	const schema = 4
	if err := migrations.UpTo(t.Context(), old.Writer, schema); err != nil {
		t.Fatal(err)
	}
	fill(t, old)
	files := memoryFiles{}
	for n := range 6 {
		content := fmt.Sprintf("file %d", n)
		if _, err := old.Writer.ExecContext(t.Context(), `UPDATE documents SET hash = ? WHERE id = ?`, hashOf(content), fmt.Sprintf("id %d", n)); err != nil {
			t.Fatal(err)
		}
		files[fmt.Sprintf("workspace_id %d/%s", n, hashOf(content))] = content
	}
	archive, _ := write(t, sourceOf(t, old, files))
	into, _, to := target(t)
	if _, err := backup.Restore(t.Context(), bytes.NewReader(archive), to); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Up(t.Context(), into.Writer); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(len(dump(t, old)["runs"]), len(dump(t, into)["runs"])); diff != "" {
		t.Errorf("-old +new\n%s", diff)
	}
	if v, err := migrations.State(t.Context(), into.Writer); err != nil || v.Database != v.Program {
		t.Errorf("got schema version %+v, error %v", v, err)
	}
	if !slices.ContainsFunc(tables(t, into), func(t backup.Table) bool { return t.Name == "checkpoints" }) {
		t.Error("the tables of later migrations are missing")
	}
}
