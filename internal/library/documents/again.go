package documents

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/run/job"
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
		_, err := s.enqueueWith(ctx, d, func(*domain.Document) {}, func(tx *sql.Tx, run domain.RunID) error {
			return s.Ledger.NoteReread(ctx, tx, w, id, at, ledger.Reread{Document: d.ID, Run: run, Was: was})
		})
		if err != nil {
			return id, queued, err
		}
		queued++
	}
	return id, queued, nil
}

// errBegun means that the reading of a document has already started.
var errBegun = errors.New("reading has begun")

// LeaveRest leaves the documents of a rereading as they were that no worker has begun to read, and returns their number.
func (s *Service) LeaveRest(ctx context.Context, w domain.WorkspaceID, id domain.RereadingID) (int, error) {
	rest, err := s.Ledger.Unbegun(ctx, w, id)
	if err != nil {
		return 0, err
	}
	left := 0
	for _, r := range rest {
		_, err := s.Ledger.UpdateDocument(ctx, w, r.Document, func(d *domain.Document) {
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

// ReadAgain queues a run that reads a document once more, with the current extractor. What that extractor has recorded is
// not paid for twice: only chunks that were left out are mined. A run that waits for its next try starts it now, and
// one that is held begins. A document that is being read is a Conflict.
func (s *Service) ReadAgain(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error) {
	doc, err := s.Ledger.Document(ctx, w, id)
	if err != nil {
		return doc, err
	}
	if !doc.Status.Settled() {
		run, err := s.Queue.Get(ctx, w, doc.Run)
		if err == nil && (run.Status.Asleep() || run.Status == job.Capped || run.NextTry.After(s.Now())) {
			return doc, s.Queue.RetryNow(ctx, w, doc.Run)
		}
		return doc, domain.Errorf(domain.Conflict, "%s is already being read.", doc.Name)
	}
	return s.enqueue(ctx, doc)
}

// SetEncoding has the documents that a query selects read in an encoding, given by one of its names, whenever they are read
// again: "guess" lets their bytes suggest it. It fails with kind Invalid for a name that is not known, and Conflict while one
// of them is being read.
func (s *Service) SetEncoding(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery, label string) error {
	name := ""
	if label != GuessEncoding {
		var err error
		if name, err = parse.EncodingNamed(label); err != nil {
			return err
		}
	}
	docs, err := s.Ledger.ListDocuments(ctx, w, q)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if !d.Status.Settled() {
			return domain.Errorf(domain.Conflict, "%s is being read. Choose its encoding once that has ended.", d.Name)
		}
		if !d.Format.HasEncoding() {
			return domain.Errorf(domain.Invalid, "No encoding can be chosen for %s: its format states that of its text, or has none.", d.Name)
		}
	}
	for _, d := range docs {
		if _, err := s.Ledger.UpdateDocument(ctx, w, d.ID, func(d *domain.Document) { d.Chunking.Encoding = name }); err != nil {
			return err
		}
	}
	return nil
}

// GuessEncoding chooses to guess the encoding.
const GuessEncoding = "guess"

// Outdated lists the documents that were read with another extractor or prompt than the current one.
func (s *Service) Outdated(ctx context.Context, w domain.WorkspaceID) ([]domain.Document, error) {
	docs, _, err := s.Ledger.Documents(ctx, w, ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentReady, domain.DocumentEmpty}})
	if err != nil {
		return nil, err
	}
	reader, err := s.reader(ctx, w)
	if err != nil {
		return nil, err
	}
	outdated := docs[:0]
	for _, d := range docs {
		if d.Reader != reader && d.Format != domain.FormatGraph { // an imported graph is read the same way by all
			outdated = append(outdated, d)
		}
	}
	return outdated, nil
}

// ReadOutdatedAgain queues a run for every outdated document, as one rereading, and returns their number.
func (s *Service) ReadOutdatedAgain(ctx context.Context, w domain.WorkspaceID) (domain.RereadingID, int, error) {
	docs, err := s.Outdated(ctx, w)
	if err != nil {
		return "", 0, err
	}
	return s.again(ctx, w, docs)
}

// ReadFailedAgain queues a run for every document that failed, was stopped or has chunks left out, as one rereading, and
// returns their number.
func (s *Service) ReadFailedAgain(ctx context.Context, w domain.WorkspaceID) (domain.RereadingID, int, error) {
	docs, _, err := s.Ledger.Documents(ctx, w, ledger.DocumentQuery{
		Status: []domain.DocumentStatus{domain.DocumentFailed, domain.DocumentStopped, domain.DocumentReady, domain.DocumentEmpty},
	})
	if err != nil {
		return "", 0, err
	}
	return s.again(ctx, w, slices.DeleteFunc(docs, func(d domain.Document) bool {
		return d.Status != domain.DocumentFailed && d.Status != domain.DocumentStopped && d.LeftOut() == 0
	}))
}

// ReadSelectedAgain queues a run for every document that a query selects and that is not being read, as one rereading, and
// returns their number.
func (s *Service) ReadSelectedAgain(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) (domain.RereadingID, int, error) {
	docs, err := s.Ledger.ListDocuments(ctx, w, q)
	if err != nil {
		return "", 0, err
	}
	return s.again(ctx, w, docs)
}
