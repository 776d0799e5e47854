package backup

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A user is a table whose rows refer to uploaded files, by their columns
// workspace_id and hash.
type user struct {
	table    string
	document string // the column with the document's id
	version  string // the column with an earlier version's number; "" for the current version
}

// users are all of them.
var users = []user{
	{table: "documents", document: "id"},
	{table: "document_versions", document: "document_id", version: "number"},
	{table: "pictures", document: "document_id"},
}

// A Ref names a document, or an earlier version of one.
type Ref struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
	Version   int                `json:"version,omitempty"` // from 1, as on pages; 0 for the document
}

// of returns the name of the document.
func (r Ref) of() Ref {
	r.Version = 0
	return r
}

// A Use is a row's reference to an uploaded file.
type Use struct {
	Ref
	Hash string
	Name string // of the file
}

func compareUses(a, b Use) int {
	return cmp.Or(cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Document, b.Document), cmp.Compare(a.Version, b.Version))
}

// selectUses returns the statement that reads the uses of the table, with a further
// condition.
func (u user) selectUses(where string) string {
	version := `0`
	if u.version != "" {
		version = u.version + ` + 1`
	}
	return `SELECT workspace_id, hash, ` + u.document + `, ` + version + `, name FROM ` + u.table + ` WHERE hash <> ''` + where
}

func scanUse(rows *sql.Rows) (u Use, err error) {
	return u, rows.Scan(&u.Workspace, &u.Hash, &u.Document, &u.Version, &u.Name)
}

// uses returns the statement that reads all uses of files in tables, file by file, or those of one workspace unless that is nil.
func uses(tables []Table, one *One) (statement string, args []any) {
	var parts []string
	where := ""
	if one != nil {
		where = ` AND workspace_id = ?`
	}
	for _, u := range users {
		if slices.ContainsFunc(tables, func(t Table) bool { return t.Name == u.table }) {
			parts = append(parts, u.selectUses(where))
			if one != nil {
				args = append(args, one.ID)
			}
		}
	}
	return strings.Join(parts, ` UNION ALL `) + ` ORDER BY 1, 2, 3, 4`, args
}

// unfound notes why the snapshot refers to a file that isn't there: its document
// or version was removed meanwhile, or the file is lost.
func (w *writer) unfound(ctx context.Context, used Use) error {
	var now []Use // uses that the document's rows have by now
	for _, u := range users {
		if !slices.ContainsFunc(w.summary.Tables, func(t Table) bool { return t.Name == u.table }) {
			continue
		}
		found, err := sqlio.Collect(ctx, w.DB, scanUse, u.selectUses(` AND workspace_id = ? AND `+u.document+` = ?`), used.Workspace, used.Document)
		if err != nil {
			return fmt.Errorf("look for a document: %w", err)
		}
		now = append(now, found...)
	}
	has := func(is func(Use) bool) bool { return slices.ContainsFunc(now, is) }
	switch {
	case len(now) == 0:
		w.summary.Gone = with(w.summary.Gone, used.of())
	case has(func(u Use) bool { return u.Hash == used.Hash }):
		w.summary.Lost = with(w.summary.Lost, used.Ref)
	case used.Version > 0 && !has(func(u Use) bool { return u.Version == used.Version }):
		w.summary.Gone = with(w.summary.Gone, used.Ref)
	default:
		return domain.Errorf(domain.Conflict, "%s was replaced and its old version removed while the backup was being written. Nothing is left of the backup. Back up again.", used.Name)
	}
	return nil
}

func with(refs []Ref, r Ref) []Ref {
	if slices.Contains(refs, r) {
		return refs
	}
	return append(refs, r)
}

// A userColumns has the places of a user's columns in the rows of an archive.
type userColumns struct{ workspace, hash, document, version, name int }

// columnsOf returns the places in the rows of t, or false if they refer to no file.
func columnsOf(t Table) (userColumns, bool) {
	i := slices.IndexFunc(users, func(u user) bool { return u.table == t.Name })
	if i < 0 {
		return userColumns{}, false
	}
	at := func(column string) int {
		return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == column })
	}
	c := userColumns{at("workspace_id"), at("hash"), at(users[i].document), at(users[i].version), at("name")}
	return c, min(c.workspace, c.hash, c.document) >= 0
}

// use returns the use of a file in a row. It has no hash if the row refers to none.
func (c userColumns) use(values []any) Use {
	u := Use{Ref: Ref{Workspace: domain.WorkspaceID(plainText(values[c.workspace])), Document: domain.DocumentID(plainText(values[c.document]))}, Hash: plainText(values[c.hash])}
	if c.name >= 0 {
		u.Name = strings.Clone(domain.Cut(plainText(values[c.name]), longestName))
	}
	if c.version >= 0 {
		number, _ := values[c.version].(int64)
		u.Version = int(number) + 1
	}
	return u
}

// longestName is how much of a file's name is kept in memory.
const longestName = 80

func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// A fileKey names a file.
type fileKey struct {
	workspace domain.WorkspaceID
	hash      string
}

// await records that a row refers to a file, which has to come.
func (r *reader) await(u Use) error {
	if u.Hash == "" {
		return nil
	}
	if len(r.awaited) >= maxEntries {
		return domain.Errorf(domain.TooLarge, "The backup refers to more than %d files. Nothing was changed.", maxEntries)
	}
	k := fileKey{u.Workspace, u.Hash}
	r.awaited[k] = append(r.awaited[k], u)
	return nil
}

// missing returns the uses of files that did not come, except by what is removed when
// the archive is restored.
func (r *reader) missing() (all []Use) {
	gone := lists.Set(r.summary.Gone)
	for _, uses := range r.awaited {
		for _, u := range uses {
			if !gone[u.Ref] && !gone[u.of()] {
				all = append(all, u)
			}
		}
	}
	slices.SortFunc(all, compareUses)
	return all
}

// Names returns the names of up to n of the files, for a sentence.
func Names(uses []Use, n int) string {
	var names []string
	for _, u := range uses[:min(n, len(uses))] {
		name := strconv.Quote(cmp.Or(u.Name, string(u.Document))) // an archive may come from anywhere
		if u.Version > 0 {
			name += ", version " + strconv.Itoa(u.Version)
		}
		names = append(names, fmt.Sprintf("%s (%.12s)", name, u.Hash))
	}
	if more := len(uses) - len(names); more > 0 {
		names = append(names, domain.Counted(more, "more", "more"))
	}
	return strings.Join(names, "; ")
}

// lacking returns an error if files are missing.
func lacking(missing []Use) error {
	if len(missing) == 0 {
		return nil
	}
	return domain.Errorf(domain.Invalid, "The backup lacks %s that its documents refer to: %s. Nothing was changed. Back up the original library again, or restore without them with --partial.",
		domain.Counted(len(missing), "file", "files"), Names(missing, 5))
}
