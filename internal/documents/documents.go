// Package library is what a person does with documents: add, read again, stop,
// delete. It keeps the uploaded files, queues the runs that read them, and
// carries those runs out.
package documents

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ingest"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/trace"
)

// Kind is the kind of run that reads a document. Its subject is the document.
const Kind = "ingest"

// priority lets questions, which people wait for, go first.
const priority = 0

// attempts is how often a run is tried while a model or store does not answer.
const attempts = 5

// Ledger is what the library needs of the ledger.
type Ledger interface {
	AddDocumentAnd(ctx context.Context, d domain.Document, more func(*sql.Tx) error) (domain.Document, bool, error)
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
	Documents(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) ([]domain.Document, int, error)
	UpdateDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, change func(*domain.Document)) (domain.Document, error)
	UpdateDocumentAnd(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, change func(*domain.Document), more func(*sql.Tx) error) (domain.Document, error)
	DeleteDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (int64, error)
}

// Queue is what the library needs of the queue of runs, which is in the
// ledger's database.
type Queue interface {
	AddWithin(ctx context.Context, tx *sql.Tx, r job.Run) (job.Run, error)
	Announce()
	Stop(ctx context.Context, w domain.WorkspaceID, id domain.RunID) error
	Hurry(ctx context.Context, w domain.WorkspaceID, id domain.RunID) error
	Get(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (job.Run, error)
}

// Projector brings the stores up to date with the ledger.
type Projector interface {
	Apply(ctx context.Context, w domain.WorkspaceID) error
}

// Scrubber makes deleted words disappear from the disk too.
type Scrubber interface {
	Checkpoint(ctx context.Context) error
}

// Threads forget a run that is over.
type Threads interface {
	Delete(ctx context.Context, thread string) error
}

// Params are what a library works with. All are required but Threads.
type Params struct {
	Ledger    Ledger
	Files     FileStore
	Queue     Queue
	Hub       *trace.Hub
	Projector Projector
	Scrub     []Scrubber // the databases that held a deleted document
	Graph     *stategraph.Graph[ingest.State]
	Threads   Threads // where the graph keeps its runs; may be nil
	Detect    func(name string, head []byte) (domain.Format, error)
	Reader    string // the extractor in use, as recorded with what it read
	MaxUpload int64  // bytes
	AtOnce    int    // chunks of one document mined at the same time
	IDs       domain.IDs
	Now       func() time.Time
	Log       *slog.Logger
}

// Service carries out what people ask of documents.
type Service struct{ Params }

// New makes a library.
func New(p Params) *Service { return &Service{p} }

// Added is the outcome of adding a file.
type Added struct {
	Document domain.Document
	Existing bool // the same content was there already
}

// Add stores a file and queues the run that reads it. A file whose content is
// in the library already is not stored again; one that failed or was stopped
// before is read again. Errors are of kind Invalid, TooLarge, Unsupported or
// Exhausted, and leave nothing behind.
func (l *Service) Add(ctx context.Context, w domain.WorkspaceID, name string, r io.Reader) (Added, error) {
	name, err := SafeName(name)
	if err != nil {
		return Added{}, err
	}
	stored, err := l.Files.Put(ctx, w, r, l.MaxUpload)
	if err != nil {
		return Added{}, err
	}
	ctx = context.WithoutCancel(ctx) // all of it has arrived: who sent it may go
	id := domain.NewDocumentID(w, stored.Hash)
	doc, err := l.register(ctx, w, id, name, stored)
	if err != nil {
		l.dropFile(ctx, w, id, stored.Hash)
		return Added{}, err
	}
	if doc.Existing && (doc.Document.Status == domain.DocumentFailed || doc.Document.Status == domain.DocumentStopped) {
		doc.Document, err = l.enqueue(ctx, doc.Document)
	}
	return doc, err
}

// register checks what was stored, and enters it into the ledger together with
// the run that reads it: a process that is killed leaves both or neither.
func (l *Service) register(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, name string, s Stored) (Added, error) {
	if s.Size == 0 {
		return Added{}, domain.Errorf(domain.Invalid, "%s is empty: there is nothing to read.", name)
	}
	format, err := l.Detect(name, s.Head)
	if err != nil {
		return Added{}, err
	}
	run, err := l.IDs.Run()
	if err != nil {
		return Added{}, err
	}
	now := l.Now()
	d := domain.Document{
		Workspace: w, ID: id, Name: name, Title: titleOf(name), Format: format,
		Size: s.Size, Hash: s.Hash, Status: domain.DocumentWaiting, Run: run, CreatedAt: now, UpdatedAt: now,
	}
	doc, existing, err := l.Ledger.AddDocumentAnd(ctx, d, l.queue(ctx, d, run))
	l.Queue.Announce()
	return Added{doc, existing}, err
}

// dropFile removes a file that no document refers to.
func (l *Service) dropFile(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, hash string) {
	if _, err := l.Ledger.Document(ctx, w, id); domain.KindOf(err) != domain.NotFound {
		return
	}
	if err := l.Files.Remove(ctx, w, hash); err != nil {
		l.Log.ErrorContext(ctx, "remove a refused upload", "err", err)
	}
}

// queue adds a run that reads a document, in a transaction of the ledger's.
func (l *Service) queue(ctx context.Context, d domain.Document, id domain.RunID) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, err := l.Queue.AddWithin(ctx, tx, job.Run{
			Workspace: d.Workspace, ID: id, Kind: Kind, Subject: string(d.ID), Priority: priority, MaxAttempts: attempts, CreatedAt: l.Now(),
		})
		return err
	}
}

