package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// MessageStatus is the progress of an answer.
type MessageStatus string

// The states of an answer. The last three are the ends of its run, by the same
// names.
const (
	MessageWaiting   MessageStatus = "waiting"
	MessageAnswering MessageStatus = "answering"
	MessageAsking    MessageStatus = "asking" // waiting for a person, before the answer is written
	MessageDone      MessageStatus = "done"
	MessageStopped   MessageStatus = "stopped"
	MessageFailed    MessageStatus = "failed"
)

// Over reports whether nothing more is written.
func (s MessageStatus) Over() bool {
	return s == MessageDone || s == MessageStopped || s == MessageFailed
}

// An Answer is the answer of a run to a message of a conversation, to the same message under other conditions (a
// branch), or to a question of an evaluation.
type Answer struct {
	Workspace    domain.WorkspaceID
	Run          domain.RunID
	Conversation domain.ConversationID // "" in an evaluation
	Message      domain.MessageID      // "" in an evaluation
	Follows      domain.RunID          // whose answer the message follows; "" for the message before it
	Method       domain.MethodName     // of searching for the answer
	Evaluation   domain.EvaluationID   // "" in a conversation
	N            int                   // of the evaluation's question

	// How a branch differs from the original message or from another of its answers.
	Branch  domain.BranchID // "" for the original message, and in an evaluation
	Parent  domain.RunID    // at one of whose steps the run begins; "" if it begins at the start of the graph
	Step    int             // of the parent, as pages number them
	Super   int             // that step, in super-steps of the parent's graph
	Purpose string
	Changes json.RawMessage

	Question  string
	Scope     domain.Scope // within which the question is asked
	Person    string       // who asked for a branch or an evaluation, as returned by domain.PersonOf
	Status    MessageStatus
	Problem   string
	Text      string
	Sentences []domain.Sentence
	Citations []domain.Citation // by number; Text is "" once the source is deleted
	Figures   []domain.Figure   // their citations lose Text too
	CreatedAt time.Time
	Withheld  bool // it used documents that its reader may not read, so it has no words; not stored
}

// PurposeEdit is the purpose of a branch that asks its message again, reworded or not. A conversation continues with the
// latest of them.
const PurposeEdit = "edit"

var answerTable = sqlio.Table[Answer]{Name: "answers", Row: func(a *Answer) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &a.Workspace, "run_id key", &a.Run, "conversation_id fixed", &a.Conversation, "message_id fixed", &a.Message, "follows fixed", &a.Follows,
		"method fixed", &a.Method, "evaluation_id fixed", &a.Evaluation, "n fixed", &a.N, "branch_id fixed", &a.Branch, "parent_run fixed", &a.Parent, "step fixed", &a.Step,
		"super fixed", &a.Super, "purpose fixed", &a.Purpose, "changes fixed", &a.Changes, "question fixed", &a.Question, "scope fixed", &a.Scope, "person fixed", &a.Person,
		"status", &a.Status, "problem", &a.Problem, "answer", &a.Text, "words written", a.words(), "sentences", &a.Sentences, "figures", (*storedFigures)(&a.Figures), "created_at fixed", &a.CreatedAt,
	}
}}

// words returns the text in which a search of conversations finds the answer.
func (a *Answer) words() string {
	if a.Conversation == "" {
		return ""
	}
	return lowered(a.Question, a.Text)
}

// asked reports whether the answer answers a message as it was asked.
func (a *Answer) asked() bool { return a.Message != "" && a.Branch == "" }

// AddAnswerTx stores a new answer and calls more in the same transaction, as AddDocument does: more adds the answer's run. A
// message moves its conversation to the front; unless begin is nil, that conversation is added first, with the present
// time in place of times that are zero. A branch belongs to the conversation of its message, and what the parent's run
// has read counts as read by it. The error is NotFound when there is no such conversation or message, and Conflict when
// the run, or an id, is taken.
func (l AnswerStore) AddAnswerTx(ctx context.Context, begin *Conversation, a Answer, more func(*sql.Tx) error) error {
	defer func() { l.answered.forget(a.Workspace, a.Conversation) }()
	return l.tx(ctx, "add an answer", func(tx *sql.Tx, now time.Time) error {
		if a.CreatedAt.IsZero() {
			a.CreatedAt = now
		}
		var err error
		if begin != nil {
			err = insertConversation(ctx, tx, *begin, now)
		} else {
			err = l.place(ctx, tx, &a, now)
		}
		if err != nil {
			return err
		}
		if err := l.insertAnswer(ctx, tx, a); err != nil {
			return err
		}
		if err := more(tx); err != nil || a.Parent == "" {
			return err
		}
		return sqlio.Exec(ctx, tx, `INSERT INTO run_documents (workspace_id, run_id, document_id)
			SELECT workspace_id, ?, document_id FROM run_documents WHERE workspace_id = ? AND run_id = ?`, a.Run, a.Workspace, a.Parent)
	})
}

