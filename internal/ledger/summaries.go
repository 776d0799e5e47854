package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// SummaryStatus is the progress of a summary.
type SummaryStatus string

// The states of a summary. The last three are the ends of its run, by the same
// names.
const (
	SummaryWaiting SummaryStatus = "waiting"
	SummaryWorking SummaryStatus = "working"
	SummaryAsking  SummaryStatus = "asking" // a person should review it before its last step
	SummaryDone    SummaryStatus = "done"
	SummaryStopped SummaryStatus = "stopped"
	SummaryFailed  SummaryStatus = "failed"
)

// A Summary is a summary or a study set that a person ordered. It has lost the sentences
// and items that were drawn from deleted documents.
type Summary struct {
	ID           domain.SummaryID
	Workspace    domain.WorkspaceID
	Whole        bool              // of the whole library at the time
	Tag          string            // of all documents with this tag; "" if Whole or if they were chosen one by one
	Documents    []SummaryDocument // in the order of the summary
	Focus        string
	Length       string
	Review       bool
	MaxCollapses int
	Run          domain.RunID
	Status       SummaryStatus
	Problem      string
	Condensed    bool
	Warnings     []string
	Edits        []string // made by a person, until the run uses them; nil if there are none
	Sentences    []domain.Sentence
	Citations    []domain.Citation  // by number; Document and Text are "" once the source is deleted
	Kind         domain.StudyKind   // "" for a summary
	Most         int                // maximum of items in a study set
	Items        []domain.StudyItem // of a study set, which has no Sentences
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Maker        string // the account that ordered it; Nobody if that was removed, "" if it belongs to everybody in the workspace
}

// A SummaryDocument is one document of a summary.
type SummaryDocument struct {
	ID   domain.DocumentID
	Name string // of its file; "" once it is deleted; not stored with the summary
	Hash string // of the summarised text; "" until then
}

var summaryTable = sqlio.Table[Summary]{Name: "summaries", Row: func(s *Summary) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &s.Workspace, "id key", &s.ID, "whole", &s.Whole, "tag", &s.Tag, "focus", &s.Focus, "length", &s.Length, "review", &s.Review,
		"max_collapses", &s.MaxCollapses, "run_id", &s.Run, "status", &s.Status, "problem", &s.Problem, "condensed", &s.Condensed, "warnings", &s.Warnings, "edits", &s.Edits,
		"created_at fixed", &s.CreatedAt, "updated_at", &s.UpdatedAt, "maker fixed", &s.Maker, "kind fixed", &s.Kind, "most fixed", &s.Most,
	}
}}

// AddSummaryTx stores a new summary and calls more in the same transaction, as
// AddDocument does. The error is Conflict when the id is taken.
func (l SummaryStore) AddSummaryTx(ctx context.Context, s Summary, more func(*sql.Tx) error) error {
	return l.tx(ctx, "add summary", func(tx *sql.Tx, now time.Time) error {
		if s.CreatedAt.IsZero() {
			s.CreatedAt = now
		}
		s.UpdatedAt, s.Maker = now, makerOf(ctx)
		fresh, err := summaryTable.Insert(ctx, tx, &s)
		if err != nil {
			return err
		}
		if !fresh {
			return domain.Errorf(domain.Conflict, "There is already a summary %s.", s.ID)
		}
		if err := l.writeSummaryParts(ctx, tx, s); err != nil {
			return err
		}
		return more(tx)
	})
}

// UpdateSummary lets f change the stored summary and calls also, in one transaction.
// Its workspace, id and CreatedAt stay; UpdatedAt is set. Words of documents that
// are gone are left out.
func (l SummaryStore) UpdateSummary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID, f func(*Summary), also ...func(*sql.Tx) error) (s Summary, err error) {
	err = l.tx(ctx, "update summary", func(tx *sql.Tx, now time.Time) error {
		stored, err := summary(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		s = stored
		f(&s)
		s.Workspace, s.ID, s.CreatedAt, s.UpdatedAt = ws, id, stored.CreatedAt, now
		if err := summaryTable.Update(ctx, tx, &stored, &s); err != nil {
			return err
		}
		if err := l.writeSummaryParts(ctx, tx, s); err != nil {
			return err
		}
		if s, err = summary(ctx, tx, ws, id, ""); err != nil {
			return err
		}
		return callAll(tx, also)
	})
	return s, err
}

// DeleteSummary removes a summary with the events, the thread and the recorded calls of its run,
// or returns an error of kind NotFound.
func (l SummaryStore) DeleteSummary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID) error {
	return l.erase(ctx, "delete summary", func(tx *sql.Tx, _ time.Time) error {
		s, err := summary(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		if err := sqlio.Exec(ctx, tx, `DELETE FROM summaries WHERE workspace_id = ? AND id = ?`, ws, id); err != nil { // its parts go with it
			return err
		}
		return deleteSteps(ctx, tx, ws, s.Run)
	})
}

// deleteSteps removes what a run did: its events, its thread and its recorded calls.
func deleteSteps(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID) error {
	return sqlio.ExecAll(ctx, tx, []any{ws, run},
		`DELETE FROM events WHERE workspace_id = ? AND run_id = ?`,
		`DELETE FROM threads WHERE id IN (SELECT id FROM runs WHERE workspace_id = ? AND id = ?)`,
		`DELETE FROM model_calls WHERE workspace_id = ? AND run_id = ? AND run_id <> ''`,
		`DELETE FROM run_documents WHERE workspace_id = ? AND run_id = ?`)
}

// Summary returns a summary that the viewer of ctx may see, or an error of kind NotFound.
func (l SummaryStore) Summary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID) (Summary, error) {
	s, err := summary(ctx, l.reader, ws, id, ` AND kind = ''`)
	return s, l.wrap("read summary", err)
}

