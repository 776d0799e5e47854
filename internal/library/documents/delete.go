package documents

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// fewDeleted is how many deleted documents the stores drop before Remove returns. More are dropped
// by CarryOut.
const fewDeleted = 25

// Remove deletes the documents that a query selects, so that it can be taken back for a while:
// they are hidden from lists, searches and answers at once, and gone once CarryOut finds that
// the time is over. With keep, answers keep the sentences that they took from them. It fails
// with kind NotFound if there are none.
func (s *Service) Remove(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery, keep bool) (ledger.Deletion, error) {
	id, err := s.IDs.Deletion()
	if err != nil {
		return ledger.Deletion{}, err
	}
	d := ledger.Deletion{ID: id, At: s.Now().Add(s.UndoTime), Keep: keep}
	if d.Documents, err = s.Ledger.MarkDeleted(ctx, w, q, d); err != nil {
		return d, err
	}
	if d.Documents == 0 {
		return d, domain.Errorf(domain.NotFound, "There is no such document here. It may have been deleted.")
	}
	if d.Documents <= fewDeleted {
		err = s.follow(ctx, w)
	}
	return d, err
}

// DeleteNow deletes the documents that a query selects for good, and returns their number.
func (s *Service) DeleteNow(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery, keep bool) (int, error) {
	id, err := s.IDs.Deletion()
	if err != nil {
		return 0, err
	}
	n, err := s.Ledger.MarkDeleted(ctx, w, q, ledger.Deletion{ID: id, At: s.Now(), Keep: keep})
	if err != nil || n == 0 {
		return n, err
	}
	return n, s.CarryOut(ctx, w)
}

// Undo takes a deletion back and returns the number of its documents, which are as they were.
// It fails with kind Conflict when the time for that is over.
func (s *Service) Undo(ctx context.Context, w domain.WorkspaceID, id domain.DeletionID) (int, error) {
	n, err := s.Ledger.Undelete(ctx, w, id)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, domain.Errorf(domain.Conflict, "It is too late to undo this: the documents have been deleted for good. Add the files again.")
	}
	if n <= fewDeleted {
		err = s.follow(ctx, w)
	}
	return n, err
}

// follow brings the stores up to date. While one is away they follow later.
func (s *Service) follow(ctx context.Context, w domain.WorkspaceID) error {
	err := s.Projector.Apply(ctx, w)
	if domain.KindOf(err) == domain.Unavailable {
		s.Log.WarnContext(ctx, "the stores follow a change later", "err", err)
		return nil
	}
	return err
}

// CarryOut has the stores drop what Remove has hidden, and deletes for good what can't be
// taken back any more. A process that ends in between leaves the rest to the next.
func (s *Service) CarryOut(ctx context.Context, w domain.WorkspaceID) error {
	first, err := s.Ledger.MarkedUntil(ctx, w)
	if err != nil || first.IsZero() {
		return err
	}
	if err := s.follow(ctx, w); err != nil {
		return err
	}
	for n := 0; ; n++ {
		due, err := s.Ledger.Marked(ctx, w, fewDeleted)
		if err != nil {
			return err
		}
		if len(due) == 0 {
			if n > 0 {
				s.ScrubDisk(ctx, scrubbedNow)
			}
			return nil
		}
		for _, d := range due {
			if err := s.erase(ctx, d); err != nil {
				return err
			}
		}
		if err := s.gone(ctx, w); err != nil {
			return err
		}
	}
}

// erase stops the run that reads a document, and removes it with its next versions from the ledger, and their files. One
// that another process deleted, or whose deletion was taken back, is left alone.
func (s *Service) erase(ctx context.Context, d domain.Document) error {
	if !d.Status.Settled() {
		if err := s.Queue.Stop(ctx, d.Workspace, d.Run); err != nil && domain.KindOf(err) != domain.NotFound {
			return err
		}
	}
	files, err := s.filesOf(ctx, d)
	if err != nil {
		return err
	}
	switch err := s.Ledger.DeleteMarked(ctx, d.Workspace, d.ID); domain.KindOf(err) {
	case domain.NotFound, domain.Conflict:
		return nil
	default:
		if err != nil {
			return err
		}
	}
	for _, hash := range files {
		if err := s.removeFile(ctx, d.Workspace, hash); err != nil {
			return err
		}
	}
	return s.overtake(ctx, domain.Document{Workspace: d.Workspace, VersionOf: d.ID})
}

// gone brings the stores and other services up to date after texts were removed.
func (s *Service) gone(ctx context.Context, w domain.WorkspaceID) error {
	if err := s.follow(ctx, w); err != nil {
		return err
	}
	if s.Deleted != nil {
		s.Deleted(ctx, w)
	}
	return nil
}

// scrubbedNow is how many pages of each database a deletion looks at before it returns: 64 MB, in
// about half a second. The rest of a larger one is left to ScrubDisk.
const scrubbedNow = 1 << 14

// logScrub is the interval at which progress on a large database is logged.
const logScrub = 30 * time.Second

// disk records when remaining work was last logged, by database name.
type disk struct {
	mu   sync.Mutex
	said map[string]time.Time
}

// ScrubDisk removes from the disk what deletions have left there, looking at so many pages of each
// database. It does nothing where nothing was deleted, goes on where it ended, also after a restart,
// and logs what is left. A failure is logged: the next call tries it again.
func (s *Service) ScrubDisk(ctx context.Context, pages int) {
	for _, name := range slices.Sorted(maps.Keys(s.Scrub)) {
		left, err := s.Scrub[name].Scrub(ctx, pages)
		if err != nil {
			if ctx.Err() == nil {
				s.Log.WarnContext(ctx, "could not remove deleted words from the disk, will retry", "file", name, "err", err)
			}
			continue
		}
		s.sayLeft(ctx, name, left)
	}
}

// sayLeft logs how many pages of a database are left, now and then, and when all are done.
func (s *Service) sayLeft(ctx context.Context, name string, left int) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	said, begun := s.disk.said[name]
	switch now := s.Now(); {
	case left == 0 && begun:
		delete(s.disk.said, name)
		s.Log.InfoContext(ctx, "removed deleted words from the disk", "file", name)
	case left > 0 && now.Sub(said) >= logScrub:
		s.disk.said[name] = now
		s.Log.InfoContext(ctx, "removing deleted words from the disk", "file", name, "left", left)
	}
}
