package job

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Room lists the kinds for which a worker has room for another run.
type Room map[string]Share

// Share is how a worker's slots for runs of one kind are shared out.
type Share struct {
	Slots      int                        // 0 means no limit on what a workspace may hold
	Held       map[domain.WorkspaceID]int // by the runs of each workspace
	Late       int                        // the kind comes after kinds that are less late
	InArchived bool                       // see Handler
}

// recently is how long after its last turn a workspace is expected to ask again, and justNow how long work of a lower priority,
// and a flood of runs, then makes way for it.
const recently, justNow = time.Minute, 10 * time.Second

// pace is the time between the turns of a workspace that makes way, and ahead how far its turns may run ahead of that: five a
// second, and ten at once, which people reach at no time. Runs that call no model take milliseconds, so that a flood of them
// keeps the processor busy in the fewest slots.
const pace, ahead = 200 * time.Millisecond, 2 * time.Second

// Claim leases the next run of a kind that has room to owner and reports whether there is one. Of each kind, workspaces take turns: the
// one with the fewest running runs is next, and of equal ones the one that waits longest for its turn. Within a workspace, runs with
// a higher priority go first, and of equal ones each person has one run in turn, the oldest first. Of the least late kinds, the
// one whose next run has the highest priority goes first. A run whose lease has expired is claimed like a waiting one, except those that
// Reap ends. While others have had a turn in the last minute, a workspace holds at most half of the slots of the kind, so that
// theirs find a free one; and one slot while others had a turn of a higher priority, such as a question while documents are
// read, in the last ten seconds. While others had a turn of the kind or a higher priority in these ten seconds, it has at most
// five turns a second, after ten at once. Runs of archived and deleted workspaces wait until these are restored, unless their kind is
// carried out there. Claim only reads if there is none, because a claim waits for other writers.
func (q *Queue) Claim(ctx context.Context, owner string, room Room, lease time.Duration) (Run, bool, error) {
	for {
		next, ok, err := q.next(ctx, room)
		if err != nil || !ok {
			return Run{}, false, q.wrap("look for runs", err)
		}
		now := q.now()
		query, args := next.claim(now)
		r, ok, err := q.leased(ctx, claims+` WHERE id = (`+query+`) AND `+claimable,
			append(append(claimed(owner, lease, now), args...), claimableAt(now)...)...)
		if err != nil {
			return Run{}, false, q.wrap("claim run", err)
		}
		if ok {
			q.took(next.turn, r.Priority, now)
			return r, true, nil
		} // another worker was first
	}
}

// A turn is a group of runs whose workspaces take turns.
type turn struct {
	kind      string
	workspace domain.WorkspaceID
}

// had is when a workspace had its last turn.
type had struct {
	count    int // in turns
	priority int // of its run
	at       time.Time
	paced    time.Time // when its turns so far would be over at a rate of one per pace
}

// A candidate is a workspace with a run of a kind to claim.
type candidate struct {
	turn
	priority int  // of its next run
	running  int  // runs of the kind
	had      int  // number of its last turn
	archived bool // or deleted
}

// before reports whether the workspace goes before another one at the same kind.
func (c candidate) before(other candidate) bool {
	return cmp.Or(cmp.Compare(c.running, other.running), cmp.Compare(c.had, other.had), cmp.Compare(c.workspace, other.workspace)) < 0
}

// next returns the workspace and the kind of the run to claim next.
func (q *Queue) next(ctx context.Context, room Room) (next candidate, ok bool, err error) {
	all, err := q.candidates(ctx, slices.Sorted(maps.Keys(room)))
	if err != nil {
		return next, false, err
	}
	first := map[string]candidate{} // of each kind
	q.turns.Lock()
	for _, c := range all {
		s := room[c.kind]
		if c.archived && !s.InArchived || s.Slots > 0 && s.Held[c.workspace] >= q.most(c, s.Slots) {
			continue
		}
		c.had = q.had[c.turn].count
		if f, found := first[c.kind]; !found || c.before(f) {
			first[c.kind] = c
		}
	}
	q.turns.Unlock()
	for _, c := range first {
		if !ok || cmp.Or(room[c.kind].Late-room[next.kind].Late, -cmp.Compare(c.priority, next.priority), cmp.Compare(c.kind, next.kind)) < 0 {
			next, ok = c, true
		}
	}
	return next, ok, nil
}

// took notes that a workspace had its turn.
func (q *Queue) took(t turn, priority int, now time.Time) {
	q.turns.Lock()
	defer q.turns.Unlock()
	q.count++
	paced := q.had[t].paced
	if paced.Before(now) {
		paced = now
	}
	q.had[t] = had{q.count, priority, now, paced.Add(pace)}
}

