package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// chunkTable is the chunks of a workspace.
func chunkTable(ws domain.WorkspaceID) sqlio.Table[domain.Chunk] {
	return sqlio.Table[domain.Chunk]{Name: "chunks", Row: func(c *domain.Chunk) sqlio.Row {
		return sqlio.Row{
			"workspace_id written", ws, "id key", &c.ID, "document_id", &c.Document, "ordinal", &c.Ordinal, "span_start", &c.Span.Start, "span_end", &c.Span.End, "page", &c.Page,
			"headings", &c.Headings, "text", &c.Text, "tokens", &c.Tokens, "places", &c.Places,
		}
	}}
}

// What is read of chunks c.
var (
	chunkColumns = chunkTable("").Columns("c")
	chunkFields  = chunkTable("").Fields
	scanChunk    = chunkTable("").Scan
)

// SaveChunks replaces a document's chunks. A chunk whose id, span and text stay
// the same keeps its contribution; the spans of any other would no longer fit.
func (l ChunkStore) SaveChunks(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, chunks []domain.Chunk) error {
	_, err := l.Cut(ctx, domain.Document{Workspace: ws, ID: id}, chunks)
	return err
}

// Cut replaces the chunks of a document like SaveChunks and updates the given columns of its row from d. It reports whether the document
// had chunks before.
func (l ChunkStore) Cut(ctx context.Context, d domain.Document, chunks []domain.Chunk, columns ...string) (before bool, err error) {
	ws, id := d.Workspace, d.ID
	err = l.tx(ctx, "save chunks", func(tx *sql.Tx, now time.Time) error {
		d.UpdatedAt = stamp(now)
		done, err := documentTable.Set(ctx, tx, &d, &d, append(columns, "updated_at")...) // this locks the document
		if err != nil {
			return err
		}
		stored, err := chunksOf(ctx, tx, ws, id)
		if err = missing(done, err, id); err != nil {
			return err
		}
		before = len(stored) > 0
		kept := make(map[domain.ChunkID]domain.Chunk, len(chunks))
		fresh := slices.Clone(chunks)
		for i, c := range chunks {
			fresh[i].Document, kept[c.ID] = id, c
		}
		for _, c := range stored {
			if k, ok := kept[c.ID]; ok && k.Span == c.Span && k.Text == c.Text {
				continue
			}
			if err := sqlio.Exec(ctx, tx, deleteChunk, ws, c.ID); err != nil {
				return err
			}
		}
		return chunkTable(ws).InsertAll(ctx, tx, fresh, `ON CONFLICT (workspace_id, id) DO UPDATE SET ordinal = excluded.ordinal, page = excluded.page,
			headings = excluded.headings, text = excluded.text, tokens = excluded.tokens, places = excluded.places
			WHERE chunks.document_id = excluded.document_id`)
	})
	if err == nil && len(columns) > 0 && d.VersionOf == "" {
		for _, c := range chunks {
			l.named.put(namedID{ws, string(c.ID)}, id)
		}
	}
	return before, err
}

// Chunks lists a document's chunks in reading order.
func (l ChunkStore) Chunks(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]domain.Chunk, error) {
	seen, args := seenIn(ctx, "document_id", ws)
	chunks, err := chunkTable("").List(ctx, l.reader, `WHERE workspace_id = ? AND document_id = ?`+seen+` ORDER BY ordinal`, append([]any{ws, id}, args...)...)
	return chunks, l.wrap("read chunks", err)
}

// ChunksOf returns the chunks of documents, each document's in reading order.
func (l ChunkStore) ChunksOf(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) (map[domain.DocumentID][]domain.Chunk, error) {
	seen, args := seenIn(ctx, "document_id", ws)
	rows, err := listIn(ctx, l, "read chunks", scanChunk, chunkTable("").Select()+`WHERE workspace_id = ?`+seen+` AND document_id IN (%s) ORDER BY document_id, ordinal`, append([]any{ws}, args...), ids)
	of := make(map[domain.DocumentID][]domain.Chunk, len(ids))
	for _, c := range rows {
		of[c.Document] = append(of[c.Document], c)
	}
	return of, err
}

func chunksOf(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.DocumentID) ([]domain.Chunk, error) {
	return chunkTable("").List(ctx, q, `WHERE workspace_id = ? AND document_id = ? ORDER BY ordinal`, ws, id)
}

