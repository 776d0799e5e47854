package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A Branch is another run about a message, with its own answer. The message's
// question and answer stay as they are.
type Branch struct {
	ID        domain.BranchID
	Workspace domain.WorkspaceID
	Message   domain.MessageID
	Run       domain.RunID
	Parent    domain.RunID // at one of whose steps it begins; "" begins at the start of the graph
	Step      int          // of the parent, as pages number them
	Super     int          // that step, as the parent's graph counts super-steps
	Purpose   string
	Question  string
	Scope     domain.Scope
	Changes   json.RawMessage // what it has other than its parent
	Person    string          // who asked for it, as domain.PersonOf says
	Status    MessageStatus
	Problem   string
	Answer    string
	Sentences []domain.Sentence
	Citations []domain.Citation
	Figures   []domain.Figure
	CreatedAt time.Time
}

// PurposeEdit is the purpose of a branch that asks its message again, in other words
// or in the same. A conversation goes on with the latest of them.
const PurposeEdit = "edit"

const branchColumns = `workspace_id, id, message_id, run_id, parent_run, step, super, purpose, question, scope, changes, person, status, problem,
	answer, sentences, citations, figures, created_at`

func scanBranch(scan func(...any) error) (b Branch, err error) {
	return b, scan(&b.Workspace, &b.ID, &b.Message, &b.Run, &b.Parent, &b.Step, &b.Super, &b.Purpose, &b.Question, column{&b.Scope}, (*[]byte)(&b.Changes), &b.Person,
		&b.Status, &b.Problem, &b.Answer, column{&b.Sentences}, column{&b.Citations}, column{&b.Figures}, instant{&b.CreatedAt})
}

func scanBranchRow(rows *sql.Rows) (Branch, error) { return scanBranch(rows.Scan) }

