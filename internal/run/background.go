package run

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// Background queues low-priority runs about a whole workspace that follow changes of its documents. At most one of them
// waits, and questions and documents go first.
type Background struct {
	Queue  *job.Queue
	IDs    domain.IDs
	Now    domain.Clock
	Log    *slog.Logger
	Kind   string
	Settle time.Duration // how long a run waits for more changes to come
	Alone  bool          // orders no run while one is working; that run orders the next
}

// After returns a kind like k whose runs queue a background run when they end and no other is left.
func (b Background) After(k Kind) Kind {
	settled := k.Settled
	k.Settled = func(ctx context.Context, r job.Run) error {
		err := settled(ctx, r)
		left, counted := b.Queue.Count(ctx, r.Workspace, job.Query{Kind: k.Name, Status: job.Unended()})
		if counted == nil && left == 0 {
			b.Changed(ctx, r.Workspace)
		}
		return errors.Join(err, counted)
	}
	return k
}

// Changed queues a run because documents have changed. Errors are only logged: the change itself is done, and the next
// one queues a run again.
func (b Background) Changed(ctx context.Context, w domain.WorkspaceID) {
	if _, err := b.order(ctx, w, b.Settle); err != nil {
		b.Log.WarnContext(ctx, "order a run in the background", "kind", b.Kind, "workspace", w, "err", err)
	}
}

// Start orders a run and returns it, or the one that waits already.
func (b Background) Start(ctx context.Context, w domain.WorkspaceID) (job.Run, error) {
	r, err := b.order(ctx, w, 0)
	if err == nil && (r.Status == job.Capped || r.NextTry.After(b.Now())) {
		return r, b.Queue.RetryNow(ctx, w, r.ID)
	}
	return r, err
}

// background is the priority of such runs.
const background = -1

// order queues a run unless one waits already.
func (b Background) order(ctx context.Context, w domain.WorkspaceID, after time.Duration) (job.Run, error) {
	status := job.Pending()
	if b.Alone {
		status = job.Unended()
	}
	waiting, err := b.Queue.List(ctx, w, job.Query{Kind: b.Kind, Status: status, Limit: 1})
	if err != nil {
		return job.Run{}, err
	}
	if len(waiting) > 0 {
		return waiting[0], nil
	}
	id, err := b.IDs.Run()
	if err != nil {
		return job.Run{}, err
	}
	return b.Queue.Add(ctx, job.Run{
		Workspace: w, ID: id, Kind: b.Kind, Subject: string(w), Priority: background, CreatedAt: b.Now(), NextTry: b.Now().Add(after),
	})
}

// OfWorkspace returns the subjects of runs about a whole workspace.
func OfWorkspace(_ context.Context, w domain.WorkspaceID, _ []string) (map[string]Subject, error) {
	return map[string]Subject{string(w): {Title: "The whole library"}}, nil
}
