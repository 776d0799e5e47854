package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
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
	Until  time.Time // when the next version replaced it
}

var versionTable = sqlio.Table[Version]{Name: "document_versions", Row: func(v *Version) sqlio.Row {
	return sqlio.Row{
		"number key", &v.Number, "name", &v.Name, "title", &v.Title, "format", &v.Format, "size", &v.Size, "hash", &v.Hash, "chars", &v.Chars, "chunks", &v.Chunks,
		"since", &v.Since, "until", &v.Until,
	}
}}

// Versions lists the earlier versions of a document that are kept, newest first.
func (l DocumentStore) Versions(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]Version, error) {
	return list(ctx, l, "list versions", versionTable.Scan, versionTable.Select()+`WHERE workspace_id = ? AND document_id = ? ORDER BY number DESC`, ws, id)
}

// VersionText returns the text of an earlier version, or an error of kind
// NotFound.
func (l DocumentStore) VersionText(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, number int) (domain.Text, error) {
	t, err := read(ctx, l.reader, textTable("document_versions", ws, id), noVersion(number), `WHERE workspace_id = ? AND document_id = ? AND number = ?`, ws, id, number)
	return t, l.wrap("read the text of a version", err)
}

func noVersion(number int) error {
	return domain.Errorf(domain.NotFound, "There is no version %d of this document here. It may have been deleted.", number+1)
}

// DocumentsOfFile lists the documents that hold the file of a hash, oldest first.
func (l DocumentStore) DocumentsOfFile(ctx context.Context, ws domain.WorkspaceID, hash string) ([]domain.Document, error) {
	return l.documentsWith(ctx, ws, "hash", hash)
}

// DocumentsNamed lists the documents whose file has a name and that no deletion hides, oldest
// first.
func (l DocumentStore) DocumentsNamed(ctx context.Context, ws domain.WorkspaceID, name string) ([]domain.Document, error) {
	return l.documentsWith(ctx, ws, "delete_at = 0 AND name", name)
}

// A DocumentName is the name of a document, and the document whose next version it is to be, if any.
type DocumentName struct {
	ID        domain.DocumentID
	Name      string
	VersionOf domain.DocumentID
}

// DocumentNames lists the names of all documents that no deletion hides, by name and then by id.
func (l DocumentStore) DocumentNames(ctx context.Context, ws domain.WorkspaceID) ([]DocumentName, error) {
	f := shown(ctx, ws)
	return list(ctx, l, "list the names of documents", into(func(d *DocumentName) []any { return []any{&d.ID, &d.Name, &d.VersionOf} }), `SELECT id, name, version_of FROM documents WHERE `+f.cond+` ORDER BY name, id`, f.args...)
}

// VersionsToCome lists the documents that are read to become the next version of
// another one, oldest first.
func (l DocumentStore) VersionsToCome(ctx context.Context, ws domain.WorkspaceID, of domain.DocumentID) ([]domain.Document, error) {
	return l.documentsWith(ctx, ws, "delete_at = 0 AND version_of", string(of))
}

// Overtake stops the documents that are read to become the next version of another one, but for one, and hides them as if
// they were deleted: DeleteMarked may remove them by now. It returns the runs that read them.
func (l DocumentStore) Overtake(ctx context.Context, ws domain.WorkspaceID, of, but domain.DocumentID) (runs []domain.RunID, err error) {
	err = l.tx(ctx, "hide overtaken versions", func(tx *sql.Tx, now time.Time) error {
		runs, err = sqlio.Collect(ctx, tx, sqlio.Column[domain.RunID], `UPDATE documents SET delete_at = ?, deletion = id, status = 'stopped'
			WHERE workspace_id = ? AND version_of = ? AND id <> ? AND delete_at = 0 RETURNING run_id`, sqlio.Millis(now), ws, of, but)
		return err
	})
	return runs, err
}

func (l *store) documentsWith(ctx context.Context, ws domain.WorkspaceID, column, value string) ([]domain.Document, error) {
	seen, args := Seen(ctx, "documents")
	return list(ctx, l, "find documents", documentTable.Scan, documentTable.Select()+`WHERE workspace_id = ? AND `+column+` = ?`+seen+` ORDER BY created_at, id`, append([]any{ws, value}, args...)...)
}

