package ledger

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A deletion removes one kind of trace of a document. The placeholders of its
// statement alternate between the workspace and the document's id.
type deletion struct{ what, statement string }

// traces are the conditions that find what a document left.
type traces struct {
	readers    string // runs whose events name it
	runs       string // runs about it
	quoted     string // a condition that narrows citations, by their version
	summarised string // a condition that narrows the documents d of summaries
}

// whole finds everything that a document left.
var whole = traces{
	readers: `(SELECT run_id FROM run_documents WHERE workspace_id = ? AND document_id = ?)`,
	runs:    `(SELECT id FROM runs WHERE workspace_id = ? AND subject = ?)`,
}

// deletions remove a document.
var deletions = append(whole.deletions(),
	deletion{"addresses of crawls that have ended", `DELETE FROM threads WHERE id IN (SELECT r.id FROM runs r JOIN documents d ON d.workspace_id = r.workspace_id
		WHERE r.kind = 'crawl' AND r.status IN ('done', 'failed', 'stopped') AND d.source = 'web' AND d.workspace_id = ? AND d.id = ?)`},
	deletion{"its schemas", `DELETE FROM schemas WHERE workspace_id = ? AND document_id = ?`},
	deletion{"the document", `DELETE FROM documents WHERE workspace_id = ? AND id = ?`},
)

// deletions run in this order. Foreign keys remove the rows that refer to the
// document or to a run. The rows of run_documents stay: they tell which runs
// have read the document until these end. The event that ends a run stays too:
// its watchers wait for it, and it has no words but the reason of a failure. No
// other event can look like it, for a quotation mark within a text is escaped.
func (t traces) deletions() []deletion {
	return slices.Concat(t.summaryDeletions(), []deletion{
		{"quotations", `UPDATE citations SET text = '', place = '', tie = '' WHERE workspace_id = ? AND document_id = ?` + t.quoted},
		{"its model calls", `DELETE FROM model_calls WHERE workspace_id = ? AND document_id = ?`},
		{"model calls of its runs", `DELETE FROM model_calls WHERE run_id IN ` + t.runs},
		{"model calls of its readers", `DELETE FROM model_calls WHERE run_id IN ` + t.readers},
		{"branches that have read it", `DELETE FROM answers WHERE branch_id <> '' AND run_id IN ` + t.readers},
		{"quotations of replies that have read it", `DELETE FROM citations WHERE run_id IN (SELECT a.run_id FROM answers a WHERE a.evaluation_id <> '' AND a.run_id IN ` + t.readers + `)`},
		{"replies that have read it", `UPDATE answers SET answer = '', sentences = 'null', figures = 'null' WHERE evaluation_id <> '' AND run_id IN ` + t.readers},
		{"threads of its runs", `DELETE FROM threads WHERE id IN ` + t.runs},
		{"threads of its readers", `DELETE FROM threads WHERE id IN ` + t.readers},
		{"its runs", `DELETE FROM runs WHERE id IN ` + t.runs},
		{"titles of summaries' runs", `UPDATE runs SET title = '' WHERE id IN (SELECT r.id FROM summary_documents d
		JOIN runs r ON r.workspace_id = d.workspace_id AND r.subject = d.summary_id WHERE d.workspace_id = ? AND d.document_id = ?)`},
		{"work of its readers", `UPDATE runs SET stop_asked = 1 WHERE status = 'running' AND id IN ` + t.readers},
		{"events of its readers", `DELETE FROM events WHERE json NOT LIKE '%"kind":"settled"%' AND run_id IN ` + t.readers},
		{"the sleep of its readers", `UPDATE runs SET status = 'waiting', next_try = 0 WHERE status NOT IN ('running', 'done', 'failed', 'stopped') AND id IN ` + t.readers},
	})
}

func (d deletion) args(ws domain.WorkspaceID, id domain.DocumentID) []any {
	return slices.Repeat([]any{ws, id}, strings.Count(d.statement, "?")/2)
}

// DeleteDocument removes a document and its words from every table and returns
// the number of the change. The package comment lists what stays. The words
// leave the disk with the database's next checkpoint.
func (l DocumentStore) DeleteDocument(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (seq int64, err error) {
	err = l.erase(ctx, "delete document", func(tx *sql.Tx, now time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Removing); err != nil {
			return err
		}
		seq, err = l.remove(ctx, tx, ws, id, false, now)
		return err
	})
	return seq, err
}

