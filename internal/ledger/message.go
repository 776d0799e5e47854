package ledger

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// MessageStatus is the progress of a message from question to answer.
type MessageStatus string

// The states of a message. The last three are the ends of its run, by the same
// names.
const (
	MessageWaiting   MessageStatus = "waiting"
	MessageAnswering MessageStatus = "answering"
	MessageAsking    MessageStatus = "asking" // a person, before the answer is written
	MessageDone      MessageStatus = "done"
	MessageStopped   MessageStatus = "stopped"
	MessageFailed    MessageStatus = "failed"
)

// over reports whether nothing more is written.
func (s MessageStatus) over() bool {
	return s == MessageDone || s == MessageStopped || s == MessageFailed
}

// A Message is a question with its answer.
type Message struct {
	ID           domain.MessageID
	Conversation domain.ConversationID
	Workspace    domain.WorkspaceID
	Question     string
	Method       domain.MethodName // by which it is searched
	Scope        domain.Scope      // within which it is asked
	Follows      domain.RunID      // whose answer it follows, a message's or a branch's; "" follows the message before it
	Answer       string
	Sentences    []domain.Sentence
	Citations    []domain.Citation // by number; Text is "" once the source is deleted
	Figures      []domain.Figure   // their citations lose Text too
	Run          domain.RunID
	Status       MessageStatus
	Problem      string
	CreatedAt    time.Time
}

// AnsweredBy returns the message as a branch of it asks and answers it.
func (m Message) AnsweredBy(b Branch) Message {
	m.Question, m.Scope = b.Question, b.Scope
	m.Run, m.Status, m.Problem = b.Run, b.Status, b.Problem
	m.Answer, m.Sentences, m.Citations, m.Figures = b.Answer, b.Sentences, b.Citations, b.Figures
	return m
}

// AddMessageTx stores a new message, moves its conversation to the front, and
// calls more in the same transaction, as AddDocumentTx does. Unless begin is
// nil, it adds that conversation first, setting times that are zero. The error
// is NotFound when there is no such conversation, and Conflict when the id of
// either is taken.
func (l *Ledger) AddMessageTx(ctx context.Context, begin *Conversation, m Message, more func(*sql.Tx) error) error {
	defer l.answered.forget(m.Workspace, m.Conversation)
	return l.tx(ctx, "add message", func(tx *sql.Tx, now time.Time) error {
		if m.CreatedAt.IsZero() {
			m.CreatedAt = now
		}
		if begin != nil {
			if err := insertConversation(ctx, tx, *begin, now); err != nil {
				return err
			}
		}
		if err := touchConversation(ctx, tx, m, now); err != nil {
			return err
		}
		fresh, err := changed(tx.ExecContext(ctx, `INSERT INTO messages
			(workspace_id, id, conversation_id, question, method, scope, follows, answer, words, sentences, figures, run_id, status, problem, created_at)
			VALUES (`+sqlio.Marks(15)+`) ON CONFLICT (workspace_id, id) DO NOTHING`,
			m.Workspace, m.ID, m.Conversation, m.Question, m.Method, column{m.Scope}, m.Follows, m.Answer, lowered(m.Question, m.Answer), column{m.Sentences}, figuresColumn(m.Figures), m.Run, m.Status, m.Problem, sqlio.Millis(m.CreatedAt)))
		if err != nil {
			return err
		}
		if !fresh {
			return domain.Errorf(domain.Conflict, "There is a message %s already.", m.ID)
		}
		if err := l.writeCitations(ctx, tx, m); err != nil {
			return err
		}
		return more(tx)
	})
}

func touchConversation(ctx context.Context, tx *sql.Tx, m Message, now time.Time) error {
	found, err := changed(tx.ExecContext(ctx, `UPDATE conversations SET updated_at = ? WHERE workspace_id = ? AND id = ? AND delete_at = 0`,
		sqlio.Millis(now), m.Workspace, m.Conversation))
	if err == nil && !found {
		return domain.Errorf(domain.NotFound, "There is no conversation %s here.", m.Conversation)
	}
	return err
}

