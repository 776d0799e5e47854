package ledger

import (
	"context"
	"database/sql"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A DocumentQuery selects documents. Empty fields select all.
type DocumentQuery struct {
	Text   string // part of the name or title, in any case
	Tag    string
	Chosen string // name of the schema chosen for it
	Status []domain.DocumentStatus
	IDs    []domain.DocumentID
	Limit  int // 0 means all
	Offset int
}

func (dq DocumentQuery) where(ws domain.WorkspaceID) (string, []any) {
	cond, args := "workspace_id = ?", []any{ws}
	if text := strings.ToLower(strings.TrimSpace(dq.Text)); text != "" {
		cond += ` AND words LIKE ? ESCAPE '!'`
		args = append(args, "%"+likeEscaper.Replace(text)+"%")
	}
	if dq.Tag != "" {
		cond += " AND id IN (SELECT document_id FROM document_tags WHERE workspace_id = ? AND tag = ?)"
		args = append(args, ws, dq.Tag)
	}
	if dq.Chosen != "" {
		cond += " AND schema_name = ?"
		args = append(args, dq.Chosen)
	}
	if len(dq.Status) > 0 {
		cond += " AND status IN (" + sqlio.Marks(len(dq.Status)) + ")"
		args = append(args, sqlio.Args(dq.Status)...)
	}
	if len(dq.IDs) > 0 {
		cond += " AND id IN (" + sqlio.Marks(len(dq.IDs)) + ")"
		args = append(args, sqlio.Args(dq.IDs)...)
	}
	return cond, args
}

var likeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// Documents lists documents, newest first and then by id, and the number that
// the query selects without Limit and Offset.
func (l *Ledger) Documents(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery) ([]domain.Document, int, error) {
	cond, args := dq.where(ws)
	var total int
	if err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM documents WHERE `+cond, args...).Scan(&total); err != nil {
		return nil, 0, l.wrap("count documents", err)
	}
	found, err := sqlio.Collect(ctx, l.reader, scanDocumentRow,
		`SELECT `+documentColumns+` FROM documents WHERE `+cond+` ORDER BY created_at DESC, id LIMIT ? OFFSET ?`,
		append(args, limit(dq.Limit), dq.Offset)...)
	return found, total, l.wrap("list documents", err)
}

// limit returns n for a LIMIT clause, where 0 stands for all.
func limit(n int) int {
	if n <= 0 {
		return 1 << 31
	}
	return n
}

// DocumentCounts holds the numbers of a workspace's documents.
type DocumentCounts struct {
	ByStatus map[domain.DocumentStatus]int
	Outdated int // read to their end, by another extractor than the given one; imported graphs are the same for all
	Pairs    int // proposals that wait for a decision, because every page counts both
}

// All returns the number of documents.
func (c DocumentCounts) All() (n int) {
	for _, some := range c.ByStatus {
		n += some
	}
	return n
}

// Unread returns how many wait to be read or are being read.
func (c DocumentCounts) Unread() int {
	return c.ByStatus[domain.DocumentWaiting] + c.ByStatus[domain.DocumentWorking]
}

// CountDocuments counts documents. reader is the extractor in use.
func (l *Ledger) CountDocuments(ctx context.Context, ws domain.WorkspaceID, reader string) (DocumentCounts, error) {
	c := DocumentCounts{ByStatus: map[domain.DocumentStatus]int{}}
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var status domain.DocumentStatus
		var n, others int
		err := rows.Scan(&status, &n, &others, &c.Pairs)
		c.ByStatus[status] = n
		if status == domain.DocumentReady || status == domain.DocumentEmpty {
			c.Outdated += others
		}
		return err
	}, `SELECT status, COUNT(*), SUM(CASE WHEN reader <> ? AND format <> 'graph' THEN 1 ELSE 0 END),
		(SELECT COUNT(*) FROM proposals WHERE workspace_id = ? AND status IN ('open', 'later')) FROM documents WHERE workspace_id = ? GROUP BY status`, reader, ws, ws)
	return c, l.wrap("count documents", err)
}

// OutdatedChunks counts the documents that CountDocuments counts as outdated, and
// returns the tokens of their chunks, which have no text, in the order of documents.
func (l *Ledger) OutdatedChunks(ctx context.Context, ws domain.WorkspaceID, reader string) (documents int, chunks []domain.Chunk, err error) {
	var last domain.DocumentID
	err = sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var c domain.Chunk
		if err := rows.Scan(&c.Document, &c.Ordinal, &c.Tokens); err != nil {
			return err
		}
		if c.Document != last {
			documents, last = documents+1, c.Document
		}
		if c.Ordinal >= 0 {
			chunks = append(chunks, c)
		}
		return nil
	}, `SELECT d.id, COALESCE(c.ordinal, -1), COALESCE(c.tokens, 0)
		FROM documents d LEFT JOIN chunks c ON c.workspace_id = d.workspace_id AND c.document_id = d.id
		WHERE d.workspace_id = ? AND d.status IN (?, ?) AND d.reader <> ? AND d.format <> 'graph' ORDER BY d.id, c.ordinal`,
		ws, domain.DocumentReady, domain.DocumentEmpty, reader)
	return documents, chunks, l.wrap("count chunks", err)
}

// Workspaces lists the workspaces that have ever held a document, by id.
func (l *Ledger) Workspaces(ctx context.Context) ([]domain.WorkspaceID, error) {
	all, err := sqlio.Collect(ctx, l.reader, sqlio.Column[domain.WorkspaceID], `SELECT id FROM workspaces ORDER BY id`)
	return all, l.wrap("list workspaces", err)
}
