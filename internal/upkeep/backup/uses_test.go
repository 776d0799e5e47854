package backup_test

import (
	"bytes"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/upkeep/backup"
)

// notFiles are the columns with hashes of something other than an uploaded file.
var notFiles = []string{
	"audit.hash",                  // of a row and those before it
	"audit_ends.cut_hash",         // as above
	"audit_ends.head_hash",        // as above
	"curated_entities.key_hash",   // of a forgotten name
	"embeddings.text_hash",        // of the embedded text
	"source_items.file",           // a name
	"source_items.hash",           // of what an item held when it was looked at
	"summary_documents.text_hash", // of the summarised text
	"users.password_hash",
}

// TestEveryColumnWithAFileIsKnown finds the columns that refer to files in the schema,
// so that a table to come can't be forgotten.
func TestEveryColumnWithAFileIsKnown(t *testing.T) {
	t.Parallel()
	var got []string
	for _, table := range tables(t, migrated(t)) {
		for _, c := range table.Columns {
			for _, word := range []string{"hash", "file", "sha", "digest", "upload", "blob", "image", "avatar", "attachment"} {
				if slices.Contains(strings.Split(c.Name, "_"), word) {
					got = append(got, table.Name+"."+c.Name)
				}
			}
		}
	}
	want := slices.Clone(notFiles)
	for table := range maps.Keys(backup.Users()) {
		want = append(want, table+".hash")
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a column that refers to uploaded files belongs into users in uses.go, any other into notFiles (-known +in the schema)\n%s", diff)
	}
}

// A use is a row of the schema that refers to a file.
type use struct{ table, workspace, document, hash string }

func usesIn(t *testing.T, db *sqlite.DB) []use {
	t.Helper()
	var all []use
	users := backup.Users()
	for _, table := range slices.Sorted(maps.Keys(users)) {
		column := users[table]
		found, err := sqlio.Collect(t.Context(), db.Reader, func(rows *sql.Rows) (u use, err error) {
			u.table = table
			return u, rows.Scan(&u.workspace, &u.document, &u.hash)
		}, `SELECT workspace_id, `+column+`, hash FROM `+table+` ORDER BY 1, 2`)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// TestAFileIsWrittenOnce however many rows refer to it.
func TestAFileIsWrittenOnce(t *testing.T) {
	t.Parallel()
	db, from := source(t)
	all := usesIn(t, db)
	for _, u := range all {
		if u.workspace == "workspace_id 1" {
			if _, err := db.Writer.ExecContext(t.Context(), `UPDATE `+u.table+` SET workspace_id = 'workspace_id 1', hash = ?`, all[1].hash); err != nil {
				t.Fatal(err)
			}
		}
	}
	from.Files.(memoryFiles)["workspace_id 1/"+all[1].hash] = from.Files.(memoryFiles)[all[1].workspace+"/"+all[1].hash]
	archive, summary := write(t, from)
	if summary.Files != 1 {
		t.Errorf("got %d files, want 1", summary.Files)
	}
	if _, err := backup.Verify(t.Context(), bytes.NewReader(archive), false); err != nil {
		t.Error(err)
	}
}

// TestAnArchiveWithoutAFileIsRefused leaves out the file of each row that refers to one
// in turn.
func TestAnArchiveWithoutAFileIsRefused(t *testing.T) {
	t.Parallel()
	db, from := source(t)
	files := from.Files.(memoryFiles)
	for _, u := range usesIn(t, db) {
		key := u.workspace + "/" + u.hash
		content := files[key]
		delete(files, key)
		archive, written := write(t, from)
		files[key] = content
		if len(written.Lost) != 1 || string(written.Lost[0].Document) != u.document {
			t.Errorf("%+v: lost are %+v", u, written.Lost)
		}
		_, err := backup.Verify(t.Context(), bytes.NewReader(archive), false)
		if domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), u.hash[:12]) || !strings.Contains(err.Error(), "--partial") {
			t.Errorf("%+v: verified with %v", u, err)
		}
		_, _, to := target(t)
		if _, err := backup.Restore(t.Context(), bytes.NewReader(archive), to); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%+v: restored with %v", u, err)
		}
		_, _, to = target(t)
		to.Partial = true
		summary, err := backup.Restore(t.Context(), bytes.NewReader(archive), to)
		if err != nil || len(summary.Missing) != 1 || summary.Missing[0].Hash != u.hash {
			t.Errorf("%+v: restored as a partial one: %v, missing %+v", u, err, summary.Missing)
		}
	}
}

// TestAVersionRemovedDuringABackup is removed again when the backup is restored.
func TestAVersionRemovedDuringABackup(t *testing.T) {
	t.Parallel()
	db, from := source(t)
	files := from.Files.(memoryFiles)
	i := slices.IndexFunc(usesIn(t, db), func(u use) bool { return u.table == "document_versions" })
	u := usesIn(t, db)[i]
	for _, s := range []string{`UPDATE document_versions SET number = 2 WHERE document_id = ?`, `UPDATE documents SET workspace_id = '` + u.workspace + `', id = ? WHERE id = 'id 0'`} {
		if _, err := db.Writer.ExecContext(t.Context(), s, u.document); err != nil {
			t.Fatal(err)
		}
	}
	for key, content := range maps.Clone(files) {
		files[u.workspace+"/"+hashOf(content)] = files[key]
	}
	from.Progress = func(entry string, _ int64) {
		if entry == "clew-backup.json" {
			if _, err := db.Writer.ExecContext(context.Background(), `DELETE FROM document_versions WHERE document_id = ?`, u.document); err != nil {
				t.Error(err)
			}
			delete(files, u.workspace+"/"+u.hash)
		}
	}
	archive, summary := write(t, from)
	want := []backup.Ref{{Workspace: domain.WorkspaceID(u.workspace), Document: domain.DocumentID(u.document), Version: 3}}
	if diff := cmp.Diff(want, summary.Gone); diff != "" {
		t.Errorf("(-want +gone)\n%s", diff)
	}
	if _, err := backup.Verify(t.Context(), bytes.NewReader(archive), false); err != nil {
		t.Error(err)
	}
}

// TestAFileReplacedAndRemovedDuringABackup can't be told to a restore.
func TestAFileReplacedAndRemovedDuringABackup(t *testing.T) {
	t.Parallel()
	db, from := source(t)
	u := usesIn(t, db)[0]
	from.Progress = func(entry string, _ int64) {
		if entry == "clew-backup.json" {
			if _, err := db.Writer.ExecContext(context.Background(), `UPDATE `+u.table+` SET hash = 'another' WHERE hash = ?`, u.hash); err != nil {
				t.Error(err)
			}
			delete(from.Files.(memoryFiles), u.workspace+"/"+u.hash)
		}
	}
	if _, err := backup.Write(t.Context(), &bytes.Buffer{}, from); domain.KindOf(err) != domain.Conflict {
		t.Errorf("got error %v", err)
	}
}
