package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A Version is an earlier version of a document's file: what answers may quote,
// and nothing that is searched.
type Version struct {
	Number int // from 0
	Name   string
	Title  string
	Format domain.Format
	Size   int64
	Hash   string
	Chars  int
	Chunks int
	Since  time.Time
	Until  time.Time // since when the next version is in force
}

const versionColumns = `number, name, title, format, size, hash, chars, chunks, since, until`

func scanVersion(rows *sql.Rows) (v Version, err error) {
	return v, rows.Scan(&v.Number, &v.Name, &v.Title, &v.Format, &v.Size, &v.Hash, &v.Chars, &v.Chunks, instant{&v.Since}, instant{&v.Until})
}

// Versions lists the earlier versions of a document that are kept, newest first.
func (l *Ledger) Versions(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]Version, error) {
	all, err := sqlio.Collect(ctx, l.reader, scanVersion, `SELECT `+versionColumns+` FROM document_versions
		WHERE workspace_id = ? AND document_id = ? ORDER BY number DESC`, ws, id)
	return all, l.wrap("list versions", err)
}

// VersionText returns the text of an earlier version, or an error of kind
// NotFound.
func (l *Ledger) VersionText(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, number int) (domain.Text, error) {
	var t domain.Text
	err := l.reader.QueryRowContext(ctx,
		`SELECT title, content, pages, headings, warnings FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number = ?`, ws, id, number).
		Scan(&t.Title, &t.Content, column{&t.Pages}, column{&t.Headings}, column{&t.Warnings})
	if errors.Is(err, sql.ErrNoRows) {
		return t, noVersion(number)
	}
	return t, l.wrap("read the text of a version", err)
}

func noVersion(number int) error {
	return domain.Errorf(domain.NotFound, "There is no version %d of this document here. It may have been removed.", number+1)
}

// DocumentsOfFile lists the documents that hold the file of a hash, oldest first.
func (l *Ledger) DocumentsOfFile(ctx context.Context, ws domain.WorkspaceID, hash string) ([]domain.Document, error) {
	return l.documentsWith(ctx, ws, "hash", hash)
}

// DocumentsNamed lists the documents whose file has a name and that no deletion hides, oldest
// first.
func (l *Ledger) DocumentsNamed(ctx context.Context, ws domain.WorkspaceID, name string) ([]domain.Document, error) {
	return l.documentsWith(ctx, ws, "delete_at = 0 AND name", name)
}

// A DocumentName is what a document is called, and the document whose next version it is to be, if any.
type DocumentName struct {
	ID        domain.DocumentID
	Name      string
	VersionOf domain.DocumentID
}

// DocumentNames lists the names of all documents that no deletion hides, by name and then by id.
func (l *Ledger) DocumentNames(ctx context.Context, ws domain.WorkspaceID) ([]DocumentName, error) {
	found, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (d DocumentName, err error) {
		return d, rows.Scan(&d.ID, &d.Name, &d.VersionOf)
	}, `SELECT id, name, version_of FROM documents WHERE workspace_id = ? AND delete_at = 0 ORDER BY name, id`, ws)
	return found, l.wrap("list the names of documents", err)
}

// VersionsToCome lists the documents that are read to become the next version of
// another one, oldest first.
func (l *Ledger) VersionsToCome(ctx context.Context, ws domain.WorkspaceID, of domain.DocumentID) ([]domain.Document, error) {
	return l.documentsWith(ctx, ws, "version_of", string(of))
}

func (l *Ledger) documentsWith(ctx context.Context, ws domain.WorkspaceID, column, value string) ([]domain.Document, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanDocumentRow,
		`SELECT `+documentColumns+` FROM documents WHERE workspace_id = ? AND `+column+` = ? ORDER BY created_at, id`, ws, value)
	return found, l.wrap("find documents", err)
}

