package ledger

import (
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Within lists the documents of a scope by id, whatever their state.
func (l *Ledger) Within(ctx context.Context, ws domain.WorkspaceID, s domain.Scope) ([]domain.DocumentID, error) {
	cond, args := within(ws, s)
	ids, err := sqlio.Collect(ctx, l.reader, sqlio.Column[domain.DocumentID], `SELECT id FROM documents WHERE `+cond+` ORDER BY id`, args...)
	return ids, l.wrap("find the documents of a scope", err)
}

// CountWithin counts the documents of a scope, whatever their state, and their passages.
func (l *Ledger) CountWithin(ctx context.Context, ws domain.WorkspaceID, s domain.Scope) (documents, passages int, err error) {
	cond, args := within(ws, s)
	err = l.reader.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(chunks), 0) FROM documents WHERE `+cond, args...).Scan(&documents, &passages)
	return documents, passages, l.wrap("count the documents of a scope", err)
}

// within returns the condition on the documents of a scope, with its arguments.
func within(ws domain.WorkspaceID, s domain.Scope) (cond string, args []any) {
	cond, args = "workspace_id = ? AND delete_at = 0", []any{ws}
	var named []string
	if len(s.Tags) > 0 {
		named = append(named, "id IN (SELECT document_id FROM document_tags WHERE workspace_id = ? AND tag IN ("+sqlio.Marks(len(s.Tags))+"))")
		args = append(append(args, ws), sqlio.Args(s.Tags)...)
	}
	if len(s.Documents) > 0 {
		named = append(named, "id IN ("+sqlio.Marks(len(s.Documents))+")")
		args = append(args, sqlio.Args(s.Documents)...)
	}
	if len(named) > 0 {
		cond += " AND (" + strings.Join(named, " OR ") + ")"
	}
	facts, values := byFacts(s.FactFilter)
	cond, args = cond+facts, append(args, values...)
	if from, err := time.Parse(time.DateOnly, s.From); err == nil {
		cond, args = cond+" AND created_at >= ?", append(args, sqlio.Millis(from))
	}
	if to, err := time.Parse(time.DateOnly, s.To); err == nil {
		cond, args = cond+" AND created_at < ?", append(args, sqlio.Millis(to.AddDate(0, 0, 1)))
	}
	return cond, args
}
