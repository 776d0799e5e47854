package purge_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/lease"
	emptydb "github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/upkeep/purge"
)

// now is when the tests take place. The workspace gone was to be removed a minute ago.
var now = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// onBoth runs a test on both databases, with tables that have rows of two workspaces.
func onBoth(t *testing.T, test func(t *testing.T, db *sql.DB)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) *sql.DB{
		"SQLite": func(t *testing.T) *sql.DB {
			t.Helper()
			return emptydb.Open(t, filepath.Join(t.TempDir(), "clew.db")).Writer
		},
		"Postgres": func(t *testing.T) *sql.DB {
			t.Helper()
			return servers.Postgres(t).Writer
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			for i, w := range []domain.WorkspaceID{"gone", "stays"} {
				do(t, db, `INSERT INTO workspaces (id, head, name, title) VALUES (?, 0, ?, ?)`, w, w, w)
				for n := range 3 {
					fill(t, db, w, i*10+n+1)
				}
			}
			do(t, db, `UPDATE workspaces SET delete_at = ? WHERE id = 'gone'`, sqlio.Millis(now.Add(-time.Minute)))
			test(t, db)
		})
	}
}

func do(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// ofWorkspaces are the tables that have rows of workspaces, with their columns and types.
func ofWorkspaces(t *testing.T, db *sql.DB) map[string]map[string]string {
	t.Helper()
	query := `SELECT t.name, c.name, LOWER(c.type) FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.type = 'table'`
	if sqlio.DialectOf(db).Postgres {
		query = `SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c
			JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
			WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'`
	}
	tables := map[string]map[string]string{}
	err := sqlio.Each(t.Context(), db, func(rows *sql.Rows) error {
		var table, column, kind string
		err := rows.Scan(&table, &column, &kind)
		if tables[table] == nil {
			tables[table] = map[string]string{}
		}
		tables[table][column] = kind
		return err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
	for name, columns := range tables {
		if columns["workspace_id"] == "" {
			delete(tables, name)
		}
	}
	return tables
}

// besides are the tables that Tables leaves out: they are emptied with others, or at last.
var besides = []string{"events", "store_leases", "upload_parts"}

// fill gives each table a row of a workspace whose texts are all the same, and its numbers too: so each refers to the
// others.
func fill(t *testing.T, db *sql.DB, w domain.WorkspaceID, n int) {
	t.Helper()
	tables := ofWorkspaces(t, db)
	order, err := purge.Tables(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"store_leases", "upload_parts", "events"}
	for _, one := range order {
		names = append(names, one.Name)
	}
	slices.Reverse(names) // those that others refer to come first
	if i := slices.Index(names, "events"); i < slices.Index(names, "runs") {
		t.Fatalf("runs come after their events: %v", names)
	}
	for _, name := range names {
		if name == "store_leases" && n%10 > 1 { // has one row for each workspace
			continue
		}
		var columns, marks []string
		var values []any
		for column, kind := range tables[name] {
			value := any(fmt.Sprintf("%s-%d", w, n))
			switch {
			case column == "workspace_id":
				value = w
			case strings.Contains(kind, "int"):
				value = n
			case strings.Contains(kind, "blob"), strings.Contains(kind, "bytea"):
				value = []byte("x")
			}
			columns, marks, values = append(columns, `"`+column+`"`), append(marks, "?"), append(values, value)
		}
		do(t, db, `INSERT INTO "`+name+`" (`+strings.Join(columns, ", ")+`) VALUES (`+strings.Join(marks, ", ")+`)`, values...)
	}
	do(t, db, `UPDATE runs SET finished_at = 1 WHERE workspace_id = ?`, w)
	do(t, db, `INSERT INTO threads (number, id, token, touched_at) VALUES (?, ?, 1, 1)`, n, fmt.Sprintf("%s-%d", w, n))
	do(t, db, `INSERT INTO checkpoints (seq, thread, scope, kind, step, task, version, at, name, data) VALUES (?, ?, '', 'x', 1, 1, 1, 1, '', ?)`, n, n, []byte("x"))
}

// counts returns how many rows each table has of a workspace.
func counts(t *testing.T, db *sql.DB, w domain.WorkspaceID) map[string]int {
	t.Helper()
	all := map[string]int{}
	for name := range ofWorkspaces(t, db) {
		n, err := sqlio.Value[int](t.Context(), db, `SELECT COUNT(*) FROM "`+name+`" WHERE workspace_id = ?`, w)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			all[name] = n
		}
	}
	for name, query := range map[string]string{
		"threads":     `SELECT COUNT(*) FROM threads WHERE id LIKE ? || '-%'`,
		"checkpoints": `SELECT COUNT(*) FROM checkpoints WHERE thread IN (SELECT number FROM threads WHERE id LIKE ? || '-%')`,
		"workspaces":  `SELECT COUNT(*) FROM workspaces WHERE id = ?`,
	} {
		n, err := sqlio.Value[int](t.Context(), db, query, w)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			all[name] = n
		}
	}
	return all
}

// store notes which workspaces were reset.
type store struct {
	reset   []domain.WorkspaceID
	removed []string // as it is told
}

func (s *store) Reset(_ context.Context, w domain.WorkspaceID, _ int64) error {
	s.reset = append(s.reset, w)
	return nil
}

// disk notes of which workspaces the files were removed.
type disk struct {
	erased    func() error
	forgotten *[]domain.WorkspaceID
}

func (d disk) Erased(context.Context, *sql.Tx) error { return d.erased() }

func (disk) Explain(err error) error { return err }

func (d disk) Forget(_ context.Context, w domain.WorkspaceID) error {
	*d.forgotten = append(*d.forgotten, w)
	return nil
}

// service returns a service, and what its files and store are told.
func service(db *sql.DB, erased func() error) (*purge.Service, *store, *[]domain.WorkspaceID) {
	kept, forgotten := new(store), new([]domain.WorkspaceID)
	return purge.New(purge.Params{
		Writer: db, Disk: disk{erased, forgotten}, Leases: new(lease.Local), Stores: []purge.Store{kept},
		Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		Removed: func(_ context.Context, name string, rows int) {
			kept.removed = append(kept.removed, fmt.Sprint(name, rows > 0))
		},
	}), kept, forgotten
}

func never() error { return nil }

func TestNoTableIsForgotten(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sql.DB) {
		t.Helper()
		all, err := purge.Tables(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(besides)
		for _, one := range all {
			got = append(got, one.Name)
		}
		slices.Sort(got)
		var want []string
		for name := range ofWorkspaces(t, db) {
			want = append(want, name)
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tables that are emptied (-want +got):\n%s", diff)
		}
	})
}

