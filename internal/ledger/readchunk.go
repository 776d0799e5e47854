package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A ReadChunk is a chunk with what was mined from it.
type ReadChunk struct {
	domain.Chunk
	Reader  string               `json:"reader,omitempty"` // the extractor that mined it; "" if none has
	Schema  int64                `json:"schema,omitempty"` // the number of the schema with which it was mined, 0 for none
	Graph   domain.GraphDocument `json:"mined"`
	Dropped []domain.Dropped     `json:"dropped"`
}

// ReadChunks lists at most n chunks of a document from an ordinal on, all when n is 0.
func (l *Ledger) ReadChunks(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, from, n int) ([]ReadChunk, error) {
	list, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c ReadChunk, err error) {
		return c, rows.Scan(append(chunkFields(&c.Chunk), &c.Reader, &c.Schema, column{&c.Graph})...)
	}, `SELECT `+chunkColumns+`, COALESCE(g.reader, ''), COALESCE(g.mined_schema, 0), COALESCE(g.graph, '{}')
		FROM chunks c LEFT JOIN contributions g ON g.workspace_id = c.workspace_id AND g.chunk_id = c.id
		WHERE c.workspace_id = ? AND c.document_id = ? AND c.ordinal >= ? ORDER BY c.ordinal LIMIT ?`, ws, id, from, limit(n))
	if err != nil || len(list) == 0 {
		return nil, l.wrap("read chunks with what was mined", err)
	}
	at := make(map[domain.ChunkID]*ReadChunk, len(list))
	for i := range list {
		at[list[i].ID] = &list[i]
	}
	err = sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var of domain.ChunkID
		var d domain.Dropped
		if err := rows.Scan(&of, column{&d}); err != nil {
			return err
		}
		if c := at[of]; c != nil {
			c.Dropped = append(c.Dropped, d)
		}
		return nil
	}, `SELECT d.chunk_id, d.item FROM dropped d JOIN chunks c ON c.workspace_id = d.workspace_id AND c.id = d.chunk_id
		WHERE d.workspace_id = ? AND d.document_id = ? AND c.ordinal >= ? AND c.ordinal <= ? ORDER BY c.ordinal, d.position`,
		ws, id, list[0].Ordinal, list[len(list)-1].Ordinal)
	return list, l.wrap("read what was dropped from chunks", err)
}

// A Citing is a question whose answer cites a document.
type Citing struct {
	Conversation domain.ConversationID `json:"conversation"`
	Message      domain.MessageID      `json:"message"`
	Question     string                `json:"question"`
	N            int                   `json:"n"` // of the first citation of the document
	Page         int                   `json:"page,omitempty"`
	Place        string                `json:"place,omitempty"`
	CreatedAt    time.Time             `json:"created_at"`
}

// Citing lists the latest questions, at most n, whose answers cite a document.
func (l *Ledger) Citing(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, n int) ([]Citing, error) {
	list, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c Citing, err error) {
		return c, rows.Scan(&c.Conversation, &c.Message, &c.Question, &c.N, &c.Page, &c.Place, instant{&c.CreatedAt})
	}, `SELECT m.conversation_id, m.id, m.question, x.n, x.page, x.place, m.created_at
		FROM citations x JOIN messages m ON m.workspace_id = x.workspace_id AND m.id = x.message_id
		WHERE x.workspace_id = ? AND x.document_id = ? AND NOT EXISTS (SELECT 1 FROM citations y
			WHERE y.workspace_id = x.workspace_id AND y.message_id = x.message_id AND y.document_id = x.document_id AND y.n < x.n)
		ORDER BY m.created_at DESC, m.id LIMIT ?`, ws, id, limit(n))
	return list, l.wrap("list questions that cite a document", err)
}