// place puts a new answer into its conversation.
func (l *store) place(ctx context.Context, tx *sql.Tx, a *Answer, now time.Time) error {
	if a.Branch == "" {
		c, err := ownConversation(ctx, tx, a.Workspace, a.Conversation, l.lock.Changing)
		if err == nil && c.AnswerOf != "" {
			err = domain.Errorf(domain.Conflict, "One answer is shared here. Ask further in the conversation that it is from.")
		}
		if err != nil {
			return err
		}
		return touchConversation(ctx, tx, *a, now)
	}
	asked, err := message(ctx, tx, a.Workspace, a.Message, l.lock.Staying)
	if err != nil {
		return err
	}
	a.Conversation, a.Method = asked.Conversation, asked.Method
	if err := mine(ctx, tx, a.Workspace, asked.Run); err != nil {
		return err
	}
	_, err = sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT id FROM conversations WHERE workspace_id = ? AND id = ?`+l.lock.Staying, a.Workspace, a.Conversation)
	return err
}

func (l *store) insertAnswer(ctx context.Context, tx *sql.Tx, a Answer) error {
	fresh, err := answerTable.Insert(ctx, tx, &a)
	if err != nil {
		return err
	}
	if !fresh {
		return domain.Errorf(domain.Conflict, "There is already an answer of run %s.", a.Run)
	}
	return l.writeCitations(ctx, tx, a)
}

func touchConversation(ctx context.Context, tx *sql.Tx, a Answer, now time.Time) error {
	found, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE conversations SET updated_at = ? WHERE workspace_id = ? AND id = ? AND delete_at = 0`,
		sqlio.Millis(now), a.Workspace, a.Conversation))
	if err == nil && !found {
		return domain.Errorf(domain.NotFound, "There is no conversation %s here.", a.Conversation)
	}
	return err
}

// UpdateAnswer lets f change the status, the problem and the answer of a run, in one transaction; what it answers stays. f
// must not change what the answer refers to, but replace it. Of a new answer whose run has read a document that is
// deleted, a message keeps a Stub if the run was stopped for it, and others keep nothing.
func (l AnswerStore) UpdateAnswer(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, f func(*Answer)) (Answer, error) {
	var a Answer
	err := l.tx(ctx, "update an answer", func(tx *sql.Tx, _ time.Time) error {
		stored, err := answerOf(ctx, tx, ws, run, l.lock.Changing)
		if err != nil {
			return err
		}
		changed := stored
		f(&changed)
		a = stored
		a.Status, a.Problem, a.Text, a.Sentences, a.Citations, a.Figures = changed.Status, changed.Problem, changed.Text, changed.Sentences, changed.Citations, changed.Figures
		if reflect.DeepEqual(a, stored) {
			return nil
		}
		if err := l.takeBack(ctx, tx, &a, stored); err != nil {
			return err
		}
		if err := answerTable.Update(ctx, tx, &stored, &a); err != nil || a.citesLike(stored) {
			return err
		}
		if err := l.writeCitations(ctx, tx, a); err != nil {
			return err
		}
		a, err = answerOf(ctx, tx, ws, run, "")
		return err
	})
	l.answered.forget(ws, a.Conversation)
	return a, err
}

// takeBack drops a new answer whose run has read a deleted document: which of its sentences rest on that can't be
// determined any more. A run that answers a message and was not running when the document was deleted has started again
// without it.
func (l *store) takeBack(ctx context.Context, tx *sql.Tx, a *Answer, stored Answer) error {
	if a.Text == "" || a.Text == stored.Text {
		return nil
	}
	_, gone, err := l.holdRead(ctx, tx, a.Run, a.Workspace)
	if err != nil || !gone {
		return err
	}
	left := ""
	if a.asked() {
		stopped, err := sqlio.Collect(ctx, tx, sqlio.Column[bool], `SELECT stop_asked FROM runs WHERE workspace_id = ? AND id = ?`, a.Workspace, a.Run)
		if err != nil || !slices.Contains(stopped, true) {
			return err
		}
		left = Stub
	}
	a.Text, a.Sentences, a.Citations, a.Figures = left, nil, nil, nil
	return nil
}

