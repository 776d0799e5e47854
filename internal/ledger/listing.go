package ledger

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// The methods of this file answer for a whole list what others answer for one
// item, in a number of statements that does not grow with the list.

// CountOutdated counts the documents that were read to their end by another
// extractor than reader.
func (l *Ledger) CountOutdated(ctx context.Context, ws domain.WorkspaceID, reader string) (n int, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM documents WHERE workspace_id = ? AND status IN (?, ?) AND reader <> ?`,
		ws, domain.DocumentReady, domain.DocumentEmpty, reader).Scan(&n)
	return n, l.wrap("count outdated documents", err)
}

// UnsettledDocuments lists, newest first and then by id, the newest documents
// and all that are waiting or being read, and those among also, so that a caller
// sees how a document that it has seen at work ends.
func (l *Ledger) UnsettledDocuments(ctx context.Context, ws domain.WorkspaceID, newest int, also []domain.DocumentID) ([]domain.Document, error) {
	scan := func(rows *sql.Rows) (domain.Document, error) { return scanDocument(rows.Scan) }
	also = append(also[:len(also):len(also)], "") // Postgres refuses an empty list
	args := append([]any{ws, domain.DocumentWaiting, domain.DocumentWorking, ws, newest}, sqlio.Args(also)...)
	found, err := sqlio.Collect(ctx, l.reader, scan, `SELECT `+documentColumns+` FROM documents WHERE workspace_id = ? AND (status IN (?, ?)
		OR id IN (SELECT id FROM (SELECT id FROM documents WHERE workspace_id = ? ORDER BY created_at DESC, id LIMIT ?) n)
		OR id IN (`+sqlio.Marks(len(also))+`)) ORDER BY created_at DESC, id`, args...)
	return found, l.wrap("list unsettled documents", err)
}

// CountReadable counts the documents that can be searched and summarised: all of
// them, and by tag.
func (l *Ledger) CountReadable(ctx context.Context, ws domain.WorkspaceID) (all int, byTag map[string]int, err error) {
	const readable = ` d.workspace_id = ? AND d.status IN (?, ?)`
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

// LastMessages returns the last message of each conversation that has one.
func (l *Ledger) LastMessages(ctx context.Context, ws domain.WorkspaceID, of []domain.ConversationID) (map[domain.ConversationID]Message, error) {
	scan := func(rows *sql.Rows) (Message, error) { return scanMessage(rows.Scan) }
	list, err := collectIn(ctx, l.reader, scan, messagesFrom+` AND conversation_id IN (%s) AND NOT EXISTS (SELECT 1 FROM messages later
		WHERE later.workspace_id = messages.workspace_id AND later.conversation_id = messages.conversation_id
		AND (later.created_at > messages.created_at OR later.created_at = messages.created_at AND later.id > messages.id))`, []any{ws}, of)
	if err == nil {
		err = addCitations(ctx, l.reader, ws, list)
	}
	if err != nil {
		return nil, l.wrap("read the last messages", err)
	}
	last := make(map[domain.ConversationID]Message, len(list))
	for _, m := range list {
		last[m.Conversation] = m
	}
	return last, nil
}

// Asked is a question as lists name it.
type Asked struct {
	Conversation domain.ConversationID
	Question     string
}

// Questions returns the questions of messages. Ids that are gone are left out.
func (l *Ledger) Questions(ctx context.Context, ws domain.WorkspaceID, ids []domain.MessageID) (map[domain.MessageID]Asked, error) {
	type row struct {
		id domain.MessageID
		Asked
	}
	rows, err := collectIn(ctx, l.reader, func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.id, &r.Conversation, &r.Question)
	}, `SELECT id, conversation_id, question FROM messages WHERE workspace_id = ? AND id IN (%s)`, []any{ws}, ids)
	by := make(map[domain.MessageID]Asked, len(rows))
	for _, r := range rows {
		by[r.id] = r.Asked
	}
	return by, l.wrap("read questions", err)
}

// EventsOf returns the events of several runs, each in order.
func (l *Ledger) EventsOf(ctx context.Context, ws domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID][]EventRow, error) {
	type row struct {
		run domain.RunID
		EventRow
	}
	rows, err := collectIn(ctx, l.reader, func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.run, &r.Seq, instant{&r.At}, &r.JSON)
	}, `SELECT run_id, seq, at, json FROM events WHERE workspace_id = ? AND run_id IN (%s) ORDER BY run_id, seq`, []any{ws}, runs)
	by := map[domain.RunID][]EventRow{}
	for _, r := range rows {
		by[r.run] = append(by[r.run], r.EventRow)
	}
	return by, l.wrap("read events", err)
}

// RewrittenTexts returns the hashes of the present texts of documents that were
// updated after one of the summaries was ordered that they are in.
func (l *Ledger) RewrittenTexts(ctx context.Context, ws domain.WorkspaceID, summaries []domain.SummaryID) (map[domain.DocumentID]string, error) {
	hashes := map[domain.DocumentID]string{}
	_, err := collectIn(ctx, l.reader, func(rows *sql.Rows) (none struct{}, err error) {
		var id domain.DocumentID
		var content string
		err = rows.Scan(&id, &content)
		hashes[id] = domain.Hash([]byte(content))
		return none, err
	}, `SELECT document_id, content FROM texts WHERE workspace_id = ? AND document_id IN (
		SELECT p.document_id FROM summary_documents p
		JOIN summaries s ON s.workspace_id = p.workspace_id AND s.id = p.summary_id
		JOIN documents d ON d.workspace_id = p.workspace_id AND d.id = p.document_id
		WHERE p.workspace_id = ? AND d.updated_at > s.created_at AND p.summary_id IN (%s))`, []any{ws, ws}, summaries)
	return hashes, l.wrap("read the texts of summaries", err)
}
