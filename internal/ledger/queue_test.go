package ledger_test

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// queue holds the runs that events and calls belong to.
type queue struct{ *job.Queue }

func (q queue) Add(ctx context.Context, w domain.WorkspaceID, id domain.RunID, kind, subject, title string) error {
	_, err := q.Queue.Add(ctx, job.Run{Workspace: w, ID: id, Kind: kind, Subject: subject, Title: title})
	return err
}

func (q queue) Claim(ctx context.Context, kind string) error {
	_, _, err := q.Queue.Claim(ctx, "o", job.Room{kind: {}}, time.Minute)
	return err
}

func (q queue) State(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (running, stopAsked bool, err error) {
	r, err := q.Get(ctx, w, id)
	return r.Status == job.Running, r.StopAsked, err
}
