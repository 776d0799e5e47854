package ledger

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// An Audit is a row of the trail: who did what. It names things by their ids and holds no words of documents.
type Audit struct {
	Seq       int64 // from 1, without gaps
	At        time.Time
	Workspace domain.WorkspaceID // "" if it is about the installation
	Person    string             // "" if nobody signed in
	Token     string             // first letters of a program's token, or ""
	Address   string             // "" for this machine
	Action    string
	Thing     string
	How       string
	Result    string
	Hash      string // of the row and of the hash before it
}

var auditTable = sqlio.Table[Audit]{Name: "audit", Row: func(a *Audit) sqlio.Row {
	return sqlio.Row{
		"seq key", &a.Seq, "at fixed", &a.At, "workspace fixed", &a.Workspace, "person fixed", &a.Person, "token fixed", &a.Token, "address fixed", &a.Address,
		"action fixed", &a.Action, "thing fixed", &a.Thing, "how fixed", &a.How, "result fixed", &a.Result, "hash fixed", &a.Hash,
	}
}}

// after returns the hash of the row after a row with the hash before. Each field is preceded by its length, so that nothing
// can be moved from one to the next.
func (a Audit) after(before string) string {
	sum := sha256.New()
	for _, field := range []string{
		before, strconv.FormatInt(a.Seq, 10), strconv.FormatInt(sqlio.Millis(a.At), 10), string(a.Workspace), a.Person, a.Token, a.Address, a.Action, a.Thing, a.How, a.Result,
	} {
		fmt.Fprintf(sum, "%d:%s", len(field), field)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// auditEnds are the two ends of the trail.
type auditEnds struct {
	id   int
	Cut  int64  // the last row that was removed, or 0
	From string // its hash
	Head int64  // the last row
	To   string // its hash
}

var auditEndsTable = sqlio.Table[auditEnds]{Name: "audit_ends", Row: func(e *auditEnds) sqlio.Row {
	return sqlio.Row{"id key", &e.id, "cut", &e.Cut, "cut_hash", &e.From, "head", &e.Head, "head_hash", &e.To}
}}

// endsOfAudit returns the ends of the trail for a transaction that changes them. Until it ends, no other one does.
func (l *store) endsOfAudit(ctx context.Context, tx *sql.Tx) (e auditEnds, err error) {
	if _, err := auditEndsTable.Insert(ctx, tx, &auditEnds{id: 1}); err != nil {
		return e, err
	}
	e, _, err = auditEndsTable.First(ctx, tx, `WHERE id = 1`+l.lock.Changing)
	return e, err
}

// AddAudit appends a row to the trail. The row gets its number, the time and its hash.
func (l AuditStore) AddAudit(ctx context.Context, a Audit) error {
	return l.tx(ctx, "add to the trail", func(tx *sql.Tx, now time.Time) error {
		ends, err := l.endsOfAudit(ctx, tx)
		if err != nil {
			return err
		}
		row := a
		row.Seq, row.At = ends.Head+1, sqlio.Time(sqlio.Millis(now))
		row.Hash = row.after(ends.To)
		if err := auditTable.InsertAll(ctx, tx, []Audit{row}, ""); err != nil {
			return err
		}
		next := ends
		next.Head, next.To = row.Seq, row.Hash
		return auditEndsTable.Update(ctx, tx, &ends, &next)
	})
}

// PruneAudit removes the rows of the trail before a time, from the oldest on, and returns how many. The hash of the last one
// is kept, so that the rest can still be checked.
func (l AuditStore) PruneAudit(ctx context.Context, before time.Time) (n int64, err error) {
	oldest, err := one[int64](ctx, l, "prune the trail", `SELECT COALESCE(MIN(at), 0) FROM audit`)
	if err != nil || oldest == 0 || oldest >= sqlio.Millis(before) {
		return 0, err
	}
	err = l.tx(ctx, "prune the trail", func(tx *sql.Tx, _ time.Time) error {
		ends, err := l.endsOfAudit(ctx, tx)
		if err != nil {
			return err
		}
		// If a clock was set back, an old time can follow a new one: nothing after the new one is removed.
		kept, err := sqlio.Value[int64](ctx, tx, `SELECT COALESCE(MIN(seq), ?) FROM audit WHERE at >= ?`, ends.Head+1, sqlio.Millis(before))
		if err != nil || kept <= ends.Cut+1 {
			return err
		}
		last, found, err := auditTable.First(ctx, tx, `WHERE seq = ?`, kept-1)
		if err != nil || !found { // the trail was tampered with, which a check reports
			return err
		}
		next := ends
		next.Cut, next.From = last.Seq, last.Hash
		n = last.Seq - ends.Cut
		if err := sqlio.Exec(ctx, tx, `DELETE FROM audit WHERE seq <= ?`, last.Seq); err != nil {
			return err
		}
		return auditEndsTable.Update(ctx, tx, &ends, &next)
	})
	return n, err
}

// AuditFilter selects rows of the trail. Fields that are empty select all.
type AuditFilter struct {
	Workspace domain.WorkspaceID // without the rows of other workspaces and of the installation
	Person    string
	Nobody    bool   // without a person
	Action    string // or the first of its words
	Thing     string // part of it
	Address   string
	Result    string
	Text      string // part of any of these
	Since     time.Time
	Until     time.Time
	Before    int64 // number of a row; only rows before it are selected
}

func (f AuditFilter) where() (string, []any) {
	conditions, args := []string{"1 = 1"}, []any{}
	add := func(given bool, condition string, values ...any) {
		if given {
			conditions, args = append(conditions, condition), append(args, values...)
		}
	}
	part := func(text string) string { return "%" + likeEscaper.Replace(strings.ToLower(text)) + "%" }
	add(f.Workspace != "", `workspace = ?`, f.Workspace)
	add(f.Person != "", `person = ?`, f.Person)
	add(f.Nobody, `person = ''`)
	add(f.Action != "", `(action = ? OR action LIKE ? ESCAPE '!')`, f.Action, likeEscaper.Replace(f.Action)+" %")
	add(f.Thing != "", `LOWER(thing) LIKE ? ESCAPE '!'`, part(f.Thing))
	add(f.Address != "", `address = ?`, f.Address)
	add(f.Result != "", `result = ?`, f.Result)
	add(f.Text != "", `LOWER(person || ' ' || token || ' ' || address || ' ' || action || ' ' || thing || ' ' || how) LIKE ? ESCAPE '!'`, part(f.Text))
	add(!f.Since.IsZero(), `at >= ?`, sqlio.Millis(f.Since))
	add(!f.Until.IsZero(), `at < ?`, sqlio.Millis(f.Until))
	add(f.Before > 0, `seq < ?`, f.Before)
	return `WHERE ` + strings.Join(conditions, " AND "), args
}

// AuditRows lists rows of the trail, the newest first.
func (l AuditStore) AuditRows(ctx context.Context, f AuditFilter, limit int) ([]Audit, error) {
	where, args := f.where()
	return list(ctx, l, "list the trail", auditTable.Scan, auditTable.Select()+where+` ORDER BY seq DESC LIMIT ?`, append(args, limit)...)
}

// CountAudit counts the rows that a filter selects, ignoring its Before.
func (l AuditStore) CountAudit(ctx context.Context, f AuditFilter) (int, error) {
	f.Before = 0
	where, args := f.where()
	return one[int](ctx, l, "count the trail", `SELECT COUNT(*) FROM audit `+where, args...)
}

// AuditPeople lists who is named in the trail of a workspace, or in all of it for "".
func (l AuditStore) AuditPeople(ctx context.Context, ws domain.WorkspaceID) ([]string, error) {
	return list(ctx, l, "list who is in the trail", sqlio.Column[string], `SELECT DISTINCT person FROM audit WHERE (workspace = ? OR ? = '') AND person <> '' ORDER BY person LIMIT 500`, ws, ws)
}

// AuditActions counts what was done in a workspace by action, or everywhere for "".
func (l AuditStore) AuditActions(ctx context.Context, ws domain.WorkspaceID) (map[string]int, error) {
	return pairs[string, int](ctx, l, "count what was done", `SELECT action, COUNT(*) FROM audit WHERE (workspace = ? OR ? = '') GROUP BY action`, ws, ws)
}

// auditBatch is how many rows of the trail are read at once.
const auditBatch = 500

// EachAudit yields the rows of the trail that a filter selects, the oldest first.
func (l AuditStore) EachAudit(ctx context.Context, f AuditFilter) iter.Seq2[Audit, error] {
	return func(yield func(Audit, error) bool) {
		where, args := f.where()
		for last := int64(0); ; {
			rows, err := list(ctx, l, "read the trail", auditTable.Scan, auditTable.Select()+where+` AND seq > ? ORDER BY seq LIMIT ?`, append(args, last, auditBatch)...)
			if err != nil {
				yield(Audit{}, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
				last = row.Seq
			}
			if len(rows) < auditBatch {
				return
			}
		}
	}
}

// CheckAudit follows the hashes of the trail and describes the first row that does not follow from the one before, or
// returns "" if there is none.
func (l AuditStore) CheckAudit(ctx context.Context) (string, error) {
	for {
		before, err := l.auditEnds(ctx)
		if err != nil {
			return "", err
		}
		wrong, err := l.followAudit(ctx, before)
		if err != nil || wrong == "" {
			return "", err
		}
		// Rows may meanwhile have been removed because of their age.
		if after, err := l.auditEnds(ctx); err != nil || after.Cut == before.Cut {
			return wrong, err
		}
	}
}

func (l AuditStore) auditEnds(ctx context.Context) (auditEnds, error) {
	e, _, err := auditEndsTable.First(ctx, l.reader, `WHERE id = 1`)
	return e, l.wrap("check the trail", err)
}

// followAudit checks the rows between the ends.
func (l AuditStore) followAudit(ctx context.Context, ends auditEnds) (string, error) {
	seq, hash := ends.Cut, ends.From
	for row, err := range l.EachAudit(ctx, AuditFilter{}) {
		switch {
		case err != nil:
			return "", err
		case row.Seq > ends.Head && seq == ends.Head: // added since the ends were read
			now, err := l.auditEnds(ctx)
			if err == nil && now.Head < row.Seq {
				return fmt.Sprintf("row %d was not added by Clew", row.Seq), nil
			}
			return ends.wrong(hash), err
		case row.Seq != seq+1:
			return fmt.Sprintf("row %d is missing", seq+1), nil
		case row.after(hash) != row.Hash:
			return fmt.Sprintf("row %d of %s was changed, or one before it", row.Seq, row.At.Format(time.DateTime)), nil
		}
		seq, hash = row.Seq, row.Hash
	}
	if seq < ends.Head {
		return fmt.Sprintf("row %d is missing, the last was %d", seq+1, ends.Head), nil
	}
	return ends.wrong(hash), nil
}

// wrong describes a mismatch with the last row, which has a hash.
func (e auditEnds) wrong(hash string) string {
	if hash != e.To {
		return fmt.Sprintf("row %d is another than the one that was added last", e.Head)
	}
	return ""
}