func TestNothingIsLeftOfADeletedWorkspace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sql.DB) {
		t.Helper()
		had, others := counts(t, db, "gone"), counts(t, db, "stays")
		if len(had) != len(ofWorkspaces(t, db))+3 {
			t.Fatalf("not all tables have rows: %v", had)
		}
		for _, name := range []string{"gone~dividing", "goner~dividing"} {
			do(t, db, `INSERT INTO store_leases (workspace_id, token, holder, host, boot, pid, started, lease_until) VALUES (?, 1, '', '', '', 1, '', 0)`, name)
		}
		s, kept, forgotten := service(db, never)
		for range 2 {
			if err := s.CarryOut(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		leases, err := sqlio.Collect(t.Context(), db, sqlio.Column[string], `SELECT workspace_id FROM store_leases WHERE workspace_id <> 'stays'`)
		if err != nil || !slices.Equal(leases, []string{"goner~dividing"}) {
			t.Errorf("leases are left of %v, %v", leases, err)
		}
		if left := counts(t, db, "gone"); len(left) > 0 {
			t.Errorf("left are %v", left)
		}
		if diff := cmp.Diff(others, counts(t, db, "stays")); diff != "" {
			t.Errorf("the other workspace (-before +after):\n%s", diff)
		}
		if !slices.Equal(kept.removed, []string{"gonetrue"}) {
			t.Errorf("told of %v", kept.removed)
		}
		others = map[string]int{} // what the stores have of the workspace may have ids of its own
		for _, id := range kept.reset {
			if name, _, _ := strings.Cut(string(id), "-"); name != "gone" {
				others[name]++
			}
		}
		if len(kept.reset) == 0 || kept.reset[0] != "gone" || len(others) > 0 || !slices.Equal(*forgotten, []domain.WorkspaceID{"gone"}) {
			t.Errorf("the stores of %v and the files of %v were removed", kept.reset, *forgotten)
		}
	})
}

func TestRemovalGoesOnWhereItWasCutOff(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sql.DB) {
		t.Helper()
		left, killed := 0, errors.New("killed")
		s, _, _ := service(db, func() error {
			if left--; left < 0 {
				return killed
			}
			return nil
		})
		tries := 0
		for err := killed; err != nil; tries++ {
			if left = 7; tries > 100 {
				t.Fatal("it never ends")
			}
			if err = s.CarryOut(t.Context()); err != nil && !errors.Is(err, killed) {
				t.Fatal(err)
			}
		}
		if left := counts(t, db, "gone"); len(left) > 0 || tries < 3 {
			t.Errorf("after %d tries, left are %v", tries, left)
		}
	})
}

func TestARestoredWorkspaceStays(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sql.DB) {
		t.Helper()
		do(t, db, `UPDATE workspaces SET delete_at = ? WHERE id = 'gone'`, sqlio.Millis(now.Add(time.Second)))
		had := counts(t, db, "gone")
		s, kept, _ := service(db, never)
		if err := s.CarryOut(t.Context()); err != nil || len(kept.reset) > 0 {
			t.Errorf("before its time: %v, %v", err, kept.reset)
		}
		do(t, db, `UPDATE workspaces SET delete_at = 0 WHERE id = 'gone'`)
		if err := s.CarryOut(t.Context()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(had, counts(t, db, "gone")); diff != "" {
			t.Errorf("the restored workspace (-before +after):\n%s", diff)
		}
	})
}

func TestRunsOfADeletedWorkspaceEndFirst(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sql.DB) {
		t.Helper()
		do(t, db, `UPDATE runs SET finished_at = 0, stop_asked = 0, status = CASE id WHEN 'gone-1' THEN 'running' ELSE 'waiting' END, lease_until = ? WHERE workspace_id = 'gone'`, sqlio.Millis(now.Add(time.Minute)))
		s, kept, _ := service(db, never)
		if err := s.CarryOut(t.Context()); err != nil || len(kept.reset) > 0 {
			t.Errorf("while a run is carried out: %v, %v", err, kept.reset)
		}
		asked, err := sqlio.Value[string](t.Context(), db, `SELECT id FROM runs WHERE workspace_id = 'gone' AND status = 'running' AND stop_asked = 1`)
		if err != nil || asked != "gone-1" {
			t.Errorf("asked to stop is %q, %v", asked, err)
		}
		do(t, db, `UPDATE runs SET status = 'stopped', finished_at = 1 WHERE id = 'gone-1'`)
		if err := s.CarryOut(t.Context()); err != nil || len(counts(t, db, "gone")) > 0 {
			t.Errorf("once it has ended: %v, left are %v", err, counts(t, db, "gone"))
		}
	})
}