// remove deletes a document that is locked. Unless keep is set, answers lose its sentences.
func (l *store) remove(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, keep bool, now time.Time) (int64, error) {
	losing := func() (loss, error) { return lostWith(ctx, tx, ws, id) }
	if keep {
		losing = nil
	}
	if err := l.removeTraces(ctx, tx, ws, id, whole, losing, deletions); err != nil {
		return 0, err
	}
	seq, err := appendChange(ctx, tx, ws, Change{Document: id, Deleted: true}, now)
	if err != nil {
		return 0, err
	}
	if err := dropDivisions(ctx, tx, ws); err != nil {
		return 0, err
	}
	return seq, l.forget(ctx, tx, ws)
}

// removeTraces stubs the answers that have the sentences that losing returns, unless that
// is nil, and carries out deletions.
func (l *store) removeTraces(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, t traces, losing func() (loss, error), all []deletion) error {
	if losing != nil {
		if err := l.stubAnswers(ctx, tx, ws, id, t, losing); err != nil {
			return l.wrap("remove its sentences from answers", err)
		}
	}
	for _, d := range all {
		if err := sqlio.Exec(ctx, tx, d.statement, d.args(ws, id)...); err != nil {
			return l.wrap("remove "+d.what, err)
		}
	}
	return nil
}

// A Deletion is the documents that a person deleted in one step. They are hidden until At, when DeleteMarked removes
// them; until then Undelete restores them.
type Deletion struct {
	ID        domain.DeletionID
	At        time.Time
	Keep      bool // answers keep the sentences of the documents
	Documents int
}

// hidden marks published documents that projections must no longer see.
const hidden = 2

// MarkDeleted hides the documents that a query selects from lists, scopes and projections,
// and returns their number. Its Limit, Offset and place are ignored.
func (l DocumentStore) MarkDeleted(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery, d Deletion) (n int, err error) {
	cond, args := dq.where(ctx, ws)
	err = l.tx(ctx, "mark documents as deleted", func(tx *sql.Tx, now time.Time) error {
		args := append([]any{sqlio.Millis(d.At), d.ID, sqlio.Flag(d.Keep)}, args...)
		n, err = changed(tx.ExecContext(ctx, `UPDATE documents SET delete_at = ?, deletion = ?, keep_quoted = ?, published = CASE published WHEN 1 THEN 2 ELSE published END
			WHERE `+cond, args...))
		if err != nil || n == 0 {
			return err
		}
		return appendChanges(ctx, tx, ws, d.ID, true, now)
	})
	return n, err
}

// changed returns the number of rows that a statement touched.
func changed(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}

// appendChanges gives each published document of a deletion a change, see appendChange.
func appendChanges(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DeletionID, deleted bool, now time.Time) error {
	n, err := sqlio.Value[int64](ctx, tx, `SELECT COUNT(*) FROM documents WHERE workspace_id = ? AND deletion = ? AND published = ?`, ws, id, hidden)
	if err != nil || n == 0 {
		return err
	}
	head, err := sqlio.Value[int64](ctx, tx, `UPDATE workspaces SET head = head + ? WHERE id = ? RETURNING head`, n, ws)
	if err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, `INSERT INTO changes (workspace_id, seq, document_id, deleted, at)
		SELECT workspace_id, CAST(? AS BIGINT) + ROW_NUMBER() OVER (ORDER BY id), id, CAST(? AS INTEGER), CAST(? AS BIGINT) FROM documents WHERE workspace_id = ? AND deletion = ? AND published = ?`,
		head-n, sqlio.Flag(deleted), sqlio.Millis(now), ws, id, hidden)
}

// Undelete takes a deletion back before its time, and returns the number of its documents,
// which are as they were.
func (l DocumentStore) Undelete(ctx context.Context, ws domain.WorkspaceID, id domain.DeletionID) (n int, err error) {
	err = l.tx(ctx, "take a deletion back", func(tx *sql.Tx, now time.Time) error {
		n, err = undelete(ctx, tx, ws, id, now, now)
		return err
	})
	return n, err
}