// StudySet returns a study set that the viewer of ctx may see, or an error of kind NotFound.
func (l SummaryStore) StudySet(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID) (Summary, error) {
	s, err := summary(ctx, l.reader, ws, id, ` AND kind <> ''`)
	if domain.KindOf(err) == domain.NotFound {
		err = domain.Errorf(domain.NotFound, "There is no study set %s here.", id)
	}
	return s, l.wrap("read study set", err)
}

// summary reads a summary or a study set, by a query with this end.
func summary(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.SummaryID, end string) (Summary, error) {
	seen, who := shared.summaries(ctx, "summaries")
	s, err := read(ctx, q, summaryTable, domain.Errorf(domain.NotFound, "There is no summary %s here.", id), `WHERE workspace_id = ? AND id = ? AND `+seen+end, append([]any{ws, id}, who...)...)
	if err != nil {
		return s, err
	}
	one := []Summary{s}
	err = addSummaryParts(ctx, q, ws, one, true)
	return one[0], err
}

// Summaries lists summaries that the viewer of ctx may see, newest first and then by id, and counts all; all are
// listed when n is 0.
func (l SummaryStore) Summaries(ctx context.Context, ws domain.WorkspaceID, n, offset int) ([]Summary, int, error) {
	return l.listSummaries(ctx, ws, ` AND kind = ''`, n, offset)
}

// StudySets lists study sets as Summaries lists summaries.
func (l SummaryStore) StudySets(ctx context.Context, ws domain.WorkspaceID, n, offset int) ([]Summary, int, error) {
	return l.listSummaries(ctx, ws, ` AND kind <> ''`, n, offset)
}

