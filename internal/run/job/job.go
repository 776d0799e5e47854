// Package job is the durable queue of runs, and the workers that carry them out.
//
// A run is a row with a lease. The worker that claims it extends the lease by heartbeats. When the heartbeats stop, another
// worker claims the run; leases of dead processes on the same machine end at once.
//
//	waiting ── Claim ──→ running ── Finish ───────→ done
//	   ↑ │                 │ │ └─── Fail ─────────→ failed
//	   │ └───── Stop ──────┼─┼───── ConfirmStop ──→ stopped
//	   └─ Release, Fail(retry at) ┘
//
// A run that ended is settled once: its handler notes the end on the run's subject. Settling is leased too, so it happens
// even if the process that ended the run dies in between.
package job

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Status is the state of a run.
type Status = domain.RunStatus

// The states of a run, see domain.RunStatus.
const (
	Waiting = domain.RunWaiting
	Held    = domain.RunHeld
	Paused  = domain.RunPaused
	Asking  = domain.RunAsking
	Capped  = domain.RunCapped
	Running = domain.RunRunning
	Done    = domain.RunDone
	Failed  = domain.RunFailed
	Stopped = domain.RunStopped
)

// Asleep returns the states in which a run waits for a person.
func Asleep() []Status { return []Status{Held, Paused, Asking} }

// Pending returns the states in which a run waits for something.
func Pending() []Status { return append(Asleep(), Waiting, Capped) }

// Unended returns the states of a run that has not ended.
func Unended() []Status { return append(Pending(), Running) }

// InState returns the states for a name that people use: "waiting" stands for all of Pending, "asks" for those of
// Asleep, and any other name for that state.
func InState(name string) []Status {
	switch name {
	case "waiting":
		return Pending()
	case "asks":
		return Asleep()
	}
	return []Status{Status(name)}
}

// Pending and Asleep, in SQL.
const (
	pending = `('waiting', 'held', 'paused', 'asking', 'capped')`
	asleep  = `('held', 'paused', 'asking')`
)

// DefaultAttempts limits the tries of a run that sets no limit.
const DefaultAttempts = 5

// A Run is one piece of work and its lease.
type Run struct {
	Workspace   domain.WorkspaceID
	ID          domain.RunID
	Kind        string          // names the handler
	Subject     string          // the document or message it is about
	Title       string          // of the subject, to search lists by; not read back
	FormKey     string          // domain.FormKey.Of the form that started it: a second run with it is a Conflict; not read back
	Person      string          // who asked for it, as returned by domain.PersonOf when it is added
	Access      string          // what let Person in, from domain.Viewer when it is added; not read back
	Own         bool            // only Person may see it
	Input       json.RawMessage // further input of the handler, if any
	Status      Status
	Priority    int // higher goes first
	Attempt     int // tries since the last progress; released ones don't count
	MaxAttempts int // 0 means DefaultAttempts
	Owner       string
	LeaseUntil  time.Time
	NextTry     time.Time // earliest claim
	StopAsked   bool
	Problem     string      // why the last try failed, in a sentence
	ProblemKind domain.Kind // of that problem
	CreatedAt   time.Time
	StartedAt   time.Time // of the first try
	FinishedAt  time.Time
	Settled     bool // its end was recorded: nothing more is written about it
	LastEvent   int  // number of its last event, or 0; known only to the process that claims or ends it
	Figures
}

// Figures sum up a run that has ended, see [Queue.Note].
type Figures struct {
	Tokens   int
	Spent    int64  // millionths of the currency; 0 if no price is known
	Capped   bool   // it used up its loops
	Resumed  bool   // an attempt was cut off
	FailedAt string // node; "" unless it failed at one
}

// A Queue stores runs in an SQL database. It is safe for concurrent use, by several processes too.
type Queue struct {
	writer  *sql.DB
	reader  *sql.DB
	lock    sqlio.Dialect
	now     domain.Clock
	explain func(error) error
	wire    sqlio.Wire
	watch   Watch  // nil if nothing watches
	changed signal // a run has become claimable
	stopped signal // a run was asked to stop

	connected signal // the wire is listening

	turns sync.Mutex   // guards the following
	had   map[turn]had // when each workspace had its last turn in this process
	count int
}

// Option changes how a queue works.
type Option func(*Queue)

// WithExplain sets the translation of the database's errors, such as a full disk, into domain errors.
func WithExplain(explain func(error) error) Option {
	return func(q *Queue) { q.explain = explain }
}

// WithWire has the queues of several processes tell each other what workers wait for.
func WithWire(w sqlio.Wire) Option {
	return func(q *Queue) { q.wire = w }
}

// A Watch observes each run that is added, before its transaction ends.
type Watch interface {
	Added(ctx context.Context, r Run)
}

