package migrations_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/migrations"
)

// pagesBefore adds texts and chunks as an earlier version stored them: of a file of plain pages, and of a sheet.
const pagesBefore = `INSERT INTO workspaces (id, head) VALUES ('w', 0);
	INSERT INTO documents (workspace_id, id, name, title, format, size, hash, status, stage, pages, chars, chunks, chunks_done, entities, relations, reader, warnings, problem, run_id, created_at, updated_at, took, words, published)
	VALUES ('w', 'd', 'd.pdf', 'd', 'pdf', 1, 'h', 'ready', '', 3, 30, 2, 2, 0, 0, '', 'null', '', '', 0, 0, 0, 'd', 1), ('w', 's', 's.csv', 's', 'csv', 1, 'i', 'ready', '', 0, 30, 1, 1, 0, 0, '', 'null', '', '', 0, 0, 0, 's', 1);
	INSERT INTO texts (workspace_id, document_id, title, content, pages, headings, warnings) VALUES
		('w', 'd', '', 'x', '[{"number":1,"span":{"start":0,"end":10}},{"number":2,"span":{"start":12,"end":20}},{"number":4,"span":{"start":20,"end":30}}]', 'null', 'null'),
		('w', 's', '', 'x', '[{"number":1,"span":{"start":0,"end":10},"unit":"row"}]', 'null', 'null');
	INSERT INTO chunks (workspace_id, id, document_id, ordinal, span_start, span_end, page, headings, text, tokens, places) VALUES
		('w', 'c1', 'd', 0, 0, 8, 1, 'null', 'x', 1, 'null'), ('w', 'c2', 'd', 1, 8, 25, 1, 'null', 'x', 1, 'null'), ('w', 'c3', 's', 0, 0, 10, 0, 'null', 'x', 1, '[{"number":1,"span":{"start":0,"end":10},"unit":"row"}]')`

// TestChunksGetTheirPages migrates chunks that were stored without the parts of plain pages.
func TestChunksGetTheirPages(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"))
	pagesAreAdded(t, db)
}

func TestChunksGetTheirPagesOnPostgres(t *testing.T) {
	t.Parallel()
	pagesAreAdded(t, servers.OpenPostgres(t, servers.EmptyPostgresURL(t)).Writer)
}

func pagesAreAdded(t *testing.T, db *sql.DB) {
	t.Helper()
	if err := migrations.UpTo(t.Context(), db, 66); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), pagesBefore); err != nil {
		t.Fatal(err)
	}
	up(t, db)
	for id, want := range map[string]string{
		"c1": `[{"number":1,"span":{"start":0,"end":8}}]`,
		"c2": `[{"number":1,"span":{"start":8,"end":10}},{"number":2,"span":{"start":12,"end":20}},{"number":4,"span":{"start":20,"end":25}}]`,
		"c3": `[{"number":1,"span":{"start":0,"end":10},"unit":"row"}]`,
	} {
		var got string
		if err := db.QueryRowContext(t.Context(), `SELECT places FROM chunks WHERE id = '`+id+`'`).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got = strings.ReplaceAll(got, " ", ""); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// TestStatesGetTheirNames migrates runs that wait for other things than a worker.
func TestStatesGetTheirNames(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"))
	statesAreNamed(t, db)
}

func TestStatesGetTheirNamesOnPostgres(t *testing.T) {
	t.Parallel()
	statesAreNamed(t, servers.OpenPostgres(t, servers.EmptyPostgresURL(t)).Writer)
}

func statesAreNamed(t *testing.T, db *sql.DB) {
	t.Helper()
	if err := migrations.UpTo(t.Context(), db, 83); err != nil {
		t.Fatal(err)
	}
	const asleep, tomorrow = 253370764800000, 1800000000000
	for _, r := range []struct {
		id, kind, input, status, problem string
		nextTry                          int64
	}{
		{"waiting", "ingest", "", "waiting", "", 0},
		{"late", "ingest", "", "waiting", "No model answers.", tomorrow},
		{"paused", "ingest", "", "waiting", "", asleep},
		{"held", "ingest", `{"calls":3}`, "waiting", "", asleep},
		{"asking", "answer", `{"review":true}`, "waiting", "", asleep},
		{"reviewed", "summarize", "", "waiting", "", asleep},
		{"capped", "ingest", "", "waiting", "The cap of a day is reached: 2 of 1.", tomorrow},
		{"failed", "answer", "", "failed", "The cap of a day is reached: 2 of 1.", 0},
	} {
		if _, err := db.ExecContext(t.Context(), `INSERT INTO runs (id, workspace_id, kind, subject, input, status, priority, attempt, max_attempts, owner, lease, lease_until, next_try, stop_asked, problem, settled, created_at, started_at, finished_at)
			VALUES (?, 'w', ?, '', ?, ?, 0, 0, 5, '', 0, 0, ?, 0, ?, 0, 0, 0, 0)`, r.id, r.kind, r.input, r.status, r.nextTry, r.problem); err != nil {
			t.Fatal(err)
		}
	}
	up(t, db)
	got, err := sqlio.Collect(t.Context(), db, sqlio.Column[string], `SELECT id || ' is ' || status || CASE problem_kind WHEN '' THEN '' ELSE ', problem ' || problem_kind END
		|| CASE WHEN next_try > 0 THEN ', later' ELSE '' END FROM runs ORDER BY id`)
	want := []string{
		"asking is asking", "capped is capped, problem capped, later", "failed is failed, problem capped", "held is held", "late is waiting, later", "paused is paused",
		"reviewed is asking", "waiting is waiting",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}
