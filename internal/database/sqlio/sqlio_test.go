package sqlio_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	for n, want := range []string{"", "?", "?,?", "?,?,?"} {
		if got := sqlio.Marks(n); got != want {
			t.Errorf("Marks(%d) = %q, want %q", n, got, want)
		}
	}
}

// TestMarksMatchArgs: a statement takes as many arguments as it has marks.
func TestMarksMatchArgs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.String()).Draw(t, "values")
		args := sqlio.Args(values)
		if got := strings.Count(sqlio.Marks(len(values)), "?"); got != len(args) {
			t.Errorf("%d marks for %d arguments", got, len(args))
		}
		for i, v := range values {
			if args[i] != any(v) {
				t.Errorf("argument %d is %v, want %q", i, args[i], v)
			}
		}
	})
}

func TestTimeIsTheInverseOfMillis(t *testing.T) {
	t.Parallel()
	if n := sqlio.Millis(time.Time{}); n != 0 || !sqlio.Time(n).IsZero() {
		t.Errorf("the zero time is stored as %d and read as %v", n, sqlio.Time(n))
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1<<45).Draw(t, "millis")
		at := sqlio.Time(n)
		if sqlio.Millis(at) != n || at.Location() != time.UTC {
			t.Errorf("%d comes back as %v", n, at)
		}
		if here := sqlio.Millis(at.In(time.FixedZone("east", 3600))); here != n {
			t.Errorf("another zone stores %d, want %d", here, n)
		}
	})
}

// open is a database with the numbers 1 to 3.
func open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "rows.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Writer.ExecContext(t.Context(), `CREATE TABLE rows (n INTEGER); INSERT INTO rows VALUES (1), (2), (3)`); err != nil {
		t.Fatal(err)
	}
	return db.Writer
}

const numbers = `SELECT n FROM rows WHERE n >= ? ORDER BY n`

func TestCollect(t *testing.T) {
	t.Parallel()
	db := open(t)
	for from, want := range map[int][]int{0: {1, 2, 3}, 3: {3}, 4: nil} {
		got, err := sqlio.Collect(t.Context(), db, sqlio.Column[int], numbers, from)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("from %d: %v (-want +got):\n%s", from, err, diff)
		}
	}
}

// TestFailuresFreeTheConnection uses up the only connection if rows stay open.
func TestFailuresFreeTheConnection(t *testing.T) {
	t.Parallel()
	db := open(t)
	broken := errors.New("broken")
	seen := 0
	err := sqlio.Each(t.Context(), db, func(*sql.Rows) error { seen++; return broken }, numbers, 0)
	if !errors.Is(err, broken) || seen != 1 {
		t.Errorf("stopped after %d rows with %v", seen, err)
	}
	scan := func(rows *sql.Rows) (n int, err error) {
		if err = rows.Scan(&n); n == 2 {
			err = broken
		}
		return n, err
	}
	if got, err := sqlio.Collect(t.Context(), db, scan, numbers, 0); !errors.Is(err, broken) || got != nil {
		t.Errorf("got %v, %v; want nothing and the error of scan", got, err)
	}
	if err := sqlio.Each(t.Context(), db, func(*sql.Rows) error { return nil }, `SELECT n FROM nowhere`); err == nil {
		t.Error("a table that does not exist was read")
	}
	if got, err := sqlio.Collect(t.Context(), db, sqlio.Column[int], numbers, 3); err != nil || len(got) != 1 {
		t.Errorf("afterwards: %v, %v", got, err)
	}
}
