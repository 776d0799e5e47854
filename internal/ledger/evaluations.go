package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// EvaluationStatus is the progress of an evaluation.
type EvaluationStatus string

// The states of an evaluation.
const (
	EvaluationWorking EvaluationStatus = "working"
	EvaluationDone    EvaluationStatus = "done"
	EvaluationStopped EvaluationStatus = "stopped" // but can be continued
)

// An Evaluation is a set of questions asked under one setting. What it says of the
// setting, the library and the score is JSON of the evaluation package.
type Evaluation struct {
	ID         domain.EvaluationID
	Workspace  domain.WorkspaceID
	Set        domain.SetID // of its questions; may have been deleted since
	Setting    json.RawMessage
	Facts      json.RawMessage // about the library and the models when it began
	Score      json.RawMessage // once it has ended; {} until then
	Person     string          // who asked for it, as returned by domain.PersonOf
	Status     EvaluationStatus
	CreatedAt  time.Time
	FinishedAt time.Time
}

var evaluationTable = sqlio.Table[Evaluation]{Name: "evaluations", Row: func(e *Evaluation) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &e.Workspace, "id key", &e.ID, "set_id fixed", &e.Set, "setting fixed", &e.Setting, "facts fixed", &e.Facts, "score", &e.Score,
		"person", &e.Person, "status", &e.Status, "created_at fixed", &e.CreatedAt, "finished_at", &e.FinishedAt,
	}
}}

// An EvaluationReply is a question of an evaluation with the reply to it. Figures
// are JSON of the evaluation package and hold no words of documents.
type EvaluationReply struct {
	Workspace  domain.WorkspaceID
	Evaluation domain.EvaluationID
	N          int               // from 1, in the order of asking
	Question   domain.QuestionID // as stored
	Text       string
	Answers    []string
	Sources    []string
	Run        domain.RunID // "" before it is asked
	Figures    json.RawMessage
	ByHand     string // a person's verdict, which overrides the one in Figures; "" if none was given

	// Of the run's answer.
	Status  MessageStatus // "" before it is asked
	Problem string
	Answer  string // "" once a document read by its run is deleted
}

// Asking reports whether the question is being asked.
func (r EvaluationReply) Asking() bool { return r.Status != "" && !r.Status.Over() }

var replyTable = sqlio.Table[EvaluationReply]{Name: "evaluation_replies", Row: func(r *EvaluationReply) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &r.Workspace, "evaluation_id key", &r.Evaluation, "n key", &r.N, "question_id fixed", &r.Question, "question fixed", &r.Text,
		"answers fixed", &r.Answers, "sources fixed", &r.Sources, "run_id", &r.Run, "figures", &r.Figures, "by_hand", &r.ByHand,
	}
}}

// AddEvaluation stores a new evaluation with its questions. The error is Conflict
// when the id is taken.
func (l EvaluationStore) AddEvaluation(ctx context.Context, e Evaluation, replies []EvaluationReply) error {
	return l.tx(ctx, "add evaluation", func(tx *sql.Tx, _ time.Time) error {
		fresh, err := evaluationTable.Insert(ctx, tx, &e)
		if err != nil {
			return err
		}
		if !fresh {
			return domain.Errorf(domain.Conflict, "There is already an evaluation %s.", e.ID)
		}
		replies = slices.Clone(replies)
		for i := range replies {
			replies[i].Workspace, replies[i].Evaluation = e.Workspace, e.ID
		}
		return replyTable.InsertAll(ctx, tx, replies, "")
	})
}

// Evaluation returns an evaluation, or an error of kind NotFound.
func (l EvaluationStore) Evaluation(ctx context.Context, ws domain.WorkspaceID, id domain.EvaluationID) (Evaluation, error) {
	e, err := evaluation(ctx, l.reader, ws, id, "")
	return e, l.wrap("read evaluation", err)
}

func evaluation(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.EvaluationID, lock string) (Evaluation, error) {
	missing := domain.Errorf(domain.NotFound, "There is no evaluation %s here. It may have been deleted.", id)
	return read(ctx, q, evaluationTable, missing, `WHERE workspace_id = ? AND id = ?`+lock, ws, id)
}

