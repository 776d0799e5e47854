// Package documents adds documents to the library, reads them again, stops and deletes them. It keeps the uploaded
// files, queues the runs that read them, and carries those runs out.
package documents

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// priority puts documents after questions, which people wait for.
const priority = 0

// attempts limits how often a run is tried while a model or store fails.
const attempts = 5

// A Projector brings the stores up to date with the ledger.
type Projector interface {
	Apply(ctx context.Context, w domain.WorkspaceID) error
}

// A Scrubber is a database in a file that removes deleted words from the disk too.
type Scrubber interface {
	// Scrub processes some pages, and returns how many are left.
	Scrub(ctx context.Context, pages int) (left int, err error)
}

// A Parser parses, splits and unpacks files.
type Parser interface {
	ingest.Parser

	// Unpack calls each for the files in a file whose names have a supported format, and returns the names of the
	// others.
	Unpack(ctx context.Context, f domain.Format, how domain.Chunking, file io.Reader, size int64, each func(name string, r io.Reader) error) ([]string, error)
}

// Params configures a Service. All fields are required but Scrub, Deleted, Reading, TextPart, MaxWaiting, Price and Embeds.
type Params struct {
	Ledger     *ledger.Ledger
	Files      FileStore
	Queue      *job.Queue
	Hub        *trace.Hub // to wait until documents are read
	Projector  Projector
	Words      Searcher                                        // for filters
	Scrub      map[string]Scrubber                             // database files that may contain deleted words, by name
	Deleted    func(ctx context.Context, w domain.WorkspaceID) // called after a deletion
	Graph      stategraph.Runnable[ingest.State]
	Reading    func() (end func())                                                                                // called while a document is read
	Parser     Parser                                                                                             // for bills and archives
	Price      func(ctx context.Context, least, most domain.Usage) (money costs.MoneyRange, free bool, err error) // of reading, for bills; nil omits money
	Embeds     bool                                                                                               // reading embeds chunks
	Extractor  extract.Extractor
	Window     int // see ingest.Params
	Prompts    *prompts.Book
	MaxUpload  int64         // bytes
	TextPart   int           // bytes of a part of a long text; 0 means 2 MB
	AtOnce     int           // chunks of one document mined at the same time
	MaxWaiting int           // added documents of one person in the queue; 0 means no limit
	UndoTime   time.Duration // how long a deletion can be undone
	IDs        domain.IDs
	Now        domain.Clock
	Log        *slog.Logger
}

// A Service keeps the documents of the library.
type Service struct {
	Params

	order order
	disk  disk
}

// New returns a Service.
func New(p Params) *Service {
	p.TextPart = cmp.Or(p.TextPart, partText)
	return &Service{Params: p, disk: disk{said: map[string]time.Time{}}}
}

// ReadHeld releases all held documents for reading, and returns their number.
func (s *Service) ReadHeld(ctx context.Context, w domain.WorkspaceID) (int, error) {
	held, err := s.Queue.List(ctx, w, job.Query{Kind: Kind, Status: []job.Status{job.Held}})
	if err != nil {
		return 0, err
	}
	for i, r := range held {
		if _, err := s.Queue.Wake(ctx, w, r.ID); err != nil {
			return i, err
		}
	}
	return len(held), nil
}

// Held returns the bill of a document that is held, by its run, and false for any other.
func Held(r job.Run) (b Bill, held bool) {
	return b, r.Status == job.Held && json.Unmarshal(r.Input, &b) == nil
}

// Choose sets the schema by which a document is read from its next reading on, by name; "" selects that of its tags or
// the library. It fails with kind NotFound for an unknown document.
func (s *Service) Choose(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, schema string) error {
	_, err := s.Ledger.UpdateDocument(ctx, w, id, func(d *domain.Document) { d.Chosen = schema })
	return err
}

// queue returns a function that adds a run that reads d in a transaction of the ledger. With a bill the run is held
// until a person agrees.
func (s *Service) queue(ctx context.Context, d domain.Document, id domain.RunID, held *Bill) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		r := job.Run{
			Workspace: d.Workspace, ID: id, Kind: Kind, Subject: string(d.ID), Title: d.Name, Priority: priority, MaxAttempts: attempts, CreatedAt: s.Now(),
		}
		if held != nil {
			r.Status = job.Held
			var err error
			if r.Input, err = json.Marshal(held); err != nil {
				return fmt.Errorf("encode a bill: %w", err)
			}
		}
		_, err := s.Queue.AddTx(ctx, tx, r)
		return err
	}
}

// enqueue queues a run that reads the document once more, and sets it on the document.
func (s *Service) enqueue(ctx context.Context, d domain.Document) (domain.Document, error) {
	return s.enqueueWith(ctx, d, func(*domain.Document) {}, nothingMore)
}

func nothingMore(*sql.Tx, domain.RunID) error { return nil }

// enqueueWith is like enqueue, with a change of the document and more to be done in the same transaction.
func (s *Service) enqueueWith(ctx context.Context, d domain.Document, change func(*domain.Document), more func(*sql.Tx, domain.RunID) error) (domain.Document, error) {
	id, err := s.IDs.Run()
	if err != nil {
		return d, err
	}
	doc, err := s.Ledger.UpdateDocument(ctx, d.Workspace, d.ID, func(d *domain.Document) {
		change(d)
		d.Status, d.Stage, d.Problem, d.Run, d.Took, d.Deaths = domain.DocumentWaiting, "", "", id, 0, 0
		d.UpdatedAt = s.Now()
	}, func(tx *sql.Tx) error {
		if err := s.queue(ctx, d, id, nil)(tx); err != nil {
			return err
		}
		return more(tx, id)
	})
	if err == nil {
		s.Queue.Announce()
	}
	return doc, err
}

// queueDelay is how long a process of an earlier version may take from setting a run on a document to queueing it.
const queueDelay = time.Minute

// Recover queues a run for every document whose run does not exist, as a process of an earlier version could leave it, and
// returns their number.
func (s *Service) Recover(ctx context.Context, w domain.WorkspaceID) (int, error) {
	docs, _, err := s.Ledger.Documents(ctx, w, ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentWaiting, domain.DocumentWorking}})
	if err != nil {
		return 0, err
	}
	recovered := 0
	for _, d := range docs {
		_, err := s.Queue.Get(ctx, w, d.Run)
		if err == nil || s.Now().Sub(d.UpdatedAt) < queueDelay {
			continue
		}
		if domain.KindOf(err) != domain.NotFound {
			return recovered, err
		}
		if _, err := s.enqueue(ctx, d); err != nil {
			return recovered, err
		}
		recovered++
	}
	return recovered, nil
}

// reader names the extractor with the prompt in force, as a document records it.
func (s *Service) reader(ctx context.Context, w domain.WorkspaceID) (string, error) {
	if !s.Extractor.Asks() {
		return s.Extractor.Reader(extract.Guide{}), nil
	}
	text, err := s.Prompts.EditedNow(ctx, w, extract.PromptRole)
	return s.Extractor.Reader(extract.Guide{Prompt: text}), err
}

// Count counts the documents by status, and those that Outdated lists.
func (s *Service) Count(ctx context.Context, w domain.WorkspaceID) (ledger.DocumentCounts, error) {
	reader, err := s.reader(ctx, w)
	if err != nil {
		return ledger.DocumentCounts{}, err
	}
	return s.Ledger.CountDocuments(ctx, w, reader)
}
