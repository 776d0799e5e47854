package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// identity is the setting with the identity of a workspace's ledger.
const identity = "identity"

// Identity returns the identity of a workspace's ledger, which distinguishes it from others in the stores that it is
// projected into. The first call draws it from random.
func (l SettingStore) Identity(ctx context.Context, ws domain.WorkspaceID, random io.Reader) (string, error) {
	return l.Secret(ctx, ws, identity, random)
}

// Identities returns the identities that were drawn, by workspace.
func (l SettingStore) Identities(ctx context.Context) (map[domain.WorkspaceID]string, error) {
	return pairs[domain.WorkspaceID, string](ctx, l, "read identities", `SELECT workspace_id, value FROM settings WHERE name = ?`, identity)
}

// SetIdentities replaces all identities. One that isn't among them is drawn again.
func (l SettingStore) SetIdentities(ctx context.Context, all map[domain.WorkspaceID]string) error {
	return l.tx(ctx, "set identities", func(tx *sql.Tx, _ time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM settings WHERE name = ?`, identity); err != nil {
			return err
		}
		rows := lists.Map(slices.Sorted(maps.Keys(all)), func(ws domain.WorkspaceID) setting { return setting{ws, identity, all[ws]} })
		return settingTable.InsertAll(ctx, tx, rows, "")
	})
}

// ColumnsOf returns the name of the setting that holds the fields that an account has chosen as columns of its list of documents.
func ColumnsOf(account string) string { return "columns " + account }

// setting is a value that a workspace has under a name.
type setting struct {
	workspace   domain.WorkspaceID
	name, value string
}

var settingTable = sqlio.Table[setting]{Name: "settings", Row: func(s *setting) sqlio.Row {
	return sqlio.Row{"workspace_id key", &s.workspace, "name key", &s.name, "value", &s.value}
}}

// Setting returns the value of a workspace's setting, and whether it is set.
func (l SettingStore) Setting(ctx context.Context, ws domain.WorkspaceID, name string) (value string, set bool, err error) {
	s, set, err := settingTable.First(ctx, l.reader, `WHERE workspace_id = ? AND name = ?`, ws, name)
	return s.value, set, l.wrap("read setting", err)
}

// SetSetting changes a workspace's setting.
func (l SettingStore) SetSetting(ctx context.Context, ws domain.WorkspaceID, name, value string) error {
	return l.tx(ctx, "change setting", func(tx *sql.Tx, _ time.Time) error { return settingTable.Put(ctx, tx, &setting{ws, name, value}) })
}

// SettingOf decodes a workspace's setting, which is JSON, and reports whether it is set.
func SettingOf[T any](ctx context.Context, l SettingStore, ws domain.WorkspaceID, name string) (v T, set bool, err error) {
	text, set, err := l.Setting(ctx, ws, name)
	if err != nil || !set {
		return v, false, err
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return v, false, fmt.Errorf("decode the setting %s: %w", name, err)
	}
	return v, true, nil
}

// DecodeSettings decodes several settings of a workspace, which are JSON, in one look. What is not set stays as it is.
func (l SettingStore) DecodeSettings(ctx context.Context, ws domain.WorkspaceID, into map[string]any) error {
	names := slices.Sorted(maps.Keys(into))
	found, err := settingTable.List(ctx, l.reader, `WHERE workspace_id = ? AND name IN (`+sqlio.Marks(len(names))+`)`, append([]any{ws}, sqlio.Args(names)...)...)
	for _, s := range found {
		if e := json.Unmarshal([]byte(s.value), into[s.name]); e != nil {
			return fmt.Errorf("decode the setting %s: %w", s.name, e)
		}
	}
	return l.wrap("read settings", err)
}

// EncodeSetting stores a value as a workspace's setting, in JSON.
func (l SettingStore) EncodeSetting(ctx context.Context, ws domain.WorkspaceID, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the setting %s: %w", name, err)
	}
	return l.SetSetting(ctx, ws, name, string(text))
}

// ChangeSetting replaces a value, or "" if there is none, by another one, and reports whether that was still the value.
func (l SettingStore) ChangeSetting(ctx context.Context, ws domain.WorkspaceID, name, former, value string) (done bool, err error) {
	err = l.tx(ctx, "change setting", func(tx *sql.Tx, _ time.Time) (err error) {
		if former == "" {
			done, err = settingTable.Insert(ctx, tx, &setting{ws, name, value})
			return err
		}
		done, err = sqlio.Changed(tx.ExecContext(ctx, `UPDATE settings SET value = ? WHERE workspace_id = ? AND name = ? AND value = ?`, value, ws, name, former))
		return err
	})
	return done, err
}

// Secret returns a workspace's secret of a name, 256 bits as text, which the
// first call draws from random. Of several processes that ask at once, all get
// the same.
func (l SettingStore) Secret(ctx context.Context, ws domain.WorkspaceID, name string, random io.Reader) (string, error) {
	kept, set, err := l.Setting(ctx, ws, name)
	if set || err != nil {
		return kept, err
	}
	drawn := make([]byte, 32)
	if _, err := io.ReadFull(random, drawn); err != nil {
		return "", fmt.Errorf("draw a secret: %w", err)
	}
	if _, err := l.ChangeSetting(ctx, ws, name, "", base64.RawURLEncoding.EncodeToString(drawn)); err != nil {
		return "", err
	}
	kept, _, err = l.Setting(ctx, ws, name)
	return kept, err
}

// A Connection is a model that was connected in the page, as it is stored.
type Connection struct {
	Role, Server, Address, Model string

	PerMinute, TokensPerMinute int // 0 for no limit

	Sealed string // the key, encrypted; "" if there is none
	Who    string
	At     time.Time // when it was saved
}

var connectionTable = sqlio.Table[Connection]{Name: "connections", Row: func(c *Connection) sqlio.Row {
	return sqlio.Row{
		"role key", &c.Role, "server", &c.Server, "address", &c.Address, "model", &c.Model, "per_minute", &c.PerMinute, "tokens_per_minute", &c.TokensPerMinute,
		"sealed", &c.Sealed, "who", &c.Who, "at", &c.At,
	}
}}

// Connections lists the connected models of the installation, by role.
func (l SettingStore) Connections(ctx context.Context) ([]Connection, error) {
	return list(ctx, l, "list connections", connectionTable.Scan, connectionTable.Select()+`ORDER BY role`)
}

// SaveConnections stores connections in place of those of the same roles, all or
// none.
func (l SettingStore) SaveConnections(ctx context.Context, all ...Connection) error {
	return l.tx(ctx, "connect a model", func(tx *sql.Tx, now time.Time) error {
		for _, c := range all {
			c.At = now
			if err := connectionTable.Put(ctx, tx, &c); err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetConnection deletes the connection of a role, and reports whether there was
// one.
func (l SettingStore) ForgetConnection(ctx context.Context, role string) (found bool, err error) {
	err = l.tx(ctx, "forget a model", func(tx *sql.Tx, _ time.Time) (err error) {
		found, err = sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM connections WHERE role = ?`, role))
		return err
	})
	return found, err
}