// WithWatch has w observe runs, unless it is nil.
func WithWatch(w Watch) Option {
	return func(q *Queue) { q.watch = w }
}

// Open returns a queue over a migrated database. now is the clock of leases and retries. The clocks of several processes
// must agree within a fraction of a lease.
func Open(writer, readers *sql.DB, now func() time.Time, opts ...Option) *Queue {
	q := &Queue{writer: writer, reader: readers, lock: sqlio.DialectOf(writer), now: now, wire: sqlio.Unwired{}, had: map[turn]had{}, explain: func(err error) error { return err }}
	for _, o := range opts {
		o(q)
	}
	return q
}

// wrap adds the operation to err, unless err is a user-facing error already.
func (q *Queue) wrap(op string, err error) error {
	if err == nil || domain.KindOf(err) != domain.Internal {
		return err
	}
	return fmt.Errorf("%s: %w", op, q.explain(err))
}

// rower is a database or a transaction.
type rower interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// one runs a statement that returns at most one run, and reports whether it did.
func (q *Queue) one(ctx context.Context, db rower, query string, args ...any) (Run, bool, error) {
	r, err := scanRun(db.QueryRowContext(ctx, query, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, false, nil
	}
	return r, err == nil, err
}

// leased is one for a statement of whoever leases the run, without its RETURNING. The run has its LastEvent.
func (q *Queue) leased(ctx context.Context, statement string, args ...any) (r Run, ok bool, err error) {
	err = sqlio.Each(ctx, q.writer, func(rows *sql.Rows) error {
		ok = true
		return rows.Scan(append(table.Fields(&r), &r.LastEvent)...)
	}, statement+` RETURNING `+columns+`, (SELECT COALESCE(MAX(seq), 0) FROM events e WHERE e.workspace_id = runs.workspace_id AND e.run_id = runs.id)`, args...)
	return r, ok && err == nil, err
}

func (q *Queue) many(ctx context.Context, query string, args ...any) ([]Run, error) {
	return sqlio.Collect(ctx, q.reader, func(rows *sql.Rows) (Run, error) { return scanRun(rows.Scan) }, query, args...)
}

// exec runs a statement and returns the number of affected rows.
func (q *Queue) exec(ctx context.Context, query string, args ...any) (int, error) {
	res, err := q.writer.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// Every change is one statement, the same for SQLite and Postgres. Only ClaimEnded differs: Postgres
// has several writers, so it skips rows that another one has locked.

// table describes the columns of a run. It leaves out the place in the queue, which insert sets.
var table = sqlio.Table[Run]{Name: "runs", Row: func(r *Run) sqlio.Row {
	return sqlio.Row{
		"workspace_id", &r.Workspace, "id key", &r.ID, "kind", &r.Kind, "subject", &r.Subject, "person", &r.Person, "own", &r.Own, "input", (*input)(&r.Input), "status", &r.Status,
		"priority", &r.Priority, "attempt", &r.Attempt, "max_attempts", &r.MaxAttempts, "owner", &r.Owner, "lease_until", &r.LeaseUntil, "next_try", &r.NextTry,
		"stop_asked", &r.StopAsked, "problem", &r.Problem, "problem_kind", (*kind)(&r.ProblemKind), "created_at", &r.CreatedAt, "started_at", &r.StartedAt,
		"finished_at", &r.FinishedAt, "tokens", &r.Tokens, "spent", &r.Spent, "capped", &r.Capped, "resumed", &r.Resumed, "failed_at", &r.FailedAt, "settled", &r.Settled,
		"title written", titled(r.Title), "form_key written", r.FormKey, "access written", r.Access,
	}
}}

var columns = table.Columns("")

func scanRun(scan func(...any) error) (r Run, err error) { return r, scan(table.Fields(&r)...) }

// An input is stored as text, nil as "".
type input []byte

// Value implements driver.Valuer.
func (i input) Value() (driver.Value, error) { return string(i), nil }

// Scan implements sql.Scanner.
func (i *input) Scan(src any) error {
	if s, _ := src.(string); s != "" {
		*i = []byte(s)
	}
	return nil
}

// A kind of a problem is stored by its name.
type kind domain.Kind

// Value implements driver.Valuer.
func (k kind) Value() (driver.Value, error) {
	if k == kind(domain.Internal) {
		return "", nil
	}
	return domain.Kind(k).String(), nil
}

// Scan implements sql.Scanner.
func (k *kind) Scan(src any) error {
	name, ok := src.(string)
	if !ok {
		return fmt.Errorf("the kind of a problem is stored as %T", src)
	}
	*k = kind(domain.KindNamed(name))
	return nil
}