// citesLike reports whether the citations of two states of an answer are the same.
func (a *Answer) citesLike(other Answer) bool {
	return reflect.DeepEqual(a.Citations, other.Citations) && reflect.DeepEqual(a.Figures, other.Figures)
}

// Answer returns the answer of a run, or an error of kind NotFound.
func (l AnswerStore) Answer(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) (Answer, error) {
	a, err := answerOf(ctx, l.reader, ws, run, "")
	return l.shown(ctx, "read an answer", a, err)
}

func answerOf(ctx context.Context, q querier, ws domain.WorkspaceID, run domain.RunID, lock string) (Answer, error) {
	missing := domain.Errorf(domain.NotFound, "There is no answer of run %s here. The answer, or a document that it read, may have been deleted.", run)
	return firstAnswer(ctx, q, ws, missing, `run_id = ?`+lock, run)
}

// MayChange fails with kind NotFound if the viewer of ctx may not see what a run answers, and with kind Forbidden if it may
// only read it.
func (l AnswerStore) MayChange(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) error {
	return l.wrap("look whose answer it is", mine(ctx, l.reader, ws, run))
}

func mine(ctx context.Context, q querier, ws domain.WorkspaceID, run domain.RunID) error {
	cond, who := own.answers(ctx, "answers")
	if who == nil {
		return nil
	}
	found, err := sqlio.Collect(ctx, q, sqlio.Column[string], `SELECT run_id FROM answers WHERE workspace_id = ? AND run_id = ? AND `+cond, append([]any{ws, run}, who...)...)
	if err != nil || len(found) > 0 {
		return err
	}
	if _, err := answerOf(ctx, q, ws, run, ""); err != nil {
		return err
	}
	return onlyShared()
}

// Message returns the answer to a message as it was asked, or an error of kind NotFound.
func (l AnswerStore) Message(ctx context.Context, ws domain.WorkspaceID, id domain.MessageID) (Answer, error) {
	a, err := message(ctx, l.reader, ws, id, "")
	return l.shown(ctx, "read message", a, err)
}

func message(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.MessageID, lock string) (Answer, error) {
	missing := domain.Errorf(domain.NotFound, "There is no message %s here.", id)
	return firstAnswer(ctx, q, ws, missing, `message_id = ? AND branch_id = '' AND message_id <> ''`+lock, id)
}

// Branch returns the answer of a branch, or an error of kind NotFound.
func (l AnswerStore) Branch(ctx context.Context, ws domain.WorkspaceID, id domain.BranchID) (Answer, error) {
	a, err := branch(ctx, l.reader, ws, id, "")
	return l.shown(ctx, "read branch", a, err)
}

func branch(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.BranchID, lock string) (Answer, error) {
	missing := domain.Errorf(domain.NotFound, "There is no branch %s here. The branch, or a document that it read, may have been deleted.", id)
	return firstAnswer(ctx, q, ws, missing, `branch_id = ? AND branch_id <> ''`+lock, id)
}

// firstAnswer returns the answer that a condition on it selects, or the error missing.
func firstAnswer(ctx context.Context, q querier, ws domain.WorkspaceID, missing error, cond string, args ...any) (Answer, error) {
	query, given := answersWhere(ctx, ws)
	one, err := sqlio.Collect(ctx, q, scanAnswer, query+cond, append(given, args...)...)
	if err == nil && len(one) == 0 {
		err = missing
	}
	if err != nil {
		return Answer{}, err
	}
	err = addCitations(ctx, q, ws, one)
	return one[0], err
}

// answersWhere returns the beginning of a query for answers that the viewer of ctx may see, up to a condition, with its arguments.
func answersWhere(ctx context.Context, ws domain.WorkspaceID) (string, []any) {
	seen, who := shared.answers(ctx, "answers")
	withheld, args := withheldOf(ctx, "answers")
	return `SELECT ` + answerTable.Columns("") + `, ` + withheld + ` FROM answers WHERE workspace_id = ? AND ` + seen + ` AND `, slices.Concat(args, []any{ws}, who)
}

