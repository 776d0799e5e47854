package ledger

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A KeptQuestion is kept to be asked in evaluations, with what is expected of its
// answer.
type KeptQuestion struct {
	ID        domain.QuestionID
	Workspace domain.WorkspaceID
	Set       domain.SetID     // FirstSet where nothing else is said
	Message   domain.MessageID // that it was kept from; "" for none
	Text      string
	Answers   []string // words, any of which make an answer right
	Sources   []string // names of documents that are needed
	CreatedAt time.Time
}

const keptColumns = `workspace_id, id, set_id, message_id, question, answers, sources, created_at`

func scanKept(rows *sql.Rows) (k KeptQuestion, err error) {
	return k, rows.Scan(&k.Workspace, &k.ID, &k.Set, &k.Message, &k.Text, column{&k.Answers}, column{&k.Sources}, instant{&k.CreatedAt})
}

// keptFor is how long a deleted question can be taken back.
const keptFor = 24 * time.Hour

// KeepQuestions keeps questions in a set. One with the words of another of the set
// replaces what is expected of that. The error is TooLarge when the set would have
// more than most, and NotFound without the set; then none is kept.
func (l *Ledger) KeepQuestions(ctx context.Context, ws domain.WorkspaceID, set domain.SetID, most int, questions ...KeptQuestion) (added int, err error) {
	err = l.changeSets(ctx, "keep questions", ws, func(tx *sql.Tx, now time.Time, sets []QuestionSet) error {
		if err := hasSet(sets, set); err != nil {
			return err
		}
		all, err := kept(ctx, tx, ws, set)
		if err != nil {
			return err
		}
		before, of := len(all), map[string]int{}
		for i, k := range all {
			of[k.Text] = i
		}
		var touched []int
		for _, k := range questions {
			i, ok := of[k.Text]
			if ok {
				all[i].Answers, all[i].Sources = k.Answers, k.Sources
			} else {
				k.Workspace, k.Set, k.CreatedAt = ws, set, now.Add(time.Duration(len(all)-before)*time.Millisecond) // keeps their order
				i, all = len(all), append(all, k)
				of[k.Text] = i
			}
			touched = append(touched, i)
		}
		if added = len(all) - before; len(all) > most && added > 0 {
			return domain.Errorf(domain.TooLarge, "With these there would be %d questions in the set, the most is %d. Delete some first, or begin another set.", len(all), most)
		}
		slices.Sort(touched)
		var rows [][]any
		for _, i := range slices.Compact(touched) {
			k := all[i]
			rows = append(rows, []any{ws, k.ID, k.Set, k.Message, k.Text, column{k.Answers}, column{k.Sources}, sqlio.Millis(k.CreatedAt), 0})
		}
		return insert(ctx, tx, `INSERT INTO evaluation_questions (`+keptColumns+`, deleted_at)`, rows,
			`ON CONFLICT (workspace_id, id) DO UPDATE SET answers = excluded.answers, sources = excluded.sources`)
	})
	return added, err
}

func kept(ctx context.Context, q querier, ws domain.WorkspaceID, sets ...domain.SetID) ([]KeptQuestion, error) {
	return collectIn(ctx, q, scanKept, `SELECT `+keptColumns+` FROM evaluation_questions WHERE workspace_id = ? AND deleted_at = 0 AND set_id IN (%s) ORDER BY created_at, id`, []any{ws}, sets)
}

// KeptQuestions lists the questions that are kept in sets, oldest first.
func (l *Ledger) KeptQuestions(ctx context.Context, ws domain.WorkspaceID, sets ...domain.SetID) ([]KeptQuestion, error) {
	all, err := kept(ctx, l.reader, ws, sets...)
	return all, l.wrap("list kept questions", err)
}