// A SchemaScope is the set of documents that a schema is for.
type SchemaScope = domain.SchemaScope

// A SchemaVersion is one version of the schema of a scope.
type SchemaVersion struct {
	Number int64 // counts all versions in a workspace, whatever their scope
	Scope  SchemaScope
	At     time.Time
	Who    string // account that saved it; "" if there are no accounts
	Note   string
	Body   string // "" clears the scope
}

var schemaTable = sqlio.Table[SchemaVersion]{Name: "schemas", Row: func(v *SchemaVersion) sqlio.Row {
	return sqlio.Row{"number key", &v.Number, "tag", &v.Scope.Tag, "name", &v.Scope.Name, "document_id", &v.Scope.Document, "at", &v.At, "who", &v.Who, "note", &v.Note, "body", &v.Body}
}}

// AddSchema stores a version, with its number and time, if base is the number of the scope's latest version, or 0 if
// there is none, and defines the fields of documents that it asks for and that are not there yet. Otherwise the error is
// Conflict. It is NotFound when the scope is a document that is not there.
func (l SettingStore) AddSchema(ctx context.Context, ws domain.WorkspaceID, v SchemaVersion, base int64, fields ...domain.Field) (SchemaVersion, error) {
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
		if err := defineFields(ctx, tx, ws, now, v.Who, fields); err != nil {
			return err
		}
		v.At = stamp(now)
		return tx.QueryRowContext(ctx, `INSERT INTO schemas (workspace_id, `+schemaTable.Columns("")+`)
			SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM schemas WHERE workspace_id = ? RETURNING number`,
			ws, v.Scope.Tag, v.Scope.Name, v.Scope.Document, sqlio.Millis(now), v.Who, v.Note, v.Body, ws).Scan(&v.Number)
	})
	return v, err
}

