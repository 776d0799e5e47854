package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// An EventRow is one event of a run, as the trace package encoded it.
type EventRow struct {
	Seq  int // from 1
	At   time.Time
	JSON json.RawMessage

	Withheld bool // the viewer of the context may not see it, because its run has read what they may not; not stored
}

func (e *EventRow) fields() []any { return append(eventTable.Fields(e), &e.Withheld) }

var eventTable = sqlio.Table[EventRow]{Name: "events", Row: func(e *EventRow) sqlio.Row { return sqlio.Row{"seq", &e.Seq, "at", &e.At, "json", &e.JSON} }}

// AppendEvents stores the next events of a run, and then calls each of also in the
// same transaction. The error is NotFound when there is no such run (any more), and
// Conflict when the number of an event is taken.
func (l RunStore) AppendEvents(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, rows []EventRow, also ...func(context.Context, *sql.Tx) error) error {
	return l.tx(ctx, "append events", func(tx *sql.Tx, _ time.Time) error {
		added, err := l.appendEvents(ctx, tx, ws, run, rows, Calls{}, "0")
		for _, f := range also {
			if err == nil {
				err = f(ctx, tx)
			}
		}
		if err == nil {
			_, err = added()
		}
		return err
	})
}

// AddEventsTx stores events of a run, with calls of its tab, in a transaction on the
// ledger's database. It numbers them after the run's last event and ignores their Seq. The error is
// NotFound when there is no such run (any more). The caller sees to it that
// nobody else writes the run's events meanwhile. It reports whether earlier events
// were removed, because the run has read a document that is gone.
func (l RunStore) AddEventsTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, rows []EventRow, calls Calls) (removed bool, err error) {
	numbered := slices.Clone(rows)
	for i := range numbered {
		numbered[i].Seq = i%maxInserted + 1
	}
	added, err := l.appendEvents(ctx, tx, ws, run, numbered, calls, `(SELECT COALESCE(MAX(seq), 0) FROM events WHERE workspace_id = ? AND run_id = ?)`, ws, run)
	if err == nil {
		removed, err = added()
	}
	return removed, l.wrap("add events", err)
}

// appendEvents stores the rows, numbered from what last selects, and calls. The function that
// it returns tells whether earlier events were removed; until it is called, the database may
// leave all of this with what follows.
func (l *store) appendEvents(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, rows []EventRow, calls Calls, last string, args ...any) (added func() (removed bool, err error), err error) {
	fresh, err := l.documentsNamed(ctx, tx, ws, rows)
	if err != nil {
		return nil, err
	}
	blind, gone := l.lock.Postgres && len(calls.open) == 0, false // if asking would take longest, the database finds out itself what is gone
	if blind {
		err = l.lockRead(ctx, tx, run, ws, fresh)
	} else {
		fresh, gone, err = l.holdRead(ctx, tx, run, ws, fresh...)
	}
	if err == nil && len(calls.open) > 0 {
		err = l.saveCalls(ctx, tx, l.now(), calls.open, map[domain.CallOwner]bool{{Workspace: ws, Run: run}: gone})
	}
	if err != nil {
		return nil, err
	}
	inserted, err := l.insertEvents(ctx, tx, ws, run, rows, last, args)
	if err == nil {
		err = noteDocuments(ctx, tx, ws, run, fresh)
	}
	if err != nil || !blind && !gone {
		return func() (bool, error) { return false, inserted() }, err
	}
	// A run that has read a deleted document keeps only its last event, which records how it ended.
	done, err := tx.ExecContext(ctx, `DELETE FROM events WHERE run_id = ? AND seq < (SELECT MAX(seq) FROM events WHERE run_id = ?) AND EXISTS (
		SELECT 1 FROM run_documents r WHERE r.workspace_id = ? AND r.run_id = ? AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.workspace_id = r.workspace_id AND d.id = r.document_id))`,
		run, run, ws, run)
	return func() (bool, error) {
		if err := inserted(); err != nil {
			return false, err
		}
		return sqlio.Changed(done, nil)
	}, err
}

// maxInserted is how many rows one statement inserts.
const maxInserted = 16

