package health

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
)

// listed is how many runs of each state are told of.
const listed = 5

// QueueState is what waits, works, and has failed.
type QueueState struct {
	Waiting, Running, Failed int
	Asleep                   int       // of the waiting ones: those that wait for a person
	Oldest                   time.Time // when the run that has waited longest was ordered; zero when none waits
	Open                     []job.Run // that wait or run, newest first
	Late                     []job.Run // waiting ones that failed before and are tried again, newest first, a few
	Dead                     []job.Run // those that will not be tried again, newest first, a few
}

// QueueState looks at a workspace's runs.
func (v *Monitor) QueueState(ctx context.Context, w domain.WorkspaceID) (QueueState, error) {
	var q QueueState
	var err error
	if q.Open, err = v.Queue.List(ctx, w, job.Query{Status: []job.Status{job.Waiting, job.Running}}); err != nil {
		return q, err
	}
	for _, r := range q.Open {
		if r.Status == job.Running {
			q.Running++
			continue
		}
		q.Waiting++
		if r.Asleep() {
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

// Worker is one process that carries out runs.
type Worker struct {
	Host   string
	PID    int
	Seen   time.Time // its last heartbeat
	Leases int       // runs that it works on
	Gone   bool      // it is certain to have ended
}

// Workers lists who works on the queue, of all workspaces.
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
