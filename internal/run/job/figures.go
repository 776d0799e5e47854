package job

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Note stores the figures of a run in a transaction.
func (q *Queue) Note(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RunID, f Figures) error {
	_, err := tx.ExecContext(ctx, `UPDATE runs SET tokens = ?, spent = ?, capped = ?, resumed = ?, failed_at = ? WHERE workspace_id = ? AND id = ?`,
		f.Tokens, f.Spent, flag(f.Capped), flag(f.Resumed), f.FailedAt, ws, id)
	return q.wrap("note the figures of a run", err)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A Bar holds the figures that 95 of 100 finished runs of a kind stay within.
type Bar struct {
	Took   time.Duration
	Tokens int
	Spent  int64 // see Figures; 0 where few of them have a price
}

// measured is of how many finished runs of a kind the bar is taken, the latest.
const measured = 1000

// Bars returns the bars of the given kinds. A kind of which no run is done has none.
func (q *Queue) Bars(ctx context.Context, ws domain.WorkspaceID, kinds ...string) (map[string]Bar, error) {
	bars := map[string]Bar{}
	if len(kinds) == 0 {
		return bars, nil
	}
	latest := `SELECT kind, took, tokens, spent FROM (SELECT kind, finished_at - started_at AS took, tokens, spent FROM runs WHERE workspace_id = ? AND kind = ? AND status = 'done'
		ORDER BY created_at DESC, id DESC LIMIT ?) latest`
	var args []any
	for _, kind := range kinds {
		args = append(args, ws, kind, measured)
	}
	took, tokens, spent := map[string][]int64{}, map[string][]int64{}, map[string][]int64{}
	err := sqlio.Each(ctx, q.reader, func(rows *sql.Rows) error {
		var kind string
		var ms, n, money int64
		err := rows.Scan(&kind, &ms, &n, &money)
		took[kind], tokens[kind], spent[kind] = append(took[kind], ms), append(tokens[kind], n), append(spent[kind], money)
		return err
	}, strings.Repeat(latest+" UNION ALL ", len(kinds)-1)+latest, args...)
	for kind := range took {
		bars[kind] = Bar{Took: time.Duration(most(took[kind])) * time.Millisecond, Tokens: int(most(tokens[kind])), Spent: most(spent[kind])}
	}
	return bars, q.wrap("measure runs", err)
}

// most returns what 95 of 100 values don't exceed.
func most(values []int64) int64 {
	slices.Sort(values)
	return domain.Percentile(values, 95)
}

// Persons lists those who asked for runs, sorted.
func (q *Queue) Persons(ctx context.Context, ws domain.WorkspaceID) ([]string, error) {
	return q.distinct(ctx, ws, "person")
}

// FailedNodes lists the nodes at which runs failed, sorted.
func (q *Queue) FailedNodes(ctx context.Context, ws domain.WorkspaceID) ([]string, error) {
	return q.distinct(ctx, ws, "failed_at")
}

// distinct lists the values of a column that an index begins with, but "", by jumping from one to the next.
func (q *Queue) distinct(ctx context.Context, ws domain.WorkspaceID, column string) ([]string, error) {
	next := `(SELECT MIN(` + column + `) FROM runs WHERE workspace_id = ? AND ` + column + ` <> '' AND ` + column + ` > `
	all, err := sqlio.Collect(ctx, q.reader, sqlio.Column[string], `WITH RECURSIVE found (v) AS (
		SELECT `+next+`'') UNION ALL SELECT `+next+`found.v) FROM found WHERE found.v IS NOT NULL)
		SELECT v FROM found WHERE v IS NOT NULL`, ws, ws)
	return all, q.wrap("list what runs are narrowed by", err)
}