// ChangeQuestion changes the set and the words of a kept question and what is expected
// of its answer. The error is NotFound when it is not kept, or the set is not there,
// and Conflict when another of the set has the same words.
func (l *Ledger) ChangeQuestion(ctx context.Context, ws domain.WorkspaceID, k KeptQuestion) error {
	return l.changeSets(ctx, "change a kept question", ws, func(tx *sql.Tx, _ time.Time, sets []QuestionSet) error {
		if err := hasSet(sets, k.Set); err != nil {
			return err
		}
		all, err := kept(ctx, tx, ws, k.Set)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(x KeptQuestion) bool { return x.Text == k.Text && x.ID != k.ID }) {
			return domain.Errorf(domain.Conflict, "This question is kept in the set already. Change that one, or write this one differently.")
		}
		here, err := changed(tx.ExecContext(ctx, `UPDATE evaluation_questions SET set_id = ?, question = ?, answers = ?, sources = ? WHERE workspace_id = ? AND id = ? AND deleted_at = 0`,
			k.Set, k.Text, column{k.Answers}, column{k.Sources}, ws, k.ID))
		if err == nil && !here {
			return notKept(k.ID)
		}
		return err
	})
}

func notKept(id domain.QuestionID) error {
	return domain.Errorf(domain.NotFound, "There is no question %s here. It may have been deleted.", id)
}

// DropQuestion stops keeping a question, or returns an error of kind NotFound. For a
// day RestoreQuestion takes it back.
func (l *Ledger) DropQuestion(ctx context.Context, ws domain.WorkspaceID, id domain.QuestionID) error {
	return l.erase(ctx, "delete a kept question", func(tx *sql.Tx, now time.Time) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM evaluation_questions WHERE workspace_id = ? AND deleted_at > 0 AND deleted_at < ?`, ws, sqlio.Millis(now.Add(-keptFor))); err != nil {
			return err
		}
		here, err := changed(tx.ExecContext(ctx, `UPDATE evaluation_questions SET deleted_at = ? WHERE workspace_id = ? AND id = ? AND deleted_at = 0`, sqlio.Millis(now), ws, id))
		if err == nil && !here {
			return notKept(id)
		}
		return err
	})
}

// RestoreQuestion keeps a question again that was deleted, unless its set
// has one with the same words. The error is NotFound once it is gone for good.
func (l *Ledger) RestoreQuestion(ctx context.Context, ws domain.WorkspaceID, id domain.QuestionID) error {
	return l.tx(ctx, "restore a kept question", func(tx *sql.Tx, _ time.Time) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM evaluation_questions WHERE workspace_id = ? AND id = ?`, ws, id).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			return notKept(id)
		}
		_, err := tx.ExecContext(ctx, `UPDATE evaluation_questions SET deleted_at = 0 WHERE workspace_id = ? AND id = ? AND NOT EXISTS (
			SELECT 1 FROM evaluation_questions x WHERE x.workspace_id = evaluation_questions.workspace_id AND x.set_id = evaluation_questions.set_id AND x.question = evaluation_questions.question AND x.deleted_at = 0)`, ws, id)
		return err
	})
}

// NamedHere returns which of the names are names of documents.
func (l *Ledger) NamedHere(ctx context.Context, ws domain.WorkspaceID, names []string) (map[string]bool, error) {
	here := map[string]bool{}
	found, err := collectIn(ctx, l.reader, sqlio.Column[string], `SELECT name FROM documents WHERE workspace_id = ? AND name IN (%s)`, []any{ws}, names)
	for _, name := range found {
		here[name] = true
	}
	return here, l.wrap("find documents by name", err)
}

// Size returns how many documents can be asked, and their passages.
func (l *Ledger) Size(ctx context.Context, ws domain.WorkspaceID) (documents, passages int, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM documents WHERE workspace_id = ? AND status = ?), (SELECT COUNT(*) FROM chunks WHERE workspace_id = ?)`,
		ws, domain.DocumentReady, ws).Scan(&documents, &passages)
	return documents, passages, l.wrap("size the library", err)
}

// Cut counts the documents that are cut into chunks alike.
type Cut struct {
	How       domain.Chunking
	Documents int
}

// Cuts lists how the documents that can be asked are cut into chunks.
func (l *Ledger) Cuts(ctx context.Context, ws domain.WorkspaceID) ([]Cut, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c Cut, err error) { return c, rows.Scan(column{&c.How}, &c.Documents) },
		`SELECT chunking, COUNT(*) FROM documents WHERE workspace_id = ? AND status = ? GROUP BY chunking ORDER BY 2 DESC, 1`, ws, domain.DocumentReady)
	return all, l.wrap("count how documents are cut", err)
}
