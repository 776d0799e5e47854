package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// sees is the condition that a document d can be read by an account, which is its two arguments.
const sees = `(d.limited = 0 OR EXISTS (SELECT 1 FROM document_readers x WHERE x.workspace_id = d.workspace_id AND x.document_id = d.id
	AND (x.kind = 'account' AND x.name = ? OR x.kind = 'group' AND x.name IN (SELECT name FROM account_groups WHERE account = ?))))`

// saw is sees for who could read the document at a time too. The arguments are the time, again the time, the account twice, and the
// time.
const saw = `(d.limited = 0 AND d.opened_at <= ? OR EXISTS (SELECT 1 FROM document_readers x WHERE x.workspace_id = d.workspace_id AND x.document_id = d.id
	AND x.since <= ? AND (x.kind = 'account' AND x.name = ? OR x.kind = 'group' AND x.name IN (SELECT name FROM account_groups WHERE account = ? AND since <= ?))))`

// Seen returns a condition on a table of documents with an alias that leaves out what the viewer of ctx (see domain.ReaderOf and
// domain.RightsAt) can't read, with its arguments. It begins with AND, and is "" for who reads all.
func Seen(ctx context.Context, alias string) (string, []any) {
	viewer, at := domain.ReaderOf(ctx), domain.RightsAt(ctx)
	switch {
	case viewer == "":
		return "", nil
	case at.IsZero():
		return " AND " + strings.ReplaceAll(sees, "d.", alias+"."), []any{viewer, viewer}
	}
	ms := sqlio.Millis(at)
	return " AND " + strings.ReplaceAll(saw, "d.", alias+"."), []any{ms, ms, viewer, viewer, ms}
}

// unseen returns the condition that the viewer of ctx can't read a document d, or "" for who reads all.
func unseen(ctx context.Context) (string, []any) {
	seen, args := Seen(ctx, "d")
	switch at := domain.RightsAt(ctx); {
	case seen == "":
		return "", nil
	case at.IsZero():
		return "d.limited = 1 AND NOT (1 = 1" + seen + ")", args
	default:
		return "(d.limited = 1 OR d.opened_at > 0) AND NOT (1 = 1" + seen + ")", args
	}
}

// seenIn returns the condition that a column of a workspace names no document that the viewer of ctx can't read, like Seen. It holds for
// a document that is gone.
func seenIn(ctx context.Context, column string, ws domain.WorkspaceID) (string, []any) {
	cond, args := unseen(ctx)
	if cond == "" {
		return "", nil
	}
	return " AND " + column + " NOT IN (SELECT d.id FROM documents d WHERE d.workspace_id = ? AND " + cond + ")", append([]any{ws}, args...)
}

// A Reader is an account or a group that a limited document names.
type Reader struct {
	Kind string `json:"kind"` // ReaderAccount or ReaderGroup
	Name string `json:"name"`
}

// The kinds of reader.
const (
	ReaderAccount = "account"
	ReaderGroup   = "group"
)

// String returns the reader as people write it.
func (r Reader) String() string {
	if r.Kind == ReaderGroup {
		return ReaderGroup + ":" + r.Name
	}
	return r.Name
}

func scanReader(rows *sql.Rows) (r Reader, err error) { return r, rows.Scan(&r.Kind, &r.Name) }

// Readers lists the readers of a limited document, accounts first; a document without any can be read by every member.
func (l DocumentStore) Readers(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]Reader, error) {
	return list(ctx, l, "list readers", scanReader, `SELECT kind, name FROM document_readers WHERE workspace_id = ? AND document_id = ? ORDER BY kind, name`, ws, id)
}

// PossibleReaders lists the accounts that belong to a workspace, and the groups that they are in.
func (l DocumentStore) PossibleReaders(ctx context.Context, ws domain.WorkspaceID) ([]Reader, error) {
	return list(ctx, l, "list possible readers", scanReader, `WITH people (name) AS (SELECT name FROM users WHERE role = 'owner' UNION SELECT account FROM members WHERE workspace_id = ?)
		SELECT '`+ReaderAccount+`' AS kind, name FROM people UNION SELECT '`+ReaderGroup+`', g.name FROM account_groups g JOIN people p ON p.name = g.account ORDER BY kind, name`, ws)
}

