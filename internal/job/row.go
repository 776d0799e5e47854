package job

import (
	"database/sql"
	"strings"
	"time"
)

// What differs between databases:
//   - placeholders: statements use "?" throughout; a driver that numbers them
//     is wrapped where it is opened;
//   - claiming: SQLite has one writer at a time. A database with several adds
//     "FOR UPDATE SKIP LOCKED" to the inner selects of Claim and ClaimEnded.

const columns = `workspace_id, id, kind, subject, input, status, priority, attempt, max_attempts, owner, lease_until,
	next_try, stop_asked, problem, created_at, started_at, finished_at`

func scanRun(scan func(...any) error) (r Run, err error) {
	var input string
	var lease, next, created, started, finished int64
	err = scan(&r.Workspace, &r.ID, &r.Kind, &r.Subject, &input, &r.Status, &r.Priority, &r.Attempt, &r.MaxAttempts,
		&r.Owner, &lease, &next, &r.StopAsked, &r.Problem, &created, &started, &finished)
	if input != "" {
		r.Input = []byte(input)
	}
	r.LeaseUntil, r.NextTry = fromMS(lease), fromMS(next)
	r.CreatedAt, r.StartedAt, r.FinishedAt = fromMS(created), fromMS(started), fromMS(finished)
	return r, err
}

func scanRuns(rows *sql.Rows) (runs []Run, err error) {
	defer rows.Close()
	for rows.Next() {
		r, err := scanRun(rows.Scan)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, rows.Err()
}

// ms is t as stored: Unix milliseconds, 0 for the zero time.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// fromMS is the inverse of ms, in UTC.
func fromMS(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

// marks is n placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// list is values as arguments.
func list[V ~string](values []V) []any {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = string(v)
	}
	return args
}
