package maintenance

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Found holds the ids affected by each problem.
type Found map[Problem][]string

func (f Found) add(p Problem, id string) { f[p] = append(f[p], id) }

// Join returns the problems of f and others.
func (f Found) Join(others ...Found) Found {
	all := Found{}
	for _, o := range append([]Found{f}, others...) {
		for p, ids := range o {
			all[p] = append(slices.Clone(all[p]), ids...)
		}
	}
	return all
}

// Both returns the problems that f and g have in common.
func (f Found) Both(g Found) Found {
	common := Found{}
	for p, ids := range f {
		for _, id := range ids {
			if slices.Contains(g[p], id) {
				common.add(p, id)
			}
		}
	}
	return common
}

// Group is a problem with the number of ids it affects.
type Group struct {
	Problem  Problem  `json:"problem"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"` // at most three ids; names would outlive their documents
}

// Groups returns the problems by store.
func (f Found) Groups() []Group {
	groups := []Group{}
	for _, p := range slices.Sorted(maps.Keys(f)) {
		ids := slices.Sorted(slices.Values(f[p]))
		groups = append(groups, Group{p, len(ids), ids[:min(len(ids), 3)]})
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Problem.Store(), b.Problem.Store()) })
	return groups
}

// String describes the group: "Graph: 3 entities are missing (…)."
func (g Group) String() string {
	k := kinds[g.Problem]
	text := k.one
	if g.Count != 1 {
		text = strings.ReplaceAll(k.many, "%s", strconv.Itoa(g.Count))
	}
	if len(g.Examples) > 0 && g.Examples[0] != "" {
		text += " (" + strings.Join(g.Examples, ", ")
		if g.Count > len(g.Examples) {
			text += ", …"
		}
		text += ")"
	}
	return fmt.Sprintf("%s: %s.", k.store, text)
}

// settling is the longest time between two writes of a process that belong
// together.
const settling = time.Minute

// findInLedger finds rows of a workspace that contradict each other.
func findInLedger(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, now time.Time) (Found, error) {
	found := Found{}
	before := sqlio.Millis(now.Add(-settling))
	for _, check := range []struct {
		problem Problem
		query   string
		args    []any
	}{
		{ChunksMiscounted, `SELECT d.id FROM documents d WHERE d.workspace_id = ? AND d.status IN ('ready', 'empty')
			AND d.chunks <> (SELECT count(*) FROM chunks c WHERE c.workspace_id = d.workspace_id AND c.document_id = d.id)`, []any{ws}},
		{DocumentStranded, `SELECT d.id FROM documents d WHERE d.workspace_id = ? AND d.status IN ('waiting', 'working') AND d.updated_at < ?
			AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = d.run_id AND r.settled = 0)`, []any{ws, before}},
		{DocumentUnheard, `SELECT d.id FROM documents d WHERE d.workspace_id = ? AND d.published = 1
			AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.workspace_id = d.workspace_id AND c.document_id = d.id)`, []any{ws}},
	} {
		if err := found.query(ctx, q, check.problem, check.query, check.args...); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// findInRows finds rows of all workspaces whose parents were deleted, and in a file what
// contradicts its indexes.
func findInRows(ctx context.Context, q *sql.DB, now time.Time) (Found, error) {
	found := Found{}
	err := found.query(ctx, q, ThreadWithoutRun, `SELECT t.id FROM threads t WHERE t.touched_at < ?
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = t.id)`, now.Add(-settling).UnixMicro())
	if err != nil || sqlio.DialectOf(q).Postgres { // it enforces foreign keys
		return found, err
	}
	err = found.query(ctx, q, TableDamaged, `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`)
	if err != nil {
		return found, err
	}
	return found, found.query(ctx, q, RowWithoutParent, `SELECT "table" || ' ' || COALESCE(rowid, 0) FROM pragma_foreign_key_check`)
}

// countReading returns how many published documents of a workspace are being read
// again: the ledger has parts of their next version, the stores do not.
func countReading(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID) (int, error) {
	return sqlio.Value[int](ctx, q, `SELECT count(*) FROM documents WHERE workspace_id = ? AND published = 1 AND status IN ('waiting', 'working')`, ws)
}

func (f Found) query(ctx context.Context, q sqlio.Querier, p Problem, query string, args ...any) error {
	ids, err := sqlio.Collect(ctx, q, sqlio.Column[string], query, args...)
	if err != nil {
		return fmt.Errorf("look for %s: %w", p, err)
	}
	if len(ids) > 0 {
		f[p] = append(f[p], ids...)
	}
	return nil
}