// enqueue makes a run that reads the document once more and notes it there.
func (l *Service) enqueue(ctx context.Context, d domain.Document) (domain.Document, error) {
	id, err := l.IDs.Run()
	if err != nil {
		return d, err
	}
	doc, err := l.Ledger.UpdateDocumentAnd(ctx, d.Workspace, d.ID, func(d *domain.Document) {
		d.Status, d.Stage, d.Problem, d.Run, d.Took = domain.DocumentWaiting, "", "", id, 0
		d.UpdatedAt = l.Now()
	}, l.queue(ctx, d, id))
	if err != nil {
		return d, err
	}
	l.Queue.Announce()
	return doc, nil
}

// ReadAgain queues a run that reads a document once more, with the extractor
// in use now. What the same extractor has recorded is not paid for twice: of a
// document that was read but for some chunks, those alone are mined. A run
// that waits for its next try begins it now. A document that is being read is
// an error of kind Conflict.
func (l *Service) ReadAgain(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error) {
	doc, err := l.Ledger.Document(ctx, w, id)
	if err != nil {
		return doc, err
	}
	if !doc.Status.Settled() {
		run, err := l.Queue.Get(ctx, w, doc.Run)
		if err == nil && run.Status == job.Waiting && run.NextTry.After(l.Now()) {
			return doc, l.Queue.Hurry(ctx, w, doc.Run)
		}
		return doc, domain.Errorf(domain.Conflict, "%s is being read already.", doc.Name)
	}
	return l.enqueue(ctx, doc)
}

// settling is how long another process, of an earlier version, may take
// between noting a run on a document and queueing it.
const settling = time.Minute

// Recover queues a run for every document that waits for one that does not
// exist, as a process of an earlier version could leave it. It gives their
// number.
func (l *Service) Recover(ctx context.Context, w domain.WorkspaceID) (int, error) {
	docs, _, err := l.Ledger.Documents(ctx, w, ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentWaiting, domain.DocumentWorking}})
	if err != nil {
		return 0, err
	}
	recovered := 0
	for _, d := range docs {
		_, err := l.Queue.Get(ctx, w, d.Run)
		if err == nil || l.Now().Sub(d.UpdatedAt) < settling {
			continue
		}
		if domain.KindOf(err) != domain.NotFound {
			return recovered, err
		}
		if _, err := l.enqueue(ctx, d); err != nil {
			return recovered, err
		}
		recovered++
	}
	return recovered, nil
}