// UpdateMessage lets f change the stored message, in one transaction. Its
// workspace, id, conversation, method, scope, what it follows and CreatedAt stay.
// f must not change what the message refers to, but replace it. Stub takes the place of a new answer
// whose run was stopped because a document that it has read was deleted.
func (l *Ledger) UpdateMessage(ctx context.Context, ws domain.WorkspaceID, id domain.MessageID, f func(*Message)) (Message, error) {
	var m Message
	err := l.tx(ctx, "update message", func(tx *sql.Tx, _ time.Time) error {
		stored, err := message(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		m = stored
		f(&m)
		m.Workspace, m.ID, m.Conversation, m.CreatedAt = ws, id, stored.Conversation, stored.CreatedAt
		m.Method, m.Scope, m.Follows = stored.Method, stored.Scope, stored.Follows
		if reflect.DeepEqual(m, stored) {
			return nil
		}
		if err := l.takeBack(ctx, tx, &m, stored); err != nil {
			return err
		}
		if err := l.writeMessage(ctx, tx, m); err != nil || m.citesLike(stored) {
			return err
		}
		if err := l.writeCitations(ctx, tx, m); err != nil {
			return err
		}
		m, err = message(ctx, tx, ws, id, "")
		return err
	})
	l.answered.forget(ws, m.Conversation)
	return m, err
}

// takeBack leaves a stub in place of a new answer whose run was going when a document that it has
// read was deleted: which of its sentences stood there can't be told any more.
func (l *Ledger) takeBack(ctx context.Context, tx *sql.Tx, m *Message, stored Message) error {
	if m.Answer == "" || m.Answer == stored.Answer {
		return nil
	}
	if err := l.holdRead(ctx, tx, m.Run, m.Workspace); err != nil {
		return err
	}
	gone, err := readDeleted(ctx, tx, m.Run)
	if err != nil || !gone {
		return err
	}
	stopped, err := sqlio.Collect(ctx, tx, sqlio.Column[bool], `SELECT stop_asked FROM runs WHERE id = ?`, m.Run)
	if err != nil || !slices.Contains(stopped, true) {
		return err
	}
	m.Answer, m.Sentences, m.Citations, m.Figures = Stub, nil, nil, nil
	return nil
}

// citesLike reports whether the citations of two states of a message are the same.
func (m Message) citesLike(other Message) bool {
	return reflect.DeepEqual(m.Citations, other.Citations) && reflect.DeepEqual(m.Figures, other.Figures)
}

func (l *Ledger) writeMessage(ctx context.Context, tx *sql.Tx, m Message) error {
	_, err := tx.ExecContext(ctx, `UPDATE messages SET question = ?, answer = ?, words = ?, sentences = ?, figures = ?, run_id = ?, status = ?, problem = ?
		WHERE workspace_id = ? AND id = ?`, m.Question, m.Answer, lowered(m.Question, m.Answer), column{m.Sentences}, figuresColumn(m.Figures), m.Run, m.Status, m.Problem, m.Workspace, m.ID)
	return err
}

const messagesFrom = `SELECT id, conversation_id, workspace_id, question, method, scope, follows, answer, sentences, figures, run_id, status, problem, created_at
	FROM messages WHERE workspace_id = ?`

func scanMessage(scan func(...any) error) (m Message, err error) {
	return m, scan(&m.ID, &m.Conversation, &m.Workspace, &m.Question, &m.Method, column{&m.Scope}, &m.Follows, &m.Answer, column{&m.Sentences}, column{&m.Figures}, &m.Run, &m.Status, &m.Problem, instant{&m.CreatedAt})
}

// Message returns a message, or an error of kind NotFound.
func (l *Ledger) Message(ctx context.Context, ws domain.WorkspaceID, id domain.MessageID) (Message, error) {
	m, err := message(ctx, l.reader, ws, id, "")
	return m, l.wrap("read message", err)
}

func message(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.MessageID, lock string) (Message, error) {
	m, err := scanMessage(q.QueryRowContext(ctx, messagesFrom+` AND id = ?`+lock, ws, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return m, domain.Errorf(domain.NotFound, "There is no message %s here.", id)
	}
	if err != nil {
		return m, err
	}
	one := []Message{m}
	err = addCitations(ctx, q, ws, one)
	return one[0], err
}

// Messages lists the messages of conversations, oldest first and then by id.
func (l *Ledger) Messages(ctx context.Context, ws domain.WorkspaceID, ids ...domain.ConversationID) ([]Message, error) {
	scan := func(rows *sql.Rows) (Message, error) { return scanMessage(rows.Scan) }
	all, err := collectIn(ctx, l.reader, scan, messagesFrom+` AND conversation_id IN (%s) ORDER BY created_at, id`, []any{ws}, ids)
	if err == nil {
		err = addCitations(ctx, l.reader, ws, all)
	}
	return all, l.wrap("read messages", err)
}
