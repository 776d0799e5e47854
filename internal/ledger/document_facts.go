package ledger

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// SaveText replaces a document's text. The error is NotFound when the document
// is gone.
func (l DocumentStore) SaveText(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, t domain.Text) error {
	return l.tx(ctx, "save text", func(tx *sql.Tx, _ time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		return l.SaveTextTx(ctx, tx, ws, id, t)
	})
}

// SaveTextTx does what SaveText does within the transaction of UpdateDocument.
func (l DocumentStore) SaveTextTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, t domain.Text) error {
	err := textTable("texts", ws, id).Put(ctx, tx, &t)
	if err != nil {
		return err
	}
	return forgetForms(ctx, tx, ws, id)
}

// Text returns a document's text, or an error of kind NotFound when none is
// stored yet.
func (l DocumentStore) Text(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (domain.Text, error) {
	missing := domain.Errorf(domain.NotFound, "There is no text of document %s here: it has not been read yet, or has been deleted.", id)
	t, err := read(ctx, l.reader, textTable("texts", ws, id), missing, `WHERE workspace_id = ? AND document_id = ?`, ws, id)
	return t, l.wrap("read text", err)
}

// textTable is a table of the texts of documents.
func textTable(name string, ws domain.WorkspaceID, id domain.DocumentID) sqlio.Table[domain.Text] {
	return sqlio.Table[domain.Text]{Name: name, Row: func(t *domain.Text) sqlio.Row {
		return sqlio.Row{
			"workspace_id key written", ws, "document_id key written", id, "title", &t.Title, "content", &t.Content, "pages", &t.Pages, "headings", &t.Headings, "warnings", &t.Warnings,
		}
	}}
}

// Headings returns the headings of documents, of those that have a text.
func (l DocumentStore) Headings(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]domain.Heading, error) {
	return pairsIn[domain.DocumentID, []domain.Heading](ctx, l, "read headings", `SELECT document_id, headings FROM texts WHERE workspace_id = ? AND document_id IN (%s)`, []any{ws}, documents)
}

// A TagCount is a tag with the number of its documents.
type TagCount struct {
	Tag   string
	Count int
}

// Tags lists the tags of a workspace, sorted.
func (l DocumentStore) Tags(ctx context.Context, ws domain.WorkspaceID) ([]TagCount, error) {
	seen, args := Seen(ctx, "d")
	return list(ctx, l, "list tags", into(func(t *TagCount) []any { return []any{&t.Tag, &t.Count} }), `SELECT t.tag, COUNT(*) FROM document_tags t JOIN documents d ON d.workspace_id = t.workspace_id AND d.id = t.document_id
		WHERE t.workspace_id = ? AND d.delete_at = 0`+seen+` GROUP BY t.tag ORDER BY t.tag`, append([]any{ws}, args...)...)
}

// TagsOf lists a document's tags, sorted.
func (l DocumentStore) TagsOf(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]string, error) {
	return list(ctx, l, "list tags", sqlio.Column[string],
		`SELECT tag FROM document_tags WHERE workspace_id = ? AND document_id = ? ORDER BY tag`, ws, id)
}

// TagsOfAll returns the tags of documents, each sorted.
func (l DocumentStore) TagsOfAll(ctx context.Context, ws domain.WorkspaceID, docs []domain.Document) (map[domain.DocumentID][]string, error) {
	ids := lists.Map(docs, func(d domain.Document) domain.DocumentID { return d.ID })
	tags, err := groupsIn[domain.DocumentID](ctx, l.reader, func(tag *string) []any { return []any{tag} },
		`SELECT document_id, tag FROM document_tags WHERE workspace_id = ? AND document_id IN (%s) ORDER BY document_id, tag`, []any{ws}, ids)
	return tags, l.wrap("list tags", err)
}

// errAsBefore says that a change would leave everything as it is.
var errAsBefore = errors.New("nothing changes")

// curate carries out a change and adds its entry to the curation log. It returns the entry, the zero one after errAsBefore.
func (l DocumentStore) curate(ctx context.Context, what string, ws domain.WorkspaceID, entry Curation, change func(tx *sql.Tx, now time.Time, c *Curation) error) (c Curation, err error) {
	err = l.tx(ctx, what, func(tx *sql.Tx, now time.Time) error {
		c = entry
		c.At = now
		if err := change(tx, now, &c); err != nil {
			return err
		}
		return curationTable(ws).InsertAll(ctx, tx, []Curation{c}, "")
	})
	if errors.Is(err, errAsBefore) {
		return Curation{}, nil
	}
	return c, err
}