// NeedsFile reports whether a document, an earlier version of one or a picture has
// the file of a hash.
func (l DocumentStore) NeedsFile(ctx context.Context, ws domain.WorkspaceID, hash string) (bool, error) {
	return one[bool](ctx, l, "look for the owner of a file", `SELECT EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND hash = ?)
		OR EXISTS (SELECT 1 FROM document_versions WHERE workspace_id = ? AND hash = ?)
		OR EXISTS (SELECT 1 FROM pictures WHERE workspace_id = ? AND hash = ?)`, ws, hash, ws, hash, ws, hash)
}

// AdoptVersion makes a document that was read to be the next version of another
// one that version, in one transaction: the other one takes over its file, text,
// chunks and contributions, and the change is published. What it held before
// becomes an earlier version. A chunk whose text stays keeps its id, and what
// curators marked in it; see domain.NewKeptChunkID. It does nothing when that has
// been done. The error is Unavailable while the other one is being read, and
// NotFound when one of them is gone or the version was overtaken.
func (l DocumentStore) AdoptVersion(ctx context.Context, ws domain.WorkspaceID, id, of domain.DocumentID) error {
	return l.tx(ctx, "adopt a version", func(tx *sql.Tx, now time.Time) error {
		into, err := document(ctx, tx, ws, of, l.lock.Changing)
		if err != nil {
			return err
		}
		next, err := document(ctx, tx, ws, id, ` AND delete_at = 0`+l.lock.Removing) // its run may not know yet that it was overtaken
		if domain.KindOf(err) == domain.NotFound && domain.NewVersionID(of, into.Hash) == id {
			return nil
		}
		if err != nil {
			return err
		}
		if into.Status == domain.DocumentWorking {
			return domain.Errorf(domain.Unavailable, "The new version of %s has to wait until the current one has been read.", into.Name)
		}
		if err := keepVersion(ctx, tx, into, now); err != nil {
			return err
		}
		if err := moveChunks(ctx, tx, ws, of, id); err != nil {
			return err
		}
		if err := moveFields(ctx, tx, ws, of, id); err != nil {
			return err
		}
		if err := writeDocument(ctx, tx, into, nextVersion(into, next, now)); err != nil {
			return err
		}
		// The text, the pictures and the runs of the next version become the document's.
		err = sqlio.ExecAll(ctx, tx, []any{of, ws, id},
			`UPDATE texts SET document_id = ? WHERE workspace_id = ? AND document_id = ?`,
			`UPDATE pictures SET document_id = ? WHERE workspace_id = ? AND document_id = ?`,
			`UPDATE documents SET titled = 0, published = 1 WHERE id = ? AND workspace_id = ? AND id <> ?`,
			`UPDATE runs SET subject = ? WHERE workspace_id = ? AND subject = ?`,
			`INSERT INTO run_documents (workspace_id, run_id, document_id) SELECT workspace_id, run_id, ? FROM run_documents
				WHERE workspace_id = ? AND document_id = ? ON CONFLICT (run_id, document_id) DO NOTHING`)
		if err != nil {
			return err
		}
		err = sqlio.ExecAll(ctx, tx, []any{ws, id}, `DELETE FROM run_documents WHERE workspace_id = ? AND document_id = ?`, `DELETE FROM documents WHERE workspace_id = ? AND id = ?`)
		if err != nil {
			return err
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

// keepVersion keeps what a document holds as an earlier version, without its pictures.
func keepVersion(ctx context.Context, tx *sql.Tx, d domain.Document, now time.Time) error {
	if err := sqlio.Exec(ctx, tx, `DELETE FROM pictures WHERE workspace_id = ? AND document_id = ?`, d.Workspace, d.ID); err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, `INSERT INTO document_versions
		(workspace_id, document_id, number, name, title, format, size, hash, chars, chunks, run_id, since, until, content, pages, headings, warnings)
		SELECT d.workspace_id, d.id, d.version, d.name, d.title, d.format, d.size, d.hash, d.chars, d.chunks, d.run_id,
			CASE d.version_at WHEN 0 THEN d.created_at ELSE d.version_at END, CAST(? AS BIGINT),
			COALESCE(t.content, ''), COALESCE(t.pages, 'null'), COALESCE(t.headings, 'null'), COALESCE(t.warnings, 'null')
		FROM documents d LEFT JOIN texts t ON t.workspace_id = d.workspace_id AND t.document_id = d.id
		WHERE d.workspace_id = ? AND d.id = ?`, sqlio.Millis(now), d.Workspace, d.ID)
}

// nextVersion returns a document as it is once next is its version.
func nextVersion(d, next domain.Document, now time.Time) domain.Document {
	next.ID, next.CreatedAt, next.VersionOf = d.ID, d.CreatedAt, ""
	next.AddedBy, next.Limited = d.AddedBy, d.Limited
	next.Version, next.VersionAt, next.UpdatedAt = d.Version+1, now, now
	next.Status, next.Stage, next.Problem, next.Deaths = domain.DocumentReady, "", "", 0
	next.Reader, next.Schema = cmp.Or(next.Reader, d.Reader), cmp.Or(next.Schema, d.Schema) // until the new one's are reported
	next.Entities, next.Relations = cmp.Or(next.Entities, d.Entities), cmp.Or(next.Relations, d.Relations)
	next.Link = cmp.Or(next.Link, d.Link)
	next.Chosen = cmp.Or(next.Chosen, d.Chosen)
	return next
}

// moveChunks gives a document the chunks of its next version, with what was mined
// from them.
func moveChunks(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, of, id domain.DocumentID) error {
	before, err := chunksOf(ctx, tx, ws, of)
	if err != nil {
		return err
	}
	next, err := chunksOf(ctx, tx, ws, id)
	if err != nil {
		return err
	}
	kept := lists.By(next, func(c domain.Chunk) domain.ChunkID { return c.ID })
	moved := map[domain.ChunkID]int{}
	for _, c := range before {
		to, stays := kept[domain.NewKeptChunkID(id, c.ID)]
		if !stays {
			if err := sqlio.Exec(ctx, tx, deleteChunk, ws, c.ID); err != nil {
				return err
			}
			continue
		}
		moved[c.ID] = to.Span.Start - c.Span.Start
		if err := keepChunk(ctx, tx, ws, c.ID, to); err != nil {
			return fmt.Errorf("keep chunk %d: %w", c.Ordinal+1, err)
		}
	}
	err = sqlio.ExecAll(ctx, tx, []any{of, ws, id},
		`UPDATE chunks SET document_id = ? WHERE workspace_id = ? AND document_id = ?`,
		`UPDATE contributions SET document_id = ? WHERE workspace_id = ? AND document_id = ?`,
		`UPDATE dropped SET document_id = ? WHERE workspace_id = ? AND document_id = ?`)
	if err != nil {
		return err
	}
	return moveStretches(ctx, tx, ws, moved)
}

// keepChunk puts a chunk whose text stays where it stands in the next version. What
// was mined from it there replaces what it had.
func keepChunk(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.ChunkID, to domain.Chunk) error {
	err := sqlio.Exec(ctx, tx, `UPDATE chunks SET ordinal = ?, span_start = ?, span_end = ?, page = ?, headings = ?, tokens = ?, places = ?
		WHERE workspace_id = ? AND id = ?`, to.Ordinal, to.Span.Start, to.Span.End, to.Page, sqlio.JSON(to.Headings), to.Tokens, sqlio.JSON(to.Places), ws, id)
	if err != nil {
		return err
	}
	if err := sqlio.Exec(ctx, tx, `DELETE FROM contributions WHERE workspace_id = ? AND chunk_id = ?`, ws, id); err != nil {
		return err
	}
	err = sqlio.ExecAll(ctx, tx, []any{id, ws, to.ID}, // rows move whole, whatever their columns
		`INSERT INTO contributions (chunk_id, workspace_id, document_id, reader, graph, mined, mined_schema)
			SELECT ?, workspace_id, document_id, reader, graph, mined, mined_schema FROM contributions WHERE workspace_id = ? AND chunk_id = ?`,
		`UPDATE mentions SET chunk_id = ? WHERE workspace_id = ? AND chunk_id = ?`,
		`UPDATE statements SET chunk_id = ? WHERE workspace_id = ? AND chunk_id = ?`,
		`UPDATE dropped SET chunk_id = ? WHERE workspace_id = ? AND chunk_id = ?`)
	if err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, deleteChunk, ws, to.ID)
}

const deleteChunk = `DELETE FROM chunks WHERE workspace_id = ? AND id = ?`

// moveStretches moves the stretches that curators marked in chunks by a number of code points.
func moveStretches(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, moved map[domain.ChunkID]int) error {
	entries, err := curations(ctx, tx, ws, `kind IN (?, ?)`, CurationCreate, CurationRelate)
	if err != nil {
		return err
	}
	for _, c := range entries {
		by := moved[c.Stretch.Chunk]
		if by == 0 {
			continue
		}
		c.Stretch.Span = c.Stretch.Span.Shift(by)
		if err := sqlio.Exec(ctx, tx, `UPDATE curations SET operation = ? WHERE workspace_id = ? AND seq = ?`, sqlio.JSON(c.Operation), ws, c.Seq); err != nil {
			return err
		}
	}
	return nil
}

// RemoveVersion removes an earlier version of a document with its words from every
// table, and returns the hash of its file. What another version has in the same words
// stays where it is if the whole file is the same.
func (l DocumentStore) RemoveVersion(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, number int) (hash string, err error) {
	err = l.erase(ctx, "remove a version", func(tx *sql.Tx, _ time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Removing); err != nil {
			return err
		}
		v := Version{Number: number}
		var content string
		err := tx.QueryRowContext(ctx, `SELECT hash, since, until, content FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number = ?`, ws, id, number).
			Scan(sqlio.To(&v.Hash, &v.Since, &v.Until, &content)...)
		if errors.Is(err, sql.ErrNoRows) {
			return noVersion(number)
		}
		if err != nil {
			return err
		}
		hash = v.Hash
		again, err := sqlio.Value[bool](ctx, tx, `SELECT EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND id = ? AND hash = ?)
			OR EXISTS (SELECT 1 FROM document_versions WHERE workspace_id = ? AND document_id = ? AND hash = ? AND number <> ?)`, ws, id, v.Hash, ws, id, v.Hash, number)
		if err != nil {
			return err
		}
		if !again {
			t := tracesOf(v, content)
			losing := func() (loss, error) { return lostWithVersion(ctx, tx, ws, id, number, content) }
			if err := l.removeTraces(ctx, tx, ws, id, t, losing, t.deletions()); err != nil {
				return err
			}
		}
		if err := dropDivisions(ctx, tx, ws); err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `DELETE FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number = ?`, ws, id, number)
	})
	return hash, err
}

// tracesOf finds what a version of a document left: what runs wrote that were going
// while it was in force and read the document, quotations from it, summaries of its
// text, and the runs that read the document, but for the last ones of the other versions.
func tracesOf(v Version, content string) traces {
	return traces{
		readers: fmt.Sprintf(`(SELECT d.run_id FROM run_documents d JOIN runs r ON r.id = d.run_id WHERE d.workspace_id = ? AND d.document_id = ?
			AND r.subject <> d.document_id AND r.created_at <= %d AND (r.finished_at = 0 OR r.finished_at >= %d))`, v.Until.UnixMilli(), v.Since.UnixMilli()),
		runs: fmt.Sprintf(`(SELECT id FROM runs WHERE workspace_id = ? AND subject = ?
			AND id NOT IN (SELECT run_id FROM documents WHERE workspace_id = ? AND id = ?)
			AND id NOT IN (SELECT run_id FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number <> %d))`, v.Number),
		quoted:     fmt.Sprintf(` AND version = %d`, v.Number),
		summarised: ` AND d.text_hash = '` + domain.Hash([]byte(content)) + `'`,
	}
}