// most returns how many slots a workspace may hold. The caller holds the lock of turns.
func (q *Queue) most(c candidate, slots int) int {
	most, now, makesWay := slots, q.now(), false
	for other, h := range q.had {
		switch since := now.Sub(h.at); {
		case other.workspace == c.workspace:
		case other.kind == c.kind && since < recently:
			most = min(most, (slots+1)/2)
			makesWay = makesWay || since < justNow
		case h.priority > c.priority && since < justNow:
			most, makesWay = 1, true
		}
	}
	if makesWay && q.had[c.turn].paced.Sub(now) >= ahead {
		return 0
	}
	return most
}

// The conditions on a run that can be claimed. The first is that of the index of turns, and must read as it does there.
const (
	unended   = `status IN ('waiting', 'capped', 'running')`
	claimable = `stop_asked = 0 AND (status IN ('waiting', 'capped') AND next_try <= ? OR status = 'running' AND lease_until <= ? AND attempt < ` + abandonLimit + `)`
)

func claimableAt(now time.Time) []any { return []any{sqlio.Millis(now), sqlio.Millis(now)} }

// claim returns the statement that finds the run to claim. It reads the first ones of each state in the index of turns.
func (c candidate) claim(now time.Time) (query string, args []any) {
	var parts []string
	for _, state := range []Status{Waiting, Capped, Running} {
		parts = append(parts, `SELECT id, priority, lap, created_at FROM (SELECT id, priority, lap, created_at FROM runs WHERE `+unended+` AND status = '`+string(state)+`' AND kind = ? AND workspace_id = ? AND `+claimable+`
			ORDER BY priority DESC, lap, created_at, id LIMIT 1) `+string(state))
		args = append(append(args, c.kind, c.workspace), claimableAt(now)...)
	}
	return `SELECT id FROM (` + strings.Join(parts, ` UNION ALL `) + `) runs ORDER BY priority DESC, lap, created_at, id LIMIT 1`, args
}

// candidates lists the workspaces that have a run of one of kinds to claim. It steps through the index of turns from one
// workspace to the next, however many runs each has.
func (q *Queue) candidates(ctx context.Context, kinds []string) ([]candidate, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	query, args := candidates(kinds, q.now())
	db := q.reader
	if q.lock.Postgres { // its writers plan a statement once, but planning this one takes longer than running it
		db = q.writer
	}
	return sqlio.Collect(ctx, db, func(rows *sql.Rows) (c candidate, err error) {
		return c, rows.Scan(&c.kind, &c.workspace, &c.priority, &c.running, &c.archived)
	}, query, args...)
}

func candidates(kinds []string, now time.Time) (query string, args []any) {
	args = append(sqlio.Args(kinds), claimableAt(now)...)
	return `WITH RECURSIVE k (kind) AS (VALUES ` + strings.TrimSuffix(strings.Repeat(`(CAST(? AS TEXT)),`, len(kinds)), ",") + `),
		s (status) AS (VALUES ('waiting'), ('capped'), ('running')),
		w (status, kind, id) AS (
			SELECT s.status, k.kind, (SELECT MIN(r.workspace_id) FROM runs r WHERE r.` + unended + ` AND r.status = s.status AND r.kind = k.kind) FROM k CROSS JOIN s
			UNION ALL
			SELECT w.status, w.kind, (SELECT MIN(r.workspace_id) FROM runs r WHERE r.` + unended + ` AND r.status = w.status AND r.kind = w.kind AND r.workspace_id > w.id)
			FROM w WHERE w.id IS NOT NULL),
		c (kind, id, priority) AS (SELECT w.kind, w.id, (SELECT priority FROM runs WHERE ` + unended + ` AND status = w.status AND kind = w.kind AND workspace_id = w.id AND ` + claimable + `
			ORDER BY priority DESC, lap, created_at, id LIMIT 1) FROM w WHERE w.id IS NOT NULL)
		SELECT c.kind, c.id, MAX(c.priority), (SELECT COUNT(*) FROM runs r WHERE r.` + unended + ` AND r.status = 'running' AND r.kind = c.kind AND r.workspace_id = c.id),
			EXISTS (SELECT 1 FROM workspaces o WHERE o.id = c.id AND (o.archived_at > 0 OR o.delete_at > 0))
		FROM c WHERE c.priority IS NOT NULL GROUP BY c.kind, c.id`, args
}
