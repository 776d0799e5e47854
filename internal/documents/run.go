package documents

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ingest"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/stategraph"
)

// Handle reads the document of one run. It is the queue's handler for Kind.
func (l *Service) Handle(ctx context.Context, run job.Run) error {
	id := domain.DocumentID(run.Subject)
	recorder, err := l.Hub.Record(ctx, run.Workspace, run.ID)
	if err != nil {
		return err
	}
	defer recorder.Close()
	began := l.Now()
	opts := []stategraph.RunOption{stategraph.Observe(recorder.Observe), stategraph.MaxConcurrency(l.AtOnce)}
	if l.Threads != nil {
		// The queue gives a run to one worker at a time: whoever wrote before is gone.
		opts = append(opts, stategraph.Thread(string(run.ID)), stategraph.OrResume(), stategraph.TakeOver(), stategraph.Recorded(recorder.Keeps))
	}
	_, err = l.Graph.Run(ctx, ingest.Begin(run.Workspace, id), opts...)
	after := context.WithoutCancel(ctx)
	if _, noted := l.Ledger.UpdateDocument(after, run.Workspace, id, func(d *domain.Document) {
		d.Took, d.UpdatedAt = d.Took+l.Now().Sub(began), l.Now()
	}); noted != nil && domain.KindOf(noted) != domain.NotFound {
		l.Log.WarnContext(ctx, "note the time of an ingest", "run", run.ID, "document", id, "workspace", run.Workspace, "err", noted)
	}
	return err
}

// Settled notes on the document how its run ended, and then in the run's log,
// so that whoever reads the end there finds the document settled. It is the
// queue's callback for runs of Kind that will not be tried again.
func (l *Service) Settled(ctx context.Context, run job.Run) error {
	read := domain.Document{Workspace: run.Workspace, ID: domain.DocumentID(run.Subject), Run: run.ID}
	recorder, err := l.Hub.Record(ctx, run.Workspace, run.ID)
	if err != nil {
		return err
	}
	switch run.Status {
	case job.Failed:
		err = l.mark(ctx, read, domain.DocumentFailed, run.Problem)
	case job.Stopped:
		err = l.mark(ctx, read, domain.DocumentStopped, "")
	}
	if l.Threads != nil {
		err = errors.Join(err, l.Threads.Delete(ctx, string(run.ID)))
	}
	recorder.Settle(string(run.Status), run.Problem)
	return errors.Join(err, recorder.Close())
}

// titleOf is the title of a document that does not name itself: its file's
// name without the extension.
func titleOf(name string) string {
	return strings.TrimSuffix(name, path.Ext(name))
}
