package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// documentTable lists the columns of a document, but for those that publishing and
// deleting it set.
var documentTable = sqlio.Table[domain.Document]{Name: "documents", Row: func(d *domain.Document) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &d.Workspace, "id key", &d.ID, "name", &d.Name, "title", &d.Title, "words written", words(*d), "format", &d.Format, "size", &d.Size, "hash", &d.Hash,
		"status", &d.Status, "stage", &d.Stage, "pages", &d.Pages, "chars", &d.Chars, "pictures", &d.Pictures, "chunks", &d.Chunks, "chunks_done", &d.ChunksDone,
		"entities", &d.Entities, "relations", &d.Relations, "reader", &d.Reader, "schema_number", &d.Schema, "schema_name", &d.Chosen, "warnings", &d.Warnings,
		"problem", &d.Problem, "run_id", &d.Run, "created_at fixed", &d.CreatedAt, "updated_at", &d.UpdatedAt, "took", &d.Took, "deaths", &d.Deaths, "dropped", &d.Dropped,
		"source", &d.Source, "place", &d.Index, "link", &d.Link, "published_on", &d.Published, "author", &d.Author, "author_words written", strings.ToLower(d.Author),
		"language", &d.Language, "link_tag", &d.LinkTag, "version", &d.Version, "version_at", &d.VersionAt, "version_of fixed", &d.VersionOf, "chunking", &d.Chunking,
		"gone_at fixed", &d.GoneAt, "added_by fixed", &d.AddedBy, "limited fixed", &d.Limited, "published written", 0,
	}
}}

// AddDocument stores d unless there is a document with its id, and returns the
// stored document and whether it existed. A zero CreatedAt is set. When the document
// is new, also is called in the same transaction, and its error undoes both. It may be
// called again, see sqlio.InTx.
func (l DocumentStore) AddDocument(ctx context.Context, d domain.Document, also ...func(*sql.Tx) error) (stored domain.Document, existed bool, err error) {
	err = l.tx(ctx, "add document", func(tx *sql.Tx, now time.Time) error {
		if err := ensureWorkspace(ctx, tx, d.Workspace); err != nil {
			return err
		}
		stored = d
		if d.CreatedAt.IsZero() {
			stored.CreatedAt = now
		}
		stored.CreatedAt, stored.UpdatedAt = stamp(stored.CreatedAt), stamp(now)
		fresh, err := documentTable.Insert(ctx, tx, &stored)
		if existed = !fresh; err != nil {
			return err
		}
		if fresh {
			return callAll(tx, also)
		}
		stored, err = document(ctx, tx, d.Workspace, d.ID, "")
		return err
	})
	return stored, existed, err
}

// stamp returns a time with the precision of the database.
func stamp(t time.Time) time.Time { return sqlio.Time(sqlio.Millis(t)) }

// callAll calls functions in a transaction, until one fails.
func callAll(tx *sql.Tx, all []func(*sql.Tx) error) error {
	for _, f := range all {
		if err := f(tx); err != nil {
			return err
		}
	}
	return nil
}

func ensureWorkspace(ctx context.Context, q querier, ws domain.WorkspaceID) error {
	return sqlio.Exec(ctx, q, `INSERT INTO workspaces (id, head, name, title) VALUES (?, 0, ?, ?) ON CONFLICT (id) DO NOTHING`, ws, ws, ws)
}

// words returns the text that the list's filter searches.
func words(d domain.Document) string { return strings.ToLower(d.Name + "\n" + d.Title) }