// Outdated lists the documents that another extractor than the one in use has
// read, for instance none but the built-in one.
func (l *Service) Outdated(ctx context.Context, w domain.WorkspaceID) ([]domain.Document, error) {
	docs, _, err := l.Ledger.Documents(ctx, w, ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentReady, domain.DocumentEmpty}})
	if err != nil {
		return nil, err
	}
	outdated := docs[:0]
	for _, d := range docs {
		if d.Reader != l.Reader {
			outdated = append(outdated, d)
		}
	}
	return outdated, nil
}

// ReadOutdatedAgain queues a run for every outdated document and gives their
// number.
func (l *Service) ReadOutdatedAgain(ctx context.Context, w domain.WorkspaceID) (int, error) {
	docs, err := l.Outdated(ctx, w)
	if err != nil {
		return 0, err
	}
	for i, d := range docs {
		if _, err := l.enqueue(ctx, d); err != nil {
			return i, err
		}
	}
	return len(docs), nil
}

// ReadFailedAgain queues a run for every document that failed, or of which
// chunks were left out, and gives their number.
func (l *Service) ReadFailedAgain(ctx context.Context, w domain.WorkspaceID) (int, error) {
	docs, _, err := l.Ledger.Documents(ctx, w, ledger.DocumentQuery{
		Status: []domain.DocumentStatus{domain.DocumentFailed, domain.DocumentReady, domain.DocumentEmpty},
	})
	if err != nil {
		return 0, err
	}
	again := 0
	for _, d := range docs {
		if d.Status != domain.DocumentFailed && d.LeftOut() == 0 {
			continue
		}
		if _, err := l.enqueue(ctx, d); err != nil {
			return again, err
		}
		again++
	}
	return again, nil
}

// Stop ends the run that reads a document, within a second when it is at work.
// What has been recorded stays. A document that is settled is left as it is.
func (l *Service) Stop(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) error {
	doc, err := l.Ledger.Document(ctx, w, id)
	if err != nil || doc.Status.Settled() {
		return err
	}
	if err := l.Queue.Stop(ctx, w, doc.Run); err != nil && domain.KindOf(err) != domain.NotFound {
		return err
	}
	run, err := l.Queue.Get(ctx, w, doc.Run)
	if domain.KindOf(err) == domain.NotFound || err == nil && run.Status == job.Stopped {
		return l.mark(ctx, doc, domain.DocumentStopped, "") // nobody is at work on it
	}
	return err
}

// Delete removes a document with everything that only it contributed: its
// file, text, chunks, vectors, and the entities and relations that nobody else
// supports.
func (l *Service) Delete(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) error {
	doc, err := l.Ledger.Document(ctx, w, id)
	if err != nil {
		return err
	}
	if err := l.Stop(ctx, w, id); err != nil {
		return err
	}
	if _, err := l.Ledger.DeleteDocument(ctx, w, id); err != nil {
		return err
	}
	if err := l.Files.Remove(ctx, w, doc.Hash); err != nil {
		return err
	}
	if err := l.Projector.Apply(ctx, w); domain.KindOf(err) == domain.Unavailable {
		l.Log.WarnContext(ctx, "the stores follow a deletion later", "err", err)
	} else if err != nil {
		return err
	}
	for _, db := range l.Scrub {
		if err := db.Checkpoint(ctx); err != nil {
			l.Log.WarnContext(ctx, "clear a write-ahead log: another process is reading, the last to close does it", "err", err)
		}
	}
	return nil
}

// mark settles a document outside its graph, unless it is gone or a later run
// than the one that was has it by now.
func (l *Service) mark(ctx context.Context, was domain.Document, status domain.DocumentStatus, problem string) error {
	_, err := l.Ledger.UpdateDocument(ctx, was.Workspace, was.ID, func(d *domain.Document) {
		if d.Run == was.Run {
			d.Status, d.Problem, d.UpdatedAt = status, problem, l.Now()
		}
	})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}