var passagesFrom = `SELECT ` + chunkColumns + `, d.name, d.title, d.version
	FROM chunks c JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id`

// inSight leaves out the passages of documents that are hidden by a deletion. A run that
// still reads one needs them: its deletion may be taken back.
const inSight = ` AND NOT (d.delete_at > 0 AND d.status NOT IN ('waiting', 'working'))`

// Passages returns chunks with their documents' names, in the order of ids and
// without those that are gone or hidden by a deletion.
func (l ChunkStore) Passages(ctx context.Context, ws domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	seen, args := Seen(ctx, "d")
	rows, err := listIn(ctx, l, "read passages", scanPassage, passagesFrom+` WHERE c.workspace_id = ?`+seen+` AND c.id IN (%s)`+inSight, append([]any{ws}, args...), ids)
	if err != nil {
		return nil, err
	}
	by := lists.By(rows, func(p domain.Passage) domain.ChunkID { return p.ID })
	found := make([]domain.Passage, 0, len(rows))
	for _, id := range ids {
		if p, ok := by[id]; ok {
			found = append(found, p)
		}
	}
	return found, nil
}

// PassagesOf lists the passages of documents in reading order, without those that are
// hidden by a deletion.
func (l ChunkStore) PassagesOf(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) ([]domain.Passage, error) {
	seen, args := Seen(ctx, "d")
	return listIn(ctx, l, "read passages of documents", scanPassage, passagesFrom+` WHERE c.workspace_id = ?`+seen+` AND c.document_id IN (%s)`+inSight+`
		ORDER BY c.document_id, c.ordinal`, append([]any{ws}, args...), documents)
}

func scanPassage(rows *sql.Rows) (p domain.Passage, err error) {
	return p, rows.Scan(append(chunkFields(&p.Chunk), &p.Name, &p.Title, &p.Version)...)
}

// EachChunk calls f with every chunk of every published document, by document
// and then in reading order, until f fails. It reads in batches: f may use the
// ledger, and may or may not see what is written meanwhile.
func (l ChunkStore) EachChunk(ctx context.Context, ws domain.WorkspaceID, f func(domain.Passage) error) error {
	var last domain.Passage
	last.Ordinal = -1
	seen, args := Seen(ctx, "d")
	for {
		part, err := sqlio.Collect(ctx, l.reader, scanPassage, passagesFrom+`
			WHERE c.workspace_id = ? AND d.published = 1`+seen+`
			AND (c.document_id > ? OR (c.document_id = ? AND c.ordinal > ?))
			ORDER BY c.document_id, c.ordinal LIMIT ?`, slices.Concat([]any{ws}, args, []any{last.Document, last.Document, last.Ordinal, batch})...)
		if err != nil {
			return l.wrap("read chunks", err)
		}
		for _, p := range part {
			if err := f(p); err != nil {
				return err
			}
		}
		if len(part) < batch {
			return nil
		}
		last = part[len(part)-1]
	}
}

// A ReadChunk is a chunk with the items mined from it.
type ReadChunk struct {
	domain.Chunk
	Reader  string               `json:"reader,omitempty"` // the extractor that mined it; "" if none has
	Schema  int64                `json:"schema,omitempty"` // number of the schema it was mined with; 0 if there is none
	Graph   domain.GraphDocument `json:"mined"`
	Dropped []domain.Dropped     `json:"dropped"`
}