// insertEvents inserts events of a run, which it locks so that it isn't deleted meanwhile.
// The function that it returns tells whether all were inserted; until it is called, the
// database may leave them with what follows.
func (l *store) insertEvents(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, rows []EventRow, last string, of []any) (inserted func() error, err error) {
	var done []sql.Result
	for part := range slices.Chunk(rows, maxInserted) {
		args := append(make([]any, 0, 3*len(part)+6), ws, run)
		args = append(args, of...)
		for _, r := range part {
			args = append(args, r.Seq, sqlio.Millis(r.At), string(r.JSON))
		}
		values := strings.TrimSuffix(strings.Repeat("(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT)),", len(part)), ",")
		one, err := tx.ExecContext(ctx, `INSERT INTO events (workspace_id, run_id, seq, at, json)
			SELECT CAST(? AS TEXT), CAST(? AS TEXT), `+last+` + column1, column2, column3 FROM (VALUES `+values+`) AS v
			WHERE EXISTS (SELECT 1 FROM runs WHERE workspace_id = ? AND id = ?`+l.lock.Staying+`) ON CONFLICT (run_id, seq) DO NOTHING`, append(args, ws, run)...)
		if err != nil {
			return nil, err
		}
		done = append(done, one)
	}
	return func() error {
		all := 0
		for _, one := range done {
			n, err := one.RowsAffected()
			if err != nil {
				return err
			}
			all += int(n)
		}
		if all == len(rows) {
			return nil
		}
		there, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM runs WHERE workspace_id = ? AND id = ?`, ws, run)
		if err == nil && there == 0 {
			err = domain.Errorf(domain.NotFound, "There is no run %s here. It may have been deleted with its document.", run)
		}
		return cmp.Or[error](err, domain.Errorf(domain.Conflict, "Run %s already has an event after %d: another worker is carrying it out.", run, rows[0].Seq-1))
	}, nil
}

// idLength is the length of the ids of documents and chunks, which begin with d
// or c and go on with hexadecimal digits, see domain.NewDocumentID.
const idLength = 21

// appendIDs appends what stands in a text as a word and is formed like the id of
// a document or a chunk. It is called for every event.
func appendIDs(all []string, text []byte) []string {
	for i := 0; i+idLength <= len(text); i++ {
		if text[i] != 'd' && text[i] != 'c' || i > 0 && isWord(text[i-1]) {
			continue
		}
		end := i + 1
		for end < len(text) && isHex(text[end]) {
			end++
		}
		if end-i == idLength && (end == len(text) || !isWord(text[end])) {
			all = append(all, string(text[i:end]))
		}
		i = end - 1
	}
	return all
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// named remembers the documents of ids that events have named. Chunks of a version to come are left out, as they change their document.
type named struct {
	mu  sync.Mutex
	all map[namedID]domain.DocumentID
}

type namedID struct {
	workspace domain.WorkspaceID
	id        string // of a document or a chunk
}

// mostNamed is how many ids are remembered.
const mostNamed = 1 << 14

func (n *named) put(id namedID, document domain.DocumentID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil || len(n.all) == mostNamed {
		n.all = map[namedID]domain.DocumentID{}
	}
	n.all[id] = document
}

// known returns the documents of those ids that are remembered, and the others.
func (n *named) known(ws domain.WorkspaceID, ids []string) (documents []domain.DocumentID, others []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		if d, found := n.all[namedID{ws, id}]; found {
			documents = append(documents, d)
		} else {
			others = append(others, id)
		}
	}
	return documents, others
}

// documentsNamed lists the documents that events name. A run reads published
// documents only, and these have a change even when they were just deleted.
func (l *store) documentsNamed(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, rows []EventRow) ([]domain.DocumentID, error) {
	var ids []string
	for _, r := range rows {
		ids = appendIDs(ids, r.JSON)
	}
	documents, ids := l.named.known(ws, distinct(ids))
	first := slices.IndexFunc(ids, func(id string) bool { return id[0] == 'd' })
	if first < 0 {
		first = len(ids)
	}
	add := func(rows *sql.Rows) error {
		var id string
		var document domain.DocumentID
		var moves bool
		if err := rows.Scan(&id, &document, &moves); err != nil {
			return err
		}
		if !moves {
			l.named.put(namedID{ws, id}, document)
		}
		documents = append(documents, document)
		return nil
	}
	err := eachIn(ctx, tx, add, `SELECT DISTINCT document_id, document_id, FALSE FROM changes WHERE workspace_id = ? AND document_id IN (%s)`, []any{ws}, ids[first:])
	if err == nil {
		err = eachIn(ctx, tx, add, `SELECT c.id, c.document_id, COALESCE(d.version_of, '') <> '' FROM chunks c LEFT JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
			WHERE c.workspace_id = ? AND c.id IN (%s)`, []any{ws}, ids[:first])
	}
	if err != nil {
		return nil, fmt.Errorf("find documents of events: %w", err)
	}
	return distinct(documents), nil
}

// noteDocuments stores which documents a run has read.
func noteDocuments(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, documents []domain.DocumentID) error {
	rows := lists.Map(documents, func(id domain.DocumentID) []any { return []any{ws, run, id} })
	return sqlio.InsertRows(ctx, tx, `INSERT INTO run_documents (workspace_id, run_id, document_id)`, rows, `ON CONFLICT (run_id, document_id) DO NOTHING`)
}

// NoteHistory records that a run reads the answers of earlier ones: what these have read of documents that are still
// there counts as read by it. It is called before the answers are read.
func (l RunStore) NoteHistory(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, earlier []domain.RunID) error {
	return l.tx(ctx, "note what a run reads", func(tx *sql.Tx, _ time.Time) error {
		read, err := collectIn(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT document_id FROM run_documents WHERE workspace_id = ? AND run_id IN (%s)`, []any{ws}, earlier)
		if err != nil || len(read) == 0 {
			return err
		}
		there, err := collectIn(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT id FROM documents WHERE workspace_id = ? AND id IN (%s)`+l.lock.Staying, []any{ws}, distinct(read))
		if err != nil {
			return err
		}
		return noteDocuments(ctx, tx, ws, run, there)
	})
}

// RunOver reports whether no event of a run will follow: its end was noted, or it
// is gone.
func (l RunStore) RunOver(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) (bool, error) {
	return one[bool](ctx, l, "look for the end of a run", `SELECT COALESCE((SELECT settled FROM runs WHERE workspace_id = ? AND id = ?), 1)`, ws, run)
}

// LastEvents lists the last n events of a run, in order.
func (l RunStore) LastEvents(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, n int) ([]EventRow, error) {
	rows, err := eventTable.List(ctx, l.reader, `WHERE workspace_id = ? AND run_id = ? ORDER BY seq DESC LIMIT ?`, ws, run, n)
	slices.Reverse(rows)
	return rows, l.wrap("read events", err)
}

// Events lists a run's events after the given number in order. An unknown run has none.
func (l RunStore) Events(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, after int) ([]EventRow, error) {
	withheld, args := withheldRun(ctx, "?", "?")
	if args != nil {
		args = append([]any{ws, run}, args...)
	}
	return list(ctx, l, "read events", into((*EventRow).fields), `SELECT `+eventTable.Columns("")+`, `+withheld+` FROM events WHERE workspace_id = ? AND run_id = ? AND seq > ? ORDER BY seq`,
		append(args, ws, run, after)...)
}

// EventsOf returns the events of several runs, each in order.
func (l RunStore) EventsOf(ctx context.Context, ws domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID][]EventRow, error) {
	withheld, args := withheldRun(ctx, "runs.workspace_id", "runs.id")
	by, err := groupsIn[domain.RunID](ctx, l.reader, (*EventRow).fields, `WITH w AS MATERIALIZED (SELECT workspace_id, id, `+withheld+` AS withheld FROM runs WHERE workspace_id = ? AND id IN (%s))
		SELECT run_id, `+eventTable.Columns("e")+`, w.withheld FROM w JOIN events e ON e.workspace_id = w.workspace_id AND e.run_id = w.id ORDER BY e.run_id, e.seq`, append(args, ws), runs)
	return by, l.wrap("read events", err)
}

// ModelCall returns the answer recorded under key, or nil if there is none.
func (l RunStore) ModelCall(ctx context.Context, key string) (answer []byte, err error) {
	if answer := l.gathered.answer(key); answer != nil {
		return answer, nil
	}
	return one[[]byte](ctx, l, "read model call", `SELECT response FROM model_calls WHERE key = ?`, key)
}

// SaveModelCall records an answer, which is JSON, under its request's key, in
// place of an earlier one. When the owner's document, or one that the owner's
// run has read, has been deleted meanwhile, nothing is recorded: the answer may
// hold its words.
func (l RunStore) SaveModelCall(ctx context.Context, key string, owner domain.CallOwner, answer []byte) error {
	return l.made(ctx, madeCall{saved: &savedCall{key: key, owner: owner, answer: answer}})
}

// SaveCountedCall records an answer like SaveModelCall and adds to what a workspace
// has used, in one transaction.
func (l RunStore) SaveCountedCall(ctx context.Context, key string, owner domain.CallOwner, answer []byte, ws domain.WorkspaceID, u Usage) error {
	return l.made(ctx, madeCall{&savedCall{key: key, owner: owner, answer: answer}, &addedUsage{ws, u}})
}

// madeCall is the row of a call.
type madeCall struct {
	saved *savedCall  // nil if it is not recorded
	used  *addedUsage // nil if it is counted elsewhere
}

// savedCall is an answer to record.
type savedCall struct {
	key    string
	owner  domain.CallOwner
	answer json.RawMessage
	at     time.Time
}

var callTable = sqlio.Table[savedCall]{Name: "model_calls", Row: func(c *savedCall) sqlio.Row {
	return sqlio.Row{
		"key key", &c.key, "workspace_id", &c.owner.Workspace, "document_id", &c.owner.Document, "run_id", &c.owner.Run, "response", &c.answer, "at", &c.at,
	}
}}

// made writes a call, or leaves it to the tab of its context.
func (l *store) made(ctx context.Context, c madeCall) error {
	if tab, ok := ctx.Value(tabKey{}).(*Tab); ok && c.saved != nil {
		tab.add(c)
		return nil
	}
	return l.calls.Write(ctx, c)
}

func (l *store) writeCalls(ctx context.Context, calls []madeCall) error {
	return l.tx(ctx, "record model call", func(tx *sql.Tx, now time.Time) error {
		return l.saveCalls(ctx, tx, now, calls, map[domain.CallOwner]bool{})
	})
}

// saveCalls records calls. gone reports whether what the owner of a call has read is deleted.
func (l *store) saveCalls(ctx context.Context, tx *sql.Tx, now time.Time, calls []madeCall, gone map[domain.CallOwner]bool) error {
	var used []addedUsage
	for _, c := range calls {
		if c.used != nil {
			used = append(used, *c.used)
		}
		if c.saved == nil {
			continue
		}
		if err := l.saveModelCall(ctx, tx, now, *c.saved, gone); err != nil {
			return err
		}
	}
	return addUsage(ctx, tx, used)
}

// saveModelCall records an answer. What it finds out about the owner it notes in gone,
// for other calls of the transaction.
func (l *store) saveModelCall(ctx context.Context, tx *sql.Tx, now time.Time, c savedCall, gone map[domain.CallOwner]bool) (err error) {
	if _, known := gone[c.owner]; !known {
		if gone[c.owner], err = l.ownerGone(ctx, tx, c.owner); err != nil {
			return err
		}
	}
	if gone[c.owner] {
		return nil
	}
	c.at = now
	return callTable.Put(ctx, tx, &c)
}

// ownerGone reports whether the owner's document, or one that its run has read,
// has been deleted. Otherwise it keeps them until the transaction ends.
func (l *store) ownerGone(ctx context.Context, tx *sql.Tx, owner domain.CallOwner) (gone bool, err error) {
	var of []domain.DocumentID
	if owner.Document != "" {
		of = append(of, owner.Document)
	}
	_, gone, err = l.holdRead(ctx, tx, owner.Run, owner.Workspace, of...)
	return gone, err
}

// A Tab keeps what is recorded of a run's calls of models until a write of the run
// takes it along: what a call has answered is on disk no later than what became of
// it. Until then the ledger finds the answers in memory.
type Tab struct {
	ledger *store

	mu      sync.Mutex
	calls   []madeCall
	taken   int // how many of them were taken, from the front, by writes that may not have ended
	written int // how many of them were written, from the front
	write   int // the write that took the last ones
	from    int // the first of these
}

type tabKey struct{}

// WithTab returns a context whose recorded calls are kept on a tab. Close it.
func (l RunStore) WithTab(ctx context.Context) (context.Context, *Tab) {
	tab := &Tab{ledger: l.store}
	return context.WithValue(ctx, tabKey{}, tab), tab
}

func (t *Tab) add(c madeCall) {
	t.ledger.gathered.put(c.saved.key, c.saved.answer)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
}

// Calls are calls on a tab, up to number N, that a write includes.
type Calls struct {
	N    int
	open []madeCall
}

// Take returns the calls that no other write has taken. If a write is repeated, it gets the same calls and those added
// since; a write's number is not 0.
func (t *Tab) Take(write int) Calls {
	t.mu.Lock()
	defer t.mu.Unlock()
	if write != t.write {
		t.write, t.from = write, t.taken
	}
	t.taken = len(t.calls)
	return Calls{t.taken, t.calls[t.from:t.taken:t.taken]}
}

// Wrote records that the first n calls are written.
func (t *Tab) Wrote(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ; t.written < n; t.written++ {
		t.ledger.gathered.drop(t.calls[t.written].saved.key)
	}
}

// Close writes what no write of the run took along: it is paid for.
func (t *Tab) Close(ctx context.Context) error {
	var errs []error
	t.mu.Lock()
	open, n := t.calls[t.written:], len(t.calls)
	t.mu.Unlock()
	errs = lists.Map(open, func(c madeCall) error { return t.ledger.calls.Write(ctx, c) })
	t.Wrote(n)
	return errors.Join(errs...)
}

// gathered holds the answers on all tabs, by their keys.
type gathered struct {
	mu      sync.Mutex
	answers map[string]gatheredAnswer
}

// gatheredAnswer counts the tabs with an answer.
type gatheredAnswer struct {
	answer []byte
	tabs   int
}

func (g *gathered) answer(key string) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.answers[key].answer
}

func (g *gathered) put(key string, answer []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answers == nil {
		g.answers = map[string]gatheredAnswer{}
	}
	g.answers[key] = gatheredAnswer{answer, g.answers[key].tabs + 1}
}

func (g *gathered) drop(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.answers[key]
	if a.tabs--; a.tabs > 0 {
		g.answers[key] = a
		return
	}
	delete(g.answers, key)
}

// A RunCall is a recorded call of a model.
type RunCall struct {
	Key    string
	At     time.Time
	Answer []byte
}

// RunCalls lists the calls that were recorded for a run, or for the document that it is about, in their order.
func (l RunStore) RunCalls(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, document domain.DocumentID) ([]RunCall, error) {
	return list(ctx, l, "read the calls of a run", into(func(c *RunCall) []any { return []any{&c.Key, &c.At, &c.Answer} }), `SELECT key, at, response FROM model_calls WHERE workspace_id = ? AND run_id = ?
		UNION SELECT key, at, response FROM model_calls WHERE workspace_id = ? AND document_id = ? AND document_id <> '' ORDER BY at, key`, ws, run, ws, document)
}

// Usage counts the tokens of calls of one model on one day, by purpose. Columns that a query does not group by are
// empty.
type Usage struct {
	domain.Usage
	Day      string // in UTC: "2026-11-23"
	Calls    int
	Role     string
	Person   string // "" if nobody signs in
	Document domain.DocumentID
	Run      domain.RunID
}

// A UsageColumn is a column that usage can be grouped by, besides day and model.
type UsageColumn string

// The columns of usage.
const (
	UsageRole     UsageColumn = "role"
	UsagePerson   UsageColumn = "person"
	UsageDocument UsageColumn = "document_id"
	UsageRun      UsageColumn = "run_id"
)

// A UsageQuery chooses usage. Zero fields leave nothing out.
type UsageQuery struct {
	From, To string // days, both included
	Document domain.DocumentID
	Runs     []domain.RunID // empty for all
	By       []UsageColumn
	Together bool // sums up the days: Day is the first
}

// AddUsage adds to the usage.
func (l RunStore) AddUsage(ctx context.Context, ws domain.WorkspaceID, u Usage) error {
	return l.calls.Write(ctx, madeCall{used: &addedUsage{ws, u}})
}

// addedUsage is usage to add.
type addedUsage struct {
	workspace domain.WorkspaceID
	Usage
}

var usageTable = sqlio.Table[addedUsage]{Name: "model_usage", Row: func(u *addedUsage) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &u.workspace, "day key", &u.Day, "model key", &u.Model, "role key", &u.Role, "document_id key", &u.Document, "run_id key", &u.Run, "person key", &u.Person,
		"calls", &u.Calls, "input", &u.Input, "cached", &u.Cached, "output", &u.Output, "embedded", &u.Embedded,
	}
}}

// addUsage adds usage up that goes to the same row before it writes: a row is part
// of several indexes.
func addUsage(ctx context.Context, tx *sql.Tx, all []addedUsage) error {
	sums := map[string]addedUsage{}
	for _, u := range all {
		if s, ok := sums[u.row()]; ok {
			u.Calls += s.Calls
			u.Input, u.Cached, u.Output, u.Embedded = u.Input+s.Input, u.Cached+s.Cached, u.Output+s.Output, u.Embedded+s.Embedded
		}
		sums[u.row()] = u
	}
	rows := lists.Map(slices.Sorted(maps.Keys(sums)), func(row string) addedUsage { return sums[row] })
	return usageTable.InsertAll(ctx, tx, rows, `ON CONFLICT (workspace_id, day, model, role, document_id, run_id, person) DO UPDATE SET
		calls = model_usage.calls + excluded.calls, input = model_usage.input + excluded.input, cached = model_usage.cached + excluded.cached,
		output = model_usage.output + excluded.output, embedded = model_usage.embedded + excluded.embedded`)
}

// row names the row that it goes to.
func (u addedUsage) row() string {
	return strings.Join([]string{string(u.workspace), u.Day, u.Model, u.Role, string(u.Document), string(u.Run), u.Person}, "\x00")
}

// AnyUsage reports whether a model was ever used.
func (l RunStore) AnyUsage(ctx context.Context, ws domain.WorkspaceID) (bool, error) {
	return one[bool](ctx, l, "look for usage", `SELECT CASE WHEN EXISTS (SELECT 1 FROM model_usage WHERE workspace_id = ?) THEN 1 ELSE 0 END`, ws)
}

// Usage returns the usage by day, model and the columns of the query, sorted by them.
func (l RunStore) Usage(ctx context.Context, ws domain.WorkspaceID, q UsageQuery) ([]Usage, error) {
	columns, day := []string{"day", "model"}, "day"
	if q.Together {
		columns, day = columns[1:], "MIN(day)"
	}
	for _, c := range q.By {
		columns = append(columns, string(c))
	}
	by := strings.Join(columns, ", ")
	where, args := []string{"workspace_id = ?"}, []any{ws}
	add := func(condition string, values ...any) { where, args = append(where, condition), append(args, values...) }
	if q.From != "" {
		add("day >= ?", q.From)
	}
	if q.To != "" {
		add("day <= ?", q.To)
	}
	if q.Document != "" {
		add("document_id = ?", q.Document)
	}
	if len(q.Runs) > 0 {
		add("run_id <> '' AND run_id IN ("+sqlio.Marks(len(q.Runs))+")", sqlio.Args(q.Runs)...)
	}
	from := `model_usage WHERE ` + strings.Join(where, " AND ")
	with := ""
	if len(q.Runs) > 0 { // the few rows first: SQLite would scan the whole workspace in the order of the groups
		with, from = `WITH of_runs AS MATERIALIZED (SELECT day, model, role, person, document_id, run_id, calls, input, cached, output, embedded FROM `+from+`) `, `of_runs`
	}
	return list(ctx, l, "read usage", func(rows *sql.Rows) (u Usage, err error) {
		to := []any{&u.Day, &u.Model}
		for _, c := range q.By {
			to = append(to, map[UsageColumn]any{UsageRole: &u.Role, UsagePerson: &u.Person, UsageDocument: &u.Document, UsageRun: &u.Run}[c])
		}
		return u, rows.Scan(append(to, &u.Calls, &u.Input, &u.Cached, &u.Output, &u.Embedded)...)
	}, with+`SELECT `+day+`, `+strings.TrimPrefix(by, "day, ")+`, CAST(SUM(calls) AS BIGINT), CAST(SUM(input) AS BIGINT), CAST(SUM(cached) AS BIGINT), CAST(SUM(output) AS BIGINT), CAST(SUM(embedded) AS BIGINT)
		FROM `+from+` GROUP BY `+by+` ORDER BY `+by, args...)
}