// TagDocuments gives tags to the documents that a query selects and takes others off them, and returns the entry of the
// curation log by which that can be undone: the zero one if all tags were so before.
func (l DocumentStore) TagDocuments(ctx context.Context, ws domain.WorkspaceID, who string, dq DocumentQuery, add, remove []string) (Curation, error) {
	entry := Curation{Who: who, Kind: CurationTag, Operation: Operation{Tags: add, Untags: remove}}
	cond, args := dq.where(ctx, ws)
	return l.curate(ctx, "tag documents", ws, entry, func(tx *sql.Tx, now time.Time, c *Curation) (err error) {
		if c.Seq, err = appendChange(ctx, tx, ws, Change{}, now); errors.Is(err, sql.ErrNoRows) { // no document was ever added
			return errAsBefore
		}
		if err != nil {
			return err
		}
		note := func(tag string, given int, there string) error { // all of them before any change: the query may select by tag
			return sqlio.Exec(ctx, tx, `INSERT INTO retagged (workspace_id, seq, tag, document_id, given)
				SELECT workspace_id, CAST(? AS BIGINT), CAST(? AS TEXT), id, CAST(? AS INTEGER) FROM documents WHERE `+cond+` AND `+there+`
				EXISTS (SELECT 1 FROM document_tags t WHERE t.workspace_id = documents.workspace_id AND t.tag = ? AND t.document_id = documents.id)`,
				slices.Concat([]any{c.Seq, tag, given}, args, []any{tag})...)
		}
		for _, tag := range add {
			if err := note(tag, 1, "NOT"); err != nil {
				return err
			}
		}
		for _, tag := range remove {
			if err := note(tag, 0, ""); err != nil {
				return err
			}
		}
		c.Documents, err = sqlio.Value[int](ctx, tx, `SELECT COUNT(DISTINCT document_id) FROM retagged WHERE workspace_id = ? AND seq = ?`, ws, c.Seq)
		if err == nil && c.Documents == 0 {
			err = errAsBefore
		}
		if err != nil {
			return err
		}
		return retag(ctx, tx, ws, c.Seq, true)
	})
}

// retag carries out what an entry does to tags, or takes it back.
func retag(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, seq int64, forth bool) error {
	err := sqlio.Exec(ctx, tx, `INSERT INTO document_tags (workspace_id, tag, document_id)
		SELECT workspace_id, tag, document_id FROM retagged WHERE workspace_id = ? AND seq = ? AND given = ?
		ON CONFLICT (workspace_id, tag, document_id) DO NOTHING`, ws, seq, sqlio.Flag(forth))
	if err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, `DELETE FROM document_tags WHERE workspace_id = ? AND EXISTS (SELECT 1 FROM retagged r
		WHERE r.workspace_id = document_tags.workspace_id AND r.seq = ? AND r.given = ? AND r.tag = document_tags.tag AND r.document_id = document_tags.document_id)`,
		ws, seq, sqlio.Flag(!forth))
}

// A filter gathers the conditions of a query with their arguments.
type filter struct {
	cond string
	args []any
}

func (f *filter) add(cond string, args ...any) {
	if f.cond != "" {
		f.cond += " AND "
	}
	f.cond, f.args = f.cond+cond, append(f.args, args...)
}

// anyOf adds that a column has one of the values, unless there are none.
func anyOf[V ~string](f *filter, column string, values []V) {
	if len(values) > 0 {
		f.add(column+" IN ("+sqlio.Marks(len(values))+")", sqlio.Args(values)...)
	}
}

