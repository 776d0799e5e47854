package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// EvaluationStatus is the progress of an evaluation.
type EvaluationStatus string

// The states of an evaluation.
const (
	EvaluationWorking EvaluationStatus = "working"
	EvaluationDone    EvaluationStatus = "done"
	EvaluationStopped EvaluationStatus = "stopped" // and can go on
)

// An Evaluation is a set of questions asked under one setting. What it says of the
// setting, the library and the score is JSON of the evaluation package.
type Evaluation struct {
	ID         domain.EvaluationID
	Workspace  domain.WorkspaceID
	Set        domain.SetID // of its questions, which may have been deleted since
	Setting    json.RawMessage
	Facts      json.RawMessage // about the library and the models when it began
	Score      json.RawMessage // once it has ended; {} before
	Person     string          // who asked for it, as domain.PersonOf says
	Status     EvaluationStatus
	CreatedAt  time.Time
	FinishedAt time.Time
}

const evaluationColumns = `workspace_id, id, set_id, setting, facts, score, person, status, created_at, finished_at`

func scanEvaluation(scan func(...any) error) (e Evaluation, err error) {
	return e, scan(&e.Workspace, &e.ID, &e.Set, (*[]byte)(&e.Setting), (*[]byte)(&e.Facts), (*[]byte)(&e.Score), &e.Person, &e.Status, instant{&e.CreatedAt}, instant{&e.FinishedAt})
}

func scanEvaluationRow(rows *sql.Rows) (Evaluation, error) { return scanEvaluation(rows.Scan) }

// ReplyStatus is the progress of a question of an evaluation.
type ReplyStatus string

// The states of a question of an evaluation.
const (
	ReplyOpen    ReplyStatus = "open"    // to be asked, or being asked when it has a run
	ReplyStopped ReplyStatus = "stopped" // to be asked by another run
	ReplyDone    ReplyStatus = "done"
	ReplyFailed  ReplyStatus = "failed"
)

// An EvaluationReply is a question of an evaluation with the reply to it. Figures
// are JSON of the evaluation package and hold no words of documents.
type EvaluationReply struct {
	Workspace  domain.WorkspaceID
	Evaluation domain.EvaluationID
	N          int               // from 1, in the order of asking
	Question   domain.QuestionID // as it is kept
	Text       string
	Answers    []string
	Sources    []string
	Run        domain.RunID // "" before it is asked
	Status     ReplyStatus
	Problem    string
	Answer     string // "" once a document that its run has read is deleted
	Figures    json.RawMessage
	ByHand     string // a person's verdict, which counts in place of that in Figures; "" for none
}

const replyColumns = `workspace_id, evaluation_id, n, question_id, question, answers, sources, run_id, status, problem, answer, figures, by_hand`

func scanReply(scan func(...any) error) (r EvaluationReply, err error) {
	return r, scan(&r.Workspace, &r.Evaluation, &r.N, &r.Question, &r.Text, column{&r.Answers}, column{&r.Sources}, &r.Run, &r.Status, &r.Problem, &r.Answer, (*[]byte)(&r.Figures), &r.ByHand)
}

func scanReplyRow(rows *sql.Rows) (EvaluationReply, error) { return scanReply(rows.Scan) }

// AddEvaluation stores a new evaluation with its questions. The error is Conflict
// when the id is taken.
func (l *Ledger) AddEvaluation(ctx context.Context, e Evaluation, replies []EvaluationReply) error {
	return l.tx(ctx, "add evaluation", func(tx *sql.Tx, _ time.Time) error {
		fresh, err := changed(tx.ExecContext(ctx, `INSERT INTO evaluations (`+evaluationColumns+`) VALUES (`+sqlio.Marks(10)+`)
			ON CONFLICT (workspace_id, id) DO NOTHING`, e.Workspace, e.ID, e.Set, string(e.Setting), string(e.Facts), string(e.Score), e.Person, e.Status,
			sqlio.Millis(e.CreatedAt), sqlio.Millis(e.FinishedAt)))
		if err != nil {
			return err
		}
		if !fresh {
			return domain.Errorf(domain.Conflict, "There is an evaluation %s already.", e.ID)
		}
		rows := make([][]any, len(replies))
		for i, r := range replies {
			rows[i] = []any{e.Workspace, e.ID, r.N, r.Question, r.Text, column{r.Answers}, column{r.Sources}, r.Run, r.Status, r.Problem, r.Answer, string(r.Figures), r.ByHand}
		}
		return insert(ctx, tx, `INSERT INTO evaluation_replies (`+replyColumns+`)`, rows, "")
	})
}