// Restore takes the deletion back that hides a document, also after its time, and reports whether one did.
func (l DocumentStore) Restore(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (back bool, err error) {
	err = l.tx(ctx, "take a deletion back", func(tx *sql.Tx, now time.Time) error {
		var d domain.DeletionID
		err := tx.QueryRowContext(ctx, `SELECT deletion FROM documents WHERE workspace_id = ? AND id = ? AND delete_at > 0`, ws, id).Scan(&d)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		n, err := undelete(ctx, tx, ws, d, time.Time{}, now)
		back = n > 0
		return err
	})
	return back, err
}

// undelete takes a deletion back whose time is after a moment.
func undelete(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DeletionID, after, now time.Time) (int, error) {
	// Locks the rows, so that DeleteMarked finds either all of them marked or none.
	n, err := changed(tx.ExecContext(ctx, `UPDATE documents SET delete_at = 0 WHERE workspace_id = ? AND deletion = ? AND delete_at > ?`, ws, id, sqlio.Millis(after)))
	if err != nil || n == 0 {
		return 0, err
	}
	if err := appendChanges(ctx, tx, ws, id, false, now); err != nil {
		return 0, err
	}
	return n, sqlio.Exec(ctx, tx, `UPDATE documents SET deletion = '', keep_quoted = 0, published = CASE published WHEN 2 THEN 1 ELSE published END
		WHERE workspace_id = ? AND deletion = ?`, ws, id)
}

// Deletion returns a deletion whose documents are hidden, with zero documents for one that
// was carried out or taken back.
func (l DocumentStore) Deletion(ctx context.Context, ws domain.WorkspaceID, id domain.DeletionID) (Deletion, error) {
	d := Deletion{ID: id}
	err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(MAX(delete_at), 0) FROM documents WHERE workspace_id = ? AND deletion = ? AND delete_at > 0`,
		ws, id).Scan(sqlio.To(&d.Documents, &d.At)...)
	return d, l.wrap("read a deletion", err)
}

// MarkedUntil returns when the first hidden documents of a workspace are to be deleted, the
// zero time if none are.
func (l DocumentStore) MarkedUntil(ctx context.Context, ws domain.WorkspaceID) (time.Time, error) {
	at, err := one[int64](ctx, l, "read deletions", `SELECT COALESCE(MIN(delete_at), 0) FROM documents WHERE workspace_id = ? AND delete_at > 0`, ws)
	return sqlio.Time(at), err
}

// Marked lists at most n hidden documents that are to be deleted by now.
func (l DocumentStore) Marked(ctx context.Context, ws domain.WorkspaceID, n int) ([]domain.Document, error) {
	return list(ctx, l, "list deleted documents", documentTable.Scan, documentTable.Select()+`WHERE workspace_id = ? AND delete_at > 0 AND delete_at <= ? ORDER BY delete_at, id LIMIT ?`, ws, sqlio.Millis(l.now()), n)
}

// DeleteMarked deletes a document as DeleteDocument does, unless its deletion was taken back.
func (l DocumentStore) DeleteMarked(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) error {
	return l.erase(ctx, "delete document", func(tx *sql.Tx, now time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Removing); err != nil {
			return err
		}
		var at int64
		var keep bool
		if err := tx.QueryRowContext(ctx, `SELECT delete_at, keep_quoted FROM documents WHERE workspace_id = ? AND id = ?`, ws, id).Scan(&at, &keep); err != nil {
			return err
		}
		if at == 0 || at > sqlio.Millis(now) {
			return domain.Errorf(domain.Conflict, "The deletion was undone.")
		}
		_, err := l.remove(ctx, tx, ws, id, keep, now)
		return err
	})
}

// A Toll counts what is deleted with documents.
type Toll struct {
	Documents int
	Passages  int
	Entities  int // named in no other document
	Relations int // stated in no other document
	Answers   int // that lose a source
	Summaries int // that lose one
}

// maxTolled is the maximum number of documents whose entities and relations Toll counts.
const maxTolled = 2000

// Toll returns what would be deleted with the documents that a query selects. For more than 2,000 documents it doesn't
// count entities and relations: they are -1.
func (l DocumentStore) Toll(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery) (t Toll, err error) {
	cond, args := dq.where(ctx, ws)
	const those = ` FROM documents WHERE `
	err = l.reader.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(chunks), 0)`+those+cond, args...).Scan(&t.Documents, &t.Passages)
	if err != nil {
		return t, l.wrap("count what a deletion removes", err)
	}
	counted := `WITH gone AS (SELECT id` + those + cond + `) SELECT
		(SELECT COUNT(DISTINCT a.message_id) FROM citations x JOIN answers a ON a.run_id = x.run_id AND a.message_id <> '' AND a.branch_id = ''
			WHERE x.workspace_id = ? AND x.document_id IN (SELECT id FROM gone)),
		(SELECT COUNT(DISTINCT summary_id) FROM summary_documents WHERE workspace_id = ? AND document_id IN (SELECT id FROM gone))`
	args = append(args, ws, ws)
	if t.Documents > maxTolled {
		t.Entities, t.Relations = -1, -1
		err = l.reader.QueryRowContext(ctx, counted, args...).Scan(&t.Answers, &t.Summaries)
		return t, l.wrap("count what a deletion removes", err)
	}
	counted += `, (SELECT COUNT(*) FROM (SELECT DISTINCT m.entity_key` + inGone("mentions") + `) k WHERE NOT EXISTS (` + elsewhere("mentions") + ` AND m.entity_key = k.entity_key)),
		(SELECT COUNT(*) FROM (SELECT DISTINCT m.source_key, m.type, m.target_key` + inGone("statements") + `) k WHERE NOT EXISTS (` + elsewhere("statements") + `
			AND m.source_key = k.source_key AND m.type = k.type AND m.target_key = k.target_key))`
	args = append(args, ws, ws, ws, ws)
	err = l.reader.QueryRowContext(ctx, counted, args...).Scan(&t.Answers, &t.Summaries, &t.Entities, &t.Relations)
	return t, l.wrap("count what a deletion removes", err)
}