// ReadChunks lists at most n chunks of a document from an ordinal on, all when n is 0.
func (l ChunkStore) ReadChunks(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, from, n int) ([]ReadChunk, error) {
	seen, args := seenIn(ctx, "c.document_id", ws)
	list, err := sqlio.Collect(ctx, l.reader, into(func(c *ReadChunk) []any { return append(chunkFields(&c.Chunk), &c.Reader, &c.Schema, &c.Graph) }), `SELECT `+chunkColumns+`, COALESCE(g.reader, ''), COALESCE(g.mined_schema, 0), COALESCE(g.graph, '{}')
		FROM chunks c LEFT JOIN contributions g ON g.workspace_id = c.workspace_id AND g.chunk_id = c.id
		WHERE c.workspace_id = ? AND c.document_id = ? AND c.ordinal >= ?`+seen+` ORDER BY c.ordinal LIMIT ?`, slices.Concat([]any{ws, id, from}, args, []any{limit(n)})...)
	if err != nil || len(list) == 0 {
		return nil, l.wrap("read chunks with what was mined", err)
	}
	ids := lists.Map(list, func(c ReadChunk) domain.ChunkID { return c.ID })
	dropped, err := groupsIn[domain.ChunkID](ctx, l.reader, func(d *domain.Dropped) []any { return []any{d} },
		`SELECT chunk_id, item FROM dropped WHERE workspace_id = ? AND chunk_id IN (%s) ORDER BY position`, []any{ws}, ids)
	for i, c := range list {
		list[i].Dropped = dropped[c.ID]
	}
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

// Citing lists the latest questions of the viewer of ctx, at most n, whose answers cite a document.
func (l ChunkStore) Citing(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, n int) ([]Citing, error) {
	mine, who := own.answers(ctx, "a")
	withheld, args := withheldOf(ctx, "a")
	return list(ctx, l, "list questions that cite a document", into(func(c *Citing) []any {
		return []any{&c.Conversation, &c.Message, &c.Question, &c.N, &c.Page, &c.Place, &c.CreatedAt}
	}), `SELECT a.conversation_id, a.message_id, a.question, x.n, x.page, x.place, a.created_at
		FROM citations x JOIN answers a ON a.run_id = x.run_id AND a.message_id <> '' AND a.branch_id = ''
		WHERE x.workspace_id = ? AND x.document_id = ? AND x.figure = 0 AND NOT EXISTS (SELECT 1 FROM citations y
			WHERE y.run_id = x.run_id AND y.figure = 0 AND y.document_id = x.document_id AND y.n < x.n) AND `+mine+` AND NOT `+withheld+`
		ORDER BY a.created_at DESC, a.message_id LIMIT ?`, slices.Concat([]any{ws, id}, who, args, []any{limit(n)})...)
}

// SaveEmbeddings stores vectors of one model by the hash of the embedded text,
// replacing earlier ones of their dimension. They have the same dimension, which
// becomes the model's.
func (l ChunkStore) SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error {
	return l.tx(ctx, "save embeddings", func(tx *sql.Tx, _ time.Time) error {
		dimension, rows := 0, [][]any(nil)
		for _, hash := range slices.Sorted(maps.Keys(vectors)) {
			v := vectors[hash]
			if dimension = cmp.Or(dimension, len(v)); len(v) == 0 || len(v) != dimension {
				return fmt.Errorf("vectors of %d and of %d numbers", dimension, len(v))
			}
			rows = append(rows, []any{model, dimension, hash, toBytes(v)})
		}
		if dimension == 0 {
			return nil
		}
		err := sqlio.InsertRows(ctx, tx, `INSERT INTO embeddings (model, dimension, text_hash, vector)`, rows, `ON CONFLICT (model, dimension, text_hash) DO UPDATE SET vector = excluded.vector`)
		if err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `INSERT INTO embedding_models (model, dimension) VALUES (?, ?)
			ON CONFLICT (model) DO UPDATE SET dimension = excluded.dimension WHERE embedding_models.dimension <> excluded.dimension`, model, dimension)
	})
}

// Dimension returns the dimension of a model's latest vectors, or 0 if there are none.
func (l ChunkStore) Dimension(ctx context.Context, model string) (int, error) {
	return one[int](ctx, l, "read the dimension of "+model, `SELECT dimension FROM embedding_models WHERE model = ?`, model)
}

// Embeddings returns the stored vectors of one model and dimension by text hash,
// without the hashes that have none. Dimension 0 stands for that of the vectors
// that were saved last.
func (l ChunkStore) Embeddings(ctx context.Context, model string, dimension int, hashes []string) (map[string][]float32, error) {
	found := map[string][]float32{}
	if dimension == 0 {
		var err error
		if dimension, err = l.Dimension(ctx, model); err != nil || dimension == 0 {
			return found, err
		}
	}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var hash string
		var vector []byte
		err := rows.Scan(&hash, &vector)
		if err == nil {
			found[hash], err = fromBytes(vector)
		}
		return err
	}, `SELECT text_hash, vector FROM embeddings WHERE model = ? AND dimension = ? AND text_hash IN (%s)`, []any{model, dimension}, distinct(hashes))
	if err != nil {
		return nil, l.wrap("read embeddings of "+model, err)
	}
	return found, nil
}

// toBytes encodes v as little-endian float32.
func toBytes(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func fromBytes(b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are not a vector of float32", len(b))
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}
