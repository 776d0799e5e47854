package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

const promptColumns = `SELECT number, role, text, note, who, at FROM prompt_versions WHERE workspace_id = ?`

// PromptHead returns the number of the last change of a prompt, 0 before any.
func (l *Ledger) PromptHead(ctx context.Context, ws domain.WorkspaceID) (int, error) {
	n, err := promptHead(ctx, l.reader, ws)
	return n, l.wrap("read prompts", err)
}

func promptHead(ctx context.Context, q querier, ws domain.WorkspaceID) (n int, err error) {
	err = q.QueryRowContext(ctx, `SELECT COALESCE(MAX(number), 0) FROM prompt_versions WHERE workspace_id = ?`, ws).Scan(&n)
	return n, err
}

// PromptAt returns the last change of a role's prompt up to a number, and the zero
// value if there is none.
func (l *Ledger) PromptAt(ctx context.Context, ws domain.WorkspaceID, role string, number int) (domain.PromptVersion, error) {
	v, err := promptAt(ctx, l.reader, ws, role, number)
	return v, l.wrap("read a prompt", err)
}

func promptAt(ctx context.Context, q querier, ws domain.WorkspaceID, role string, number int) (domain.PromptVersion, error) {
	v, err := scanPrompt(q.QueryRowContext(ctx, promptColumns+` AND role = ? AND number <= ? ORDER BY number DESC LIMIT 1`, ws, role, number))
	if errors.Is(err, sql.ErrNoRows) {
		return domain.PromptVersion{}, nil
	}
	return v, err
}

// CurrentPrompts lists the last change of each role's prompt.
func (l *Ledger) CurrentPrompts(ctx context.Context, ws domain.WorkspaceID) ([]domain.PromptVersion, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (domain.PromptVersion, error) { return scanPrompt(rows) },
		promptColumns+` AND number IN (SELECT MAX(number) FROM prompt_versions WHERE workspace_id = ? GROUP BY role) ORDER BY role`, ws, ws)
	return all, l.wrap("list prompts", err)
}

// PromptVersions lists the changes of a role's prompt, the last first.
func (l *Ledger) PromptVersions(ctx context.Context, ws domain.WorkspaceID, role string) ([]domain.PromptVersion, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (domain.PromptVersion, error) { return scanPrompt(rows) },
		promptColumns+` AND role = ? ORDER BY number DESC`, ws, role)
	return all, l.wrap("list versions of a prompt", err)
}

// AddPrompt stores a change of a prompt under the next number, and returns it. The
// error is Conflict if the last change of that prompt is not the one numbered base.
func (l *Ledger) AddPrompt(ctx context.Context, ws domain.WorkspaceID, v domain.PromptVersion, base int) (domain.PromptVersion, error) {
	err := l.tx(ctx, "change a prompt", func(tx *sql.Tx, now time.Time) error {
		head, err := promptHead(ctx, tx, ws)
		if err != nil {
			return err
		}
		last, err := promptAt(ctx, tx, ws, v.Role, head)
		if err != nil {
			return err
		}
		if last.Number != base {
			return domain.Errorf(domain.Conflict, "The prompt %s was changed meanwhile, in version %d: compare with it before you save yours.", v.Role, last.Number)
		}
		v.Number, v.At = head+1, sqlio.Time(sqlio.Millis(now))
		added, err := tx.ExecContext(ctx, `INSERT INTO prompt_versions (workspace_id, number, role, text, note, who, at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (workspace_id, number) DO NOTHING`, ws, v.Number, v.Role, v.Text, v.Note, v.Who, sqlio.Millis(now))
		if err != nil {
			return err
		}
		if n, err := added.RowsAffected(); n == 0 || err != nil {
			return domain.Because(domain.Conflict, err, "A prompt was changed at the same moment: look at it, and try again.")
		}
		return nil
	})
	return v, err
}

func scanPrompt(row interface{ Scan(dest ...any) error }) (v domain.PromptVersion, err error) {
	var at int64
	err = row.Scan(&v.Number, &v.Role, &v.Text, &v.Note, &v.Who, &at)
	v.At = sqlio.Time(at)
	return v, err
}
