package job

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Get returns one run; NotFound when the workspace has none with that id.
func (q *Queue) Get(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) (Run, error) {
	r, ok, err := q.one(ctx, q.reader, `SELECT `+columns+` FROM runs WHERE workspace_id = ? AND id = ?`, ws, id)
	if err == nil && !ok {
		return Run{}, domain.Errorf(domain.NotFound, "There is no run %s here.", id)
	}
	return r, q.wrap("read run", err)
}

// A Query selects runs. Empty fields select all.
type Query struct {
	Kind    string
	Subject string
	Status  []Status
	Limit   int // 0 means all
	Offset  int
}

// where returns the SQL condition of the query and its arguments.
func (s Query) where(ws domain.WorkspaceID) (string, []any) {
	cond, args := "workspace_id = ?", []any{ws}
	if s.Kind != "" {
		cond, args = cond+" AND kind = ?", append(args, s.Kind)
	}
	if s.Subject != "" {
		cond, args = cond+" AND subject = ?", append(args, s.Subject)
	}
	if len(s.Status) > 0 {
		cond, args = cond+" AND status IN ("+sqlio.Marks(len(s.Status))+")", append(args, sqlio.Args(s.Status)...)
	}
	return cond, args
}

// List lists the selected runs, newest first, then by id.
func (q *Queue) List(ctx context.Context, ws domain.WorkspaceID, s Query) ([]Run, error) {
	cond, args := s.where(ws)
	if s.Limit <= 0 {
		s.Limit = 1 << 31
	}
	runs, err := q.many(ctx, `SELECT `+columns+` FROM runs WHERE `+cond+` ORDER BY created_at DESC, id LIMIT ? OFFSET ?`,
		append(args, s.Limit, s.Offset)...)
	return runs, q.wrap("list runs", err)
}

// LatestOfEachKind lists the latest n runs of each kind with the status, newest first, then by id.
func (q *Queue) LatestOfEachKind(ctx context.Context, ws domain.WorkspaceID, s Status, n int) ([]Run, error) {
	runs, err := q.many(ctx, `SELECT `+columns+` FROM (SELECT `+columns+`, ROW_NUMBER() OVER (PARTITION BY kind ORDER BY created_at DESC, id) AS nth
		FROM runs WHERE workspace_id = ? AND status = ?) latest WHERE nth <= ? ORDER BY created_at DESC, id`, ws, s, n)
	return runs, q.wrap("list the latest runs", err)
}

// Count returns how many runs a query selects, regardless of its limit.
func (q *Queue) Count(ctx context.Context, ws domain.WorkspaceID, s Query) (int, error) {
	cond, args := s.where(ws)
	var n int
	err := q.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM runs WHERE `+cond, args...).Scan(&n)
	return n, q.wrap("count runs", err)
}
