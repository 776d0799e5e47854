package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
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
// calls more in the same transaction, as AddDocument does. Unless begin is
// nil, it adds that conversation first, setting times that are zero. The error
// is NotFound when there is no such conversation, and Conflict when the id of
// either is taken.
func (l AnswerStore) AddMessageTx(ctx context.Context, begin *Conversation, m Message, more func(*sql.Tx) error) error {
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
		fresh, err := messageTable.Insert(ctx, tx, &m)
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
	found, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE conversations SET updated_at = ? WHERE workspace_id = ? AND id = ? AND delete_at = 0`,
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
func (l AnswerStore) UpdateMessage(ctx context.Context, ws domain.WorkspaceID, id domain.MessageID, f func(*Message)) (Message, error) {
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
		if err := messageTable.Update(ctx, tx, &stored, &m); err != nil || m.citesLike(stored) {
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
func (l *store) takeBack(ctx context.Context, tx *sql.Tx, m *Message, stored Message) error {
	if m.Answer == "" || m.Answer == stored.Answer {
		return nil
	}
	gone, err := l.hasReadDeleted(ctx, tx, m.Run, m.Workspace)
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

var messageTable = sqlio.Table[Message]{Name: "messages", Row: func(m *Message) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &m.Workspace, "id key", &m.ID, "conversation_id fixed", &m.Conversation, "question", &m.Question, "method fixed", &m.Method, "scope fixed", &m.Scope,
		"follows fixed", &m.Follows, "answer", &m.Answer, "words written", lowered(m.Question, m.Answer), "sentences", &m.Sentences, "figures", (*storedFigures)(&m.Figures),
		"run_id", &m.Run, "status", &m.Status, "problem", &m.Problem, "created_at fixed", &m.CreatedAt,
	}
}}

// Message returns a message, or an error of kind NotFound.
func (l AnswerStore) Message(ctx context.Context, ws domain.WorkspaceID, id domain.MessageID) (Message, error) {
	m, err := message(ctx, l.reader, ws, id, "")
	return m, l.wrap("read message", err)
}

func message(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.MessageID, lock string) (Message, error) {
	missing := domain.Errorf(domain.NotFound, "There is no message %s here.", id)
	m, err := read(ctx, q, messageTable, missing, `WHERE workspace_id = ? AND id = ?`+lock, ws, id)
	if err != nil {
		return m, err
	}
	one := []Message{m}
	err = addCitations(ctx, q, ws, one)
	return one[0], err
}

// Messages lists the messages of conversations, oldest first and then by id.
func (l AnswerStore) Messages(ctx context.Context, ws domain.WorkspaceID, ids ...domain.ConversationID) ([]Message, error) {
	all, err := collectIn(ctx, l.reader, messageTable.Scan, messageTable.Select()+`WHERE workspace_id = ? AND conversation_id IN (%s) ORDER BY created_at, id`, []any{ws}, ids)
	if err == nil {
		err = addCitations(ctx, l.reader, ws, all)
	}
	return all, l.wrap("read messages", err)
}

// writeCitations replaces the citations of a message and of its charts.
func (l *store) writeCitations(ctx context.Context, tx *sql.Tx, m Message) error {
	var cited []domain.DocumentID
	for _, c := range m.Citations {
		cited = append(cited, c.DocumentID)
	}
	for _, f := range m.Figures {
		if f.Chart == nil {
			continue
		}
		for _, c := range f.Chart.Citations {
			cited = append(cited, c.DocumentID)
		}
	}
	if err := l.holdDocuments(ctx, tx, m.Workspace, cited); err != nil {
		return err
	}
	if err := sqlio.Exec(ctx, tx, `DELETE FROM citations WHERE workspace_id = ? AND message_id = ?`, m.Workspace, m.ID); err != nil {
		return err
	}
	for _, c := range m.Citations {
		if err := writeCitation(ctx, tx, "citations (workspace_id, message_id, "+citationColumns+")", []any{m.Workspace, m.ID}, m.Workspace, c); err != nil {
			return fmt.Errorf("write citation %d: %w", c.N, err)
		}
		if err := writeQuotation(ctx, tx, m, c); err != nil {
			return fmt.Errorf("write quotation %d: %w", c.N, err)
		}
	}
	return l.writeFigureCitations(ctx, tx, m)
}

const citationColumns = "n, document, document_id, chunk_id, page, span_start, span_end, version, place, text"

func citationFields(c *domain.Citation) []any {
	return []any{&c.N, &c.Document, &c.DocumentID, &c.Chunk, &c.Page, &c.Span.Start, &c.Span.End, &c.Version, &c.Place, &c.Text}
}

// writeCitation adds a citation to a table whose columns are a key's and
// citationColumns. It leaves out the words of a document, or of a version, that is gone.
func writeCitation(ctx context.Context, tx *sql.Tx, into string, key []any, ws domain.WorkspaceID, c domain.Citation) error {
	args := slices.Concat(key, []any{c.N, c.Document, c.DocumentID, c.Chunk, c.Page, c.Span.Start, c.Span.End, c.Version})
	const ifThere = `CASE WHEN EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND id = ? AND version = ?)
		OR EXISTS (SELECT 1 FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number = ?) THEN ? ELSE '' END`
	there := []any{ws, c.DocumentID, c.Version, ws, c.DocumentID, c.Version}
	return sqlio.Exec(ctx, tx, `INSERT INTO `+into+` VALUES (`+sqlio.Marks(len(args))+`, `+ifThere+`, `+ifThere+`)`,
		slices.Concat(args, there, []any{c.Place}, there, []any{c.Text})...)
}

// writeQuotation adds to a citation of an answer what a quotation has, without the words of a document that is gone.
func writeQuotation(ctx context.Context, tx *sql.Tx, m Message, c domain.Citation) error {
	if len(c.Marks) == 0 && !c.Close && c.Tie == "" {
		return nil
	}
	return sqlio.Exec(ctx, tx, `UPDATE citations SET marks = ?, is_close = ?, tie = CASE WHEN text = '' THEN '' ELSE ? END
		WHERE workspace_id = ? AND message_id = ? AND n = ?`, sqlio.JSON(c.Marks), flag(c.Close), c.Tie, m.Workspace, m.ID, c.N)
}

// addCitations fills in the citations of messages and of their charts.
func addCitations(ctx context.Context, q querier, ws domain.WorkspaceID, messages []Message) error {
	at := make(map[domain.MessageID]*Message, len(messages))
	var ids, drawn []domain.MessageID
	for i := range messages {
		m := &messages[i]
		at[m.ID] = m
		ids = append(ids, m.ID)
		if slices.ContainsFunc(m.Figures, func(f domain.Figure) bool { return f.Chart != nil }) {
			drawn = append(drawn, m.ID)
		}
	}
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var of domain.MessageID
		var c domain.Citation
		if err := rows.Scan(sqlio.To(append([]any{&of, &c.Marks, &c.Close, &c.Tie}, citationFields(&c)...)...)...); err != nil {
			return err
		}
		at[of].Citations = append(at[of].Citations, c)
		return nil
	}, `SELECT message_id, marks, is_close, tie, `+citationColumns+` FROM citations WHERE workspace_id = ? AND message_id IN (%s) ORDER BY message_id, n`, []any{ws}, ids)
	if err != nil {
		return fmt.Errorf("read citations: %w", err)
	}
	return addFigureCitations(ctx, q, ws, at, drawn)
}

// storedFigures are figures without the citations of their charts, which have a
// table.
type storedFigures []domain.Figure

// Value implements driver.Valuer.
func (s storedFigures) Value() (driver.Value, error) {
	bare := slices.Clone(s)
	for i, f := range bare {
		if f.Chart != nil {
			chart := *f.Chart
			chart.Citations = nil
			bare[i].Chart = &chart
		}
	}
	return sqlio.JSON([]domain.Figure(bare)).Value()
}

func (l *store) writeFigureCitations(ctx context.Context, tx *sql.Tx, m Message) error {
	if err := sqlio.Exec(ctx, tx, `DELETE FROM figure_citations WHERE workspace_id = ? AND message_id = ?`, m.Workspace, m.ID); err != nil {
		return err
	}
	for i, f := range m.Figures {
		if f.Chart == nil {
			continue
		}
		for _, c := range f.Chart.Citations {
			err := writeCitation(ctx, tx, "figure_citations (workspace_id, message_id, figure, "+citationColumns+")", []any{m.Workspace, m.ID, i}, m.Workspace, c)
			if err != nil {
				return fmt.Errorf("write citation %d of chart %d: %w", c.N, i+1, err)
			}
		}
	}
	return nil
}

func addFigureCitations(ctx context.Context, q querier, ws domain.WorkspaceID, at map[domain.MessageID]*Message, drawn []domain.MessageID) error {
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var of domain.MessageID
		var figure int
		var c domain.Citation
		if err := rows.Scan(append([]any{&of, &figure}, citationFields(&c)...)...); err != nil {
			return err
		}
		if figures := at[of].Figures; figure < len(figures) && figures[figure].Chart != nil {
			figures[figure].Chart.Citations = append(figures[figure].Chart.Citations, c)
		}
		return nil
	}, `SELECT message_id, figure, `+citationColumns+` FROM figure_citations WHERE workspace_id = ? AND message_id IN (%s) ORDER BY message_id, figure, n`,
		[]any{ws}, drawn)
	if err != nil {
		return fmt.Errorf("read citations of charts: %w", err)
	}
	return nil
}

// A Branch is another run about a message, with its own answer. The message's
// question and answer stay as they are.
type Branch struct {
	ID        domain.BranchID
	Workspace domain.WorkspaceID
	Message   domain.MessageID
	Run       domain.RunID
	Parent    domain.RunID // at one of whose steps it begins; "" begins at the start of the graph
	Step      int          // of the parent, as pages number them
	Super     int          // that step, as the parent's graph counts super-steps
	Purpose   string
	Question  string
	Scope     domain.Scope
	Changes   json.RawMessage // what it has other than its parent
	Person    string          // who asked for it, as domain.PersonOf says
	Status    MessageStatus
	Problem   string
	Answer    string
	Sentences []domain.Sentence
	Citations []domain.Citation
	Figures   []domain.Figure
	CreatedAt time.Time
}

// PurposeEdit is the purpose of a branch that asks its message again, in other words
// or in the same. A conversation goes on with the latest of them.
const PurposeEdit = "edit"

var branchTable = sqlio.Table[Branch]{Name: "branches", Row: func(b *Branch) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &b.Workspace, "id key", &b.ID, "message_id fixed", &b.Message, "run_id fixed", &b.Run, "parent_run", &b.Parent, "step", &b.Step, "super", &b.Super,
		"purpose", &b.Purpose, "question fixed", &b.Question, "scope fixed", &b.Scope, "changes", &b.Changes, "person", &b.Person, "status", &b.Status, "problem", &b.Problem,
		"answer", &b.Answer, "words written", lowered(b.Question, b.Answer), "sentences", &b.Sentences, "citations", &b.Citations, "figures", &b.Figures, "created_at fixed", &b.CreatedAt,
	}
}}

// AddBranchTx stores a new branch and calls more in the same transaction, as
// AddDocument does: more adds the branch's run. What the parent's run has read
// counts as read by the branch. The error is NotFound when there is no such
// message, and Conflict when the id is taken.
func (l AnswerStore) AddBranchTx(ctx context.Context, b Branch, more func(*sql.Tx) error) error {
	return l.tx(ctx, "add branch", func(tx *sql.Tx, now time.Time) error {
		if b.CreatedAt.IsZero() {
			b.CreatedAt = now
		}
		if _, err := message(ctx, tx, b.Workspace, b.Message, l.lock.Staying); err != nil {
			return err
		}
		fresh, err := branchTable.Insert(ctx, tx, &b)
		if err != nil {
			return err
		}
		if !fresh {
			return domain.Errorf(domain.Conflict, "There is a branch %s already.", b.ID)
		}
		if err := more(tx); err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `INSERT INTO run_documents (workspace_id, run_id, document_id)
			SELECT workspace_id, ?, document_id FROM run_documents WHERE workspace_id = ? AND run_id = ?`, b.Run, b.Workspace, b.Parent)
	})
}

// UpdateBranch lets f change the stored branch, in one transaction. Its
// workspace, id, message, run, question, scope and CreatedAt stay.
// f must not change what the branch refers to, but replace it. Once a document that its
// run has read is deleted, the answer is left out.
func (l AnswerStore) UpdateBranch(ctx context.Context, ws domain.WorkspaceID, id domain.BranchID, f func(*Branch)) (Branch, error) {
	var b Branch
	err := l.tx(ctx, "update branch", func(tx *sql.Tx, _ time.Time) error {
		stored, err := branch(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		b = stored
		f(&b)
		b.Workspace, b.ID, b.Message, b.Run, b.CreatedAt = ws, id, stored.Message, stored.Run, stored.CreatedAt
		b.Question, b.Scope = stored.Question, stored.Scope
		gone, err := l.hasReadDeleted(ctx, tx, b.Run, ws)
		if err != nil {
			return err
		}
		if gone {
			b.Answer, b.Sentences, b.Citations, b.Figures = "", nil, nil, nil
		}
		return branchTable.Update(ctx, tx, &stored, &b)
	})
	return b, err
}

// Branch returns a branch, or an error of kind NotFound.
func (l AnswerStore) Branch(ctx context.Context, ws domain.WorkspaceID, id domain.BranchID) (Branch, error) {
	b, err := branch(ctx, l.reader, ws, id, "")
	return b, l.wrap("read branch", err)
}

func branch(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.BranchID, lock string) (Branch, error) {
	missing := domain.Errorf(domain.NotFound, "There is no branch %s here. It, or a document that it has read, may have been deleted.", id)
	return read(ctx, q, branchTable, missing, `WHERE workspace_id = ? AND id = ?`+lock, ws, id)
}

// BranchesByID returns branches in any order. Ids that are gone are left out.
func (l AnswerStore) BranchesByID(ctx context.Context, ws domain.WorkspaceID, ids []domain.BranchID) ([]Branch, error) {
	return listIn(ctx, l, "read branches", branchTable.Scan, branchTable.Select()+`WHERE workspace_id = ? AND id IN (%s)`, []any{ws}, ids)
}

// BranchesOf lists the branches of messages, oldest first and then by id.
func (l AnswerStore) BranchesOf(ctx context.Context, ws domain.WorkspaceID, messages ...domain.MessageID) ([]Branch, error) {
	return listIn(ctx, l, "list branches", branchTable.Scan, branchTable.Select()+`WHERE workspace_id = ? AND message_id IN (%s)
		ORDER BY created_at, id`, []any{ws}, messages)
}

// BranchesBeside lists all branches of the message that a run answers, as asked or as a
// branch, in the order of BranchesOf.
func (l AnswerStore) BranchesBeside(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) ([]Branch, error) {
	return list(ctx, l, "list branches", branchTable.Scan, branchTable.Select()+`WHERE workspace_id = ? AND message_id IN (
		SELECT id FROM messages WHERE workspace_id = ? AND run_id = ? UNION SELECT message_id FROM branches WHERE workspace_id = ? AND run_id = ?)
		ORDER BY created_at, id`, ws, ws, run, ws, run)
}

// DeleteBranch removes a branch and those that begin at its steps, with their
// runs, or returns an error of kind NotFound.
func (l AnswerStore) DeleteBranch(ctx context.Context, ws domain.WorkspaceID, id domain.BranchID) error {
	return l.erase(ctx, "delete branch", func(tx *sql.Tx, _ time.Time) error {
		b, err := branch(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		runs, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.RunID], `WITH RECURSIVE gone (run_id) AS (
				SELECT run_id FROM branches WHERE workspace_id = ? AND id = ?
				UNION SELECT b.run_id FROM branches b JOIN gone g ON b.parent_run = g.run_id WHERE b.workspace_id = ?)
			SELECT run_id FROM gone`, ws, b.ID, ws)
		if err != nil {
			return err
		}
		return deleteRuns(ctx, tx, ws, runs)
	})
}

// deleteRuns removes runs that answer, the branches that they are, and all that
// they have left: events and notes of what was read go with the run.
func deleteRuns(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, runs []domain.RunID) error {
	for _, d := range []struct{ what, statement string }{
		{"what was said of them", `DELETE FROM feedback WHERE workspace_id = ? AND run_id IN (%s)`},
		{"branches", `DELETE FROM branches WHERE workspace_id = ? AND run_id IN (%s)`},
		{"their model calls", `DELETE FROM model_calls WHERE workspace_id = ? AND run_id <> '' AND run_id IN (%s)`},
		{"their threads", `DELETE FROM threads WHERE id IN (SELECT id FROM runs WHERE workspace_id = ? AND id IN (%s))`},
		{"their runs", `DELETE FROM runs WHERE workspace_id = ? AND id IN (%s)`},
	} {
		if err := execIn(ctx, tx, d.statement, []any{ws}, runs); err != nil {
			return fmt.Errorf("remove %s: %w", d.what, err)
		}
	}
	return nil
}

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
func (l AnswerStore) SaveFeedback(ctx context.Context, ws domain.WorkspaceID, f Feedback) error {
	return l.tx(ctx, "save feedback", func(tx *sql.Tx, now time.Time) error {
		if err := l.answers(ctx, tx, ws, f.Message, f.Run); err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `INSERT INTO feedback (workspace_id, run_id, person, message_id, good, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (workspace_id, run_id, person) DO UPDATE SET good = excluded.good, reason = excluded.reason, created_at = excluded.created_at`,
			ws, f.Run, f.Person, f.Message, flag(f.Good), f.Reason, sqlio.Millis(now))
	})
}

// answers fails unless a run answers a message, as asked or as a branch. It keeps
// both until the end of the transaction.
func (l *store) answers(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.MessageID, run domain.RunID) error {
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
func (l AnswerStore) DeleteFeedback(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, person string) error {
	_, err := l.writer.ExecContext(ctx, `DELETE FROM feedback WHERE workspace_id = ? AND run_id = ? AND person = ?`, ws, run, person)
	return l.wrap("delete feedback", err)
}

// FeedbackOf returns what a person said of answers to messages, by the run of the
// answer.
func (l AnswerStore) FeedbackOf(ctx context.Context, ws domain.WorkspaceID, person string, messages ...domain.MessageID) (map[domain.RunID]Feedback, error) {
	by := map[domain.RunID]Feedback{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var f Feedback
		err := rows.Scan(sqlio.To(&f.Message, &f.Run, &f.Person, &f.Good, &f.Reason, &f.At)...)
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
func (l AnswerStore) Feedback(ctx context.Context, ws domain.WorkspaceID, n int) ([]JudgedAnswer, error) {
	return list(ctx, l, "list feedback", into(func(j *JudgedAnswer) []any {
		return []any{&j.Message, &j.Run, &j.Person, &j.Good, &j.Reason, &j.At, &j.Conversation, &j.Question, &j.Scope, &j.Answer}
	}), `SELECT f.message_id, f.run_id, f.person, f.good, f.reason, f.created_at, m.conversation_id,
			COALESCE(b.question, m.question), COALESCE(b.scope, m.scope), COALESCE(b.answer, m.answer)
		FROM feedback f JOIN messages m ON m.workspace_id = f.workspace_id AND m.id = f.message_id
		LEFT JOIN branches b ON b.workspace_id = f.workspace_id AND b.run_id = f.run_id
		WHERE f.workspace_id = ? ORDER BY f.created_at DESC, f.run_id, f.person LIMIT ?`, ws, limit(n))
}
