package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A Contribution holds what one chunk adds to the graph.
type Contribution struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Reader   string // the extractor that mined it, for instance "builtin/1"
	Graph    domain.GraphDocument

	// Not read by Contributions.
	Schema  int64            // number of the schema it was mined with; 0 if there is none
	Mined   string           // what was mined before a schema was applied, as JSON with a field graph; "" if it is only the graph
	Dropped []domain.Dropped // mined but left out of the graph
}

// contributionTable is the contributions of a workspace.
func contributionTable(ws domain.WorkspaceID) sqlio.Table[Contribution] {
	return sqlio.Table[Contribution]{Name: "contributions", Row: func(c *Contribution) sqlio.Row {
		return sqlio.Row{
			"workspace_id written", ws, "chunk_id", &c.Chunk, "document_id", &c.Document, "reader", &c.Reader, "graph", &c.Graph, "mined", &c.Mined, "mined_schema", &c.Schema,
		}
	}}
}

// RecordContribution replaces the contributions of chunks, all or none. The error is
// NotFound when the document doesn't hold a chunk (any more), and Invalid when a
// relationship points at no node.
func (l ContributionStore) RecordContribution(ctx context.Context, ws domain.WorkspaceID, all ...Contribution) error {
	return l.tx(ctx, "record contribution", func(tx *sql.Tx, _ time.Time) error {
		if err := l.holdsChunks(ctx, tx, ws, all); err != nil {
			return err
		}
		return l.RecordContributionTx(ctx, tx, ws, all...)
	})
}