func scanAnswer(rows *sql.Rows) (a Answer, err error) {
	return a, rows.Scan(append(answerTable.Fields(&a), &a.Withheld)...)
}

// Answers lists all answers of conversations, to messages as they were asked and by branches, oldest first and then by
// their messages' ids.
func (l AnswerStore) Answers(ctx context.Context, ws domain.WorkspaceID, conversations ...domain.ConversationID) ([]Answer, error) {
	return answersIn(ctx, l, ws, `conversation_id IN (%s)`, conversations)
}

// Messages lists the answers to the messages of conversations as they were asked, in the order of Answers.
func (l AnswerStore) Messages(ctx context.Context, ws domain.WorkspaceID, conversations ...domain.ConversationID) ([]Answer, error) {
	return answersIn(ctx, l, ws, `branch_id = '' AND conversation_id IN (%s)`, conversations)
}

// BranchesOf lists the branches of messages, in the order of Answers.
func (l AnswerStore) BranchesOf(ctx context.Context, ws domain.WorkspaceID, messages ...domain.MessageID) ([]Answer, error) {
	return answersIn(ctx, l, ws, `branch_id <> '' AND message_id IN (%s)`, messages)
}

// AnswersBeside lists all answers to the message that a run answers, that as it was asked first, and then in the order
// of Answers.
func (l AnswerStore) AnswersBeside(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) ([]Answer, error) {
	all, err := answersIn(ctx, l, ws, `message_id <> '' AND (workspace_id, message_id) IN (SELECT workspace_id, message_id FROM answers WHERE run_id IN (%s))`, []domain.RunID{run})
	slices.SortStableFunc(all, func(a, b Answer) int { return sqlio.Flag(a.Branch != "") - sqlio.Flag(b.Branch != "") })
	return all, err
}

// BranchesFrom lists the branches that begin at a step of a run, without their citations, in the order of Answers.
func (l AnswerStore) BranchesFrom(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) ([]Answer, error) {
	query, args := answersWhere(ctx, ws)
	all, err := list(ctx, l, "list branches", scanAnswer, query+`parent_run = ? ORDER BY created_at, branch_id`, append(args, run)...)
	if err == nil {
		err = l.withhold(ctx, ws, all)
	}
	return all, err
}

// Withheld replaces an answer whose run has read a document that the reader may not read.
const Withheld = "This answer drew on documents that you may not read."

// hiddenDocument replaces a document in a scope that the reader may not read.
const hiddenDocument domain.DocumentID = "hidden"

// withhold removes the text of answers that are withheld, and hidden documents from the scopes of answers.
func (l *store) withhold(ctx context.Context, ws domain.WorkspaceID, answers []Answer) error {
	within := false
	for i := range answers {
		a := &answers[i]
		within = within || len(a.Scope.Documents) > 0
		if !a.Withheld {
			continue
		}
		a.Problem, a.Changes, a.Citations, a.Figures, a.Text, a.Sentences = "", nil, nil, nil, "", nil
		if a.Status.Over() {
			a.Text, a.Sentences = Withheld, []domain.Sentence{{Text: Withheld, Supported: true, Remark: true}}
		}
	}
	if _, limited := domain.ViewerOf(ctx); !limited || !within {
		return nil
	}
	hidden, err := DocumentStore{l}.HiddenDocuments(ctx, ws)
	for _, a := range answers {
		for i, d := range a.Scope.Documents {
			if hidden[d] {
				a.Scope.Documents[i] = hiddenDocument
			}
		}
	}
	return err
}

// shown returns an answer as the viewer of ctx may see it.
func (l *store) shown(ctx context.Context, op string, a Answer, err error) (Answer, error) {
	one := []Answer{a}
	if err == nil {
		err = l.withhold(ctx, a.Workspace, one)
	}
	return one[0], l.wrap(op, err)
}

// answersIn lists the answers that a condition with "IN (%s)" selects.
func answersIn[V any](ctx context.Context, l AnswerStore, ws domain.WorkspaceID, cond string, values []V) ([]Answer, error) {
	query, args := answersWhere(ctx, ws)
	all, err := listIn(ctx, l, "list answers", scanAnswer, query+cond+` ORDER BY created_at, message_id, branch_id`, args, values)
	if err == nil {
		err = addCitations(ctx, l.reader, ws, all)
	}
	if err == nil {
		err = l.withhold(ctx, ws, all)
	}
	return all, l.wrap("list answers", err)
}

// An AnswerKey is an id that Asked finds answers by.
type AnswerKey string