// Evaluations lists the latest n evaluations, newest first.
func (l EvaluationStore) Evaluations(ctx context.Context, ws domain.WorkspaceID, n int) ([]Evaluation, error) {
	return list(ctx, l, "list evaluations", evaluationTable.Scan, evaluationTable.Select()+`WHERE workspace_id = ?
		ORDER BY created_at DESC, id DESC LIMIT ?`, ws, n)
}

// EvaluationReplies lists the questions of evaluations in their order, as the viewer of
// ctx may see them.
func (l EvaluationStore) EvaluationReplies(ctx context.Context, ws domain.WorkspaceID, ids ...domain.EvaluationID) ([]EvaluationReply, error) {
	withheld, args := withheldOf(ctx, "r")
	found, err := collectIn(ctx, l.reader, func(rows *sql.Rows) (r EvaluationReply, err error) {
		hidden := false
		err = rows.Scan(append(r.fields(), &hidden)...)
		if hidden {
			r.Answer, r.Problem = Withheld, ""
		}
		return r, err
	}, `SELECT `+replyColumns+`, `+withheld+fromReplies+`WHERE r.workspace_id = ? AND r.evaluation_id IN (%s) ORDER BY r.evaluation_id, r.n`, append(args, ws), ids)
	if err == nil {
		err = l.hideSources(ctx, ws, len(found), func(i int) *[]string { return &found[i].Sources })
	}
	return found, l.wrap("list replies", err)
}

func repliesOf(ctx context.Context, q querier, ws domain.WorkspaceID, ids ...domain.EvaluationID) ([]EvaluationReply, error) {
	return collectIn(ctx, q, scanReply, selectReplies+`WHERE r.workspace_id = ? AND r.evaluation_id IN (%s) ORDER BY r.evaluation_id, r.n`, []any{ws}, ids)
}

var (
	replyColumns  = replyTable.Columns("r") + `, COALESCE(a.status, ''), COALESCE(a.problem, ''), COALESCE(a.answer, '')`
	selectReplies = `SELECT ` + replyColumns + fromReplies
)

const fromReplies = ` FROM evaluation_replies r LEFT JOIN answers a ON a.workspace_id = r.workspace_id AND a.run_id = r.run_id `

func (r *EvaluationReply) fields() []any {
	return append(replyTable.Fields(r), &r.Status, &r.Problem, &r.Answer)
}

func scanReply(rows *sql.Rows) (r EvaluationReply, err error) { return r, rows.Scan(r.fields()...) }

// EvaluationReply returns the question that a run of an evaluation asks, or an error
// of kind NotFound.
func (l EvaluationStore) EvaluationReply(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) (EvaluationReply, error) {
	r, err := reply(ctx, l.reader, ws, run)
	return r, l.wrap("read reply", err)
}

func reply(ctx context.Context, q querier, ws domain.WorkspaceID, run domain.RunID) (EvaluationReply, error) {
	found, err := sqlio.Collect(ctx, q, scanReply, selectReplies+`WHERE r.workspace_id = ? AND r.run_id = ? AND r.run_id <> ''`, ws, run)
	if err == nil && len(found) == 0 {
		return EvaluationReply{}, domain.Errorf(domain.NotFound, "The run %s belongs to no evaluation here. It may have been deleted.", run)
	}
	if err != nil {
		return EvaluationReply{}, err
	}
	return found[0], nil
}

// ScoreReply keeps how well a run has answered its question of an evaluation.
func (l EvaluationStore) ScoreReply(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, figures json.RawMessage) error {
	return l.exec(ctx, "score a reply", `UPDATE evaluation_replies SET figures = ? WHERE workspace_id = ? AND run_id = ?`, string(figures), ws, run)
}

