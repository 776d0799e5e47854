package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

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

	position int
}

const insertStatements = `INSERT INTO statements
	(workspace_id, chunk_id, position, source_key, source_label, type, target_key, target_label, properties, spans)`

const statementsFrom = `SELECT m.source_key, m.source_label, m.type, m.target_key, m.target_label, m.properties,
	m.chunk_id, c.document_id, c.ordinal, m.spans, m.position`

// Statements lists the relationships of published documents with an end among
// keys, each once, sorted by source key, type, target key, document, ordinal and
// position in the graph document.
func (l *Ledger) Statements(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]StatementRow, error) {
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
		if _, out := slices.BinarySearch(keys, s.SourceKey); !out { // else it is among rows already
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
func (l *Ledger) StatementsBetween(ctx context.Context, ws domain.WorkspaceID, ends []Ends) ([]StatementRow, error) {
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
		// A cross join keeps SQLite from going through all statements.
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

func (l *Ledger) statementsBy(ctx context.Context, ws domain.WorkspaceID, end string, keys []string) ([]StatementRow, error) {
	rows, err := collectIn(ctx, l.reader, new(pool).statement, statementsFrom+publishedRows("statements m")+`
		WHERE m.workspace_id = ? AND d.published = 1 AND `+end+` IN (%s)`, []any{ws}, keys)
	return rows, l.wrap("read statements", err)
}

func (p *pool) statement(rows *sql.Rows) (s StatementRow, err error) {
	err = rows.Scan(&s.SourceKey, &s.SourceLabel, &s.Type, &s.TargetKey, &s.TargetLabel, column{&s.Properties},
		&s.Chunk, &s.Document, &s.Ordinal, column{&s.Spans}, &s.position)
	s.SourceKey, s.SourceLabel, s.Type, s.TargetKey, s.TargetLabel = p.of(s.SourceKey), p.of(s.SourceLabel), p.of(s.Type), p.of(s.TargetKey), p.of(s.TargetLabel)
	s.Chunk, s.Document = domain.ChunkID(p.of(string(s.Chunk))), domain.DocumentID(p.of(string(s.Document)))
	return s, err
}

func compareStatements(a, b StatementRow) int {
	return cmp.Or(cmp.Compare(a.SourceKey, b.SourceKey), cmp.Compare(a.Type, b.Type), cmp.Compare(a.TargetKey, b.TargetKey),
		cmp.Compare(a.Document, b.Document), cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.position, b.position))
}
