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
	Pinned    bool // lists have it first
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
	fresh, err := changed(tx.ExecContext(ctx, `INSERT INTO conversations (workspace_id, id, title, words, pinned, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace_id, id) DO NOTHING`, c.Workspace, c.ID, c.Title, lowered(c.Title), flag(c.Pinned), sqlio.Millis(c.CreatedAt), sqlio.Millis(c.UpdatedAt)))
	if err == nil && !fresh {
		return domain.Errorf(domain.Conflict, "There is a conversation %s already.", c.ID)
	}
	return err
}

const (
	conversationColumns = `id, workspace_id, title, pinned, created_at, updated_at`
	conversationsFrom   = ` FROM conversations WHERE workspace_id = ? AND delete_at = 0`
)

func scanConversation(scan func(...any) error) (c Conversation, err error) {
	return c, scan(&c.ID, &c.Workspace, &c.Title, &c.Pinned, instant{&c.CreatedAt}, instant{&c.UpdatedAt})
}

// Conversation returns a conversation, or an error of kind NotFound.
func (l *Ledger) Conversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) (Conversation, error) {
	c, err := conversation(ctx, l.reader, ws, id, "")
	return c, l.wrap("read conversation", err)
}

func conversation(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.ConversationID, lock string) (Conversation, error) {
	c, err := scanConversation(q.QueryRowContext(ctx, `SELECT `+conversationColumns+conversationsFrom+` AND id = ?`+lock, ws, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = domain.Errorf(domain.NotFound, "There is no conversation %s here. It may have been deleted.", id)
	}
	return c, err
}

// UpdateConversation lets f change the title of a conversation and whether it is
// pinned, in one transaction. The error is NotFound when there is no such
// conversation.
func (l *Ledger) UpdateConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID, f func(*Conversation)) error {
	return l.tx(ctx, "update conversation", func(tx *sql.Tx, _ time.Time) error {
		c, err := conversation(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		f(&c)
		_, err = tx.ExecContext(ctx, `UPDATE conversations SET title = ?, words = ?, pinned = ? WHERE workspace_id = ? AND id = ?`, c.Title, lowered(c.Title), flag(c.Pinned), ws, id)
		return err
	})
}

// Conversations lists n conversations from offset: pinned ones, then the others, the
// latest first and then by id. It also returns the number of all, or 0 if it lists none.
// n = 0 lists all.
func (l *Ledger) Conversations(ctx context.Context, ws domain.WorkspaceID, n, offset int) (found []Conversation, total int, err error) {
	found, err = sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (Conversation, error) {
		return scanConversation(func(fields ...any) error { return rows.Scan(append(fields, &total)...) })
	}, `SELECT `+conversationColumns+`, COUNT(*) OVER ()`+conversationsFrom+` ORDER BY pinned DESC, updated_at DESC, id LIMIT ? OFFSET ?`, ws, limit(n), offset)
	return found, total, l.wrap("list conversations", err)
}

// DeleteConversation removes a conversation with its messages and their branches,
// and all that their runs have left. The error is NotFound when there is no such
// conversation, and Conflict while one of the runs is not over.
func (l *Ledger) DeleteConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) error {
	return l.erase(ctx, "delete conversation", func(tx *sql.Tx, _ time.Time) error {
		if _, err := conversation(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		return deleteConversation(ctx, tx, ws, id)
	})
}

func deleteConversation(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.ConversationID) error {
	runs, err := runsOfConversation(ctx, tx, ws, id)
	if err != nil {
		return err
	}
	if err := deleteRuns(ctx, tx, ws, runs); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM conversations WHERE workspace_id = ? AND id = ?`, ws, id) // messages, citations, branches and feedback go with it
	return err
}

// HideConversation hides a conversation until DeleteHiddenConversations removes it, not before
// the given time; until then ShowConversation takes that back. Its errors are those of
// DeleteConversation.
func (l *Ledger) HideConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID, until time.Time) error {
	return l.tx(ctx, "hide conversation", func(tx *sql.Tx, _ time.Time) error {
		if _, err := conversation(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		if _, err := runsOfConversation(ctx, tx, ws, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE conversations SET delete_at = ? WHERE workspace_id = ? AND id = ?`, sqlio.Millis(until), ws, id)
		return err
	})
}

// ShowConversation takes back that a conversation was hidden. The error is Conflict when the
// time for that is over.
func (l *Ledger) ShowConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) error {
	return l.tx(ctx, "show conversation", func(tx *sql.Tx, now time.Time) error {
		found, err := changed(tx.ExecContext(ctx, `UPDATE conversations SET delete_at = 0 WHERE workspace_id = ? AND id = ? AND delete_at > ?`, ws, id, sqlio.Millis(now)))
		if err == nil && !found {
			return domain.Errorf(domain.Conflict, "It is too late to undo this: the conversation is gone.")
		}
		return err
	})
}

// HiddenUntil returns until when a conversation is hidden, the zero time if it is not.
func (l *Ledger) HiddenUntil(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) (at time.Time, err error) {
	err = sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error { return rows.Scan(instant{&at}) },
		`SELECT delete_at FROM conversations WHERE workspace_id = ? AND id = ? AND delete_at > 0`, ws, id)
	return at, l.wrap("read a hidden conversation", err)
}

// DeleteHiddenConversations removes what HideConversation has hidden and can't be taken back any
// more, as DeleteConversation does. One of which a run is not over is left for later.
func (l *Ledger) DeleteHiddenConversations(ctx context.Context, ws domain.WorkspaceID) error {
	const due = ` FROM conversations WHERE workspace_id = ? AND delete_at > 0 AND delete_at <= ?`
	ids, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (id domain.ConversationID, err error) { return id, rows.Scan(&id) },
		`SELECT id`+due, ws, sqlio.Millis(l.now()))
	if err != nil {
		return l.wrap("list hidden conversations", err)
	}
	for _, id := range ids {
		err := l.erase(ctx, "delete conversation", func(tx *sql.Tx, now time.Time) error {
			var still domain.ConversationID
			err := tx.QueryRowContext(ctx, `SELECT id`+due+` AND id = ?`+l.lock.Changing, ws, sqlio.Millis(now), id).Scan(&still)
			if errors.Is(err, sql.ErrNoRows) { // another process was first
				return nil
			}
			if err != nil {
				return err
			}
			return deleteConversation(ctx, tx, ws, id)
		})
		if err != nil && domain.KindOf(err) != domain.Conflict {
			return err
		}
	}
	return nil
}

// runsOfConversation lists the runs about a conversation's messages, as asked and as
// branches. The error is Conflict while one of them is not over.
func runsOfConversation(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.ConversationID) (runs []domain.RunID, err error) {
	_, err = sqlio.Collect(ctx, tx, func(rows *sql.Rows) (struct{}, error) {
		var run domain.RunID
		var status MessageStatus
		err := rows.Scan(&run, &status)
		if err == nil && !status.over() {
			err = domain.Errorf(domain.Conflict, "A question of this conversation is still being answered. Stop it first, then delete the conversation.")
		}
		runs = append(runs, run)
		return struct{}{}, err
	}, `SELECT run_id, status FROM messages WHERE workspace_id = ? AND conversation_id = ?
		UNION ALL SELECT b.run_id, b.status FROM branches b JOIN messages m ON m.workspace_id = b.workspace_id AND m.id = b.message_id
		WHERE m.workspace_id = ? AND m.conversation_id = ?`, ws, id, ws, id)
	return runs, err
}