func (l SummaryStore) listSummaries(ctx context.Context, ws domain.WorkspaceID, which string, n, offset int) ([]Summary, int, error) {
	var total int
	seen, who := shared.summaries(ctx, "summaries")
	args := append([]any{ws}, who...)
	if err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM summaries WHERE workspace_id = ? AND `+seen+which, args...).Scan(&total); err != nil {
		return nil, 0, l.wrap("count summaries", err)
	}
	found, err := sqlio.Collect(ctx, l.reader, summaryTable.Scan, summaryTable.Select()+`WHERE workspace_id = ? AND `+seen+which+`
		ORDER BY created_at DESC, id LIMIT ? OFFSET ?`, append(args, limit(n), offset)...)
	if err != nil {
		return nil, 0, l.wrap("list summaries", err)
	}
	return found, total, l.wrap("read summaries", addSummaryParts(ctx, l.reader, ws, found, true))
}

// SummariesOf lists the newest n summaries that a document is in, without their
// text.
func (l SummaryStore) SummariesOf(ctx context.Context, ws domain.WorkspaceID, document domain.DocumentID, n int) ([]Summary, error) {
	seen, who := shared.summaries(ctx, "s")
	found, err := sqlio.Collect(ctx, l.reader, summaryTable.Scan, summaryTable.Select()+`s WHERE workspace_id = ? AND kind = '' AND `+seen+`
		AND EXISTS (SELECT 1 FROM summary_documents d WHERE d.workspace_id = s.workspace_id AND d.summary_id = s.id AND d.document_id = ?)
		ORDER BY created_at DESC, id LIMIT ?`, slices.Concat([]any{ws}, who, []any{document, n})...)
	if err == nil {
		err = addSummaryParts(ctx, l.reader, ws, found, false)
	}
	return found, l.wrap("list summaries of a document", err)
}

// SummaryHeads returns summaries with their documents, without their text. Ids
// that are gone are left out.
func (l SummaryStore) SummaryHeads(ctx context.Context, ws domain.WorkspaceID, ids []domain.SummaryID) ([]Summary, error) {
	seen, who := shared.summaries(ctx, "summaries")
	found, err := collectIn(ctx, l.reader, summaryTable.Scan, summaryTable.Select()+`WHERE workspace_id = ? AND `+seen+` AND id IN (%s)`, append([]any{ws}, who...), ids)
	if err == nil {
		err = addSummaryParts(ctx, l.reader, ws, found, false)
	}
	return found, l.wrap("read summaries", err)
}

// RewrittenTexts returns the hashes of the present texts of those documents of
// the summaries that were updated after their summary was ordered.
func (l SummaryStore) RewrittenTexts(ctx context.Context, ws domain.WorkspaceID, summaries []domain.SummaryID) (map[domain.DocumentID]string, error) {
	hashes, err := pairsIn[domain.DocumentID, string](ctx, l, "read the texts of summaries", `SELECT document_id, content FROM texts WHERE workspace_id = ? AND document_id IN (
		SELECT p.document_id FROM summary_documents p
		JOIN summaries s ON s.workspace_id = p.workspace_id AND s.id = p.summary_id
		JOIN documents d ON d.workspace_id = p.workspace_id AND d.id = p.document_id
		WHERE p.workspace_id = ? AND d.updated_at > s.created_at AND p.summary_id IN (%s))`, []any{ws, ws}, summaries)
	for id, content := range hashes {
		hashes[id] = domain.Hash([]byte(content))
	}
	return hashes, err
}

// writeSummaryParts replaces the documents, lines and citations of a summary,
// without words of documents that are gone.
func (l *store) writeSummaryParts(ctx context.Context, tx *sql.Tx, s Summary) error {
	named := lists.Map(s.Documents, func(d SummaryDocument) domain.DocumentID { return d.ID })
	for _, c := range s.Citations {
		named = append(named, c.DocumentID)
	}
	if err := l.holdDocuments(ctx, tx, s.Workspace, named); err != nil {
		return err
	}
	for _, table := range []string{"summary_documents", "summary_lines", "summary_citations"} {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM `+table+` WHERE workspace_id = ? AND summary_id = ?`, s.Workspace, s.ID); err != nil {
			return fmt.Errorf("replace %s: %w", table, err)
		}
	}
	var documents, lines, citations, links [][]any
	for i, d := range s.Documents {
		documents = append(documents, []any{s.Workspace, s.ID, i, d.ID, d.Hash})
	}
	for _, item := range s.Items {
		lines = append(lines, []any{s.Workspace, s.ID, item.N - 1, 0, item.Back, item.Front, sqlio.Flag(item.Removed)})
		links = append(links, []any{s.Workspace, s.ID, item.N - 1, item.Source})
	}
	for i, line := range s.Sentences {
		lines = append(lines, []any{s.Workspace, s.ID, i, line.Paragraph, line.Text, "", sqlio.Flag(false)})
		for _, n := range line.Citations {
			links = append(links, []any{s.Workspace, s.ID, i, n})
		}
	}
	for _, c := range s.Citations {
		citations = append(citations, []any{s.Workspace, s.ID, c.N, c.DocumentID, c.Version, c.Page, c.Span.Start, c.Span.End, c.Place, c.Text})
	}
	for _, part := range []struct {
		into string
		rows [][]any
	}{
		{`INSERT INTO summary_documents (workspace_id, summary_id, position, document_id, text_hash)`, documents},
		{`INSERT INTO summary_lines (workspace_id, summary_id, position, paragraph, text, front, removed)`, lines},
		{`INSERT INTO summary_citations (workspace_id, summary_id, n, document_id, version, page, span_start, span_end, place, text)`, citations},
		{`INSERT INTO summary_links (workspace_id, summary_id, position, n)`, links},
	} {
		if err := sqlio.InsertRows(ctx, tx, part.into, part.rows, ""); err != nil {
			return fmt.Errorf("write a summary: %w", err)
		}
	}
	return forgetGone(ctx, tx, s)
}

