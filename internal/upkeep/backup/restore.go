package backup

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/migrations"
)

// A Store stores uploaded files.
type Store interface {
	Keep(ctx context.Context, w domain.WorkspaceID, hash string, r io.Reader) error
}

// A Target is the destination of a restore. All fields but Partial are
// required.
type Target struct {
	DB      *sql.DB                                  // empty
	Files   func(ctx context.Context) (Store, error) // opens the store, once the tables of the backup's schema exist
	Partial bool                                     // restore even if files that rows refer to are missing
}

// Restore fills a target from an archive. The error is Conflict for a newer
// schema. After an error the target is incomplete: discard it.
func Restore(ctx context.Context, r io.Reader, t Target) (Summary, error) {
	inserting, stop := context.WithCancel(ctx)
	defer stop()
	w := &filler{Target: t, known: map[string]map[string]Kind{}, inserts: newInserter(inserting, t.DB)}
	summary, err := read(ctx, r, w, t.Partial)
	if err != nil {
		stop() // its current work is discarded
	}
	if ended := w.inserts.wait(); cmp.Or(err, ended) != nil {
		return Summary{}, cmp.Or(err, ended)
	}
	if err := advance(ctx, t.DB, t.DB, summary.Tables); err != nil {
		return Summary{}, fmt.Errorf("restore: %w", err)
	}
	return summary, nil
}

// A filler is the visitor that writes to a target.
type filler struct {
	Target
	files   Store
	known   map[string]map[string]Kind // the target's tables and their columns
	into    Table                      // of the current entry, unless it has no row yet
	kinds   []Kind                     // of its columns in the target
	inserts *inserter

	pending []any // values of rows not written yet
	bytes   int   // of their texts
}

func (f *filler) begin(ctx context.Context, h Header) error {
	known, err := migrations.State(ctx, f.DB)
	if err != nil {
		return err
	}
	if h.Schema > known.Program {
		return domain.Errorf(domain.Conflict, "The backup was written by a newer version of Clew (schema %d; this program knows schemas up to %d). Restore it with that version.", h.Schema, known.Program)
	}
	if err := migrations.UpTo(ctx, f.DB, h.Schema); err != nil {
		return err
	}
	if f.files, err = f.Files(ctx); err != nil {
		return err
	}
	tables, err := Tables(ctx, f.DB, f.DB)
	if err != nil {
		return err
	}
	for _, t := range slices.Backward(tables) { // migrations insert an initial workspace
		if err := sqlio.Exec(ctx, f.DB, `DELETE FROM `+quoted(t.Name)); err != nil {
			return err
		}
		f.known[t.Name] = lists.Pairs(t.Columns, func(c Column) (string, Kind) { return c.Name, c.Kind })
	}
	for _, t := range h.Tables {
		for _, c := range t.Columns {
			if _, ok := f.known[t.Name][c.Name]; !ok {
				return damaged(nil, "The backup has a column %s of %s, which its schema, number %d, doesn't have.", c.Name, t.Name, h.Schema)
			}
		}
	}
	f.inserts.indexes, err = putOffIndexes(ctx, f.DB)
	return err
}

// What one statement inserts at most: values, and bytes of texts beyond which no
// further row is held.
const (
	valuesAtOnce = 1000
	bytesAtOnce  = 1 << 20
)

func (f *filler) row(_ context.Context, t Table, values []any) error {
	if f.into.Name != t.Name {
		f.into, f.kinds = t, f.kinds[:0]
		for _, c := range t.Columns {
			f.kinds = append(f.kinds, f.known[t.Name][c.Name])
		}
	}
	for i, v := range values {
		if text, ok := v.(string); ok && f.kinds[i] == Blob {
			v = []byte(text)
		}
		f.pending, f.bytes = append(f.pending, v), f.bytes+length(v)
	}
	if len(f.pending)+len(values) <= valuesAtOnce && f.bytes < bytesAtOnce {
		return nil
	}
	return f.flush(false)
}

// flush sends the pending rows to the inserter. If last is set, they complete an entry, which the inserter then
// commits.
func (f *filler) flush(last bool) error {
	values := f.pending
	f.pending, f.bytes = make([]any, 0, valuesAtOnce), 0
	return f.inserts.add(insert{f.into, values, last})
}

// length returns the bytes that a value holds in memory beside itself.
func length(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	}
	return 0
}

// part commits the rows of an entry.
func (f *filler) part(context.Context) error { return f.flush(true) }

func (f *filler) file(ctx context.Context, w domain.WorkspaceID, hash string, _ int64, r io.Reader) error {
	f.inserts.close()
	return f.files.Keep(ctx, w, hash, r)
}

// advance moves Postgres's sequences beyond the restored numbers. SQLite needs no
// such thing.
func advance(ctx context.Context, db *sql.DB, in interface {
	sqlio.Querier
	sqlio.Execer
}, tables []Table) error {
	if !sqlio.DialectOf(db).Postgres {
		return nil
	}
	for _, t := range tables {
		for _, c := range t.Columns {
			if c.Kind != Integer {
				continue
			}
			sequence, err := sqlio.Collect(ctx, in, sqlio.Column[sql.NullString], `SELECT pg_get_serial_sequence(?, ?)`, quoted(t.Name), c.Name)
			if err != nil {
				return err
			}
			if len(sequence) == 0 || !sequence[0].Valid {
				continue
			}
			_, err = in.ExecContext(ctx, `SELECT setval('`+strings.ReplaceAll(sequence[0].String, `'`, `''`)+`', COALESCE((SELECT max(`+quoted(c.Name)+`) FROM `+quoted(t.Name)+`), 0) + 1, false)`)
			if err != nil {
				return err
			}
		}
	}
	return nil
}