// The keys of answers.
const (
	ByMessage    AnswerKey = "message_id"
	ByBranch     AnswerKey = "branch_id"
	ByEvaluation AnswerKey = "evaluation_id"
)

// Asked returns questions without their answers: messages of conversations, branches, or the questions of evaluations.
// It leaves out unknown ids.
func (l AnswerStore) Asked(ctx context.Context, ws domain.WorkspaceID, by AnswerKey, ids []string) ([]Answer, error) {
	seen, who := shared.answers(ctx, "answers")
	cond := seen + ` AND ` + string(by) + ` <> '' AND ` + string(by) + ` IN (%s)`
	if by == ByMessage {
		cond += ` AND branch_id = ''`
	}
	return listIn(ctx, l, "list questions", into(func(a *Answer) []any {
		return []any{&a.Run, &a.Conversation, &a.Message, &a.Branch, &a.Evaluation, &a.N, &a.Question}
	}), `SELECT run_id, conversation_id, message_id, branch_id, evaluation_id, n, question FROM answers WHERE workspace_id = ? AND `+cond, append([]any{ws}, who...), ids)
}

// An AnswerEnd is how a run that answers ended, without its words.
type AnswerEnd struct {
	Method    domain.MethodName
	Citations int
}

// AnswerEnds returns how runs ended, by their ids. Those that answer nothing are left out.
func (l AnswerStore) AnswerEnds(ctx context.Context, ws domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID]AnswerEnd, error) {
	by := map[domain.RunID]AnswerEnd{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var run domain.RunID
		var end AnswerEnd
		err := rows.Scan(&run, &end.Method, &end.Citations)
		by[run] = end
		return err
	}, `SELECT a.run_id, a.method, (SELECT COUNT(*) FROM citations c WHERE c.workspace_id = a.workspace_id AND c.run_id = a.run_id)
		FROM answers a WHERE a.workspace_id = ? AND a.run_id IN (%s)`, []any{ws}, runs)
	return by, l.wrap("count citations", err)
}

// writeCitations replaces the citations of an answer and of its charts.
func (l *store) writeCitations(ctx context.Context, tx *sql.Tx, a Answer) error {
	of := [][]domain.Citation{a.Citations} // of[i] has the citations of figure i, of[0] those of the text
	for _, f := range a.Figures {
		var cited []domain.Citation
		if f.Chart != nil {
			cited = f.Chart.Citations
		}
		of = append(of, cited)
	}
	documents := lists.Map(slices.Concat(of...), func(c domain.Citation) domain.DocumentID { return c.DocumentID })
	if err := l.holdDocuments(ctx, tx, a.Workspace, documents); err != nil {
		return err
	}
	if err := sqlio.Exec(ctx, tx, `DELETE FROM citations WHERE workspace_id = ? AND run_id = ?`, a.Workspace, a.Run); err != nil {
		return err
	}
	for figure, cited := range of {
		for _, c := range cited {
			if err := writeCitation(ctx, tx, "citations (workspace_id, run_id, figure, "+citationColumns+")", []any{a.Workspace, a.Run, figure}, a.Workspace, c); err != nil {
				return fmt.Errorf("write citation %d: %w", c.N, err)
			}
			if err := writeQuotation(ctx, tx, a, figure, c); err != nil {
				return fmt.Errorf("write quotation %d: %w", c.N, err)
			}
		}
	}
	return nil
}

const citationColumns = "n, document, document_id, chunk_id, page, span_start, span_end, version, place, text"

func citationFields(c *domain.Citation) []any {
	return []any{&c.N, &c.Document, &c.DocumentID, &c.Chunk, &c.Page, &c.Span.Start, &c.Span.End, &c.Version, &c.Place, &c.Text}
}

// writeCitation adds a citation to a table whose columns are a key's and
// citationColumns. It leaves out the words of a document, or of a version, that is gone; a page of the web stays quoted.
func writeCitation(ctx context.Context, tx *sql.Tx, into string, key []any, ws domain.WorkspaceID, c domain.Citation) error {
	args := slices.Concat(key, []any{c.N, c.Document, c.DocumentID, c.Chunk, c.Page, c.Span.Start, c.Span.End, c.Version})
	const ifThere = `CASE WHEN ? = 1 OR EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND id = ? AND version = ?)
		OR EXISTS (SELECT 1 FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number = ?) THEN ? ELSE '' END`
	there := []any{sqlio.Flag(c.OfWeb()), ws, c.DocumentID, c.Version, ws, c.DocumentID, c.Version}
	return sqlio.Exec(ctx, tx, `INSERT INTO `+into+` VALUES (`+sqlio.Marks(len(args))+`, `+ifThere+`, `+ifThere+`)`,
		slices.Concat(args, there, []any{c.Place}, there, []any{c.Text})...)
}