// AdvanceEvaluation gives the next question of a working evaluation its run and calls
// add in the same transaction, which adds the run. A run that was stopped at the
// question is removed with all that it has left. left is false when no question is to
// be asked any more. While a question is being asked, and once the evaluation no
// longer works, nothing is done.
func (l EvaluationStore) AdvanceEvaluation(ctx context.Context, ws domain.WorkspaceID, id domain.EvaluationID, run domain.RunID, add func(*sql.Tx, EvaluationReply) error) (left bool, err error) {
	err = l.tx(ctx, "advance evaluation", func(tx *sql.Tx, now time.Time) error {
		left = true
		e, err := evaluation(ctx, tx, ws, id, l.lock.Changing)
		if err != nil || e.Status != EvaluationWorking {
			return err
		}
		open, err := sqlio.Collect(ctx, tx, scanReply, selectReplies+`WHERE r.workspace_id = ? AND r.evaluation_id = ? AND COALESCE(a.status, '') NOT IN (?, ?)
			ORDER BY CASE WHEN COALESCE(a.status, '') IN ('', ?) THEN 1 ELSE 0 END, r.n LIMIT 1`, ws, id, MessageDone, MessageFailed, MessageStopped)
		switch {
		case err == nil && len(open) == 0:
			left = false
			return nil
		case err != nil || open[0].Asking():
			return err
		}
		r := open[0]
		if r.Status == MessageStopped {
			if err := deleteRuns(ctx, tx, ws, []domain.RunID{r.Run}); err != nil {
				return err
			}
		}
		stored := r
		r.Run, r.Status, r.Problem, r.Answer = run, MessageWaiting, "", ""
		if err := replyTable.Update(ctx, tx, &stored, &r); err != nil {
			return err
		}
		if err := l.insertAnswer(ctx, tx, Answer{Workspace: ws, Run: run, Evaluation: id, N: r.N, Question: r.Text, Person: e.Person, Status: r.Status, CreatedAt: now}); err != nil {
			return err
		}
		return add(tx, r)
	})
	return left, err
}

// UpdateEvaluation lets f change the stored evaluation and the verdicts by hand on its
// replies, in one transaction. What it is, and when it began, stay.
func (l EvaluationStore) UpdateEvaluation(ctx context.Context, ws domain.WorkspaceID, id domain.EvaluationID, f func(*Evaluation, []EvaluationReply) error) (Evaluation, error) {
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
		for i := range judged {
			r := replies[i]
			r.ByHand = judged[i].ByHand
			if err := replyTable.Update(ctx, tx, &replies[i], &r); err != nil {
				return err
			}
		}
		e.Workspace, e.ID, e.Set, e.Setting, e.Facts, e.CreatedAt = ws, id, stored.Set, stored.Setting, stored.Facts, stored.CreatedAt
		return evaluationTable.Update(ctx, tx, &stored, &e)
	})
	return e, err
}

// DeleteEvaluation removes an evaluation with its runs and all that they have left,
// or returns an error of kind NotFound.
func (l EvaluationStore) DeleteEvaluation(ctx context.Context, ws domain.WorkspaceID, id domain.EvaluationID) error {
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
		return sqlio.Exec(ctx, tx, `DELETE FROM evaluations WHERE workspace_id = ? AND id = ?`, ws, id)
	})
}

// A KeptQuestion is kept to be asked in evaluations, with what is expected of its
// answer.
type KeptQuestion struct {
	ID        domain.QuestionID
	Workspace domain.WorkspaceID
	Set       domain.SetID     // FirstSet unless stated
	Message   domain.MessageID // it was kept from; "" if none
	Text      string
	Answers   []string // words, any of which make an answer right
	Sources   []string // names of documents that are needed
	CreatedAt time.Time
}

var keptTable = sqlio.Table[KeptQuestion]{Name: "evaluation_questions", Row: func(k *KeptQuestion) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &k.Workspace, "id key", &k.ID, "set_id", &k.Set, "message_id fixed", &k.Message, "question", &k.Text, "answers", &k.Answers, "sources", &k.Sources,
		"created_at fixed", &k.CreatedAt, "deleted_at written", 0,
	}
}}

// keptFor is how long a deleted question can be taken back.
const keptFor = 24 * time.Hour

// KeepQuestions keeps questions in a set. One with the words of another of the set
// replaces what is expected of that. The error is TooLarge when the set would have
// more than most, and NotFound without the set; then none is kept.
func (l EvaluationStore) KeepQuestions(ctx context.Context, ws domain.WorkspaceID, set domain.SetID, most int, questions ...KeptQuestion) (added int, err error) {
	err = l.changeSets(ctx, "keep questions", ws, func(tx *sql.Tx, now time.Time, sets []QuestionSet) error {
		if err := hasSet(sets, set); err != nil {
			return err
		}
		all, err := kept(ctx, tx, ws, set)
		if err != nil {
			return err
		}
		sources := lists.Flat(all, func(k KeptQuestion) []string { return k.Sources })
		hidden, err := hiddenNames(ctx, tx, ws, sources)
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
				all[i].Answers, all[i].Sources = k.Answers, slices.Concat(k.Sources, only(true, all[i].Sources, hidden))
			} else {
				k.Workspace, k.Set, k.CreatedAt = ws, set, now.Add(time.Duration(len(all)-before)*time.Millisecond) // keeps their order
				i, all = len(all), append(all, k)
				of[k.Text] = i
			}
			touched = append(touched, i)
		}
		if added = len(all) - before; len(all) > most && added > 0 {
			return domain.Errorf(domain.TooLarge, "With these, the set would have %d questions; the limit is %d. Delete some first, or start another set.", len(all), most)
		}
		slices.Sort(touched)
		changed := lists.Map(slices.Compact(touched), func(i int) KeptQuestion { return all[i] })
		return keptTable.InsertAll(ctx, tx, changed, `ON CONFLICT (workspace_id, id) DO UPDATE SET answers = excluded.answers, sources = excluded.sources`)
	})
	return added, err
}

