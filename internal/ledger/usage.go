package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Usage counts what some calls of one model used on one day, and for what. What a
// query does not tell apart is empty.
type Usage struct {
	domain.Usage
	Day      string // in UTC: "2026-11-23"
	Calls    int
	Role     string
	Person   string // "" where nobody signs in
	Document domain.DocumentID
	Run      domain.RunID
}

// A UsageColumn is a column that usage can be grouped by, besides day and model.
type UsageColumn string

// The columns of usage.
const (
	UsageRole     UsageColumn = "role"
	UsagePerson   UsageColumn = "person"
	UsageDocument UsageColumn = "document_id"
	UsageRun      UsageColumn = "run_id"
)

// A UsageQuery chooses usage. Zero fields leave nothing out.
type UsageQuery struct {
	From, To string // days, both included
	Document domain.DocumentID
	Runs     []domain.RunID // none for all
	By       []UsageColumn
	Together bool // adds the days up: Day is the first
}

// AddUsage adds to what was used.
func (l *Ledger) AddUsage(ctx context.Context, ws domain.WorkspaceID, u Usage) error {
	return l.calls.Write(ctx, madeCall{used: &addedUsage{ws, u}})
}

// addedUsage is usage to add.
type addedUsage struct {
	workspace domain.WorkspaceID
	Usage
}

// addUsage adds usage up that goes to the same row before it writes: a row is part
// of several indexes.
func addUsage(ctx context.Context, tx *sql.Tx, all []addedUsage) error {
	sums := map[string]addedUsage{}
	for _, u := range all {
		if s, ok := sums[u.row()]; ok {
			u.Calls += s.Calls
			u.Input, u.Cached, u.Output, u.Embedded = u.Input+s.Input, u.Cached+s.Cached, u.Output+s.Output, u.Embedded+s.Embedded
		}
		sums[u.row()] = u
	}
	for _, row := range slices.Sorted(maps.Keys(sums)) {
		u := sums[row]
		_, err := tx.ExecContext(ctx, `INSERT INTO model_usage (workspace_id, day, model, role, document_id, run_id, person, calls, input, cached, output, embedded)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace_id, day, model, role, document_id, run_id, person) DO UPDATE SET
			calls = model_usage.calls + excluded.calls, input = model_usage.input + excluded.input, cached = model_usage.cached + excluded.cached,
			output = model_usage.output + excluded.output, embedded = model_usage.embedded + excluded.embedded`,
			u.workspace, u.Day, u.Model, u.Role, u.Document, u.Run, u.Person, u.Calls, u.Input, u.Cached, u.Output, u.Embedded)
		if err != nil {
			return fmt.Errorf("count usage: %w", err)
		}
	}
	return nil
}

// row names the row that it goes to.
func (u addedUsage) row() string {
	return strings.Join([]string{string(u.workspace), u.Day, u.Model, u.Role, string(u.Document), string(u.Run), u.Person}, "\x00")
}

// AnyUsage reports whether a model was ever used.
func (l *Ledger) AnyUsage(ctx context.Context, ws domain.WorkspaceID) (used bool, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT CASE WHEN EXISTS (SELECT 1 FROM model_usage WHERE workspace_id = ?) THEN 1 ELSE 0 END`, ws).Scan(&used)
	return used, l.wrap("look for usage", err)
}

// Usage returns what was used, by day, model and the columns of the query, sorted
// by them.
func (l *Ledger) Usage(ctx context.Context, ws domain.WorkspaceID, q UsageQuery) ([]Usage, error) {
	columns, day := []string{"day", "model"}, "day"
	if q.Together {
		columns, day = columns[1:], "MIN(day)"
	}
	for _, c := range q.By {
		columns = append(columns, string(c))
	}
	by := strings.Join(columns, ", ")
	where, args := []string{"workspace_id = ?"}, []any{ws}
	add := func(condition string, values ...any) { where, args = append(where, condition), append(args, values...) }
	if q.From != "" {
		add("day >= ?", q.From)
	}
	if q.To != "" {
		add("day <= ?", q.To)
	}
	if q.Document != "" {
		add("document_id = ?", q.Document)
	}
	if len(q.Runs) > 0 {
		add("run_id <> '' AND run_id IN ("+sqlio.Marks(len(q.Runs))+")", sqlio.Args(q.Runs)...)
	}
	from := `model_usage WHERE ` + strings.Join(where, " AND ")
	with := ""
	if len(q.Runs) > 0 { // first the few rows: SQLite would go through all of the workspace in the order of the groups
		with, from = `WITH of_runs AS MATERIALIZED (SELECT day, model, role, person, document_id, run_id, calls, input, cached, output, embedded FROM `+from+`) `, `of_runs`
	}
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (u Usage, err error) {
		to := []any{&u.Day, &u.Model}
		for _, c := range q.By {
			to = append(to, map[UsageColumn]any{UsageRole: &u.Role, UsagePerson: &u.Person, UsageDocument: &u.Document, UsageRun: &u.Run}[c])
		}
		return u, rows.Scan(append(to, &u.Calls, &u.Input, &u.Cached, &u.Output, &u.Embedded)...)
	}, with+`SELECT `+day+`, `+strings.TrimPrefix(by, "day, ")+`, CAST(SUM(calls) AS BIGINT), CAST(SUM(input) AS BIGINT), CAST(SUM(cached) AS BIGINT), CAST(SUM(output) AS BIGINT), CAST(SUM(embedded) AS BIGINT)
		FROM `+from+` GROUP BY `+by+` ORDER BY `+by, args...)
	return all, l.wrap("read usage", err)
}