// writeQuotation adds the fields of a quotation and of a page of the web to a citation, without the words of deleted documents.
func writeQuotation(ctx context.Context, tx *sql.Tx, a Answer, figure int, c domain.Citation) error {
	if len(c.Marks) == 0 && !c.Close && c.Tie == "" && !c.OfWeb() {
		return nil
	}
	return sqlio.Exec(ctx, tx, `UPDATE citations SET marks = ?, is_close = ?, tie = CASE WHEN text = '' THEN '' ELSE ? END, web_address = ?, fetched_at = ?
		WHERE workspace_id = ? AND run_id = ? AND figure = ? AND n = ?`,
		sqlio.JSON(c.Marks), sqlio.Flag(c.Close), c.Tie, c.Web.Address, sqlio.Millis(c.Web.Fetched), a.Workspace, a.Run, figure, c.N)
}

// addCitations fills in the citations of answers and of their charts. Unwritten answers have none.
func addCitations(ctx context.Context, q querier, ws domain.WorkspaceID, answers []Answer) error {
	at := make(map[domain.RunID]*Answer, len(answers))
	var runs []domain.RunID
	for i := range answers {
		a := &answers[i]
		if len(a.Changes) == 0 {
			a.Changes = nil
		}
		if a.Text != "" || a.Status.Over() {
			at[a.Run], runs = a, append(runs, a.Run)
		}
	}
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var of domain.RunID
		var figure int
		var c domain.Citation
		if err := rows.Scan(sqlio.To(append([]any{&of, &figure, &c.Marks, &c.Close, &c.Tie, &c.Web.Address, &c.Web.Fetched}, citationFields(&c)...)...)...); err != nil {
			return err
		}
		a := at[of]
		if figure == 0 {
			a.Citations = append(a.Citations, c)
		} else if figure <= len(a.Figures) && a.Figures[figure-1].Chart != nil {
			chart := a.Figures[figure-1].Chart
			chart.Citations = append(chart.Citations, c)
		}
		return nil
	}, `SELECT run_id, figure, marks, is_close, tie, web_address, fetched_at, `+citationColumns+` FROM citations WHERE workspace_id = ? AND run_id IN (%s) ORDER BY run_id, figure, n`, []any{ws}, runs)
	if err != nil {
		return fmt.Errorf("read citations: %w", err)
	}
	return nil
}

// storedFigures are figures without the citations of their charts, which are stored in a table.
type storedFigures []domain.Figure

// Value implements driver.Valuer.
func (s storedFigures) Value() (driver.Value, error) {
	bare := slices.Clone(s)
	for i, f := range bare {
		if f.Chart != nil {
			chart := *f.Chart
			chart.Citations = nil
			bare[i].Chart = &chart
		}
	}
	return sqlio.JSON([]domain.Figure(bare)).Value()
}

// DeleteBranch removes a branch and those that begin at its steps, with their
// runs, or returns an error of kind NotFound.
func (l AnswerStore) DeleteBranch(ctx context.Context, ws domain.WorkspaceID, id domain.BranchID) error {
	return l.erase(ctx, "delete branch", func(tx *sql.Tx, _ time.Time) error {
		b, err := branch(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		if err := mine(ctx, tx, ws, b.Run); err != nil {
			return err
		}
		runs, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.RunID], `WITH RECURSIVE gone (run_id) AS (
				SELECT run_id FROM answers WHERE workspace_id = ? AND run_id = ?
				UNION SELECT a.run_id FROM answers a JOIN gone g ON a.parent_run = g.run_id WHERE a.workspace_id = ?)
			SELECT run_id FROM gone`, ws, b.Run, ws)
		if err != nil {
			return err
		}
		return deleteRuns(ctx, tx, ws, runs)
	})
}

