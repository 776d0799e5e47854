package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A SchemaScope is what a schema is for: the documents with a tag, those for which
// its name was chosen, one document, or the library when it is zero.
type SchemaScope struct {
	Tag      string
	Name     string
	Document domain.DocumentID
}

// A SchemaVersion is one version of the schema of a scope.
type SchemaVersion struct {
	Number int64 // counts all versions of a workspace, of whatever scope
	Scope  SchemaScope
	At     time.Time
	Who    string // who saved it; "" where there are no accounts
	Note   string
	Body   string // "" clears the scope
}

const schemaColumns = `number, tag, name, document_id, at, who, note, body`

func scanSchema(rows *sql.Rows) (v SchemaVersion, err error) {
	return v, rows.Scan(&v.Number, &v.Scope.Tag, &v.Scope.Name, &v.Scope.Document, instant{&v.At}, &v.Who, &v.Note, &v.Body)
}

// AddSchema stores a version, with its number and time, if base is the number of
// the scope's latest version, 0 for none. Otherwise the error is Conflict. It is
// NotFound when the scope is a document that is not there.
func (l *Ledger) AddSchema(ctx context.Context, ws domain.WorkspaceID, v SchemaVersion, base int64) (SchemaVersion, error) {
	err := l.tx(ctx, "save schema", func(tx *sql.Tx, now time.Time) error {
		if v.Scope.Document != "" {
			if _, err := document(ctx, tx, ws, v.Scope.Document, l.lock.Staying); err != nil {
				return err
			}
		}
		if err := l.lockWorkspace(ctx, tx, ws); err != nil {
			return err
		}
		if err := isLatestSchema(ctx, tx, ws, v.Scope, base); err != nil {
			return err
		}
		v.At = sqlio.Time(sqlio.Millis(now))
		return tx.QueryRowContext(ctx, `INSERT INTO schemas (workspace_id, `+schemaColumns+`)
			SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM schemas WHERE workspace_id = ? RETURNING number`,
			ws, v.Scope.Tag, v.Scope.Name, v.Scope.Document, sqlio.Millis(now), v.Who, v.Note, v.Body, ws).Scan(&v.Number)
	})
	return v, err
}

// lockWorkspace makes the workspace's row and locks it, so that what is numbered
// within the workspace gets its number once.
func (l *Ledger) lockWorkspace(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID) error {
	if err := ensureWorkspace(ctx, tx, ws); err != nil {
		return err
	}
	var head int64
	return tx.QueryRowContext(ctx, `SELECT head FROM workspaces WHERE id = ?`+l.lock.Changing, ws).Scan(&head)
}

func isLatestSchema(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, s SchemaScope, base int64) error {
	latest, err := sqlio.Collect(ctx, tx, scanSchema, `SELECT `+schemaColumns+` FROM schemas
		WHERE workspace_id = ? AND tag = ? AND name = ? AND document_id = ? ORDER BY number DESC LIMIT 1`, ws, s.Tag, s.Name, s.Document)
	if err != nil {
		return err
	}
	if len(latest) == 0 && base != 0 {
		return domain.Errorf(domain.Conflict, "Version %d is no version of this schema. Open the schema again and repeat your changes.", base)
	}
	if len(latest) > 0 && latest[0].Number != base {
		who := "Somebody"
		if latest[0].Who != "" {
			who = latest[0].Who
		}
		return domain.Errorf(domain.Conflict, "%s saved version %d meanwhile. Compare it with yours, then save again.", who, latest[0].Number)
	}
	return nil
}

// Schema returns a version, or an error of kind NotFound.
func (l *Ledger) Schema(ctx context.Context, ws domain.WorkspaceID, number int64) (SchemaVersion, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanSchema,
		`SELECT `+schemaColumns+` FROM schemas WHERE workspace_id = ? AND number = ?`, ws, number)
	if err == nil && len(found) == 0 {
		err = domain.Errorf(domain.NotFound, "There is no version %d of a schema.", number)
	}
	if err != nil {
		return SchemaVersion{}, l.wrap("read schema", err)
	}
	return found[0], nil
}

// SchemaVersions lists at most n versions of a scope's schema, the latest first,
// all when n is 0.
func (l *Ledger) SchemaVersions(ctx context.Context, ws domain.WorkspaceID, s SchemaScope, n int) ([]SchemaVersion, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanSchema, `SELECT `+schemaColumns+` FROM schemas
		WHERE workspace_id = ? AND tag = ? AND name = ? AND document_id = ? ORDER BY number DESC LIMIT ?`, ws, s.Tag, s.Name, s.Document, limit(n))
	return found, l.wrap("list versions of a schema", err)
}

// latestSchemas selects the latest version of each scope among the rows that a
// condition on s allows.
const latestSchemas = `SELECT ` + schemaColumns + ` FROM schemas WHERE workspace_id = ? AND number IN (
	SELECT MAX(s.number) FROM schemas s WHERE s.workspace_id = ? `

// LatestSchemas lists the latest version of each scope that has one, by document,
// name and tag.
func (l *Ledger) LatestSchemas(ctx context.Context, ws domain.WorkspaceID) ([]SchemaVersion, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanSchema,
		latestSchemas+`GROUP BY s.document_id, s.name, s.tag) ORDER BY document_id, name, tag`, ws, ws)
	return found, l.wrap("list schemas", err)
}

// SchemasFor lists the latest versions of the scopes that a document belongs to:
// the library, its tags by name, the name chosen for it, itself.
func (l *Ledger) SchemasFor(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]SchemaVersion, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanSchema, latestSchemas+`
		AND (s.document_id = ? OR s.document_id = '' AND (s.tag = '' OR s.tag IN (
			SELECT t.tag FROM document_tags t WHERE t.workspace_id = ? AND t.document_id = ?))
			AND (s.name = '' OR s.name = (SELECT d.schema_name FROM documents d WHERE d.workspace_id = ? AND d.id = ?)))
		GROUP BY s.document_id, s.name, s.tag) ORDER BY document_id, name, tag`, ws, ws, id, ws, id, ws, id)
	return found, l.wrap("read the schemas of a document", err)
}