// forgetGone removes the words of documents that no longer exist.
func forgetGone(ctx context.Context, tx *sql.Tx, s Summary) error {
	gone, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT s.document_id FROM summary_documents s
		LEFT JOIN documents d ON d.workspace_id = s.workspace_id AND d.id = s.document_id
		WHERE s.workspace_id = ? AND s.summary_id = ? AND d.id IS NULL`, s.Workspace, s.ID)
	if err != nil {
		return err
	}
	for _, id := range gone {
		for _, d := range whole.summaryDeletions() {
			if err := sqlio.Exec(ctx, tx, d.statement, d.args(s.Workspace, id)...); err != nil {
				return fmt.Errorf("remove %s: %w", d.what, err)
			}
		}
	}
	return nil
}

// ofDocument returns the condition that a row of table t belongs to a summary of a
// document. id is the column of the summary's id.
func (t traces) ofDocument(id string) string {
	return `EXISTS (SELECT 1 FROM summary_documents d WHERE d.workspace_id = t.workspace_id AND d.summary_id = t.` + id + `
		AND d.workspace_id = ? AND d.document_id = ?` + t.summarised + `)`
}

// summaryDeletions remove a document's words from summaries: its quotations and
// the lines that were drawn from it or whose source is unknown.
func (t traces) summaryDeletions() []deletion {
	return []deletion{
		{"lines of summaries", `DELETE FROM summary_lines AS t WHERE ` + t.ofDocument("summary_id") + ` AND (
		NOT EXISTS (SELECT 1 FROM summary_links l WHERE l.workspace_id = t.workspace_id AND l.summary_id = t.summary_id AND l.position = t.position)
		OR EXISTS (SELECT 1 FROM summary_links l JOIN summary_citations c
			ON c.workspace_id = l.workspace_id AND c.summary_id = l.summary_id AND c.n = l.n
			WHERE l.workspace_id = t.workspace_id AND l.summary_id = t.summary_id AND l.position = t.position
			AND c.workspace_id = ? AND c.document_id = ?` + t.quoted + `))`},
		{"quotations of summaries", `UPDATE summary_citations SET text = '', place = '' WHERE workspace_id = ? AND document_id = ?` + t.quoted},
		{"notes of summaries", `UPDATE summaries AS t SET edits = 'null', warnings = 'null' WHERE ` + t.ofDocument("id")},
	}
}

// addSummaryParts fills in the documents of summaries, and their lines and citations
// if text is set.
func addSummaryParts(ctx context.Context, q querier, ws domain.WorkspaceID, summaries []Summary, text bool) error {
	at, ids := make(map[domain.SummaryID]*Summary, len(summaries)), make([]domain.SummaryID, len(summaries))
	for i := range summaries {
		ids[i] = summaries[i].ID
		at[ids[i]] = &summaries[i]
	}
	documents, err := groupsIn[domain.SummaryID](ctx, q, func(d *SummaryDocument) []any { return []any{&d.ID, &d.Hash, &d.Name} },
		`SELECT s.summary_id, s.document_id, s.text_hash, COALESCE(d.name, '') FROM summary_documents s
		LEFT JOIN documents d ON d.workspace_id = s.workspace_id AND d.id = s.document_id
		WHERE s.workspace_id = ? AND s.summary_id IN (%s) ORDER BY s.summary_id, s.position`, []any{ws}, ids)
	for id, s := range at {
		s.Documents = documents[id]
	}
	if err != nil || !text {
		return err
	}
	citations, err := groupsIn[domain.SummaryID](ctx, q, func(c *domain.Citation) []any {
		return []any{&c.N, &c.Document, &c.DocumentID, &c.Version, &c.Page, &c.Span.Start, &c.Span.End, &c.Place, &c.Text}
	}, `SELECT c.summary_id, c.n, COALESCE(d.name, ''), c.document_id, c.version, c.page, c.span_start, c.span_end, c.place, c.text FROM summary_citations c
		LEFT JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
		WHERE c.workspace_id = ? AND c.summary_id IN (%s) ORDER BY c.summary_id, c.n`, []any{ws}, ids)
	if err != nil {
		return err
	}
	type cited struct { // a line with one of its citations, 0 for a line without any
		domain.Sentence
		position, n int
		front       string
		removed     bool
	}
	lines, err := groupsIn[domain.SummaryID](ctx, q, func(c *cited) []any {
		return []any{&c.position, &c.Paragraph, &c.Text, &c.n, &c.front, &c.removed}
	},
		`SELECT t.summary_id, t.position, t.paragraph, t.text, COALESCE(l.n, 0), t.front, t.removed FROM summary_lines t
		LEFT JOIN summary_links l ON l.workspace_id = t.workspace_id AND l.summary_id = t.summary_id AND l.position = t.position
		WHERE t.workspace_id = ? AND t.summary_id IN (%s) ORDER BY t.summary_id, t.position, l.n`, []any{ws}, ids)
	for id, s := range at {
		s.Citations = citations[id]
		last := -1
		for _, c := range lines[id] {
			if s.Kind != "" {
				s.Items = append(s.Items, domain.StudyItem{N: c.position + 1, Front: c.front, Back: c.Text, Source: c.n, Removed: c.removed})
				continue
			}
			if c.position != last {
				last, s.Sentences = c.position, append(s.Sentences, domain.Sentence{Text: c.Text, Paragraph: c.Paragraph, Citations: []int{}, Supported: c.n > 0})
			}
			if line := &s.Sentences[len(s.Sentences)-1]; c.n > 0 {
				line.Citations = append(line.Citations, c.n)
			}
		}
	}
	return err
}