// Evaluation returns an evaluation, or an error of kind NotFound.
func (l *Ledger) Evaluation(ctx context.Context, ws domain.WorkspaceID, id domain.EvaluationID) (Evaluation, error) {
	e, err := evaluation(ctx, l.reader, ws, id, "")
	return e, l.wrap("read evaluation", err)
}

func evaluation(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.EvaluationID, lock string) (Evaluation, error) {
	e, err := scanEvaluation(q.QueryRowContext(ctx, `SELECT `+evaluationColumns+` FROM evaluations WHERE workspace_id = ? AND id = ?`+lock, ws, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return e, domain.Errorf(domain.NotFound, "There is no evaluation %s here. It may have been deleted.", id)
	}
	return e, err
}

// Evaluations lists the latest n evaluations, newest first.
func (l *Ledger) Evaluations(ctx context.Context, ws domain.WorkspaceID, n int) ([]Evaluation, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanEvaluationRow, `SELECT `+evaluationColumns+` FROM evaluations WHERE workspace_id = ?
		ORDER BY created_at DESC, id DESC LIMIT ?`, ws, n)
	return found, l.wrap("list evaluations", err)
}

// EvaluationReplies lists the questions of evaluations in their order.
func (l *Ledger) EvaluationReplies(ctx context.Context, ws domain.WorkspaceID, ids ...domain.EvaluationID) ([]EvaluationReply, error) {
	found, err := repliesOf(ctx, l.reader, ws, ids...)
	return found, l.wrap("list replies", err)
}

func repliesOf(ctx context.Context, q querier, ws domain.WorkspaceID, ids ...domain.EvaluationID) ([]EvaluationReply, error) {
	return collectIn(ctx, q, scanReplyRow, `SELECT `+replyColumns+` FROM evaluation_replies WHERE workspace_id = ? AND evaluation_id IN (%s) ORDER BY evaluation_id, n`, []any{ws}, ids)
}

// EvaluationReply returns the question that a run of an evaluation asks, or an error
// of kind NotFound.
func (l *Ledger) EvaluationReply(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) (EvaluationReply, error) {
	r, err := reply(ctx, l.reader, ws, run)
	return r, l.wrap("read reply", err)
}

func reply(ctx context.Context, q querier, ws domain.WorkspaceID, run domain.RunID) (EvaluationReply, error) {
	r, err := scanReply(q.QueryRowContext(ctx, `SELECT `+replyColumns+` FROM evaluation_replies WHERE workspace_id = ? AND run_id = ? AND run_id <> ''`, ws, run).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return r, domain.Errorf(domain.NotFound, "The run %s is of no evaluation here. It may have been deleted.", run)
	}
	return r, err
}

// UpdateReply lets f change the question that a run asks, in one transaction. Its
// place, its words and its run stay. Once a document that the run has read is
// deleted, the answer is left out. The error is NotFound when the run is of no
// evaluation.
func (l *Ledger) UpdateReply(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, f func(*EvaluationReply)) error {
	return l.tx(ctx, "update reply", func(tx *sql.Tx, _ time.Time) error {
		stored, err := reply(ctx, tx, ws, run)
		if err != nil {
			return err
		}
		r := stored
		f(&r)
		if err := l.holdRead(ctx, tx, run, ws); err != nil {
			return err
		}
		gone, err := readDeleted(ctx, tx, run)
		if err != nil {
			return err
		}
		if gone {
			r.Answer = ""
		}
		_, err = tx.ExecContext(ctx, `UPDATE evaluation_replies SET status = ?, problem = ?, answer = ?, figures = ? WHERE workspace_id = ? AND evaluation_id = ? AND n = ?`,
			r.Status, r.Problem, r.Answer, string(r.Figures), ws, stored.Evaluation, stored.N)
		return err
	})
}

