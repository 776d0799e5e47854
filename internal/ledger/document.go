package ledger

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

const documentColumns = `workspace_id, id, name, title, format, size, hash, status, stage, pages, chars,
	chunks, chunks_done, entities, relations, reader, schema_number, schema_name, warnings, problem, run_id, created_at, updated_at, took, deaths, dropped,
	source, place, link, published_on, author, language, link_tag, version, version_at, version_of, chunking, gone_at`

// AddDocument stores d unless there is a document of its id, and returns the
// stored document and whether it existed. A zero CreatedAt is set.
func (l *Ledger) AddDocument(ctx context.Context, d domain.Document) (stored domain.Document, existed bool, err error) {
	return l.AddDocumentTx(ctx, d, func(*sql.Tx) error { return nil })
}

// AddDocumentTx does what AddDocument does and, when the document is new, calls
// more in the same transaction: an error of more undoes both. more may be called
// again, see sqlio.InTx.
func (l *Ledger) AddDocumentTx(ctx context.Context, d domain.Document, more func(*sql.Tx) error) (stored domain.Document, existed bool, err error) {
	err = l.tx(ctx, "add document", func(tx *sql.Tx, now time.Time) error {
		if err := ensureWorkspace(ctx, tx, d.Workspace); err != nil {
			return err
		}
		stored = stamp(d, now)
		fresh, err := insertDocument(ctx, tx, stored)
		if existed = !fresh; err != nil {
			return err
		}
		if fresh {
			return more(tx)
		}
		stored, err = document(ctx, tx, d.Workspace, d.ID, "")
		return err
	})
	return stored, existed, err
}

// stamp sets the times of a new document, with the precision of the database.
func stamp(d domain.Document, now time.Time) domain.Document {
	if d.CreatedAt.IsZero() {
		d.CreatedAt = now
	}
	d.CreatedAt = sqlio.Time(sqlio.Millis(d.CreatedAt))
	d.UpdatedAt = sqlio.Time(sqlio.Millis(now))
	return d
}

func ensureWorkspace(ctx context.Context, q querier, ws domain.WorkspaceID) error {
	_, err := q.ExecContext(ctx, `INSERT INTO workspaces (id, head) VALUES (?, 0) ON CONFLICT (id) DO NOTHING`, ws)
	return err
}

// insertDocument reports whether d was new.
func insertDocument(ctx context.Context, q querier, d domain.Document) (bool, error) {
	return changed(q.ExecContext(ctx, `INSERT INTO documents (`+documentColumns+`, author_words, words, published)
		VALUES (`+sqlio.Marks(41)+`) ON CONFLICT (workspace_id, id) DO NOTHING`,
		d.Workspace, d.ID, d.Name, d.Title, d.Format, d.Size, d.Hash, d.Status, d.Stage, d.Pages, d.Chars,
		d.Chunks, d.ChunksDone, d.Entities, d.Relations, d.Reader, d.Schema, d.Chosen, column{d.Warnings}, d.Problem, d.Run,
		sqlio.Millis(d.CreatedAt), sqlio.Millis(d.UpdatedAt), int64(d.Took), d.Deaths, d.Dropped,
		d.Source, d.Index, d.Link, d.Published, d.Author, d.Language, d.LinkTag, d.Version, sqlio.Millis(d.VersionAt), d.VersionOf, column{d.Chunking}, sqlio.Millis(d.GoneAt), strings.ToLower(d.Author), words(d), 0))
}

// words returns the text that the list's filter searches.
func words(d domain.Document) string { return strings.ToLower(d.Name + "\n" + d.Title) }