// AddBranchTx stores a new branch and calls more in the same transaction, as
// AddDocumentTx does: more adds the branch's run. What the parent's run has read
// counts as read by the branch. The error is NotFound when there is no such
// message, and Conflict when the id is taken.
func (l *Ledger) AddBranchTx(ctx context.Context, b Branch, more func(*sql.Tx) error) error {
	return l.tx(ctx, "add branch", func(tx *sql.Tx, now time.Time) error {
		if b.CreatedAt.IsZero() {
			b.CreatedAt = now
		}
		if _, err := message(ctx, tx, b.Workspace, b.Message, l.lock.Staying); err != nil {
			return err
		}
		fresh, err := changed(tx.ExecContext(ctx, `INSERT INTO branches (`+branchColumns+`, words) VALUES (`+sqlio.Marks(20)+`)
			ON CONFLICT (workspace_id, id) DO NOTHING`, b.Workspace, b.ID, b.Message, b.Run, b.Parent, b.Step, b.Super, b.Purpose, b.Question, column{b.Scope}, string(b.Changes),
			b.Person, b.Status, b.Problem, b.Answer, column{b.Sentences}, column{b.Citations}, column{b.Figures}, sqlio.Millis(b.CreatedAt), lowered(b.Question, b.Answer)))
		if err != nil {
			return err
		}
		if !fresh {
			return domain.Errorf(domain.Conflict, "There is a branch %s already.", b.ID)
		}
		if err := more(tx); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO run_documents (workspace_id, run_id, document_id)
			SELECT workspace_id, ?, document_id FROM run_documents WHERE workspace_id = ? AND run_id = ?`, b.Run, b.Workspace, b.Parent)
		return err
	})
}

// UpdateBranch lets f change the stored branch, in one transaction. Its
// workspace, id, message, run, question, scope and CreatedAt stay. Once a document that its run
// has read is deleted, the answer is left out.
func (l *Ledger) UpdateBranch(ctx context.Context, ws domain.WorkspaceID, id domain.BranchID, f func(*Branch)) (Branch, error) {
	var b Branch
	err := l.tx(ctx, "update branch", func(tx *sql.Tx, _ time.Time) error {
		stored, err := branch(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		b = stored
		f(&b)
		b.Workspace, b.ID, b.Message, b.Run, b.CreatedAt = ws, id, stored.Message, stored.Run, stored.CreatedAt
		b.Question, b.Scope = stored.Question, stored.Scope
		if err := l.holdRead(ctx, tx, b.Run, ws); err != nil {
			return err
		}
		gone, err := readDeleted(ctx, tx, b.Run)
		if err != nil {
			return err
		}
		if gone {
			b.Answer, b.Sentences, b.Citations, b.Figures = "", nil, nil, nil
		}
		_, err = tx.ExecContext(ctx, `UPDATE branches SET parent_run = ?, step = ?, super = ?, purpose = ?, changes = ?, person = ?, status = ?, problem = ?,
			answer = ?, words = ?, sentences = ?, citations = ?, figures = ? WHERE workspace_id = ? AND id = ?`,
			b.Parent, b.Step, b.Super, b.Purpose, string(b.Changes), b.Person, b.Status, b.Problem,
			b.Answer, lowered(b.Question, b.Answer), column{b.Sentences}, column{b.Citations}, column{b.Figures}, ws, id)
		return err
	})
	return b, err
}

// Branch returns a branch, or an error of kind NotFound.
func (l *Ledger) Branch(ctx context.Context, ws domain.WorkspaceID, id domain.BranchID) (Branch, error) {
	b, err := branch(ctx, l.reader, ws, id, "")
	return b, l.wrap("read branch", err)
}

func branch(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.BranchID, lock string) (Branch, error) {
	b, err := scanBranch(q.QueryRowContext(ctx, `SELECT `+branchColumns+` FROM branches WHERE workspace_id = ? AND id = ?`+lock, ws, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return b, domain.Errorf(domain.NotFound, "There is no branch %s here. It, or a document that it has read, may have been deleted.", id)
	}
	return b, err
}

// BranchesByID returns branches in any order. Ids that are gone are left out.
func (l *Ledger) BranchesByID(ctx context.Context, ws domain.WorkspaceID, ids []domain.BranchID) ([]Branch, error) {
	found, err := collectIn(ctx, l.reader, scanBranchRow, `SELECT `+branchColumns+` FROM branches WHERE workspace_id = ? AND id IN (%s)`, []any{ws}, ids)
	return found, l.wrap("read branches", err)
}

// BranchesOf lists the branches of messages, oldest first and then by id.
func (l *Ledger) BranchesOf(ctx context.Context, ws domain.WorkspaceID, messages ...domain.MessageID) ([]Branch, error) {
	found, err := collectIn(ctx, l.reader, scanBranchRow, `SELECT `+branchColumns+` FROM branches WHERE workspace_id = ? AND message_id IN (%s)
		ORDER BY created_at, id`, []any{ws}, messages)
	return found, l.wrap("list branches", err)
}

// BranchesBeside lists all branches of the message that a run answers, as asked or as a
// branch, in the order of BranchesOf.
func (l *Ledger) BranchesBeside(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) ([]Branch, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanBranchRow, `SELECT `+branchColumns+` FROM branches WHERE workspace_id = ? AND message_id IN (
		SELECT id FROM messages WHERE workspace_id = ? AND run_id = ? UNION SELECT message_id FROM branches WHERE workspace_id = ? AND run_id = ?)
		ORDER BY created_at, id`, ws, ws, run, ws, run)
	return found, l.wrap("list branches", err)
}

// DeleteBranch removes a branch and those that begin at its steps, with their
// runs, or returns an error of kind NotFound.
func (l *Ledger) DeleteBranch(ctx context.Context, ws domain.WorkspaceID, id domain.BranchID) error {
	return l.erase(ctx, "delete branch", func(tx *sql.Tx, _ time.Time) error {
		b, err := branch(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		runs, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.RunID], `WITH RECURSIVE gone (run_id) AS (
				SELECT run_id FROM branches WHERE workspace_id = ? AND id = ?
				UNION SELECT b.run_id FROM branches b JOIN gone g ON b.parent_run = g.run_id WHERE b.workspace_id = ?)
			SELECT run_id FROM gone`, ws, b.ID, ws)
		if err != nil {
			return err
		}
		return deleteRuns(ctx, tx, ws, runs)
	})
}

// deleteRuns removes runs that answer, the branches that they are, and all that
// they have left: events and notes of what was read go with the run.
func deleteRuns(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, runs []domain.RunID) error {
	for _, d := range []struct{ what, statement string }{
		{"what was said of them", `DELETE FROM feedback WHERE workspace_id = ? AND run_id IN (%s)`},
		{"branches", `DELETE FROM branches WHERE workspace_id = ? AND run_id IN (%s)`},
		{"their model calls", `DELETE FROM model_calls WHERE workspace_id = ? AND run_id <> '' AND run_id IN (%s)`},
		{"their threads", `DELETE FROM threads WHERE id IN (SELECT id FROM runs WHERE workspace_id = ? AND id IN (%s))`},
		{"their runs", `DELETE FROM runs WHERE workspace_id = ? AND id IN (%s)`},
	} {
		if err := execIn(ctx, tx, d.statement, []any{ws}, runs); err != nil {
			return fmt.Errorf("remove %s: %w", d.what, err)
		}
	}
	return nil
}