// Document returns a document, or an error of kind NotFound, also for one that was read and
// is hidden by a deletion.
func (l DocumentStore) Document(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (domain.Document, error) {
	seen, args := Seen(ctx, "documents")
	d, err := document(ctx, l.reader, ws, id, ` AND (delete_at = 0 OR status IN ('waiting', 'working'))`+seen, args...)
	return d, l.wrap("read document", err)
}

func document(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.DocumentID, more string, args ...any) (domain.Document, error) {
	return read(ctx, q, documentTable, noDocument(id), `WHERE workspace_id = ? AND id = ?`+more, append([]any{ws, id}, args...)...)
}

func noDocument(id domain.DocumentID) error {
	return domain.Errorf(domain.NotFound, "There is no document %s here. It may have been deleted.", id)
}

// UpdateDocument lets f change the stored document and calls also, in one
// transaction. Its workspace, id and CreatedAt stay; UpdatedAt is set.
func (l DocumentStore) UpdateDocument(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, f func(*domain.Document), also ...func(*sql.Tx) error) (d domain.Document, err error) {
	err = l.tx(ctx, "update document", func(tx *sql.Tx, now time.Time) error {
		stored, err := document(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		d = stored
		f(&d)
		d.Workspace, d.ID, d.CreatedAt, d.UpdatedAt = ws, id, stored.CreatedAt, stamp(now)
		if err := writeDocument(ctx, tx, stored, d); err != nil {
			return err
		}
		return callAll(tx, also)
	})
	return d, err
}

// SetDocument writes d's values for the given columns to the stored row and calls also, in one write-only transaction.
// Whether the document exists is checked last, so also must do no harm if it doesn't.
func (l DocumentStore) SetDocument(ctx context.Context, d domain.Document, columns []string, also ...func(*sql.Tx) error) error {
	var done sql.Result
	err := l.tx(ctx, "update document", func(tx *sql.Tx, now time.Time) (err error) {
		d.UpdatedAt = stamp(now)
		if done, err = documentTable.Set(ctx, tx, &d, &d, append(columns, "updated_at")...); err != nil {
			return err
		}
		return callAll(tx, also)
	})
	return missing(done, err, d.ID)
}

// missing returns err, or the error of a statement that has found no document.
func missing(done sql.Result, err error, id domain.DocumentID) error {
	if found, err := sqlio.Changed(done, err); err != nil || found {
		return err
	}
	return noDocument(id)
}

// AddTook adds to the time that the reading of a document took, or of the one that it has become a version of.
func (l DocumentStore) AddTook(ctx context.Context, ws domain.WorkspaceID, id, into domain.DocumentID, took time.Duration) error {
	_, err := l.writer.ExecContext(ctx, `UPDATE documents SET took = took + ?, updated_at = ? WHERE workspace_id = ? AND id = COALESCE((SELECT d.id FROM documents d WHERE d.workspace_id = ? AND d.id = ?), ?)`,
		int64(took), sqlio.Millis(l.now()), ws, ws, id, into)
	return l.wrap("update document", err)
}

// BeginStage records the stage that the reading of a document has reached, and returns it.
func (l DocumentStore) BeginStage(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, stage string) (d domain.Document, err error) {
	found, err := sqlio.Collect(ctx, l.writer, documentTable.Scan, `UPDATE documents SET status = ?, stage = ?, problem = '', updated_at = ? WHERE workspace_id = ? AND id = ?
		RETURNING `+documentTable.Columns(""), domain.DocumentWorking, stage, sqlio.Millis(l.now()), ws, id)
	if err == nil && len(found) == 0 {
		return d, noDocument(id)
	}
	if err != nil {
		return d, l.wrap("update document", err)
	}
	l.news.Wrote()
	return found[0], nil
}

// writeDocument writes the columns in which d differs from the stored row.
func writeDocument(ctx context.Context, q querier, stored, d domain.Document) error {
	if err := documentTable.Update(ctx, q, &stored, &d); err != nil || d.Title == stored.Title {
		return err
	}
	return sqlio.Exec(ctx, q, `UPDATE documents SET titled = 0 WHERE workspace_id = ? AND id = ?`, d.Workspace, d.ID)
}

// A DocumentQuery selects documents. Empty fields select all.
type DocumentQuery struct {
	Text    string              // part of the name, the title or a tag, in any case
	Holding []domain.DocumentID // match Text too
	Tag     string
	Chosen  string // name of the schema chosen for it
	Status  []domain.DocumentStatus
	Formats []domain.Format
	From    time.Time // added then or later
	To      time.Time // added before
	IDs     []domain.DocumentID
	Sort    domain.DocumentSort
	After   DocumentPlace // only those after the place in the list
	Before  DocumentPlace // only those before it: the last ones, if there is a limit
	Limit   int           // 0 means all
	Offset  int
	Link    string // address it comes from
	Paused  bool   // only those whose reading is paused, by a person or at a cap
	Gone    bool   // only those no longer where they were fetched from
	domain.FactFilter

	SortField domain.FieldID // named by Sort
}

// Filtered returns the query that a filter stands for, whose fields are resolved. It ignores what is malformed.
func Filtered(f domain.DocumentFilter) DocumentQuery {
	dq := DocumentQuery{Text: f.Text, Tag: f.Tag, Status: f.State.Statuses(), Formats: f.Formats, FactFilter: f.FactFilter, Sort: f.Sort, SortField: f.SortField, Paused: f.State == domain.StatePaused, Gone: f.State == domain.StateGone}
	if from, err := time.Parse(time.DateOnly, f.From); err == nil {
		dq.From = from
	}
	if to, err := time.Parse(time.DateOnly, f.To); err == nil {
		dq.To = to.AddDate(0, 0, 1)
	}
	return dq
}

// A DocumentPlace is a document's place in a list: its id, and what the list is sorted by.
// It stays where it is when the document is deleted. The zero place is none.
type DocumentPlace string

// Place returns the place of a document in the list.
func (dq DocumentQuery) Place(d domain.Document) DocumentPlace {
	return DocumentPlace(string(d.ID) + "~" + dq.order().value(d))
}

// documentOrder is a way to sort documents. Its column has an index with the id, see
// migration 47.
type documentOrder struct {
	column string
	args   []any // of the column
	text   bool  // the column's values are text
	value  func(domain.Document) string
	down   bool
	idDown bool // so that the index can be read backwards
}

// maxSorted is how many code points of a name count in its order.
const maxSorted = 200

var documentOrders = map[domain.DocumentSort]documentOrder{
	domain.SortAdded:    {column: "created_at", value: func(d domain.Document) string { return strconv.FormatInt(sqlio.Millis(d.CreatedAt), 10) }},
	domain.SortName:     {column: "SUBSTR(words, 1, 200)", text: true, value: func(d domain.Document) string { return domain.Span{End: maxSorted}.Slice(words(d)) }},
	domain.SortSize:     {column: "size", value: func(d domain.Document) string { return strconv.FormatInt(d.Size, 10) }},
	domain.SortPassages: {column: "chunks", value: func(d domain.Document) string { return strconv.Itoa(d.Chunks) }},
	domain.SortEntities: {column: "entities", value: func(d domain.Document) string { return strconv.Itoa(d.Entities) }},
	domain.SortState:    {column: "status", text: true, value: func(d domain.Document) string { return string(d.Status) }},
}

func (dq DocumentQuery) order() documentOrder {
	by, down := dq.Sort.By()
	o := documentOrders[by]
	if by.Field() != "" {
		o = byField(dq.SortField, down)
	}
	o.down = down
	o.idDown = down && by != domain.SortAdded
	return o
}

// by returns the ORDER BY clause, or that of the opposite order.
func (o documentOrder) by(back bool) string {
	direction := func(down bool) string {
		if down != back {
			return " DESC"
		}
		return ""
	}
	return o.column + direction(o.down) + ", id" + direction(o.idDown)
}

// behind returns the condition that selects what comes after a place, or before it, and its
// arguments. A malformed place selects all.
func (o documentOrder) behind(p DocumentPlace, back bool) (string, []any) {
	id, text, ok := strings.Cut(string(p), "~")
	if !ok {
		return "", nil
	}
	var value any = text
	if !o.text {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", nil
		}
		value = n
	}
	than := func(down bool) string {
		if down != back {
			return "<"
		}
		return ">"
	}
	cond := " AND " + o.column + " " + than(o.down) + "= ? AND (" + o.column + " " + than(o.down) + " ? OR id " + than(o.idDown) + " ?)"
	return cond, slices.Concat(o.args, []any{value}, o.args, []any{value, id})
}

// byField returns the order by a field. Documents without a value come last.
func byField(id domain.FieldID, down bool) documentOrder {
	last := ""
	if !down {
		last = "\U0010FFFF"
	}
	return documentOrder{
		column: sortKeyOf, args: []any{id, last}, text: true,
		value: func(d domain.Document) string { return cmp.Or(d.SortKey, last) },
	}
}

// shown selects the documents of a workspace that no deletion hides, as far as the viewer of ctx can read them.
func shown(ctx context.Context, ws domain.WorkspaceID) *filter {
	seen, args := Seen(ctx, "documents")
	return &filter{"workspace_id = ? AND delete_at = 0" + seen, append([]any{ws}, args...)}
}

func (dq DocumentQuery) where(ctx context.Context, ws domain.WorkspaceID) (string, []any) {
	f := shown(ctx, ws)
	if dq.Tag != "" {
		f.add("id IN (SELECT document_id FROM document_tags WHERE workspace_id = ? AND tag = ?)", ws, dq.Tag)
	}
	if dq.Chosen != "" {
		f.add("schema_name = ?", dq.Chosen)
	}
	if dq.Link != "" {
		f.add("link = ?", dq.Link)
	}
	if dq.Gone {
		f.add("gone_at > 0")
	}
	if dq.Paused {
		f.add("run_id IN (SELECT r.id FROM runs r WHERE r.workspace_id = ? AND "+pausedRun+")", ws)
	}
	f.facts(ws, dq.FactFilter)
	anyOf(f, "status", dq.Status)
	anyOf(f, "format", dq.Formats)
	if !dq.From.IsZero() {
		f.add("created_at >= ?", sqlio.Millis(dq.From))
	}
	if !dq.To.IsZero() {
		f.add("created_at < ?", sqlio.Millis(dq.To))
	}
	anyOf(f, "id", dq.IDs)
	if text := strings.ToLower(strings.TrimSpace(dq.Text)); text != "" { // after the faster conditions
		part := "%" + likeEscaper.Replace(text) + "%"
		matches := &filter{`words LIKE ? ESCAPE '!' OR id IN (SELECT document_id FROM document_tags WHERE workspace_id = ? AND tag LIKE ? ESCAPE '!')`, []any{part, ws, part}}
		if len(dq.Holding) > 0 {
			matches.cond, matches.args = matches.cond+" OR id IN ("+sqlio.Marks(len(dq.Holding))+")", append(matches.args, sqlio.Args(dq.Holding)...)
		}
		f.add("("+matches.cond+")", matches.args...)
	}
	return f.cond, f.args
}

var likeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// Documents lists documents as ListDocuments does, and the number that the query
// selects without Limit, Offset and place.
func (l DocumentStore) Documents(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery) ([]domain.Document, int, error) {
	cond, args := dq.where(ctx, ws)
	total, err := one[int](ctx, l, "count documents", `SELECT COUNT(*) FROM documents WHERE `+cond, args...)
	if err != nil {
		return nil, 0, err
	}
	found, err := l.ListDocuments(ctx, ws, dq)
	return found, total, err
}

// ListDocuments lists documents in the order of the query, where none is given newest first
// and then by id.
func (l DocumentStore) ListDocuments(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery) ([]domain.Document, error) {
	query, args := dq.list(ctx, ws)
	found, err := sqlio.Collect(ctx, l.reader, documentTable.Scan, query, args...)
	if dq.Before != "" {
		slices.Reverse(found)
	}
	if err == nil && dq.SortField != "" {
		err = l.addSortKeys(ctx, ws, dq, found)
	}
	return found, l.wrap("list documents", err)
}

// list returns the statement that lists what the query selects, from the end for a page before a
// place, and its arguments.
func (dq DocumentQuery) list(ctx context.Context, ws domain.WorkspaceID) (string, []any) {
	cond, args := dq.where(ctx, ws)
	order := dq.order()
	after, values := order.behind(dq.After, false)
	cond, args = cond+after, append(args, values...)
	before, values := order.behind(dq.Before, true)
	cond, args = cond+before, append(args, values...)
	return documentTable.Select() + `WHERE ` + cond + ` ORDER BY ` + order.by(dq.Before != "") + ` LIMIT ? OFFSET ?`, slices.Concat(args, order.args, []any{limit(dq.Limit), dq.Offset})
}

// CountBefore returns how many documents a query selects before its place Before.
func (l DocumentStore) CountBefore(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery) (int, error) {
	cond, args := dq.where(ctx, ws)
	more, values := dq.order().behind(dq.Before, true)
	return one[int](ctx, l, "count documents", `SELECT COUNT(*) FROM documents WHERE `+cond+more, append(args, values...)...)
}

// A DocumentGroup counts the documents that have one status and format.
type DocumentGroup struct {
	Status    domain.DocumentStatus
	Format    domain.Format
	Documents int
	Passages  int
}

// GroupDocuments counts the documents that a query selects, without Limit, Offset and place.
func (l DocumentStore) GroupDocuments(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery) ([]DocumentGroup, error) {
	cond, args := dq.where(ctx, ws)
	return list(ctx, l, "count documents", into(func(g *DocumentGroup) []any { return []any{&g.Status, &g.Format, &g.Documents, &g.Passages} }), `SELECT status, format, COUNT(*), SUM(chunks) FROM documents WHERE `+cond+` GROUP BY status, format ORDER BY status, format`, args...)
}

// limit returns n for a LIMIT clause; 0 means no limit.
func limit(n int) int {
	if n <= 0 {
		return 1 << 31
	}
	return n
}

// DocumentCounts holds the numbers of a workspace's documents.
type DocumentCounts struct {
	ByStatus map[domain.DocumentStatus]int
	Outdated int // fully read, by an extractor other than the given one; imported graphs are the same for all
	Gone     int // no longer where they were fetched from
	Pairs    int // proposals waiting for a decision; included because every page counts both
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
func (l DocumentStore) CountDocuments(ctx context.Context, ws domain.WorkspaceID, reader string) (DocumentCounts, error) {
	c, f := DocumentCounts{ByStatus: map[domain.DocumentStatus]int{}}, shown(ctx, ws)
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var status domain.DocumentStatus
		var n, others int
		err := rows.Scan(&status, &n, &others, &c.Gone, &c.Pairs)
		c.ByStatus[status] = n
		if status == domain.DocumentReady || status == domain.DocumentEmpty {
			c.Outdated += others
		}
		return err
	}, `SELECT status, COUNT(*), SUM(CASE WHEN reader <> ? AND format <> 'graph' THEN 1 ELSE 0 END),
		(SELECT COUNT(*) FROM documents WHERE `+f.cond+` AND gone_at > 0),
		(SELECT COUNT(*) FROM proposals WHERE workspace_id = ? AND status IN ('open', 'later')) FROM documents WHERE `+f.cond+` GROUP BY status`, slices.Concat([]any{reader}, f.args, []any{ws}, f.args)...)
	return c, l.wrap("count documents", err)
}