// facts adds the conditions of a filter of documents.
func (f *filter) facts(ws domain.WorkspaceID, by domain.FactFilter) {
	f.fields(ws, by.Fields)
	anyOf(f, "language", by.Languages)
	anyOf(f, "source", by.Sources)
	var names []string
	var words []any
	for _, a := range by.Authors {
		names, words = append(names, "author_words LIKE ? ESCAPE '!'"), append(words, "%"+likeEscaper.Replace(strings.ToLower(a))+"%")
	}
	if len(names) > 0 {
		f.add("("+strings.Join(names, " OR ")+")", words...)
	}
	if by.Published == "" {
		return
	}
	from, to := by.Between()
	f.add("published_on <> '' AND published_on >= ?", from)
	if to != "" {
		f.add("published_on < ?", to+"~") // sorts after everything that begins with it
	}
}

// between adds the condition that a document was added between two days, either of which may be missing.
func (f *filter) between(from, to string) {
	if day, err := time.Parse(time.DateOnly, from); err == nil {
		f.add("created_at >= ?", sqlio.Millis(day))
	}
	if day, err := time.Parse(time.DateOnly, to); err == nil {
		f.add("created_at < ?", sqlio.Millis(day.AddDate(0, 0, 1)))
	}
}

// A FactCount is a value of a fact with the number of its documents.
type FactCount struct {
	Term  string // of a scope: "lang:de"
	Count int
}

// mostAuthors is the maximum number of authors that FactCounts lists.
const mostAuthors = 200

// FactCounts lists the languages, the sources and the most frequent authors of a
// workspace's documents, each kind by number and then by name.
func (l DocumentStore) FactCounts(ctx context.Context, ws domain.WorkspaceID) ([]FactCount, error) {
	var all []FactCount
	f := shown(ctx, ws)
	for _, of := range [][2]string{{domain.WithinLanguage, "language"}, {domain.WithinSource, "source"}, {domain.WithinAuthor, "author"}} {
		err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
			c := FactCount{}
			err := rows.Scan(&c.Term, &c.Count)
			c.Term = of[0] + ":" + c.Term
			all = append(all, c)
			return err
		}, `SELECT `+of[1]+`, COUNT(*) AS n FROM documents WHERE `+f.cond+` AND `+of[1]+` <> '' GROUP BY `+of[1]+` ORDER BY n DESC, `+of[1]+` LIMIT ?`, append(slices.Clone(f.args), mostAuthors)...)
		if err != nil {
			return nil, l.wrap("count facts", err)
		}
	}
	return all, nil
}

// Within lists the documents of a scope by id, in any state.
func (l DocumentStore) Within(ctx context.Context, ws domain.WorkspaceID, s domain.Scope) ([]domain.DocumentID, error) {
	cond, args := within(ctx, ws, s)
	return list(ctx, l, "find the documents of a scope", sqlio.Column[domain.DocumentID], `SELECT id FROM documents WHERE `+cond+` ORDER BY id`, args...)
}

