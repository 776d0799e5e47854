package ledger

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// FirstSet is the set of kept questions that each workspace begins with.
const FirstSet domain.SetID = "first"

// firstName is the name of the first set until it gets another.
const firstName = "First set"

// A QuestionSet is a named set of kept questions.
type QuestionSet struct {
	ID        domain.SetID
	Name      string
	Questions int // that are kept in it
	CreatedAt time.Time
}

func scanSet(rows *sql.Rows) (s QuestionSet, err error) {
	return s, rows.Scan(&s.ID, &s.Name, instant{&s.CreatedAt}, &s.Questions)
}

func questionSets(ctx context.Context, q querier, ws domain.WorkspaceID) ([]QuestionSet, error) {
	return sqlio.Collect(ctx, q, scanSet, `SELECT s.id, s.name, s.created_at,
			(SELECT COUNT(*) FROM evaluation_questions k WHERE k.workspace_id = ? AND k.set_id = s.id AND k.deleted_at = 0)
		FROM (SELECT id, name, created_at FROM evaluation_sets WHERE workspace_id = ? AND deleted_at = 0
			UNION ALL SELECT ?, ?, 0 WHERE NOT EXISTS (SELECT 1 FROM evaluation_sets WHERE workspace_id = ? AND id = ?)) s
		ORDER BY s.created_at, s.id`, ws, ws, FirstSet, firstName, ws, FirstSet)
}

// QuestionSets lists the sets of kept questions, oldest first. There is always one.
func (l *Ledger) QuestionSets(ctx context.Context, ws domain.WorkspaceID) ([]QuestionSet, error) {
	all, err := questionSets(ctx, l.reader, ws)
	return all, l.wrap("list sets of questions", err)
}

// changeSets calls f with the sets of a workspace, in a transaction of its own that
// no other changes them meanwhile.
func (l *Ledger) changeSets(ctx context.Context, what string, ws domain.WorkspaceID, f func(*sql.Tx, time.Time, []QuestionSet) error) error {
	return l.tx(ctx, what, func(tx *sql.Tx, now time.Time) error {
		if err := l.lockWorkspace(ctx, tx, ws); err != nil {
			return err
		}
		all, err := questionSets(ctx, tx, ws)
		if err != nil {
			return err
		}
		return f(tx, now, all)
	})
}

// unnamed returns a Conflict error if another of the sets has the name.
func unnamed(all []QuestionSet, id domain.SetID, name string) error {
	if slices.ContainsFunc(all, func(s QuestionSet) bool { return s.ID != id && strings.EqualFold(s.Name, name) }) {
		return domain.Errorf(domain.Conflict, "There is a set called %s already. Choose another name.", name)
	}
	return nil
}

func hasSet(all []QuestionSet, id domain.SetID) error {
	if !slices.ContainsFunc(all, func(s QuestionSet) bool { return s.ID == id }) {
		return noSet(id)
	}
	return nil
}

func noSet(id domain.SetID) error {
	return domain.Errorf(domain.NotFound, "There is no set %s here. It may have been deleted.", id)
}

func putSet(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, s QuestionSet, deleted int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO evaluation_sets (workspace_id, id, name, created_at, deleted_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (workspace_id, id) DO UPDATE SET name = excluded.name, deleted_at = excluded.deleted_at`, ws, s.ID, s.Name, sqlio.Millis(s.CreatedAt), deleted)
	return err
}

// AddSet adds a set without questions. The error is Conflict when another has the
// name, and TooLarge when there would be more than most.
func (l *Ledger) AddSet(ctx context.Context, ws domain.WorkspaceID, most int, s QuestionSet) error {
	return l.changeSets(ctx, "add a set of questions", ws, func(tx *sql.Tx, now time.Time, all []QuestionSet) error {
		if len(all) >= most {
			return domain.Errorf(domain.TooLarge, "There are %d sets of questions, the most that may be. Delete one first.", len(all))
		}
		if err := unnamed(all, s.ID, s.Name); err != nil {
			return err
		}
		s.CreatedAt = now
		return putSet(ctx, tx, ws, s, 0)
	})
}

// RenameSet renames a set. The error is NotFound without it, and Conflict when another
// has the name.
func (l *Ledger) RenameSet(ctx context.Context, ws domain.WorkspaceID, id domain.SetID, name string) error {
	return l.changeSets(ctx, "rename a set of questions", ws, func(tx *sql.Tx, _ time.Time, all []QuestionSet) error {
		if err := hasSet(all, id); err != nil {
			return err
		}
		if err := unnamed(all, id, name); err != nil {
			return err
		}
		return putSet(ctx, tx, ws, QuestionSet{ID: id, Name: name}, 0)
	})
}

// DropSet deletes a set with its questions. For a day RestoreSet takes it back. What
// was asked of it stays. The error is NotFound without it, and Conflict for the only one.
func (l *Ledger) DropSet(ctx context.Context, ws domain.WorkspaceID, id domain.SetID) error {
	return l.changeSets(ctx, "delete a set of questions", ws, func(tx *sql.Tx, now time.Time, all []QuestionSet) error {
		if err := hasSet(all, id); err != nil {
			return err
		}
		if len(all) == 1 {
			return domain.Errorf(domain.Conflict, "This is the only set of questions. Add another before you delete it.")
		}
		gone := sqlio.Millis(now.Add(-keptFor))
		if _, err := tx.ExecContext(ctx, `DELETE FROM evaluation_questions WHERE workspace_id = ? AND set_id IN
			(SELECT id FROM evaluation_sets WHERE workspace_id = ? AND deleted_at > 0 AND deleted_at < ?)`, ws, ws, gone); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM evaluation_sets WHERE workspace_id = ? AND deleted_at > 0 AND deleted_at < ? AND id <> ?`, ws, gone, FirstSet); err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(s QuestionSet) bool { return s.ID == id })
		return putSet(ctx, tx, ws, all[i], sqlio.Millis(now))
	})
}

// RestoreSet takes back the deletion of a set. The error is NotFound once it is gone
// for good, and Conflict when another has its name by then.
func (l *Ledger) RestoreSet(ctx context.Context, ws domain.WorkspaceID, id domain.SetID) error {
	return l.changeSets(ctx, "restore a set of questions", ws, func(tx *sql.Tx, now time.Time, all []QuestionSet) error {
		if hasSet(all, id) == nil {
			return nil
		}
		names, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT name FROM evaluation_sets WHERE workspace_id = ? AND id = ? AND deleted_at >= ?`, ws, id, sqlio.Millis(now.Add(-keptFor)))
		if err != nil {
			return err
		}
		if len(names) == 0 {
			return noSet(id)
		}
		if err := unnamed(all, id, names[0]); err != nil {
			return err
		}
		return putSet(ctx, tx, ws, QuestionSet{ID: id, Name: names[0]}, 0)
	})
}
