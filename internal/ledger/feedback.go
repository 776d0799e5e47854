package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Feedback is a person's judgement of an answer.
type Feedback struct {
	Message domain.MessageID
	Run     domain.RunID // whose answer it is, the message's or a branch's
	Person  string       // as domain.PersonOf says
	Good    bool
	Reason  string // may be ""
	At      time.Time
}

// SaveFeedback keeps what a person says of an answer, in place of what the person
// said of it before. The error is NotFound when the message has no such answer.
func (l *Ledger) SaveFeedback(ctx context.Context, ws domain.WorkspaceID, f Feedback) error {
	return l.tx(ctx, "save feedback", func(tx *sql.Tx, now time.Time) error {
		if err := l.answers(ctx, tx, ws, f.Message, f.Run); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO feedback (workspace_id, run_id, person, message_id, good, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (workspace_id, run_id, person) DO UPDATE SET good = excluded.good, reason = excluded.reason, created_at = excluded.created_at`,
			ws, f.Run, f.Person, f.Message, flag(f.Good), f.Reason, sqlio.Millis(now))
		return err
	})
}

// answers fails unless a run answers a message, as asked or as a branch. It keeps
// both until the end of the transaction.
func (l *Ledger) answers(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.MessageID, run domain.RunID) error {
	m, err := message(ctx, tx, ws, id, l.lock.Staying)
	if err != nil || m.Run == run {
		return err
	}
	found, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT id FROM branches WHERE workspace_id = ? AND message_id = ? AND run_id = ?`+l.lock.Staying, ws, id, run)
	if err == nil && len(found) == 0 {
		err = domain.Errorf(domain.NotFound, "This answer is gone: a document that it read was deleted, or somebody deleted the answer.")
	}
	return err
}

// DeleteFeedback takes back what a person said of an answer, if anything.
func (l *Ledger) DeleteFeedback(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, person string) error {
	_, err := l.writer.ExecContext(ctx, `DELETE FROM feedback WHERE workspace_id = ? AND run_id = ? AND person = ?`, ws, run, person)
	return l.wrap("delete feedback", err)
}

// FeedbackOf returns what a person said of answers to messages, by the run of the
// answer.
func (l *Ledger) FeedbackOf(ctx context.Context, ws domain.WorkspaceID, person string, messages ...domain.MessageID) (map[domain.RunID]Feedback, error) {
	by := map[domain.RunID]Feedback{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var f Feedback
		err := rows.Scan(&f.Message, &f.Run, &f.Person, &f.Good, &f.Reason, instant{&f.At})
		by[f.Run] = f
		return err
	}, `SELECT message_id, run_id, person, good, reason, created_at FROM feedback WHERE workspace_id = ? AND person = ? AND message_id IN (%s)`, []any{ws, person}, messages)
	return by, l.wrap("read feedback", err)
}

// A JudgedAnswer is an answer with what a person says of it.
type JudgedAnswer struct {
	Feedback
	Conversation domain.ConversationID
	Question     string
	Scope        domain.Scope // within which it was asked
	Answer       string
}

// Feedback lists what people said of answers, the latest first; n = 0 lists all.
func (l *Ledger) Feedback(ctx context.Context, ws domain.WorkspaceID, n int) ([]JudgedAnswer, error) {
	found, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (j JudgedAnswer, err error) {
		return j, rows.Scan(&j.Message, &j.Run, &j.Person, &j.Good, &j.Reason, instant{&j.At}, &j.Conversation, &j.Question, column{&j.Scope}, &j.Answer)
	}, `SELECT f.message_id, f.run_id, f.person, f.good, f.reason, f.created_at, m.conversation_id,
			COALESCE(b.question, m.question), COALESCE(b.scope, m.scope), COALESCE(b.answer, m.answer)
		FROM feedback f JOIN messages m ON m.workspace_id = f.workspace_id AND m.id = f.message_id
		LEFT JOIN branches b ON b.workspace_id = f.workspace_id AND b.run_id = f.run_id
		WHERE f.workspace_id = ? ORDER BY f.created_at DESC, f.run_id, f.person LIMIT ?`, ws, limit(n))
	return found, l.wrap("list feedback", err)
}