// Limit has only readers read documents from now on, or every member if limited is not set, with the versions of them that are to
// come. The projections read the documents once more.
func (l DocumentStore) Limit(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID, limited bool, readers []Reader) error {
	return l.tx(ctx, "limit documents", func(tx *sql.Tx, now time.Time) error {
		for _, id := range ids {
			d, err := document(ctx, tx, ws, id, l.lock.Changing)
			if err != nil {
				return err
			}
			coming, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT id FROM documents WHERE workspace_id = ? AND version_of = ?`, ws, id)
			if err != nil {
				return err
			}
			for _, id := range append(coming, id) {
				if err := setReaders(ctx, tx, ws, id, limited, with(readers, d.AddedBy), now); err != nil {
					return err
				}
			}
			if err := ContributionStore(l).RepublishTx(ctx, tx, ws, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// with returns readers with the account that added the document, if it is known.
func with(readers []Reader, adder string) []Reader {
	if one := (Reader{ReaderAccount, adder}); adder != "" && !slices.Contains(readers, one) {
		return append(slices.Clone(readers), one)
	}
	return readers
}

// LimitTx limits a document that is added in the same transaction.
func (l DocumentStore) LimitTx(ctx context.Context, tx *sql.Tx, d domain.Document, readers []Reader) error {
	return addReaders(ctx, tx, d.Workspace, d.ID, 0, with(readers, d.AddedBy))
}

// setReaders changes who may read a document. It notes since when who could not read it before may.
func setReaders(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, limited bool, readers []Reader, now time.Time) error {
	since := sqlio.Millis(now)
	if !limited {
		if err := sqlio.Exec(ctx, tx, `UPDATE documents SET limited = 0, opened_at = ? WHERE workspace_id = ? AND id = ? AND limited = 1`, since, ws, id); err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `DELETE FROM document_readers WHERE workspace_id = ? AND document_id = ?`, ws, id)
	}
	opened, err := sqlio.Collect(ctx, tx, sqlio.Column[int64], `UPDATE documents SET limited = 1 WHERE workspace_id = ? AND id = ? AND limited = 0 RETURNING opened_at`, ws, id)
	if err != nil {
		return err
	}
	if len(opened) > 0 { // every member could read it
		since = opened[0]
	}
	for _, kind := range []string{ReaderAccount, ReaderGroup} {
		args := []any{ws, id, kind, ""}
		for _, r := range readers {
			if r.Kind == kind {
				args = append(args, r.Name)
			}
		}
		if err := sqlio.Exec(ctx, tx, `DELETE FROM document_readers WHERE workspace_id = ? AND document_id = ? AND kind = ? AND name NOT IN (`+sqlio.Marks(len(args)-3)+`)`, args...); err != nil {
			return err
		}
	}
	return addReaders(ctx, tx, ws, id, since, readers)
}

// addReaders adds readers of a limited document who may read it since a time.
func addReaders(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, since int64, readers []Reader) error {
	rows := lists.Map(readers, func(r Reader) []any { return []any{ws, id, r.Kind, r.Name, since} })
	return sqlio.InsertRows(ctx, tx, `INSERT INTO document_readers (workspace_id, document_id, kind, name, since)`, rows, `ON CONFLICT DO NOTHING`)
}

// Hides reports whether documents of a workspace are hidden from the viewer of ctx.
func (l DocumentStore) Hides(ctx context.Context, ws domain.WorkspaceID) (bool, error) {
	cond, args := unseen(ctx)
	if cond == "" {
		return false, nil
	}
	return one[bool](ctx, l, "look for hidden documents", `SELECT EXISTS (SELECT 1 FROM documents d WHERE d.workspace_id = ? AND `+cond+`)`, append([]any{ws}, args...)...)
}

// Hidden reports whether a document is hidden from the viewer of ctx. A missing document is not.
func (l DocumentStore) Hidden(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (bool, error) {
	cond, args := unseen(ctx)
	if cond == "" || id == "" {
		return false, nil
	}
	return one[bool](ctx, l, "look for a hidden document", `SELECT EXISTS (SELECT 1 FROM documents d WHERE d.workspace_id = ? AND d.id = ? AND `+cond+`)`, append([]any{ws, id}, args...)...)
}

// HiddenDocuments returns the documents of a workspace that are hidden from the viewer of ctx.
func (l DocumentStore) HiddenDocuments(ctx context.Context, ws domain.WorkspaceID) (map[domain.DocumentID]bool, error) {
	cond, args := unseen(ctx)
	if cond == "" {
		return nil, nil
	}
	return pairs[domain.DocumentID, bool](ctx, l, "list hidden documents", `SELECT d.id, 1 FROM documents d WHERE d.workspace_id = ? AND `+cond, append([]any{ws}, args...)...)
}

// Withheld returns which of runs have read a document that is hidden from the viewer of ctx: it is shown neither their steps nor their
// answers.
func (l RunStore) Withheld(ctx context.Context, ws domain.WorkspaceID, runs ...domain.RunID) (map[domain.RunID]bool, error) {
	cond, args := unseen(ctx)
	if cond == "" {
		return nil, nil
	}
	return pairsIn[domain.RunID, bool](ctx, l, "look for what is withheld", `SELECT DISTINCT r.run_id, 1 FROM run_documents r JOIN documents d ON d.workspace_id = r.workspace_id AND d.id = r.document_id
		WHERE r.workspace_id = ? AND `+cond+` AND r.run_id IN (%s)`, append([]any{ws}, args...), runs)
}

// withheldOf returns the condition that the run of a row, by the name of its table, is withheld from the viewer of ctx.
func withheldOf(ctx context.Context, of string) (string, []any) {
	return withheldRun(ctx, of+".workspace_id", of+".run_id")
}

// withheldRun returns the condition that a run, by SQL for its workspace and its id, is withheld from the viewer of ctx, with arguments
// unless it holds for none. Nothing is withheld from runs, which no viewer asks for.
func withheldRun(ctx context.Context, ws, run string) (string, []any) {
	cond, args := unseen(ctx)
	if _, limited := domain.ViewerOf(ctx); !limited || cond == "" {
		return "1 = 0", nil
	}
	return `EXISTS (SELECT 1 FROM run_documents r JOIN documents d ON d.workspace_id = r.workspace_id AND d.id = r.document_id
		WHERE r.workspace_id = ` + ws + ` AND r.run_id = ` + run + ` AND ` + cond + `)`, args
}

// AnyLimited reports whether a workspace has limited documents.
func (l DocumentStore) AnyLimited(ctx context.Context, ws domain.WorkspaceID) (bool, error) {
	return one[bool](ctx, l, "look for limited documents", `SELECT EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND limited = 1)`, ws)
}

// HiddenTags lists the entries of the curation log by which documents were tagged, or got values of fields, that the reader of ctx can't read.
func (l DocumentStore) HiddenTags(ctx context.Context, ws domain.WorkspaceID) (map[int64]bool, error) {
	tags := map[int64]bool{}
	cond, args := unseen(ctx)
	if cond == "" {
		return tags, nil
	}
	all, err := list(ctx, l, "look for hidden documents", sqlio.Column[int64], `SELECT DISTINCT r.seq FROM retagged r JOIN documents d ON d.workspace_id = r.workspace_id AND d.id = r.document_id
		WHERE r.workspace_id = ? AND `+cond+` UNION SELECT r.seq FROM refielded r JOIN documents d ON d.workspace_id = r.workspace_id AND d.id = r.document_id
		WHERE r.workspace_id = ? AND `+cond, slices.Concat([]any{ws}, args, []any{ws}, args)...)
	for _, seq := range all {
		tags[seq] = true
	}
	return tags, err
}

// A Sight is the part of a workspace that a group of readers sees, as stores hold it.
type Sight struct {
	ID       domain.WorkspaceID // in the stores
	Readers  []Reader
	RightsAt time.Time // as returned by domain.RightsAt
	UsedAt   time.Time
}

// until returns the last time, in milliseconds, at which a right may have been given.
func until(at time.Time) int64 {
	if at.IsZero() {
		return math.MaxInt64
	}
	return sqlio.Millis(at)
}

// SightOf returns what the viewer of ctx sees of a workspace, without an id: the readers of limited documents that the account is,
// itself and by its groups. RightsAt is set only if rights were given since.
func (l DocumentStore) SightOf(ctx context.Context, ws domain.WorkspaceID) (s Sight, err error) {
	account, at := domain.ReaderOf(ctx), until(domain.RightsAt(ctx))
	more, err := one[bool](ctx, l, "look for later rights", `SELECT EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND opened_at > ?)
		OR EXISTS (SELECT 1 FROM document_readers WHERE workspace_id = ? AND since > ?) OR EXISTS (SELECT 1 FROM account_groups WHERE account = ? AND since > ?)`,
		ws, at, ws, at, account, at)
	if err != nil {
		return s, err
	}
	if more {
		s.RightsAt = domain.RightsAt(ctx)
	}
	s.Readers, err = list(ctx, l, "list readers", scanReader, `SELECT DISTINCT kind, name FROM document_readers WHERE workspace_id = ? AND since <= ? AND (kind = 'account' AND name = ?
		OR kind = 'group' AND name IN (SELECT name FROM account_groups WHERE account = ? AND since <= ?)) ORDER BY kind, name`, ws, at, account, account, at)
	return s, err
}

// HiddenFrom returns which of documents a sight leaves out.
func (l DocumentStore) HiddenFrom(ctx context.Context, ws domain.WorkspaceID, s Sight, documents []domain.DocumentID) (map[domain.DocumentID]bool, error) {
	limited, err := groupsIn[domain.DocumentID](ctx, l.reader, func(r *Reader) []any { return []any{&r.Kind, &r.Name} },
		`SELECT d.id, COALESCE(x.kind, ''), COALESCE(x.name, '') FROM documents d LEFT JOIN document_readers x ON x.workspace_id = d.workspace_id AND x.document_id = d.id AND x.since <= ?
		WHERE d.workspace_id = ? AND (d.limited = 1 OR d.opened_at > ?) AND d.id IN (%s)`, []any{until(s.RightsAt), ws, until(s.RightsAt)}, documents)
	left := map[domain.DocumentID]bool{}
	for id, named := range limited {
		left[id] = !slices.ContainsFunc(named, func(r Reader) bool { return slices.Contains(s.Readers, r) })
	}
	return left, l.wrap("look for hidden documents", err)
}

// NoteSight records that a sight is used.
func (l DocumentStore) NoteSight(ctx context.Context, ws domain.WorkspaceID, s Sight) error {
	return l.tx(ctx, "note a sight", func(tx *sql.Tx, now time.Time) error {
		return sqlio.Exec(ctx, tx, `INSERT INTO sights (workspace_id, id, readers, rights_at, used_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (workspace_id, id) DO UPDATE SET used_at = excluded.used_at`, ws, s.ID, sqlio.JSON(s.Readers), sqlio.Millis(s.RightsAt), sqlio.Millis(now))
	})
}

// Sights lists the sights of a workspace.
func (l DocumentStore) Sights(ctx context.Context, ws domain.WorkspaceID) ([]Sight, error) {
	return list(ctx, l, "list sights", into(func(s *Sight) []any { return []any{&s.ID, &s.Readers, &s.RightsAt, &s.UsedAt} }), `SELECT id, readers, rights_at, used_at FROM sights WHERE workspace_id = ? ORDER BY id`, ws)
}

// DropSight forgets a sight, and what its graph was divided into.
func (l DocumentStore) DropSight(ctx context.Context, ws, id domain.WorkspaceID) error {
	return l.tx(ctx, "forget a sight", func(tx *sql.Tx, _ time.Time) error {
		return sqlio.ExecAll(ctx, tx, []any{ws, id}, `DELETE FROM divisions WHERE workspace_id = ? AND place = ?`, `DELETE FROM sights WHERE workspace_id = ? AND id = ?`)
	})
}

// A LimitedDocument is a document that not every member may read.
type LimitedDocument struct {
	ID      domain.DocumentID
	Name    string
	AddedBy string
	Readers []Reader
}

// LimitedDocuments lists the documents that not every member may read, whoever the viewer is, by name.
func (l DocumentStore) LimitedDocuments(ctx context.Context, ws domain.WorkspaceID) ([]LimitedDocument, error) {
	var all []LimitedDocument
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var d LimitedDocument
		var r Reader
		if err := rows.Scan(&d.ID, &d.Name, &d.AddedBy, &r.Kind, &r.Name); err != nil {
			return fmt.Errorf("read a limited document: %w", err)
		}
		if n := len(all); n == 0 || all[n-1].ID != d.ID {
			all = append(all, d)
		}
		if last := &all[len(all)-1]; r.Name != "" {
			last.Readers = append(last.Readers, r)
		}
		return nil
	}, `SELECT d.id, d.name, d.added_by, COALESCE(x.kind, ''), COALESCE(x.name, '') FROM documents d
		LEFT JOIN document_readers x ON x.workspace_id = d.workspace_id AND x.document_id = d.id
		WHERE d.workspace_id = ? AND d.limited = 1 AND d.delete_at = 0 AND d.version_of = '' ORDER BY d.name, d.id, x.kind, x.name`, ws)
	return all, l.wrap("list limited documents", err)
}