// AdvanceEvaluation gives the next question of a working evaluation its run and calls
// add in the same transaction, which adds the run. A run that was stopped at the
// question is removed with all that it has left. left is false when no question is to
// be asked any more. While a question is being asked, and once the evaluation no
// longer works, nothing is done.
func (l *Ledger) AdvanceEvaluation(ctx context.Context, ws domain.WorkspaceID, id domain.EvaluationID, run domain.RunID, add func(*sql.Tx, EvaluationReply) error) (left bool, err error) {
	err = l.tx(ctx, "advance evaluation", func(tx *sql.Tx, _ time.Time) error {
		left = true
		e, err := evaluation(ctx, tx, ws, id, l.lock.Changing)
		if err != nil || e.Status != EvaluationWorking {
			return err
		}
		r, err := scanReply(tx.QueryRowContext(ctx, `SELECT `+replyColumns+` FROM evaluation_replies WHERE workspace_id = ? AND evaluation_id = ? AND status IN (?, ?)
			ORDER BY CASE WHEN status = ? AND run_id <> '' THEN 0 ELSE 1 END, n LIMIT 1`, ws, id, ReplyOpen, ReplyStopped, ReplyOpen).Scan)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			left = false
			return nil
		case err != nil || r.Status == ReplyOpen && r.Run != "":
			return err
		}
		if r.Status == ReplyStopped {
			if err := deleteRuns(ctx, tx, ws, []domain.RunID{r.Run}); err != nil {
				return err
			}
		}
		r.Run, r.Status = run, ReplyOpen
		if _, err := tx.ExecContext(ctx, `UPDATE evaluation_replies SET run_id = ?, status = ? WHERE workspace_id = ? AND evaluation_id = ? AND n = ?`, run, r.Status, ws, id, r.N); err != nil {
			return err
		}
		return add(tx, r)
	})
	return left, err
}

// UpdateEvaluation lets f change the stored evaluation and the verdicts by hand on its
// replies, in one transaction. What it is, and when it began, stay.
func (l *Ledger) UpdateEvaluation(ctx context.Context, ws domain.WorkspaceID, id domain.EvaluationID, f func(*Evaluation, []EvaluationReply) error) (Evaluation, error) {
	var e Evaluation
	err := l.tx(ctx, "update evaluation", func(tx *sql.Tx, _ time.Time) error {
		stored, err := evaluation(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		replies, err := repliesOf(ctx, tx, ws, id)
		if err != nil {
			return err
		}
		judged := slices.Clone(replies)
		e = stored
		if err := f(&e, judged); err != nil {
			return err
		}
		for i, r := range judged {
			if r.ByHand == replies[i].ByHand {
				continue
			}
			if _, err := tx.ExecContext(ctx, `UPDATE evaluation_replies SET by_hand = ? WHERE workspace_id = ? AND evaluation_id = ? AND n = ?`, r.ByHand, ws, id, replies[i].N); err != nil {
				return err
			}
		}
		e.Workspace, e.ID, e.Set, e.Setting, e.Facts, e.CreatedAt = ws, id, stored.Set, stored.Setting, stored.Facts, stored.CreatedAt
		_, err = tx.ExecContext(ctx, `UPDATE evaluations SET score = ?, person = ?, status = ?, finished_at = ? WHERE workspace_id = ? AND id = ?`,
			string(e.Score), e.Person, e.Status, sqlio.Millis(e.FinishedAt), ws, id)
		return err
	})
	return e, err
}

// DeleteEvaluation removes an evaluation with its runs and all that they have left,
// or returns an error of kind NotFound.
func (l *Ledger) DeleteEvaluation(ctx context.Context, ws domain.WorkspaceID, id domain.EvaluationID) error {
	return l.erase(ctx, "delete evaluation", func(tx *sql.Tx, _ time.Time) error {
		if _, err := evaluation(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		runs, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.RunID], `SELECT run_id FROM evaluation_replies WHERE workspace_id = ? AND evaluation_id = ? AND run_id <> ''`, ws, id)
		if err != nil {
			return err
		}
		if err := deleteRuns(ctx, tx, ws, runs); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM evaluations WHERE workspace_id = ? AND id = ?`, ws, id)
		return err
	})
}