// inGone selects the rows of an index table of contributions that the documents gone hold.
func inGone(table string) string {
	return ` FROM contributions c JOIN ` + table + ` m ON m.workspace_id = c.workspace_id AND m.chunk_id = c.chunk_id
		WHERE c.workspace_id = ? AND c.document_id IN (SELECT id FROM gone)`
}

// elsewhere selects those that other published documents also contain.
func elsewhere(table string) string {
	return `SELECT 1 FROM ` + table + ` m JOIN contributions c ON c.workspace_id = m.workspace_id AND c.chunk_id = m.chunk_id
		JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
		WHERE m.workspace_id = ? AND d.published = 1 AND c.document_id NOT IN (SELECT id FROM gone)`
}

// Stub stands in an answer where a whole sentence of a deleted document stood.
const Stub = "[A sentence of a deleted document stood here.]"

// leastStubbed is how many words of an answer's sentence, with nothing around them, may
// stand in a document without being a sentence of it.
const leastStubbed = 3

// A loss is what a deletion takes from the library: texts, as plain returns them.
type loss struct {
	gone string
	kept string // texts of the document that stay, so words in them are not lost
}

// stubAnswers leaves a stub in the answers that cite a document, or whose run has read it, for each
// whole sentence that is lost with it. The ledger still has the texts.
func (l *store) stubAnswers(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, t traces, losing func() (loss, error)) error {
	find := deletion{statement: `SELECT run_id FROM citations WHERE workspace_id = ? AND document_id = ?` + t.quoted + `
		UNION SELECT run_id FROM answers WHERE message_id <> '' AND run_id IN ` + t.readers + `
		UNION SELECT run_id FROM researches WHERE run_id IN ` + t.readers + ` ORDER BY 1`}
	read, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.RunID], find.statement, find.args(ws, id)...)
	if err != nil || len(read) == 0 { // no answer has read most documents, so their texts need not be read
		return err
	}
	lost, err := losing()
	if err != nil || lost.gone == "" {
		return err
	}
	for _, run := range read {
		a, err := answerOf(ctx, tx, ws, run, l.lock.Changing)
		if err != nil {
			return err
		}
		if err := l.stubPlan(ctx, tx, ws, run, lost); err != nil {
			return err
		}
		stored, err := answerOf(ctx, tx, ws, run, "")
		if err != nil {
			return err
		}
		if !lost.without(a, id).stub(&a) {
			continue
		}
		if err := answerTable.Update(ctx, tx, &stored, &a); err != nil {
			return err
		}
		if err := l.writeCitations(ctx, tx, a); err != nil {
			return err
		}
	}
	return nil
}

