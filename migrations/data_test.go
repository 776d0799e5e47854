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

// answersBefore adds a message with a chart, two branches and an evaluation as they were stored in tables of their own.
const answersBefore = `INSERT INTO conversations (workspace_id, id, title, created_at, updated_at) VALUES ('w', 'k', 'Bells', 1, 1);
	INSERT INTO messages (workspace_id, id, conversation_id, question, answer, sentences, run_id, status, problem, created_at, figures, follows, words)
		VALUES ('w', 'm', 'k', 'Who?', 'Ada [1].', '[{"text":"Ada."}]', 'r1', 'done', '', 7, '[{"id":"f","chart":{"title":"Ages"}}]', 'r0', 'who? ada [1].');
	INSERT INTO citations (workspace_id, message_id, n, document, document_id, chunk_id, page, span_start, span_end, text, marks, is_close, tie) VALUES ('w', 'm', 1, 'one', 'd', 'c', 2, 3, 4, 'Ada', '[{"start":3,"end":4}]', 1, 'Ada');
	INSERT INTO figure_citations (workspace_id, message_id, figure, n, document, document_id, chunk_id, page, span_start, span_end, text, place, version) VALUES ('w', 'm', 0, 1, 'one', 'd', 'c', 0, 3, 4, '1841', 'Row 2', 5);
	INSERT INTO branches (workspace_id, id, message_id, run_id, parent_run, step, super, purpose, changes, person, status, problem, answer, sentences, citations, figures, created_at, question, words) VALUES
		('w', 'b', 'm', 'r2', 'r1', 3, 2, 'edit', '{"question":"Whose?"}', 'ada', 'done', '', 'Mine.', 'null',
		'[{"n":1,"document":"one","document_id":"d","chunk":"c","page":0,"span":{"start":1,"end":2},"text":"Mine \"quoted\"","close":true,"marks":[{"start":1,"end":2}]}]',
		'[{"id":"g"},{"id":"h","chart":{"title":"Years","citations":[{"n":2,"document":"one","document_id":"d","version":3,"chunk":"c","page":4,"place":"Row 7","span":{"start":5,"end":6},"text":"1842","tie":"x"}]}}]', 8, 'Whose?', 'whose? mine.'),
		('w', 'c', 'm', 'r3', '', 0, 0, 'method', '{}', '', 'waiting', '', '', 'null', 'null', 'null', 9, 'Who?', 'who?');
	INSERT INTO feedback (workspace_id, run_id, person, message_id, good, reason, created_at) VALUES ('w', 'r2', 'ada', 'm', 1, 'right', 10), ('w', 'gone', 'ada', 'm', 1, '', 10);
	INSERT INTO evaluations (workspace_id, id, setting, facts, score, person, status, created_at, finished_at) VALUES ('w', 'v', '{}', '{}', '{}', 'bob', 'working', 11, 0);
	INSERT INTO evaluation_replies (workspace_id, evaluation_id, n, question_id, question, answers, sources, run_id, status, problem, answer, figures) VALUES
		('w', 'v', 1, 'q1', 'When?', '[]', '[]', 'r4', 'done', '', 'In 1841.', '{"ms":4}'), ('w', 'v', 2, 'q2', 'Where?', '[]', '[]', 'r5', 'open', '', '', '{}'), ('w', 'v', 3, 'q3', 'Why?', '[]', '[]', '', 'open', '', '', '{}')`

// TestAnswersGetOneTable migrates what runs have answered.
func TestAnswersGetOneTable(t *testing.T) {
	t.Parallel()
	answersAreJoined(t, open(t, filepath.Join(t.TempDir(), "clew.db")))
}

func TestAnswersGetOneTableOnPostgres(t *testing.T) {
	t.Parallel()
	answersAreJoined(t, servers.OpenPostgres(t, servers.EmptyPostgresURL(t)).Writer)
}

func answersAreJoined(t *testing.T, db *sql.DB) {
	t.Helper()
	if err := migrations.UpTo(t.Context(), db, 86); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), answersBefore); err != nil {
		t.Fatal(err)
	}
	up(t, db)
	for query, want := range map[string][]string{
		`SELECT run_id || ': ' || conversation_id || ' ' || message_id || ' ' || branch_id || ' ' || evaluation_id || CAST(n AS TEXT) || ', ' || parent_run || ' ' || purpose || ', ' || person || ' ' || question || ' ' || status || ' ' || answer || ' ' || words
			|| ' ' || follows || ' ' || CAST(created_at AS TEXT) FROM answers ORDER BY run_id`: {
			"r1: k m  0,  ,  Who? done Ada [1]. who? ada [1]. r0 7", "r2: k m b 0, r1 edit, ada Whose? done Mine. whose? mine.  8", "r3: k m c 0,  method,  Who? waiting  who?  9",
			"r4:    v1,  , bob When? done In 1841.   11", "r5:    v2,  , bob Where? waiting    11",
		},
		`SELECT run_id || ' ' || CAST(figure AS TEXT) || '.' || CAST(n AS TEXT) || ': ' || document_id || ' ' || chunk_id || ' ' || CAST(page AS TEXT) || ' ' || CAST(span_start AS TEXT) || '-' || CAST(span_end AS TEXT) || ' v' || CAST(version AS TEXT)
			|| ' ' || place || ' ' || text || ' ' || REPLACE(marks, ' ', '') || ' ' || CAST(is_close AS TEXT) || ' ' || tie FROM citations ORDER BY run_id, figure, n`: {
			`r1 0.1: d c 2 3-4 v0  Ada [{"start":3,"end":4}] 1 Ada`, `r1 1.1: d c 0 3-4 v5 Row 2 1841 null 0 `,
			`r2 0.1: d c 0 1-2 v0  Mine "quoted" [{"end":2,"start":1}] 1 `, `r2 2.2: d c 4 5-6 v3 Row 7 1842 null 0 x`,
		},
		`SELECT run_id || ' ' || REPLACE(figures, ' ', '') FROM answers WHERE branch_id <> '' ORDER BY run_id`: {`r2 [{"id":"g"},{"id":"h","chart":{"title":"Years"}}]`, "r3 null"},
		`SELECT run_id || ' ' || person || ' ' || reason FROM feedback`:                                        {"r2 ada right"},
		`SELECT run_id || ' ' || figures FROM evaluation_replies ORDER BY n`:                                   {`r4 {"ms":4}`, "r5 {}", " {}"},
	} {
		got, err := sqlio.Collect(t.Context(), db, sqlio.Column[string], query)
		for i := range got { // Postgres orders the members of an object
			got[i] = strings.ReplaceAll(got[i], `[{"start":1,"end":2}]`, `[{"end":2,"start":1}]`)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	}
}