// CountWithin counts the documents of a scope, in any state, and their passages.
func (l DocumentStore) CountWithin(ctx context.Context, ws domain.WorkspaceID, s domain.Scope) (documents, passages int, err error) {
	cond, args := within(ctx, ws, s)
	err = l.reader.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(chunks), 0) FROM documents WHERE `+cond, args...).Scan(&documents, &passages)
	return documents, passages, l.wrap("count the documents of a scope", err)
}

// within returns the condition on the documents of a scope, with its arguments.
func within(ctx context.Context, ws domain.WorkspaceID, s domain.Scope) (string, []any) {
	f, named := shown(ctx, ws), []string(nil)
	if len(s.Tags) > 0 {
		named = append(named, "id IN (SELECT document_id FROM document_tags WHERE workspace_id = ? AND tag IN ("+sqlio.Marks(len(s.Tags))+"))")
		f.args = append(append(f.args, ws), sqlio.Args(s.Tags)...)
	}
	if len(s.Documents) > 0 {
		named = append(named, "id IN ("+sqlio.Marks(len(s.Documents))+")")
		f.args = append(f.args, sqlio.Args(s.Documents)...)
	}
	if len(named) > 0 {
		f.add("(" + strings.Join(named, " OR ") + ")")
	}
	f.facts(ws, s.FactFilter)
	f.between(s.From, s.To)
	return f.cond, f.args
}

// LinksBelow lists the links that begin so, of documents from the web and from storages.
func (l DocumentStore) LinksBelow(ctx context.Context, ws domain.WorkspaceID, beginning string) ([]string, error) {
	seen, args := Seen(ctx, "documents")
	return list(ctx, l, "list links", sqlio.Column[string], `SELECT DISTINCT link FROM documents WHERE workspace_id = ? AND delete_at = 0
		AND link <> '' AND link >= ? AND link < ? AND source IN (?, ?)`+seen+` ORDER BY link`,
		append([]any{ws, beginning, beginning + "\U0010FFFF", domain.SourceWeb, domain.SourceStorage}, args...)...)
}

// NoteGone records that a link leads nowhere any more, or that it leads somewhere, and returns the names of the documents
// from there that are gone, or were. It leaves out those that the viewer of ctx can't read.
func (l DocumentStore) NoteGone(ctx context.Context, ws domain.WorkspaceID, link string, gone bool) (names []string, err error) {
	err = l.tx(ctx, "note what is gone", func(tx *sql.Tx, now time.Time) (err error) {
		at := sqlio.Millis(now)
		if !gone {
			at = 0
		}
		seen, args := Seen(ctx, "documents")
		names, err = sqlio.Collect(ctx, tx, sqlio.Column[string], `UPDATE documents SET gone_at = CASE WHEN gone_at > 0 AND ? = 1 THEN gone_at ELSE ? END
			WHERE workspace_id = ? AND link = ? AND link <> '' AND source IN (?, ?) AND delete_at = 0 AND (gone_at > 0 OR ? = 1)`+seen+` RETURNING name`,
			append([]any{sqlio.Flag(gone), at, ws, link, domain.SourceWeb, domain.SourceStorage, sqlio.Flag(gone)}, args...)...)
		return err
	})
	return names, err
}

// pausedRun is the condition for a run r that a person has paused, or that waits at a cap.
const pausedRun = `r.status IN ('paused', 'capped') AND r.status <> 'done'`

// Reading sums up the documents that wait or are being read.
type Reading struct {
	Documents int `json:"documents"`
	Running   int `json:"running"`
	Paused    int `json:"paused"` // by a person
	AtCap     int `json:"at_cap"`
	Passages  int `json:"passages"` // of the documents that are already cut
	Read      int `json:"read"`     // of these passages

	CutBytes   int64   `json:"-"`    // of the documents that are already cut
	UncutBytes int64   `json:"-"`    // of the others
	Rate       float64 `json:"rate"` // passages a second
	Slowest    float64 `json:"-"`    // passages a second of one document
	Fastest    float64 `json:"-"`
}

// Reading sums up the documents that wait or are being read. Of those that are paused it counts only the documents.
func (l DocumentStore) Reading(ctx context.Context, ws domain.WorkspaceID, now time.Time) (r Reading, err error) {
	seen, args := Seen(ctx, "d")
	err = l.reader.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(running), 0), COALESCE(SUM(asleep), 0), COALESCE(SUM(paused - asleep), 0),
		COALESCE(SUM(CASE WHEN paused = 0 THEN chunks ELSE 0 END), 0), COALESCE(SUM(CASE WHEN paused = 0 THEN chunks_done ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN paused = 0 AND chunks > 0 THEN size ELSE 0 END), 0), COALESCE(SUM(CASE WHEN paused = 0 AND chunks = 0 THEN size ELSE 0 END), 0),
		COALESCE(SUM(rate), 0.0), COALESCE(MIN(rate), 0.0), COALESCE(MAX(rate), 0.0)
		FROM (SELECT d.chunks, d.chunks_done, d.size, CASE WHEN r.status = 'running' THEN 1 ELSE 0 END AS running,
			CASE WHEN `+pausedRun+` THEN 1 ELSE 0 END AS paused,
			CASE WHEN r.status = 'paused' THEN 1 ELSE 0 END AS asleep,
			CASE WHEN r.status = 'running' AND d.chunks_done > 0 AND r.started_at < ? THEN d.chunks_done * 1000.0 / (CAST(? AS BIGINT) - r.started_at) END AS rate
			FROM documents d JOIN runs r ON r.id = d.run_id AND r.workspace_id = d.workspace_id
			WHERE d.workspace_id = ? AND d.delete_at = 0 AND d.status IN (?, ?)`+seen+`) s`,
		append([]any{sqlio.Millis(now), sqlio.Millis(now), ws, domain.DocumentWaiting, domain.DocumentWorking}, args...)...).
		Scan(&r.Documents, &r.Running, &r.Paused, &r.AtCap, &r.Passages, &r.Read, &r.CutBytes, &r.UncutBytes, &r.Rate, &r.Slowest, &r.Fastest)
	return r, l.wrap("sum up what is being read", err)
}

