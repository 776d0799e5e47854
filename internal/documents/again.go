package documents

import (
	"context"
	"database/sql"
	"errors"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// again queues a run for each of the documents that is not being read, as one rereading, and returns their number. When ctx
// ends before all are queued, the rest is not read again.
func (s *Service) again(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) (domain.RereadingID, int, error) {
	if len(docs) == 0 {
		return "", 0, nil
	}
	id, err := s.IDs.Rereading()
	if err != nil {
		return "", 0, err
	}
	if err := s.Ledger.DropRereadings(ctx, w); err != nil {
		return "", 0, err
	}
	at, queued := s.Now(), 0
	for _, d := range docs {
		if !d.Status.Settled() {
			continue
		}
		was := ledger.Settled{Status: d.Status, Stage: d.Stage, Problem: d.Problem, Run: d.Run, Took: d.Took, Deaths: d.Deaths}
		_, err := s.enqueueWith(ctx, d, func(tx *sql.Tx, run domain.RunID) error {
			return s.Ledger.NoteReread(ctx, tx, w, id, at, ledger.Reread{Document: d.ID, Run: run, Was: was})
		})
		if err != nil {
			return id, queued, err
		}
		queued++
	}
	return id, queued, nil
}

// errBegun says that the reading of a document has begun.
var errBegun = errors.New("reading has begun")

// LeaveRest leaves the documents of a rereading as they were that no worker has begun to read, and returns their number.
func (s *Service) LeaveRest(ctx context.Context, w domain.WorkspaceID, id domain.RereadingID) (int, error) {
	rest, err := s.Ledger.Unbegun(ctx, w, id)
	if err != nil {
		return 0, err
	}
	left := 0
	for _, r := range rest {
		_, err := s.Ledger.UpdateDocumentTx(ctx, w, r.Document, func(d *domain.Document) {
			if d.Run == r.Run {
				d.Status, d.Stage, d.Problem, d.Run, d.Took, d.Deaths = r.Was.Status, r.Was.Stage, r.Was.Problem, r.Was.Run, r.Was.Took, r.Was.Deaths
			}
		}, func(tx *sql.Tx) error {
			if withdrawn, err := s.Queue.Withdraw(ctx, tx, w, r.Run); err != nil || withdrawn {
				return err
			}
			return errBegun
		})
		switch {
		case err == nil:
			left++
		case !errors.Is(err, errBegun) && domain.KindOf(err) != domain.NotFound:
			return left, err
		}
	}
	return left, nil
}