// Document returns a document, or an error of kind NotFound, also for one that was read and
// is hidden by a deletion.
func (l *Ledger) Document(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (domain.Document, error) {
	d, err := document(ctx, l.reader, ws, id, ` AND (delete_at = 0 OR status IN ('waiting', 'working'))`)
	return d, l.wrap("read document", err)
}

// AnyDocument is like Document for all that are stored.
func (l *Ledger) AnyDocument(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (domain.Document, error) {
	d, err := document(ctx, l.reader, ws, id, "")
	return d, l.wrap("read document", err)
}

func document(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.DocumentID, lock string) (domain.Document, error) {
	row := q.QueryRowContext(ctx, `SELECT `+documentColumns+` FROM documents WHERE workspace_id = ? AND id = ?`+lock, ws, id)
	d, err := scanDocument(row.Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Document{}, noDocument(id)
	}
	return d, err
}

func noDocument(id domain.DocumentID) error {
	return domain.Errorf(domain.NotFound, "There is no document %s here. It may have been deleted.", id)
}

func scanDocument(scan func(...any) error) (d domain.Document, err error) {
	err = scan(&d.Workspace, &d.ID, &d.Name, &d.Title, &d.Format, &d.Size, &d.Hash, &d.Status, &d.Stage, &d.Pages, &d.Chars,
		&d.Chunks, &d.ChunksDone, &d.Entities, &d.Relations, &d.Reader, &d.Schema, &d.Chosen, column{&d.Warnings}, &d.Problem, &d.Run,
		instant{&d.CreatedAt}, instant{&d.UpdatedAt}, &d.Took, &d.Deaths, &d.Dropped,
		&d.Source, &d.Index, &d.Link, &d.Published, &d.Author, &d.Language, &d.LinkTag, &d.Version, instant{&d.VersionAt}, &d.VersionOf, column{&d.Chunking}, instant{&d.GoneAt})
	return d, err
}

// UpdateDocument lets f change the stored document, in one transaction. Its
// workspace, id and CreatedAt stay; UpdatedAt is set.
func (l *Ledger) UpdateDocument(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, f func(*domain.Document)) (domain.Document, error) {
	return l.UpdateDocumentTx(ctx, ws, id, f, func(*sql.Tx) error { return nil })
}

// UpdateDocumentTx does what UpdateDocument does and calls more in the same
// transaction, as AddDocumentTx does.
func (l *Ledger) UpdateDocumentTx(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, f func(*domain.Document), more func(*sql.Tx) error) (domain.Document, error) {
	var d domain.Document
	err := l.tx(ctx, "update document", func(tx *sql.Tx, now time.Time) error {
		stored, err := document(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		d = stored
		f(&d)
		d.Workspace, d.ID, d.CreatedAt, d.UpdatedAt = ws, id, stored.CreatedAt, sqlio.Time(sqlio.Millis(now))
		if err := writeDocument(ctx, tx, stored, d); err != nil {
			return err
		}
		return more(tx)
	})
	return d, err
}

// writeDocument writes the columns in which d differs from what is stored: each column that is set costs writing its
// indexes, and a document is written at each step of its reading.
func writeDocument(ctx context.Context, q querier, stored, d domain.Document) error {
	var set []string
	var args []any
	before := settable(stored)
	for i, f := range settable(d) {
		if !reflect.DeepEqual(f.value, before[i].value) {
			set, args = append(set, f.column+" = ?"), append(args, f.value)
		}
	}
	if d.Title != stored.Title {
		set = append(set, "titled = 0")
	}
	if len(set) == 0 {
		return nil
	}
	_, err := q.ExecContext(ctx, `UPDATE documents SET `+strings.Join(set, ", ")+` WHERE workspace_id = ? AND id = ?`, append(args, d.Workspace, d.ID)...)
	return err
}

// field is a column of a row with its value.
type field struct {
	column string
	value  any
}

// settable returns the columns of a document that may change.
func settable(d domain.Document) []field {
	return []field{
		{"name", d.Name}, {"title", d.Title}, {"words", words(d)}, {"format", d.Format}, {"size", d.Size}, {"hash", d.Hash},
		{"status", d.Status}, {"stage", d.Stage}, {"pages", d.Pages}, {"chars", d.Chars}, {"chunks", d.Chunks}, {"chunks_done", d.ChunksDone},
		{"entities", d.Entities}, {"relations", d.Relations}, {"reader", d.Reader}, {"schema_number", d.Schema}, {"schema_name", d.Chosen},
		{"warnings", column{d.Warnings}}, {"problem", d.Problem}, {"run_id", d.Run}, {"updated_at", sqlio.Millis(d.UpdatedAt)}, {"took", int64(d.Took)},
		{"deaths", d.Deaths}, {"dropped", d.Dropped}, {"source", d.Source}, {"place", d.Index}, {"link", d.Link}, {"published_on", d.Published},
		{"author", d.Author}, {"language", d.Language}, {"link_tag", d.LinkTag}, {"author_words", strings.ToLower(d.Author)}, {"version", d.Version},
		{"version_at", sqlio.Millis(d.VersionAt)}, {"chunking", column{d.Chunking}},
	}
}