// deleteRuns removes runs that answer, with their answers and all that they have left: citations and what was said go
// with an answer, events and notes of what was read with a run.
func deleteRuns(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, runs []domain.RunID) error {
	shares, err := collectIn(ctx, tx, sqlio.Column[domain.ConversationID], `SELECT id FROM conversations WHERE workspace_id = ? AND answer_of <> '' AND answer_of IN (%s)`, []any{ws}, runs)
	if err != nil {
		return fmt.Errorf("find what shares answers: %w", err)
	}
	for _, id := range shares {
		if err := deleteConversation(ctx, tx, ws, id); err != nil {
			return fmt.Errorf("remove what shares an answer: %w", err)
		}
	}
	for _, d := range []struct{ what, statement string }{
		{"their answers", `DELETE FROM answers WHERE workspace_id = ? AND run_id IN (%s)`},
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

// Feedback is a person's judgement of an answer.
type Feedback struct {
	Run    domain.RunID // whose answer it is
	Person string       // as returned by domain.PersonOf
	Good   bool
	Reason string // may be ""
	At     time.Time
}

// SaveFeedback stores a person's judgement of an answer, in place of an earlier one. The error is NotFound when no
// message has such an answer.
func (l AnswerStore) SaveFeedback(ctx context.Context, ws domain.WorkspaceID, f Feedback) error {
	return l.tx(ctx, "save feedback", func(tx *sql.Tx, now time.Time) error {
		if err := mine(ctx, tx, ws, f.Run); err != nil {
			return err
		}
		found, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT run_id FROM answers WHERE workspace_id = ? AND message_id <> '' AND run_id = ?`+l.lock.Staying, ws, f.Run)
		if err == nil && len(found) == 0 {
			err = domain.Errorf(domain.NotFound, "This answer is gone: it was deleted, or a document that it read was.")
		}
		if err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `INSERT INTO feedback (workspace_id, run_id, person, good, reason, created_at) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (run_id, person) DO UPDATE SET good = excluded.good, reason = excluded.reason, created_at = excluded.created_at`,
			ws, f.Run, f.Person, sqlio.Flag(f.Good), f.Reason, sqlio.Millis(now))
	})
}

// DeleteFeedback deletes a person's judgement of an answer, if any.
func (l AnswerStore) DeleteFeedback(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, person string) error {
	_, err := l.writer.ExecContext(ctx, `DELETE FROM feedback WHERE workspace_id = ? AND run_id = ? AND person = ?`, ws, run, person)
	return l.wrap("delete feedback", err)
}

const feedbackColumns = "f.run_id, f.person, f.good, f.reason, f.created_at"

func (f *Feedback) fields() []any { return []any{&f.Run, &f.Person, &f.Good, &f.Reason, &f.At} }

// FeedbackOf returns a person's judgements of the answers of runs.
func (l AnswerStore) FeedbackOf(ctx context.Context, ws domain.WorkspaceID, person string, runs ...domain.RunID) (map[domain.RunID]Feedback, error) {
	by := map[domain.RunID]Feedback{}
	all, err := listIn(ctx, l, "read feedback", into((*Feedback).fields), `SELECT `+feedbackColumns+` FROM feedback f WHERE f.workspace_id = ? AND f.person = ? AND f.run_id IN (%s)`, []any{ws, person}, runs)
	for _, f := range all {
		by[f.Run] = f
	}
	return by, err
}

// A JudgedAnswer is an answer with a person's judgement.
type JudgedAnswer struct {
	Feedback
	Conversation domain.ConversationID
	Message      domain.MessageID
	Question     string
	Scope        domain.Scope // within which it was asked
	Text         string
}

// Feedback lists judgements of the answers that belong to the viewer of ctx, newest first; n = 0 lists all.
func (l AnswerStore) Feedback(ctx context.Context, ws domain.WorkspaceID, n int) ([]JudgedAnswer, error) {
	mine, who := own.answers(ctx, "a")
	withheld, args := withheldOf(ctx, "a")
	return list(ctx, l, "list feedback", into(func(j *JudgedAnswer) []any {
		return append(j.fields(), &j.Conversation, &j.Message, &j.Question, &j.Scope, &j.Text)
	}), `SELECT `+feedbackColumns+`, a.conversation_id, a.message_id, a.question, a.scope, a.answer FROM feedback f JOIN answers a ON a.run_id = f.run_id
		WHERE f.workspace_id = ? AND `+mine+` AND NOT `+withheld+` ORDER BY f.created_at DESC, f.run_id, f.person LIMIT ?`, slices.Concat([]any{ws}, who, args, []any{limit(n)})...)
}