// lockWorkspace makes the workspace's row and locks it, so that what is numbered
// within the workspace gets its number once.
func (l *store) lockWorkspace(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID) error {
	if err := ensureWorkspace(ctx, tx, ws); err != nil {
		return err
	}
	_, err := sqlio.Value[int64](ctx, tx, `SELECT head FROM workspaces WHERE id = ?`+l.lock.Changing, ws)
	return err
}

func isLatestSchema(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, s SchemaScope, base int64) error {
	latest, found, err := schemaTable.First(ctx, tx, `WHERE workspace_id = ? AND tag = ? AND name = ? AND document_id = ? ORDER BY number DESC LIMIT 1`, ws, s.Tag, s.Name, s.Document)
	switch {
	case err != nil || latest.Number == base:
		return err
	case !found:
		return domain.Errorf(domain.Conflict, "Version %d is not a version of this schema. Open the schema again and repeat your changes.", base)
	}
	return domain.Errorf(domain.Conflict, "%s has since saved version %d. Compare it with yours, then save again.", cmp.Or(latest.Who, "Somebody"), latest.Number)
}

// Schema returns a version, or an error of kind NotFound.
func (l SettingStore) Schema(ctx context.Context, ws domain.WorkspaceID, number int64) (SchemaVersion, error) {
	v, err := read(ctx, l.reader, schemaTable, domain.Errorf(domain.NotFound, "There is no version %d of a schema.", number), `WHERE workspace_id = ? AND number = ?`, ws, number)
	return v, l.wrap("read schema", err)
}

// SchemaVersions lists at most n versions of a scope's schema, the latest first,
// all when n is 0.
func (l SettingStore) SchemaVersions(ctx context.Context, ws domain.WorkspaceID, s SchemaScope, n int) ([]SchemaVersion, error) {
	return list(ctx, l, "list versions of a schema", schemaTable.Scan, schemaTable.Select()+`WHERE workspace_id = ? AND tag = ? AND name = ? AND document_id = ? ORDER BY number DESC LIMIT ?`, ws, s.Tag, s.Name, s.Document, limit(n))
}

// latestSchemas selects the latest version of each scope among the rows that a
// condition on s allows.
var latestSchemas = schemaTable.Select() + `WHERE workspace_id = ? AND number IN (
	SELECT MAX(s.number) FROM schemas s WHERE s.workspace_id = ? `

// LatestSchemas lists the latest version of each scope that has one, by document,
// name and tag.
func (l SettingStore) LatestSchemas(ctx context.Context, ws domain.WorkspaceID) ([]SchemaVersion, error) {
	return list(ctx, l, "list schemas", schemaTable.Scan,
		latestSchemas+`GROUP BY s.document_id, s.name, s.tag) ORDER BY document_id, name, tag`, ws, ws)
}