// NeedsFile reports whether a document or an earlier version of one has the file
// of a hash.
func (l *Ledger) NeedsFile(ctx context.Context, ws domain.WorkspaceID, hash string) (needs bool, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND hash = ?)
		OR EXISTS (SELECT 1 FROM document_versions WHERE workspace_id = ? AND hash = ?)`, ws, hash, ws, hash).Scan(&needs)
	return needs, l.wrap("look for the owner of a file", err)
}

// AdoptVersion makes a document that was read to be the next version of another
// one that version, in one transaction: the other one takes over its file, text,
// chunks and contributions, and the change is published. What it held before
// becomes an earlier version. A chunk whose text stays keeps its id, and what
// curators marked in it; see domain.NewKeptChunkID. It does nothing when that has
// been done. The error is Unavailable while the other one is being read, and
// NotFound when one of them is gone.
func (l *Ledger) AdoptVersion(ctx context.Context, ws domain.WorkspaceID, id, of domain.DocumentID) error {
	return l.tx(ctx, "adopt a version", func(tx *sql.Tx, now time.Time) error {
		into, err := document(ctx, tx, ws, of, l.lock.Changing)
		if err != nil {
			return err
		}
		next, err := document(ctx, tx, ws, id, l.lock.Removing)
		if domain.KindOf(err) == domain.NotFound && domain.NewVersionID(of, into.Hash) == id {
			return nil
		}
		if err != nil {
			return err
		}
		if into.Status == domain.DocumentWorking {
			return domain.Errorf(domain.Unavailable, "The new version of %s waits until the present one has been read.", into.Name)
		}
		for _, step := range []func() error{
			func() error { return keepVersion(ctx, tx, into, now) },
			func() error { return moveChunks(ctx, tx, ws, of, id) },
			func() error { return moveText(ctx, tx, ws, of, id) },
			func() error { return writeDocument(ctx, tx, into, nextVersion(into, next, now)) },
			func() error { return l.leave(ctx, tx, ws, of, id) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if _, err = appendChange(ctx, tx, ws, Change{Document: of}, now); err != nil {
			return err
		}
		if err := l.recall(ctx, tx, ws, of); err != nil {
			return err
		}
		return l.forget(ctx, tx, ws)
	})
}

// keepVersion keeps what a document holds as an earlier version.
func keepVersion(ctx context.Context, tx *sql.Tx, d domain.Document, now time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO document_versions
		(workspace_id, document_id, number, name, title, format, size, hash, chars, chunks, run_id, since, until, content, pages, headings, warnings)
		SELECT d.workspace_id, d.id, d.version, d.name, d.title, d.format, d.size, d.hash, d.chars, d.chunks, d.run_id,
			CASE d.version_at WHEN 0 THEN d.created_at ELSE d.version_at END, CAST(? AS BIGINT),
			COALESCE(t.content, ''), COALESCE(t.pages, 'null'), COALESCE(t.headings, 'null'), COALESCE(t.warnings, 'null')
		FROM documents d LEFT JOIN texts t ON t.workspace_id = d.workspace_id AND t.document_id = d.id
		WHERE d.workspace_id = ? AND d.id = ?`, sqlio.Millis(now), d.Workspace, d.ID)
	return err
}

// nextVersion returns a document as it is once next is its version.
func nextVersion(d, next domain.Document, now time.Time) domain.Document {
	next.ID, next.CreatedAt, next.VersionOf = d.ID, d.CreatedAt, ""
	next.Version, next.VersionAt, next.UpdatedAt = d.Version+1, now, now
	next.Status, next.Stage, next.Problem, next.Deaths = domain.DocumentReady, "", "", 0
	next.Reader, next.Schema = cmp.Or(next.Reader, d.Reader), cmp.Or(next.Schema, d.Schema) // until the new one's are reported
	next.Entities, next.Relations = cmp.Or(next.Entities, d.Entities), cmp.Or(next.Relations, d.Relations)
	next.Link = cmp.Or(next.Link, d.Link)
	next.Chosen = cmp.Or(next.Chosen, d.Chosen)
	return next
}

// moveText gives a document the text of its next version.
func moveText(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, of, id domain.DocumentID) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM texts WHERE workspace_id = ? AND document_id = ?`, ws, of); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE texts SET document_id = ? WHERE workspace_id = ? AND document_id = ?`, of, ws, id)
	return err
}

// leave makes the runs of the next version the document's, and removes what is
// left of the next version as a document of its own.
func (l *Ledger) leave(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, of, id domain.DocumentID) error {
	for _, s := range []string{
		`UPDATE runs SET subject = ? WHERE workspace_id = ? AND subject = ?`,
		`INSERT INTO run_documents (workspace_id, run_id, document_id) SELECT workspace_id, run_id, ? FROM run_documents
			WHERE workspace_id = ? AND document_id = ? ON CONFLICT (run_id, document_id) DO NOTHING`,
		`UPDATE documents SET published = 1 WHERE id = ? AND workspace_id = ? AND id <> ?`,
	} {
		if _, err := tx.ExecContext(ctx, s, of, ws, id); err != nil {
			return err
		}
	}
	for _, s := range []string{
		`DELETE FROM run_documents WHERE workspace_id = ? AND document_id = ?`,
		`DELETE FROM documents WHERE workspace_id = ? AND id = ?`,
	} {
		if _, err := tx.ExecContext(ctx, s, ws, id); err != nil {
			return err
		}
	}
	return nil
}