// A Rereading is the progress of documents chosen together to be read again.
type Rereading struct {
	ID        domain.RereadingID `json:"id"`
	Documents int                `json:"documents"` // that are still in the library
	Read      int                `json:"read"`
	Failed    int                `json:"failed"` // or stopped
	Unbegun   int                `json:"not_begun"`
}

// A Reread is a document of a rereading.
type Reread struct {
	Document domain.DocumentID
	Run      domain.RunID // that reads it
	Was      Settled      // what it was before
}

// Settled is how the reading of a document had ended.
type Settled struct {
	Status  domain.DocumentStatus `json:"status"`
	Stage   string                `json:"stage,omitempty"`
	Problem string                `json:"problem,omitempty"`
	Run     domain.RunID          `json:"run"`
	Took    time.Duration         `json:"took,omitempty"`
	Deaths  int                   `json:"deaths,omitempty"`
}

// NoteReread records a document of a rereading, in the transaction that queues its run.
func (l DocumentStore) NoteReread(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RereadingID, at time.Time, r Reread) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO rereadings (workspace_id, id, document_id, run_id, at, was) VALUES (?, ?, ?, ?, ?, ?)`,
		ws, id, r.Document, r.Run, sqlio.Millis(at), sqlio.JSON(r.Was))
	return l.wrap("note what is read again", err)
}

// going are the rows x of rereadings, of documents d that are in the library, with their runs r.
const going = ` FROM rereadings x JOIN documents d ON d.workspace_id = x.workspace_id AND d.id = x.document_id
	LEFT JOIN runs r ON r.id = x.run_id WHERE x.workspace_id = ? AND d.delete_at = 0`

// unbegun is the condition for a document whose run no worker has claimed yet.
const unbegun = `r.status NOT IN ('running', 'done', 'failed', 'stopped') AND r.started_at = 0 AND d.run_id = x.run_id`

// Rereadings lists the rereadings that have not ended, the first begun first.
func (l DocumentStore) Rereadings(ctx context.Context, ws domain.WorkspaceID) ([]Rereading, error) {
	seen, args := Seen(ctx, "d")
	return list(ctx, l, "list rereadings", into(func(r *Rereading) []any { return []any{&r.ID, &r.Documents, &r.Read, &r.Failed, &r.Unbegun} }), `SELECT x.id, COUNT(*), SUM(CASE WHEN r.status = 'done' THEN 1 ELSE 0 END), SUM(CASE WHEN r.status IN ('failed', 'stopped') THEN 1 ELSE 0 END),
		SUM(CASE WHEN `+unbegun+` THEN 1 ELSE 0 END)`+going+seen+`
		GROUP BY x.id HAVING SUM(CASE WHEN r.status NOT IN ('done', 'failed', 'stopped') THEN 1 ELSE 0 END) > 0 ORDER BY MIN(x.at), x.id`, append([]any{ws}, args...)...)
}

// Unbegun lists the documents of a rereading that no worker has begun to read.
func (l DocumentStore) Unbegun(ctx context.Context, ws domain.WorkspaceID, id domain.RereadingID) ([]Reread, error) {
	return list(ctx, l, "list what is not read again yet", into(func(r *Reread) []any { return []any{&r.Document, &r.Run, &r.Was} }), `SELECT x.document_id, x.run_id, x.was`+going+` AND x.id = ? AND `+unbegun+` ORDER BY x.document_id`, ws, id)
}

// DropRereadings forgets the rereadings that have ended.
func (l DocumentStore) DropRereadings(ctx context.Context, ws domain.WorkspaceID) error {
	return l.exec(ctx, "drop rereadings", `DELETE FROM rereadings WHERE workspace_id = ? AND id NOT IN (
			SELECT x.id FROM rereadings x JOIN runs r ON r.id = x.run_id WHERE x.workspace_id = ? AND r.status NOT IN ('done', 'failed', 'stopped'))`, ws, ws)
}
