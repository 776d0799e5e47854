package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A Conversation is a series of questions with their answers.
type Conversation struct {
	ID        domain.ConversationID
	Workspace domain.WorkspaceID
	Title     string
	CreatedAt time.Time
	UpdatedAt time.Time // when its last message was added
}

func insertConversation(ctx context.Context, tx *sql.Tx, c Conversation, now time.Time) error {
	if c.CreatedAt.IsZero() {
		c.CreatedAt = now
	}
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.CreatedAt
	}
	fresh, err := changed(tx.ExecContext(ctx, `INSERT INTO conversations (workspace_id, id, title, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (workspace_id, id) DO NOTHING`, c.Workspace, c.ID, c.Title, sqlio.Millis(c.CreatedAt), sqlio.Millis(c.UpdatedAt)))
	if err == nil && !fresh {
		return domain.Errorf(domain.Conflict, "There is a conversation %s already.", c.ID)
	}
	return err
}

const conversationsFrom = `SELECT id, workspace_id, title, created_at, updated_at FROM conversations WHERE workspace_id = ?`

func scanConversation(scan func(...any) error) (c Conversation, err error) {
	return c, scan(&c.ID, &c.Workspace, &c.Title, instant{&c.CreatedAt}, instant{&c.UpdatedAt})
}

// Conversation returns a conversation, or an error of kind NotFound.
func (l *Ledger) Conversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) (Conversation, error) {
	c, err := scanConversation(l.reader.QueryRowContext(ctx, conversationsFrom+` AND id = ?`, ws, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return c, domain.Errorf(domain.NotFound, "There is no conversation %s here.", id)
	}
	return c, l.wrap("read conversation", err)
}

// Conversations lists n conversations from offset, the latest first and then by
// id, and the number of all. n = 0 lists all.
func (l *Ledger) Conversations(ctx context.Context, ws domain.WorkspaceID, n, offset int) ([]Conversation, int, error) {
	var total int
	if err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM conversations WHERE workspace_id = ?`, ws).Scan(&total); err != nil {
		return nil, 0, l.wrap("count conversations", err)
	}
	scan := func(rows *sql.Rows) (Conversation, error) { return scanConversation(rows.Scan) }
	found, err := sqlio.Collect(ctx, l.reader, scan, conversationsFrom+` ORDER BY updated_at DESC, id LIMIT ? OFFSET ?`, ws, limit(n), offset)
	return found, total, l.wrap("list conversations", err)
}