func kept(ctx context.Context, q querier, ws domain.WorkspaceID, sets ...domain.SetID) ([]KeptQuestion, error) {
	return collectIn(ctx, q, keptTable.Scan, keptTable.Select()+`WHERE workspace_id = ? AND deleted_at = 0 AND set_id IN (%s) ORDER BY created_at, id`, []any{ws}, sets)
}

// KeptQuestions lists the questions that are kept in sets, oldest first, without the
// names of documents that the viewer of ctx can't read.
func (l EvaluationStore) KeptQuestions(ctx context.Context, ws domain.WorkspaceID, sets ...domain.SetID) ([]KeptQuestion, error) {
	all, err := kept(ctx, l.reader, ws, sets...)
	if err == nil {
		err = l.hideSources(ctx, ws, len(all), func(i int) *[]string { return &all[i].Sources })
	}
	return all, l.wrap("list kept questions", err)
}

// hideSources takes the names that the viewer of ctx can't read out of n lists.
func (l EvaluationStore) hideSources(ctx context.Context, ws domain.WorkspaceID, n int, list func(i int) *[]string) error {
	var names []string
	for i := range n {
		names = append(names, *list(i)...)
	}
	hidden, err := hiddenNames(ctx, l.reader, ws, names)
	for i := range n {
		*list(i) = only(false, *list(i), hidden)
	}
	return err
}

// hiddenNames returns which of names only documents have that the viewer of ctx can't read.
func hiddenNames(ctx context.Context, q querier, ws domain.WorkspaceID, names []string) (map[string]bool, error) {
	cond, args := unseen(ctx)
	if cond == "" || len(names) == 0 {
		return nil, nil
	}
	seen, more := Seen(ctx, "o")
	found, err := collectIn(ctx, q, sqlio.Column[string], `SELECT DISTINCT d.name FROM documents d WHERE d.workspace_id = ? AND `+cond+`
		AND NOT EXISTS (SELECT 1 FROM documents o WHERE o.workspace_id = d.workspace_id AND o.name = d.name`+seen+`) AND d.name IN (%s)`, slices.Concat([]any{ws}, args, more), names)
	return lists.Set(found), err
}

// only returns the names that are hidden, or those that are not, in their order.
func only(hidden bool, names []string, among map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return among[name] != hidden })
}

