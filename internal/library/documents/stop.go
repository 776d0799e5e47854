package documents

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// Pause pauses the waiting documents until GoOn, and returns their number.
func (s *Service) Pause(ctx context.Context, w domain.WorkspaceID) (int, error) {
	return s.Queue.Pause(ctx, w, Kind)
}

// GoOn resumes the paused documents, and returns their number.
func (s *Service) GoOn(ctx context.Context, w domain.WorkspaceID) (int, error) {
	return s.Queue.GoOn(ctx, w, Kind)
}

// ReadNext moves a waiting document ahead of all others.
func (s *Service) ReadNext(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) error {
	doc, err := s.Ledger.Document(ctx, w, id)
	if err != nil {
		return err
	}
	return s.Queue.Prefer(ctx, w, doc.Run)
}

// Stop stops the run that reads a document, within a second if it is running. What it has recorded stays. A settled
// document stays as it is.
func (s *Service) Stop(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) error {
	doc, err := s.Ledger.Document(ctx, w, id)
	if err != nil || doc.Status.Settled() {
		return err
	}
	if err := s.Queue.Stop(ctx, w, doc.Run); err != nil && domain.KindOf(err) != domain.NotFound {
		return err
	}
	run, err := s.Queue.Get(ctx, w, doc.Run)
	if domain.KindOf(err) == domain.NotFound || err == nil && run.Status == job.Stopped {
		return s.mark(ctx, doc, domain.DocumentStopped, "") // no worker has it
	}
	return err
}

// mark settles a document outside its graph, unless it is gone or has another run by now.
func (s *Service) mark(ctx context.Context, was domain.Document, status domain.DocumentStatus, problem string) error {
	_, err := s.Ledger.UpdateDocument(ctx, was.Workspace, was.ID, func(d *domain.Document) {
		if d.Run == was.Run {
			d.Status, d.Problem, d.UpdatedAt = status, problem, s.Now()
		}
	})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}