// CountSources counts documents by how they came into the library.
func (l DocumentStore) CountSources(ctx context.Context, ws domain.WorkspaceID) (map[domain.Source]int, error) {
	f := shown(ctx, ws)
	return pairs[domain.Source, int](ctx, l, "count sources", `SELECT source, COUNT(*) FROM documents WHERE `+f.cond+` GROUP BY source`, f.args...)
}

// AllUnread reports whether there are documents, all of which wait to be read or are being read. It counts none,
// because a library may be large and each question asks.
func (l DocumentStore) AllUnread(ctx context.Context, ws domain.WorkspaceID) (bool, error) {
	f := shown(ctx, ws)
	return one[bool](ctx, l, "look for documents", `SELECT CASE
		WHEN EXISTS (SELECT 1 FROM documents WHERE `+f.cond+` AND status NOT IN (?, ?)) THEN 0
		WHEN EXISTS (SELECT 1 FROM documents WHERE `+f.cond+`) THEN 1
		ELSE 0 END`, slices.Concat(f.args, []any{domain.DocumentWaiting, domain.DocumentWorking}, f.args)...)
}

// OutdatedChunks counts the documents that CountDocuments counts as outdated, and
// returns the tokens of their chunks, which have no text, in the order of documents.
func (l DocumentStore) OutdatedChunks(ctx context.Context, ws domain.WorkspaceID, reader string) (documents int, chunks []domain.Chunk, err error) {
	var last domain.DocumentID
	seen, args := Seen(ctx, "d")
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
		WHERE d.workspace_id = ? AND d.delete_at = 0 AND d.status IN (?, ?) AND d.reader <> ? AND d.format <> 'graph'`+seen+` ORDER BY d.id, c.ordinal`,
		append([]any{ws, domain.DocumentReady, domain.DocumentEmpty, reader}, args...)...)
	return documents, chunks, l.wrap("count chunks", err)
}

// UnreadChunks returns the tokens of the chunks, which have no text, that would be mined if the
// documents that a query selects were read again by a reader, in the order of documents.
func (l DocumentStore) UnreadChunks(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery, reader string) ([]domain.Chunk, error) {
	cond, args := dq.where(ctx, ws)
	return list(ctx, l, "count chunks", into(func(c *domain.Chunk) []any { return []any{&c.Document, &c.Ordinal, &c.Tokens} }), `SELECT c.document_id, c.ordinal, c.tokens FROM chunks c
		LEFT JOIN contributions r ON r.workspace_id = c.workspace_id AND r.chunk_id = c.id AND r.reader = ?
		WHERE c.workspace_id = ? AND r.chunk_id IS NULL AND c.document_id IN (SELECT id FROM documents WHERE `+cond+` AND format <> 'graph')
		ORDER BY c.document_id, c.ordinal`, append([]any{reader, ws}, args...)...)
}

// UnsettledDocuments lists the newest documents and all that are waiting or being
// read, newest first and then by id.
func (l DocumentStore) UnsettledDocuments(ctx context.Context, ws domain.WorkspaceID, newest int) ([]domain.Document, error) {
	f := shown(ctx, ws)
	return list(ctx, l, "list unsettled documents", documentTable.Scan, documentTable.Select()+`WHERE `+f.cond+` AND (status IN (?, ?)
		OR id IN (SELECT id FROM (SELECT id FROM documents WHERE `+f.cond+` ORDER BY created_at DESC, id LIMIT ?) n))
		ORDER BY created_at DESC, id`, slices.Concat(f.args, []any{domain.DocumentWaiting, domain.DocumentWorking}, f.args, []any{newest})...)
}

// DocumentsByID returns documents in any order. Ids that are gone, or hidden by a deletion, are
// left out.
func (l DocumentStore) DocumentsByID(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) ([]domain.Document, error) {
	f := shown(ctx, ws)
	return listIn(ctx, l, "read documents", documentTable.Scan, documentTable.Select()+`WHERE `+f.cond+` AND id IN (%s)`, f.args, ids)
}

// CountReadable counts the documents that can be searched and summarised, in all
// and by tag.
func (l DocumentStore) CountReadable(ctx context.Context, ws domain.WorkspaceID) (all int, byTag map[string]int, err error) {
	seen, by := Seen(ctx, "d")
	readable := ` d.workspace_id = ? AND d.delete_at = 0 AND d.status IN (?, ?)` + seen
	args := append([]any{ws, domain.DocumentReady, domain.DocumentEmpty}, by...)
	byTag, err = pairs[string, int](ctx, l, "count readable documents", `SELECT '', COUNT(*) FROM documents d WHERE`+readable+` UNION ALL
		SELECT t.tag, COUNT(*) FROM document_tags t JOIN documents d ON d.workspace_id = t.workspace_id AND d.id = t.document_id
		WHERE`+readable+` GROUP BY t.tag`, slices.Concat(args, args)...)
	all = byTag[""]
	delete(byTag, "")
	return all, byTag, err
}

// AskedQuestions returns the latest questions in conversations of the viewer of ctx, newest first.
func (l AnswerStore) AskedQuestions(ctx context.Context, ws domain.WorkspaceID, most int) ([]string, error) {
	mine, who := own.conversations(ctx, "c")
	return list(ctx, l, "list asked questions", func(rows *sql.Rows) (string, error) {
		var q string
		return q, rows.Scan(&q)
	}, `SELECT a.question FROM answers a JOIN conversations c ON c.workspace_id = a.workspace_id AND c.id = a.conversation_id
		WHERE a.workspace_id = ? AND a.branch_id = '' AND c.delete_at = 0 AND `+mine+` ORDER BY a.created_at DESC, a.message_id LIMIT ?`,
		slices.Concat([]any{ws}, who, []any{most})...)
}