// SchemasFor lists the latest versions of the scopes that a document belongs to:
// the library, its tags by name, the name chosen for it, itself.
func (l SettingStore) SchemasFor(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]SchemaVersion, error) {
	return list(ctx, l, "read the schemas of a document", schemaTable.Scan, latestSchemas+`
		AND (s.document_id = ? OR s.document_id = '' AND (s.tag = '' OR s.tag IN (
			SELECT t.tag FROM document_tags t WHERE t.workspace_id = ? AND t.document_id = ?))
			AND (s.name = '' OR s.name = (SELECT d.schema_name FROM documents d WHERE d.workspace_id = ? AND d.id = ?)))
		GROUP BY s.document_id, s.name, s.tag) ORDER BY document_id, name, tag`, ws, ws, id, ws, id, ws, id)
}

// promptTable is the changes of the prompts of a workspace.
func promptTable(ws domain.WorkspaceID) sqlio.Table[domain.PromptVersion] {
	return sqlio.Table[domain.PromptVersion]{Name: "prompt_versions", Row: func(v *domain.PromptVersion) sqlio.Row {
		return sqlio.Row{"workspace_id written", ws, "number key", &v.Number, "role", &v.Role, "text", &v.Text, "note", &v.Note, "who", &v.Who, "at", &v.At}
	}}
}

// PromptHead returns the number of the last change of a prompt, 0 before any.
func (l SettingStore) PromptHead(ctx context.Context, ws domain.WorkspaceID) (int, error) {
	return one[int](ctx, l, "read prompts", promptHead, ws)
}

const promptHead = `SELECT COALESCE(MAX(number), 0) FROM prompt_versions WHERE workspace_id = ?`

// PromptAt returns the last change of a role's prompt up to a number, or the zero value if there is none.
func (l SettingStore) PromptAt(ctx context.Context, ws domain.WorkspaceID, role string, number int) (domain.PromptVersion, error) {
	v, _, err := promptTable(ws).First(ctx, l.reader, lastPrompt, ws, role, number)
	return v, l.wrap("read a prompt", err)
}

const lastPrompt = `WHERE workspace_id = ? AND role = ? AND number <= ? ORDER BY number DESC LIMIT 1`

// CurrentPrompts lists the last change of each role's prompt.
func (l SettingStore) CurrentPrompts(ctx context.Context, ws domain.WorkspaceID) ([]domain.PromptVersion, error) {
	return list(ctx, l, "list prompts", promptTable(ws).Scan,
		promptTable(ws).Select()+`WHERE workspace_id = ? AND number IN (SELECT MAX(number) FROM prompt_versions WHERE workspace_id = ? GROUP BY role) ORDER BY role`, ws, ws)
}

// PromptVersions lists the changes of a role's prompt, the last first.
func (l SettingStore) PromptVersions(ctx context.Context, ws domain.WorkspaceID, role string) ([]domain.PromptVersion, error) {
	return list(ctx, l, "list versions of a prompt", promptTable(ws).Scan,
		promptTable(ws).Select()+`WHERE workspace_id = ? AND role = ? ORDER BY number DESC`, ws, role)
}

// AddPrompt stores a change of a prompt under the next number, and returns it. The
// error is Conflict if the last change of that prompt is not the one numbered base.
func (l SettingStore) AddPrompt(ctx context.Context, ws domain.WorkspaceID, v domain.PromptVersion, base int) (domain.PromptVersion, error) {
	err := l.tx(ctx, "change a prompt", func(tx *sql.Tx, now time.Time) error {
		head, err := sqlio.Value[int](ctx, tx, promptHead, ws)
		if err != nil {
			return err
		}
		last, _, err := promptTable(ws).First(ctx, tx, lastPrompt, ws, v.Role, head)
		if err != nil {
			return err
		}
		if last.Number != base {
			return domain.Errorf(domain.Conflict, "The prompt %s has since been changed, in version %d. Compare it with yours, then save again.", v.Role, last.Number)
		}
		v.Number, v.At = head+1, stamp(now)
		added, err := promptTable(ws).Insert(ctx, tx, &v)
		if err == nil && !added {
			return domain.Errorf(domain.Conflict, "Somebody else has just changed a prompt. Look at it, and try again.")
		}
		return err
	})
	return v, err
}