// ChangeQuestion changes the set and the words of a kept question and what is expected
// of its answer. Documents that are expected and that the viewer of ctx can't read stay
// expected. The error is NotFound when it is not kept, or the set is not there, and
// Conflict when another of the set has the same words.
func (l EvaluationStore) ChangeQuestion(ctx context.Context, ws domain.WorkspaceID, k KeptQuestion) error {
	return l.changeSets(ctx, "change a kept question", ws, func(tx *sql.Tx, _ time.Time, sets []QuestionSet) error {
		if err := hasSet(sets, k.Set); err != nil {
			return err
		}
		all, err := kept(ctx, tx, ws, k.Set)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(x KeptQuestion) bool { return x.Text == k.Text && x.ID != k.ID }) {
			return domain.Errorf(domain.Conflict, "This question is already in the set. Change that one, or reword this one.")
		}
		missing := notKept(k.ID)
		old, err := read(ctx, tx, keptTable, missing, `WHERE workspace_id = ? AND id = ? AND deleted_at = 0`, ws, k.ID)
		if err != nil {
			return err
		}
		hidden, err := hiddenNames(ctx, tx, ws, old.Sources)
		if err != nil {
			return err
		}
		here, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE evaluation_questions SET set_id = ?, question = ?, answers = ?, sources = ? WHERE workspace_id = ? AND id = ? AND deleted_at = 0`,
			k.Set, k.Text, sqlio.JSON(k.Answers), sqlio.JSON(slices.Concat(k.Sources, only(true, old.Sources, hidden))), ws, k.ID))
		if err == nil && !here {
			return missing
		}
		return err
	})
}

func notKept(id domain.QuestionID) error {
	return domain.Errorf(domain.NotFound, "There is no question %s here. It may have been deleted.", id)
}

// DropQuestion stops keeping a question, or returns an error of kind NotFound. For a
// day RestoreQuestion takes it back.
func (l EvaluationStore) DropQuestion(ctx context.Context, ws domain.WorkspaceID, id domain.QuestionID) error {
	return l.erase(ctx, "delete a kept question", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM evaluation_questions WHERE workspace_id = ? AND deleted_at > 0 AND deleted_at < ?`, ws, sqlio.Millis(now.Add(-keptFor))); err != nil {
			return err
		}
		here, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE evaluation_questions SET deleted_at = ? WHERE workspace_id = ? AND id = ? AND deleted_at = 0`, sqlio.Millis(now), ws, id))
		if err == nil && !here {
			return notKept(id)
		}
		return err
	})
}

// RestoreQuestion keeps a question again that was deleted, unless its set
// has one with the same words. The error is NotFound once it is gone for good.
func (l EvaluationStore) RestoreQuestion(ctx context.Context, ws domain.WorkspaceID, id domain.QuestionID) error {
	return l.tx(ctx, "restore a kept question", func(tx *sql.Tx, _ time.Time) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM evaluation_questions WHERE workspace_id = ? AND id = ?`, ws, id).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			return notKept(id)
		}
		return sqlio.Exec(ctx, tx, `UPDATE evaluation_questions SET deleted_at = 0 WHERE workspace_id = ? AND id = ? AND NOT EXISTS (
			SELECT 1 FROM evaluation_questions x WHERE x.workspace_id = evaluation_questions.workspace_id AND x.set_id = evaluation_questions.set_id AND x.question = evaluation_questions.question AND x.deleted_at = 0)`, ws, id)
	})
}

// NamedHere returns which of the names are names of documents.
func (l DocumentStore) NamedHere(ctx context.Context, ws domain.WorkspaceID, names []string) (map[string]bool, error) {
	here := map[string]bool{}
	seen, args := Seen(ctx, "documents")
	found, err := collectIn(ctx, l.reader, sqlio.Column[string], `SELECT name FROM documents WHERE workspace_id = ?`+seen+` AND name IN (%s)`, append([]any{ws}, args...), names)
	for _, name := range found {
		here[name] = true
	}
	return here, l.wrap("find documents by name", err)
}