// without returns what is lost of an answer: what it quotes from other documents stays.
func (l loss) without(a Answer, id domain.DocumentID) loss {
	for _, c := range a.Citations {
		if c.DocumentID != id {
			l.kept += "\n" + plain(c.Text)
		}
	}
	return l
}

// stub replaces what is lost in an answer and its charts, and reports whether there was anything.
func (l loss) stub(a *Answer) (changed bool) {
	if text := stubbed(a.Text, l); text != a.Text {
		a.Text, changed = text, true
	}
	for i, s := range a.Sentences {
		if l.has(s.Text) {
			a.Sentences[i].Text, a.Sentences[i].Reason, changed = Stub, "", true
		}
	}
	for i, f := range a.Figures {
		if l.has(f.Task) {
			a.Figures[i].Task, changed = Stub, true
		}
		if f.Chart != nil && l.has(f.Chart.Title) {
			f.Chart.Title, changed = Stub, true
		}
	}
	return changed
}

// lostWith returns what is lost with a whole document: the texts of all its versions.
func lostWith(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) (loss, error) {
	texts, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT content FROM texts WHERE workspace_id = ? AND document_id = ?
		UNION ALL SELECT content FROM document_versions WHERE workspace_id = ? AND document_id = ?`, ws, id, ws, id)
	return loss{gone: plain(strings.Join(texts, "\n"))}, err
}

// lostWithVersion returns what is lost with an earlier version: what stands in its text and in no other version.
func lostWithVersion(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, number int, content string) (loss, error) {
	texts, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT content FROM texts WHERE workspace_id = ? AND document_id = ?
		UNION ALL SELECT content FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number <> ?`, ws, id, ws, id, number)
	return loss{gone: plain(content), kept: plain(strings.Join(texts, "\n"))}, err
}

// stubbed returns an answer with stubs in place of what is lost. It takes pieces up to the next
// end mark, and as many together as are lost: an abbreviation ends no sentence.
func stubbed(answer string, lost loss) string {
	pieces := piece.FindAllString(answer, -1)
	var b strings.Builder
	for len(pieces) > 0 {
		n := 0 // pieces that are lost together
		for i := range pieces {
			has := lost.has(strings.Join(pieces[:i+1], ""))
			if i > 0 && (!has || lost.keeps(pieces[i])) {
				break
			}
			if has {
				n = i + 1
			}
		}
		if n == 0 {
			b.WriteString(pieces[0])
			pieces = pieces[1:]
			continue
		}
		said := strings.Join(pieces[:n], "")
		space := len(said) - len(strings.TrimLeft(said, " \n\t"))
		b.WriteString(said[:space] + Stub + strings.Join(mark.FindAllString(said, -1), ""))
		b.WriteString(said[len(strings.TrimRight(said, " \n\t")):])
		pieces = pieces[n:]
	}
	return b.String()
}

// piece matches a sentence, or the part of one up to a point within it, with its marks.
var piece = regexp.MustCompile(`[^.!?…\n]*(?:[.!?…]+["'”’)]*|\n|$)(?:\s*\[\d+(?:, ?\d+)*\])*`)

// mark matches the mark of a citation.
var mark = regexp.MustCompile(`\s*\[\d+(?:, ?\d+)*\]`)

// has reports whether a sentence, without marks and the signs around it, is lost.
func (l loss) has(sentence string) bool {
	words := bare(sentence)
	return len(strings.Fields(words)) >= leastStubbed && strings.Contains(l.gone, words) && !strings.Contains(l.kept, words)
}

// keeps reports whether a sentence stands in what stays.
func (l loss) keeps(sentence string) bool {
	words := bare(sentence)
	return len(strings.Fields(words)) >= leastStubbed && strings.Contains(l.kept, words)
}

// bare returns a sentence as plain does, without marks and the signs around it.
func bare(sentence string) string {
	return strings.Trim(plain(mark.ReplaceAllString(sentence, "")), " .!?…:;,\"'“”‘’*_>#-")
}

// plain returns a text in lower case and with single spaces.
func plain(text string) string { return strings.ToLower(domain.OneLine(text)) }