// RecordContributionTx is RecordContribution within the transaction of UpdateDocument, from which it needs no result. A
// missing chunk is an error of the database.
func (l ContributionStore) RecordContributionTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, all ...Contribution) error {
	var dropped [][]any
	for _, c := range all {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM contributions WHERE workspace_id = ? AND chunk_id = ?`, ws, c.Chunk); err != nil {
			return err
		}
		for i, d := range c.Dropped {
			dropped = append(dropped, []any{ws, c.Chunk, i, c.Document, sqlio.JSON(d)})
		}
	}
	if err := contributionTable(ws).InsertAll(ctx, tx, all, ""); err != nil {
		return err
	}
	if err := sqlio.InsertRows(ctx, tx, `INSERT INTO dropped (workspace_id, chunk_id, position, document_id, item)`, dropped, ""); err != nil {
		return fmt.Errorf("keep dropped items: %w", err)
	}
	return l.index(ctx, tx, ws, all)
}

// holdsChunks checks that the chunks of contributions exist. It locks
// the chunks, so that the second of two workers replaces the contributions of the first.
func (l *store) holdsChunks(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, all []Contribution) error {
	ids := lists.Map(all, func(c Contribution) domain.ChunkID { return c.Chunk })
	of := make(map[domain.ChunkID]domain.DocumentID, len(all))
	err := eachIn(ctx, tx, addPair(of), `SELECT id, document_id FROM chunks WHERE workspace_id = ? AND id IN (%s) ORDER BY id`+l.lock.Changing, []any{ws}, ids)
	for _, c := range all {
		if err == nil && of[c.Chunk] != c.Document {
			err = domain.Errorf(domain.NotFound, "Document %s has no chunk %s. It may have been deleted or split again.", c.Document, c.Chunk)
		}
	}
	return err
}

// index writes the rows that lead from names to contributions. What rules name has no
// label: it belongs to the entity of whoever else names it.
func (l *store) index(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, all []Contribution) error {
	var mentions []MentionRow
	var statements []StatementRow
	for _, c := range all {
		var keys []string
		for i, n := range slices.Concat(c.Graph.Nodes, c.Graph.Names) {
			m := MentionRow{
				Key: l.key(n.Name), Label: n.Label, Name: n.Name, Aliases: n.Aliases, Properties: n.Properties, Chunk: c.Chunk, Spans: n.Spans,
				ByRule: i >= len(c.Graph.Nodes), position: i,
			}
			if m.ByRule {
				m.Label = domain.UnknownLabel
			}
			keys, mentions = append(keys, m.Key), append(mentions, m)
		}
		for i, r := range c.Graph.Relationships {
			if n := len(c.Graph.Nodes); r.Source < 0 || r.Source >= n || r.Target < 0 || r.Target >= n {
				return domain.Errorf(domain.Invalid, "Relationship %d (%s) of chunk %s refers to a node that its graph document, with %d nodes, does not have.", i, r.Type, c.Chunk, n)
			}
			statements = append(statements, StatementRow{
				SourceKey: keys[r.Source], SourceLabel: c.Graph.Nodes[r.Source].Label, Type: r.Type, TargetKey: keys[r.Target], TargetLabel: c.Graph.Nodes[r.Target].Label,
				Properties: r.Properties, Chunk: c.Chunk, Spans: r.Spans, Periods: r.Periods, position: i,
			})
		}
	}
	if err := mentionTable(ws).InsertAll(ctx, tx, mentions, ""); err != nil {
		return fmt.Errorf("index nodes: %w", err)
	}
	if err := statementTable(ws).InsertAll(ctx, tx, statements, ""); err != nil {
		return fmt.Errorf("index relationships: %w", err)
	}
	return nil
}

// Contributions lists the contributions of a document's chunks in reading order,
// without the chunks that have none.
func (l ContributionStore) Contributions(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]Contribution, error) {
	of, err := l.ContributionsOf(ctx, ws, []domain.DocumentID{id})
	return of[id], err
}

// ContributionsOf is Contributions for several documents.
func (l ContributionStore) ContributionsOf(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) (map[domain.DocumentID][]Contribution, error) {
	rows, err := listIn(ctx, l, "read contributions", into(func(c *Contribution) []any { return []any{&c.Chunk, &c.Document, &c.Reader, &c.Graph} }), `SELECT g.chunk_id, g.document_id, g.reader, g.graph
		FROM contributions g JOIN chunks c ON c.workspace_id = g.workspace_id AND c.id = g.chunk_id
		WHERE g.workspace_id = ? AND g.document_id IN (%s) ORDER BY g.document_id, c.ordinal`, []any{ws}, ids)
	of := make(map[domain.DocumentID][]Contribution, len(ids))
	for _, c := range rows {
		of[c.Document] = append(of[c.Document], c)
	}
	return of, err
}

// A MentionRow is a node of one chunk's graph document, under its key.
type MentionRow struct {
	Key        string
	Label      string
	Name       string
	Aliases    []string
	Properties domain.Properties
	Chunk      domain.ChunkID
	Document   domain.DocumentID
	Ordinal    int // of the chunk
	Spans      []domain.Span
	ByRule     bool // it is one of the graph document's Names

	position int
}

// mentionTable is the mentions of a workspace.
func mentionTable(ws domain.WorkspaceID) sqlio.Table[MentionRow] {
	return sqlio.Table[MentionRow]{Name: "mentions", Row: func(m *MentionRow) sqlio.Row {
		return sqlio.Row{
			"workspace_id written", ws, "chunk_id", &m.Chunk, "position", &m.position, "entity_key", &m.Key, "label", &m.Label, "name", &m.Name,
			"aliases", &m.Aliases, "properties", &m.Properties, "spans", &m.Spans, "by_rule", &m.ByRule,
		}
	}}
}

// Mentions lists the nodes of published documents under the given keys, sorted
// by key, document, ordinal and position in the graph document.
func (l ContributionStore) Mentions(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]MentionRow, error) {
	names, t := new(pool), mentionTable(ws)
	rows, err := collectIn(ctx, l.reader, func(rows *sql.Rows) (m MentionRow, err error) {
		err = rows.Scan(append(t.Fields(&m), &m.Document, &m.Ordinal)...)
		names.share(&m.Key, &m.Label, &m.Name, (*string)(&m.Chunk), (*string)(&m.Document))
		return m, err
	}, `SELECT `+t.Columns("m")+`, c.document_id, c.ordinal`+publishedRows("mentions m")+` WHERE m.workspace_id = ? AND d.published = 1 AND m.entity_key IN (%s)`, []any{ws}, distinct(keys))
	slices.SortFunc(rows, func(a, b MentionRow) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Document, b.Document),
			cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.position, b.position))
	})
	return rows, l.wrap("read mentions", err)
}

// publishedRows joins an index table with the alias m to its chunk and document.
func publishedRows(table string) string {
	return ` FROM ` + table + ` JOIN chunks c ON c.workspace_id = m.workspace_id AND c.id = m.chunk_id
		JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id`
}

// distinct returns the keys sorted, each once.
func distinct[K ~string](keys []K) []K { return slices.Compact(slices.Sorted(slices.Values(keys))) }

// A StatementRow is a relationship of one chunk's graph document, with the keys
// of its ends.
type StatementRow struct {
	SourceKey   string
	SourceLabel string
	Type        string
	TargetKey   string
	TargetLabel string
	Properties  domain.Properties
	Chunk       domain.ChunkID
	Document    domain.DocumentID
	Ordinal     int // of the chunk
	Spans       []domain.Span
	Periods     []domain.Period

	position int
}

// statementTable is the statements of a workspace.
func statementTable(ws domain.WorkspaceID) sqlio.Table[StatementRow] {
	return sqlio.Table[StatementRow]{Name: "statements", Row: func(s *StatementRow) sqlio.Row {
		return sqlio.Row{
			"workspace_id written", ws, "chunk_id", &s.Chunk, "position", &s.position, "source_key", &s.SourceKey, "source_label", &s.SourceLabel, "type", &s.Type,
			"target_key", &s.TargetKey, "target_label", &s.TargetLabel, "properties", &s.Properties, "spans", &s.Spans, "periods", &s.Periods,
		}
	}}
}

var statementsFrom = `SELECT ` + statementTable("").Columns("m") + `, c.document_id, c.ordinal`

// Statements lists the relationships of published documents with an end among
// keys, each once, sorted by source key, type, target key, document, ordinal and
// position in the graph document.
func (l ContributionStore) Statements(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]StatementRow, error) {
	keys = distinct(keys)
	rows, err := l.statementsBy(ctx, ws, "m.source_key", keys)
	if err != nil {
		return nil, err
	}
	incoming, err := l.statementsBy(ctx, ws, "m.target_key", keys)
	if err != nil {
		return nil, err
	}
	for _, s := range incoming {
		if _, out := slices.BinarySearch(keys, s.SourceKey); !out { // if not, it is already in the rows
			rows = append(rows, s)
		}
	}
	slices.SortFunc(rows, compareStatements)
	return rows, nil
}

// Ends are the keys of a relationship's ends.
type Ends struct{ Source, Target string }

// StatementsBetween lists the relationships of published documents between the
// given ends, in the order of Statements.
func (l ContributionStore) StatementsBetween(ctx context.Context, ws domain.WorkspaceID, ends []Ends) ([]StatementRow, error) {
	ends = slices.Compact(slices.SortedFunc(slices.Values(ends), func(a, b Ends) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
	}))
	var rows []StatementRow
	names := new(pool)
	for part := range slices.Chunk(ends, batch/2) {
		var args []any
		for _, e := range part {
			args = append(args, e.Source, e.Target)
		}
		values := strings.TrimSuffix(strings.Repeat("(?,?),", len(part)), ",")
		// A cross join keeps SQLite from scanning all statements.
		some, err := sqlio.Collect(ctx, l.reader, names.statement, `WITH ends AS (VALUES `+values+`) `+statementsFrom+publishedRows("ends CROSS JOIN statements m")+`
			WHERE m.workspace_id = ? AND m.source_key = ends.column1 AND m.target_key = ends.column2 AND d.published = 1`, append(args, ws)...)
		if err != nil {
			return nil, l.wrap("read statements", err)
		}
		rows = append(rows, some...)
	}
	slices.SortFunc(rows, compareStatements)
	return rows, nil
}

func (l *store) statementsBy(ctx context.Context, ws domain.WorkspaceID, end string, keys []string) ([]StatementRow, error) {
	return listIn(ctx, l, "read statements", new(pool).statement, statementsFrom+publishedRows("statements m")+`
		WHERE m.workspace_id = ? AND d.published = 1 AND `+end+` IN (%s)`, []any{ws}, keys)
}

func (p *pool) statement(rows *sql.Rows) (s StatementRow, err error) {
	err = rows.Scan(append(statementTable("").Fields(&s), &s.Document, &s.Ordinal)...)
	p.share(&s.SourceKey, &s.SourceLabel, &s.Type, &s.TargetKey, &s.TargetLabel, (*string)(&s.Chunk), (*string)(&s.Document))
	return s, err
}

func compareStatements(a, b StatementRow) int {
	return cmp.Or(cmp.Compare(a.SourceKey, b.SourceKey), cmp.Compare(a.Type, b.Type), cmp.Compare(a.TargetKey, b.TargetKey),
		cmp.Compare(a.Document, b.Document), cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.position, b.position))
}

// A DroppedItem is a finding that was left out of the graph.
type DroppedItem struct {
	Chunk   domain.ChunkID `json:"chunk"`
	Ordinal int            `json:"ordinal"` // of the chunk, from 0
	domain.Dropped
}

// Dropped lists at most n dropped items of a document in reading order, all when
// n is 0.
func (l ContributionStore) Dropped(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, n int) ([]DroppedItem, error) {
	return list(ctx, l, "list dropped items", into(func(d *DroppedItem) []any { return []any{&d.Chunk, &d.Ordinal, &d.Dropped} }), `SELECT d.chunk_id, c.ordinal, d.item FROM dropped d JOIN chunks c ON c.workspace_id = d.workspace_id AND c.id = d.chunk_id
		WHERE d.workspace_id = ? AND d.document_id = ? ORDER BY c.ordinal, d.position LIMIT ?`, ws, id, limit(n))
}

// CountDropped returns the number of a document's dropped items.
func (l ContributionStore) CountDropped(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (int, error) {
	return one[int](ctx, l, "count dropped items", `SELECT COUNT(*) FROM dropped WHERE workspace_id = ? AND document_id = ?`, ws, id)
}

// A MinedChunk holds what was mined from a chunk before a schema was applied.
type MinedChunk struct {
	Chunk  domain.ChunkID
	Reader string
	Schema int64  // number of the schema it was mined with; 0 if there is none
	Mined  string // JSON, as recorded with the contribution
}

// Mined lists what was mined from a document's chunks, in reading order, without
// the chunks that have no contribution.
func (l ContributionStore) Mined(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]MinedChunk, error) {
	return list(ctx, l, "read what was mined", scanMined, minedColumns+
		` JOIN chunks c ON c.workspace_id = g.workspace_id AND c.id = g.chunk_id
		WHERE g.workspace_id = ? AND g.document_id = ? ORDER BY c.ordinal`, ws, id)
}

// MinedIn returns what was mined from chunks, without those that have no
// contribution.
func (l ContributionStore) MinedIn(ctx context.Context, ws domain.WorkspaceID, ids ...domain.ChunkID) (map[domain.ChunkID]MinedChunk, error) {
	found, err := listIn(ctx, l, "read what was mined", scanMined, minedColumns+` WHERE g.workspace_id = ? AND g.chunk_id IN (%s)`, []any{ws}, ids)
	return lists.By(found, func(m MinedChunk) domain.ChunkID { return m.Chunk }), err
}

// Window returns those of a document's chunks to be mined that exist, with the document and the title that it states.
func (l ContributionStore) Window(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, ids []domain.ChunkID) (d domain.Document, title string, chunks map[domain.ChunkID]domain.Chunk, err error) {
	chunks = map[domain.ChunkID]domain.Chunk{}
	err = eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var c domain.Chunk
		err := rows.Scan(slices.Concat(documentTable.Fields(&d), []any{&title}, chunkFields(&c))...)
		chunks[c.ID] = c
		return err
	}, `SELECT `+documentTable.Columns("d")+`, COALESCE(t.title, ''), `+chunkColumns+` FROM chunks c
		JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id LEFT JOIN texts t ON t.workspace_id = d.workspace_id AND t.document_id = d.id
		WHERE c.workspace_id = ? AND c.document_id = ? AND c.id IN (%s)`, []any{ws, id}, ids)
	return d, title, chunks, l.wrap("read chunks to mine", err)
}

const minedColumns = `SELECT g.chunk_id, g.reader, g.mined_schema, CASE g.mined WHEN '' THEN '{"graph":' || g.graph || '}' ELSE g.mined END FROM contributions g`

func scanMined(rows *sql.Rows) (m MinedChunk, err error) {
	return m, rows.Scan(&m.Chunk, &m.Reader, &m.Schema, &m.Mined)
}

// ReplaceGraph replaces the graphs of chunks' contributions, all or none, and keeps
// what was mined and dropped. The errors are those of RecordContribution.
func (l ContributionStore) ReplaceGraph(ctx context.Context, ws domain.WorkspaceID, all ...Contribution) error {
	return l.tx(ctx, "replace graph", func(tx *sql.Tx, _ time.Time) error {
		if err := l.holdsChunks(ctx, tx, ws, all); err != nil {
			return err
		}
		for _, c := range all {
			err := sqlio.Exec(ctx, tx, `UPDATE contributions SET mined = CASE mined WHEN '' THEN '{"graph":' || graph || '}' ELSE mined END, graph = ? WHERE workspace_id = ? AND chunk_id = ?`, sqlio.JSON(c.Graph), ws, c.Chunk)
			if err == nil {
				err = sqlio.ExecAll(ctx, tx, []any{ws, c.Chunk}, `DELETE FROM mentions WHERE workspace_id = ? AND chunk_id = ?`, `DELETE FROM statements WHERE workspace_id = ? AND chunk_id = ?`)
			}
			if err != nil {
				return err
			}
		}
		return l.index(ctx, tx, ws, all)
	})
}

// A Change is an entry of a workspace's outbox: a document that the projections
// have to read again or drop, or an entry of the curation log.
type Change struct {
	Seq      int64             // from 1, without gaps
	Document domain.DocumentID // "": the entry of the curation log with this number
	Deleted  bool
	Vectors  bool // the document is unchanged: only vectors were made of its text
}

// Publish makes a document's present state visible to the projections and
// returns the number of the change. One that is hidden by a deletion stays hidden.
func (l ContributionStore) Publish(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (seq int64, err error) {
	err = l.tx(ctx, "publish document", func(tx *sql.Tx, now time.Time) error {
		if err := l.publish(ctx, tx, ws, id, now, ""); err != nil {
			return err
		}
		seq, err = head(ctx, tx, ws)
		return err
	})
	return seq, err
}

// PublishRead is Publish for a document whose reading has reached a stage.
func (l ContributionStore) PublishRead(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, stage string) error {
	return l.tx(ctx, "publish document", func(tx *sql.Tx, now time.Time) error {
		return l.publish(ctx, tx, ws, id, now, `status = ?, stage = ?, problem = '', updated_at = ?, `, domain.DocumentWorking, stage, sqlio.Millis(now))
	})
}

func (l *store) publish(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, now time.Time, set string, args ...any) error {
	done, err := tx.ExecContext(ctx, `UPDATE documents SET `+set+`published = CASE WHEN delete_at > 0 THEN 2 ELSE 1 END WHERE workspace_id = ? AND id = ?`, append(args, ws, id)...)
	if err == nil {
		err = addChange(ctx, tx, ws, Change{Document: id}, now)
	}
	if err == nil {
		err = l.recall(ctx, tx, ws, id)
	}
	return missing(done, err, id)
}

// RepublishTx has the projections read a published document once more, within the transaction of UpdateDocument. It does nothing for
// one that they don't hold.
func (l ContributionStore) RepublishTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) error {
	published, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE documents SET titled = 0 WHERE workspace_id = ? AND id = ? AND published = 1`, ws, id))
	if err != nil || !published {
		return err
	}
	_, err = appendChange(ctx, tx, ws, Change{Document: id}, l.now())
	return err
}

