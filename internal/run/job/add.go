package job

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Add queues a run and returns it as stored, with the queue's status, owner and lease. Conflict means that its id is
// taken.
func (q *Queue) Add(ctx context.Context, r Run) (Run, error) {
	r.Status = Waiting
	r, err := q.insert(ctx, q.writer, r, 0)
	if err == nil {
		q.Announce()
	}
	return r, err
}

// AddTx is like Add but runs in a transaction of the queue's database. Call Announce after the commit. A run with the status
// Held is held until Wake.
func (q *Queue) AddTx(ctx context.Context, tx *sql.Tx, r Run) (Run, error) {
	if r.Status != Held {
		r.Status = Waiting
	}
	return q.insert(ctx, tx, r, 0)
}

// Announce wakes workers before their next poll, including those of other processes on the wire.
func (q *Queue) Announce() {
	q.changed.broadcast()
	q.wire.Tell(topicRuns, "")
}

// announceStop wakes the workers that watch for stops.
func (q *Queue) announceStop() {
	q.stopped.broadcast()
	q.wire.Tell(topicStops, "")
}

// The topics of messages between queues.
const (
	topicRuns  = "runs"  // one can be claimed
	topicStops = "stops" // one was asked to stop
)

// Hear wakes the workers of this process after a message of another one; without a topic, messages may have been missed.
func (q *Queue) Hear(topic string) {
	if topic == topicRuns || topic == "" {
		q.changed.broadcast()
	}
	if topic == topicStops || topic == "" {
		q.stopped.broadcast()
	}
	if topic == "" {
		q.connected.broadcast()
	}
}

// AddLeased is AddTx of a run that is running from the start, leased to owner.
func (q *Queue) AddLeased(ctx context.Context, tx *sql.Tx, r Run, owner string, lease time.Duration) (Run, error) {
	now := q.now()
	r.Status, r.Owner, r.Attempt = Running, owner, 1
	r.StartedAt, r.LeaseUntil = now, now.Add(lease)
	return q.insert(ctx, tx, r, lease)
}

// Once calls start, which adds a run with the FormKey key, unless a form with that key has started one before: then it
// returns that run's subject. Of several processes that receive a form at once, one starts its run. An empty key always
// starts.
func (q *Queue) Once(ctx context.Context, ws domain.WorkspaceID, key string, start func() error) (subject string, err error) {
	if key == "" {
		return "", start()
	}
	if r, ok, err := q.ofForm(ctx, ws, key); err != nil || ok {
		return r.Subject, err
	}
	err = start()
	if domain.KindOf(err) != domain.Conflict {
		return "", err
	}
	r, ok, lookup := q.ofForm(ctx, ws, key)
	if lookup != nil || ok {
		return r.Subject, lookup
	}
	return "", err
}

func (q *Queue) ofForm(ctx context.Context, ws domain.WorkspaceID, key string) (Run, bool, error) {
	r, ok, err := q.one(ctx, q.reader, `SELECT `+columns+` FROM runs WHERE workspace_id = ? AND form_key = ?`, ws, key)
	return r, ok, q.wrap("read the run of a form", err)
}

// nextLap is the lap of a new run in its workspace: the one after the person's last, or the current one if the person has
// nothing waiting. Thus persons with many runs don't delay those with few.
const nextLap = `(SELECT COALESCE(MAX(lap), 0) FROM (
	SELECT lap FROM (SELECT lap + 1 AS lap FROM runs WHERE status = 'waiting' AND kind = ? AND workspace_id = ? AND person = ? AND next_try <= ? ORDER BY runs.lap DESC LIMIT 1) own
	UNION ALL
	SELECT lap FROM (SELECT lap FROM runs WHERE status = 'waiting' AND kind = ? AND workspace_id = ? AND next_try <= ? ORDER BY lap LIMIT 1) current) laps)`

func (q *Queue) insert(ctx context.Context, db rower, r Run, lease time.Duration) (Run, error) {
	if r.Status != Running {
		r.Owner, r.Attempt, r.LeaseUntil, r.StartedAt = "", 0, time.Time{}, time.Time{}
	}
	if r.CreatedAt.IsZero() {
		r.CreatedAt = q.now()
	}
	if r.MaxAttempts == 0 {
		r.MaxAttempts = DefaultAttempts
	}
	r.Person = domain.PersonOf(ctx)
	viewer, _ := domain.ViewerOf(ctx)
	r.Access = viewer.Access
	now := sqlio.Millis(q.now())
	names, values := table.Values(&r)
	stored, fresh, err := q.one(ctx, db, `INSERT INTO runs (`+strings.Join(names, ", ")+`, lease, lap)
		VALUES (`+sqlio.Marks(len(names)+1)+`, `+nextLap+`) ON CONFLICT DO NOTHING RETURNING `+columns,
		append(values, lease.Milliseconds(), r.Kind, r.Workspace, r.Person, now, r.Kind, r.Workspace, now)...)
	if err == nil && !fresh && r.FormKey != "" {
		return Run{}, domain.Errorf(domain.Conflict, "This form has already been sent.")
	}
	if err == nil && !fresh {
		return Run{}, domain.Errorf(domain.Conflict, "There is already a run %s.", r.ID)
	}
	if err == nil && q.watch != nil {
		q.watch.Added(ctx, stored)
	}
	return stored, q.wrap("add run", err)
}

// A Limit bounds how many runs of a kind may wait in a workspace.
type Limit struct {
	Workspace domain.WorkspaceID

	Kind    string
	Each    int    // the maximum per person; 0 means no limit
	Waiting string // says what they wait for: "questions wait to be answered"
	Setting string // the setting that changes Each
}

// share is the factor by which the runs waiting for all persons together may exceed those of one.
const share = 10

// comeBack is the delay after which a refused person should try again.
const comeBack = 30 * time.Second

// Admit returns a TooMany error when no further run may wait: the person whom ctx names has as many as l allows in the
// workspace, or all persons together have ten times as many there.
func (q *Queue) Admit(ctx context.Context, l Limit) error { return q.admit(ctx, q.reader, l) }

// AdmitTx is like Admit but counts in the transaction that adds the run.
func (q *Queue) AdmitTx(ctx context.Context, tx *sql.Tx, l Limit) error { return q.admit(ctx, tx, l) }

func (q *Queue) admit(ctx context.Context, db rower, l Limit) error {
	if l.Each == 0 {
		return nil
	}
	var own, all int
	err := db.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM runs WHERE status = 'waiting' AND kind = ? AND workspace_id = ? AND person = ?),
		(SELECT COUNT(*) FROM runs WHERE status = 'waiting' AND kind = ? AND workspace_id = ?)`, l.Kind, l.Workspace, domain.PersonOf(ctx), l.Kind, l.Workspace).Scan(&own, &all)
	switch {
	case err != nil:
		return q.wrap("count waiting runs", err)
	case own >= l.Each:
		return domain.TooManyf(comeBack, "%d of your %s, which is the limit (%s). Try again when some are done, in half a minute or so.", own, l.Waiting, l.Setting)
	case all >= share*l.Each:
		return domain.TooManyf(comeBack, "%d %s, which is the limit (ten times %s). Try again when some are done, in half a minute or so.", all, l.Waiting, l.Setting)
	}
	return nil
}
