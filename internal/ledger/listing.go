package ledger

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// UnsettledDocuments lists the newest documents and all that are waiting or being
// read, newest first and then by id.
func (l *Ledger) UnsettledDocuments(ctx context.Context, ws domain.WorkspaceID, newest int) ([]domain.Document, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanDocumentRow, `SELECT `+documentColumns+` FROM documents WHERE workspace_id = ? AND delete_at = 0 AND (status IN (?, ?)
		OR id IN (SELECT id FROM (SELECT id FROM documents WHERE workspace_id = ? AND delete_at = 0 ORDER BY created_at DESC, id LIMIT ?) n))
		ORDER BY created_at DESC, id`, ws, domain.DocumentWaiting, domain.DocumentWorking, ws, newest)
	return found, l.wrap("list unsettled documents", err)
}

// DocumentsByID returns documents in any order. Ids that are gone, or hidden by a deletion, are
// left out.
func (l *Ledger) DocumentsByID(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) ([]domain.Document, error) {
	found, err := collectIn(ctx, l.reader, scanDocumentRow, `SELECT `+documentColumns+` FROM documents WHERE workspace_id = ? AND delete_at = 0 AND id IN (%s)`, []any{ws}, ids)
	return found, l.wrap("read documents", err)
}

func scanDocumentRow(rows *sql.Rows) (domain.Document, error) { return scanDocument(rows.Scan) }

// CountReadable counts the documents that can be searched and summarised, in all
// and by tag.
func (l *Ledger) CountReadable(ctx context.Context, ws domain.WorkspaceID) (all int, byTag map[string]int, err error) {
	const readable = ` d.workspace_id = ? AND d.delete_at = 0 AND d.status IN (?, ?)`
	args := []any{ws, domain.DocumentReady, domain.DocumentEmpty}
	byTag = map[string]int{}
	err = sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var tag string
		var n int
		if err := rows.Scan(&tag, &n); err != nil {
			return err
		}
		if tag == "" {
			all = n
			return nil
		}
		byTag[tag] = n
		return nil
	}, `SELECT '', COUNT(*) FROM documents d WHERE`+readable+` UNION ALL
		SELECT t.tag, COUNT(*) FROM document_tags t JOIN documents d ON d.workspace_id = t.workspace_id AND d.id = t.document_id
		WHERE`+readable+` GROUP BY t.tag`, append(args, args...)...)
	return all, byTag, l.wrap("count readable documents", err)
}

// Asked is a question with its conversation.
type Asked struct {
	Conversation domain.ConversationID
	Question     string
}

// Questions returns the questions of messages, without messages that are gone.
func (l *Ledger) Questions(ctx context.Context, ws domain.WorkspaceID, ids []domain.MessageID) (map[domain.MessageID]Asked, error) {
	by := map[domain.MessageID]Asked{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.MessageID
		var a Asked
		err := rows.Scan(&id, &a.Conversation, &a.Question)
		by[id] = a
		return err
	}, `SELECT id, conversation_id, question FROM messages WHERE workspace_id = ? AND id IN (%s)`, []any{ws}, ids)
	return by, l.wrap("read questions", err)
}

// EventsOf returns the events of several runs, each in order.
func (l *Ledger) EventsOf(ctx context.Context, ws domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID][]EventRow, error) {
	by := map[domain.RunID][]EventRow{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var run domain.RunID
		var e EventRow
		err := rows.Scan(&run, &e.Seq, instant{&e.At}, &e.JSON)
		by[run] = append(by[run], e)
		return err
	}, `SELECT run_id, seq, at, json FROM events WHERE workspace_id = ? AND run_id IN (%s) ORDER BY run_id, seq`, []any{ws}, runs)
	return by, l.wrap("read events", err)
}

// RewrittenTexts returns the hashes of the present texts of those documents of
// the summaries that were updated after their summary was ordered.
func (l *Ledger) RewrittenTexts(ctx context.Context, ws domain.WorkspaceID, summaries []domain.SummaryID) (map[domain.DocumentID]string, error) {
	hashes := map[domain.DocumentID]string{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.DocumentID
		var content string
		err := rows.Scan(&id, &content)
		hashes[id] = domain.Hash([]byte(content))
		return err
	}, `SELECT document_id, content FROM texts WHERE workspace_id = ? AND document_id IN (
		SELECT p.document_id FROM summary_documents p
		JOIN summaries s ON s.workspace_id = p.workspace_id AND s.id = p.summary_id
		JOIN documents d ON d.workspace_id = p.workspace_id AND d.id = p.document_id
		WHERE p.workspace_id = ? AND d.updated_at > s.created_at AND p.summary_id IN (%s))`, []any{ws, ws}, summaries)
	return hashes, l.wrap("read the texts of summaries", err)
}

// AskedQuestions returns the latest questions of conversations, newest first.
func (l *Ledger) AskedQuestions(ctx context.Context, ws domain.WorkspaceID, most int) ([]string, error) {
	found, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (string, error) {
		var q string
		return q, rows.Scan(&q)
	}, `SELECT m.question FROM messages m JOIN conversations c ON c.workspace_id = m.workspace_id AND c.id = m.conversation_id
		WHERE m.workspace_id = ? AND c.delete_at = 0 ORDER BY m.created_at DESC, m.id LIMIT ?`, ws, most)
	return found, l.wrap("list asked questions", err)
}