// Size returns how many documents can be asked, and their passages.
func (l DocumentStore) Size(ctx context.Context, ws domain.WorkspaceID) (documents, passages int, err error) {
	seen, args := Seen(ctx, "documents")
	of, by := seenIn(ctx, "document_id", ws)
	err = l.reader.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM documents WHERE workspace_id = ? AND status = ?`+seen+`), (SELECT COUNT(*) FROM chunks WHERE workspace_id = ?`+of+`)`,
		slices.Concat([]any{ws, domain.DocumentReady}, args, []any{ws}, by)...).Scan(&documents, &passages)
	return documents, passages, l.wrap("size the library", err)
}

// Cut counts the documents that are cut into chunks alike.
type Cut struct {
	How       domain.Chunking
	Documents int
}

// Cuts lists how the documents that can be asked are cut into chunks.
func (l DocumentStore) Cuts(ctx context.Context, ws domain.WorkspaceID) ([]Cut, error) {
	seen, args := Seen(ctx, "documents")
	return list(ctx, l, "count how documents are cut", into(func(c *Cut) []any { return []any{&c.How, &c.Documents} }),
		`SELECT chunking, COUNT(*) FROM documents WHERE workspace_id = ? AND status = ?`+seen+` GROUP BY chunking ORDER BY 2 DESC, 1`, append([]any{ws, domain.DocumentReady}, args...)...)
}

// FirstSet is the set of kept questions that each workspace begins with.
const FirstSet domain.SetID = "first"

// firstName is the name of the first set until it gets another.
const firstName = "First set"

// A QuestionSet is a named set of kept questions.
type QuestionSet struct {
	ID        domain.SetID
	Name      string
	Questions int // kept in it
	CreatedAt time.Time
}

func scanSet(rows *sql.Rows) (s QuestionSet, err error) {
	return s, rows.Scan(sqlio.To(&s.ID, &s.Name, &s.CreatedAt, &s.Questions)...)
}

func questionSets(ctx context.Context, q querier, ws domain.WorkspaceID) ([]QuestionSet, error) {
	return sqlio.Collect(ctx, q, scanSet, `SELECT s.id, s.name, s.created_at,
			(SELECT COUNT(*) FROM evaluation_questions k WHERE k.workspace_id = ? AND k.set_id = s.id AND k.deleted_at = 0)
		FROM (SELECT id, name, created_at FROM evaluation_sets WHERE workspace_id = ? AND deleted_at = 0
			UNION ALL SELECT ?, ?, 0 WHERE NOT EXISTS (SELECT 1 FROM evaluation_sets WHERE workspace_id = ? AND id = ?)) s
		ORDER BY s.created_at, s.id`, ws, ws, FirstSet, firstName, ws, FirstSet)
}

// QuestionSets lists the sets of kept questions, oldest first. There is always one.
func (l EvaluationStore) QuestionSets(ctx context.Context, ws domain.WorkspaceID) ([]QuestionSet, error) {
	all, err := questionSets(ctx, l.reader, ws)
	return all, l.wrap("list sets of questions", err)
}

// changeSets calls f with the question sets of a workspace in a transaction that holds
// the lock of the workspace, so that nothing else changes them.
func (l *store) changeSets(ctx context.Context, what string, ws domain.WorkspaceID, f func(*sql.Tx, time.Time, []QuestionSet) error) error {
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
		return domain.Errorf(domain.Conflict, "There is already a set called %s. Choose another name.", name)
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
	return sqlio.Exec(ctx, tx, `INSERT INTO evaluation_sets (workspace_id, id, name, created_at, deleted_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (workspace_id, id) DO UPDATE SET name = excluded.name, deleted_at = excluded.deleted_at`, ws, s.ID, s.Name, sqlio.Millis(s.CreatedAt), deleted)
}

// AddSet adds a set without questions. The error is Conflict when another has the
// name, and TooLarge when there would be more than most.
func (l EvaluationStore) AddSet(ctx context.Context, ws domain.WorkspaceID, most int, s QuestionSet) error {
	return l.changeSets(ctx, "add a set of questions", ws, func(tx *sql.Tx, now time.Time, all []QuestionSet) error {
		if len(all) >= most {
			return domain.Errorf(domain.TooLarge, "There are already %d sets of questions, which is the limit. Delete one first.", len(all))
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
func (l EvaluationStore) RenameSet(ctx context.Context, ws domain.WorkspaceID, id domain.SetID, name string) error {
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
func (l EvaluationStore) DropSet(ctx context.Context, ws domain.WorkspaceID, id domain.SetID) error {
	return l.changeSets(ctx, "delete a set of questions", ws, func(tx *sql.Tx, now time.Time, all []QuestionSet) error {
		if err := hasSet(all, id); err != nil {
			return err
		}
		if len(all) == 1 {
			return domain.Errorf(domain.Conflict, "This is the only set of questions. Add another before you delete it.")
		}
		gone := sqlio.Millis(now.Add(-keptFor))
		if err := sqlio.Exec(ctx, tx, `DELETE FROM evaluation_questions WHERE workspace_id = ? AND set_id IN
			(SELECT id FROM evaluation_sets WHERE workspace_id = ? AND deleted_at > 0 AND deleted_at < ?)`, ws, ws, gone); err != nil {
			return err
		}
		if err := sqlio.Exec(ctx, tx, `DELETE FROM evaluation_sets WHERE workspace_id = ? AND deleted_at > 0 AND deleted_at < ? AND id <> ?`, ws, gone, FirstSet); err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(s QuestionSet) bool { return s.ID == id })
		return putSet(ctx, tx, ws, all[i], sqlio.Millis(now))
	})
}

// RestoreSet takes back the deletion of a set. The error is NotFound once it is gone
// for good, and Conflict when another has its name by then.
func (l EvaluationStore) RestoreSet(ctx context.Context, ws domain.WorkspaceID, id domain.SetID) error {
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
