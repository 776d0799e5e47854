package maintenance

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
)

// listed limits the listed runs of each state.
const listed = 5

// QueueState counts the runs that wait, run, and have failed.
type QueueState struct {
	Waiting, Running, Failed int
	Asleep                   int       // waiting runs that wait for a person
	Oldest                   time.Time // creation of the oldest waiting run; zero when none waits
	Open                     []job.Run // runs that wait or run, newest first
	Late                     []job.Run // some waiting runs that failed before, newest first
	Dead                     []job.Run // some failed runs, newest first
}

// QueueState returns the state of a workspace's queue.
func (v *Monitor) QueueState(ctx context.Context, w domain.WorkspaceID) (QueueState, error) {
	var q QueueState
	var err error
	if q.Open, err = v.Queue.List(ctx, w, job.Query{Status: job.Unended()}); err != nil {
		return q, err
	}
	for _, r := range q.Open {
		if r.Status == job.Running {
			q.Running++
			continue
		}
		q.Waiting++
		if r.Status.Asleep() {
			q.Asleep++
			continue
		}
		q.Oldest = r.CreatedAt // newest first: the last is the oldest
		if r.Problem != "" && len(q.Late) < listed {
			q.Late = append(q.Late, r)
		}
	}
	if q.Failed, err = v.Queue.Count(ctx, w, job.Query{Status: []job.Status{job.Failed}}); err != nil || q.Failed == 0 {
		return q, err
	}
	q.Dead, err = v.Queue.List(ctx, w, job.Query{Status: []job.Status{job.Failed}, Limit: listed})
	return q, err
}

// A Worker is a process that works on the queue.
type Worker struct {
	Host   string
	PID    int
	Seen   time.Time // last heartbeat
	Leases int       // runs that it has leased
	Gone   bool      // it has certainly ended
}

// Workers lists the workers of all workspaces.
func (v *Monitor) Workers(ctx context.Context) ([]Worker, error) {
	registered, err := v.Queue.Workers(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Worker, len(registered))
	for i, r := range registered {
		list[i] = Worker{Host: r.Process.Host, PID: r.Process.PID, Seen: r.Seen, Leases: r.Leases, Gone: v.Gone(r.Process)}
	}
	return list, nil
}