// appendChange gives a change the workspace's next number, and returns it.
func appendChange(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Change, now time.Time) (int64, error) {
	if err := addChange(ctx, tx, ws, c, now); err != nil {
		return 0, err
	}
	return head(ctx, tx, ws)
}

// addChange gives a change the workspace's next number. The update locks the
// workspace's row until the transaction ends, so numbers become visible in order.
func addChange(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Change, now time.Time) error {
	if err := sqlio.Exec(ctx, tx, `UPDATE workspaces SET head = head + 1 WHERE id = ?`, ws); err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, `INSERT INTO changes (workspace_id, seq, document_id, deleted, vectors, at)
		SELECT id, head, CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT) FROM workspaces WHERE id = ?`, c.Document, sqlio.Flag(c.Deleted), sqlio.Flag(c.Vectors), sqlio.Millis(now), ws)
}

func head(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID) (seq int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT head FROM workspaces WHERE id = ?`, ws).Scan(&seq)
	return seq, err
}

// PublishVectors has the search index take over the vectors that were made of documents' texts. It leaves out documents that
// are not published.
func (l ContributionStore) PublishVectors(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) error {
	return l.tx(ctx, "publish vectors", func(tx *sql.Tx, now time.Time) error {
		published, err := collectIn(ctx, tx, sqlio.Column[domain.DocumentID],
			`SELECT id FROM documents WHERE workspace_id = ? AND published = 1 AND id IN (%s)`, []any{ws}, ids)
		if err != nil {
			return err
		}
		slices.Sort(published)
		for _, id := range published {
			if _, err := appendChange(ctx, tx, ws, Change{Document: id, Vectors: true}, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// Changes lists at most n changes after the given number in order, all when n is
// 0.
func (l ContributionStore) Changes(ctx context.Context, ws domain.WorkspaceID, after int64, n int) ([]Change, error) {
	return list(ctx, l, "read changes", into(func(c *Change) []any { return []any{&c.Seq, &c.Document, &c.Deleted, &c.Vectors} }), `SELECT seq, document_id, deleted, vectors FROM changes WHERE workspace_id = ? AND seq > ? ORDER BY seq LIMIT ?`, ws, after, limit(n))
}

// Pending describes the changes that a store has not seen.
type Pending struct {
	Since     time.Time           // of the oldest change
	Documents []domain.DocumentID // of the first changes, without repeats, at most 5
}

// Pending returns the changes after the given number, or the zero value if there are none.
func (l ContributionStore) Pending(ctx context.Context, ws domain.WorkspaceID, after int64) (Pending, error) {
	const few = 5
	var p Pending
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.DocumentID
		var at int64
		err := rows.Scan(&id, &at)
		if p.Since.IsZero() {
			p.Since = sqlio.Time(at)
		}
		if len(p.Documents) < few && id != "" && !slices.Contains(p.Documents, id) {
			p.Documents = append(p.Documents, id)
		}
		return err
	}, `SELECT document_id, at FROM changes WHERE workspace_id = ? AND seq > ? ORDER BY seq LIMIT 50`, ws, after)
	return p, l.wrap("read what waits", err)
}

// Head returns the number of the workspace's last change, or 0 if there is none.
func (l ContributionStore) Head(ctx context.Context, ws domain.WorkspaceID) (int64, error) {
	return one[int64](ctx, l, "read head", `SELECT head FROM workspaces WHERE id = ?`, ws)
}
