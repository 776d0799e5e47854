// Package documents adds documents to the library, reads them again, stops and deletes them. It keeps the uploaded
// files, queues the runs that read them, and carries those runs out.
package documents

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/extract"
	"github.com/clewhq/clew/internal/ingest"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/parse"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/stategraph"
)

// priority lets questions, which people wait for, go first.
const priority = 0

// attempts limits how often a run is tried while a model or store fails.
const attempts = 5

// A Projector brings the stores up to date with the ledger.
type Projector interface {
	Apply(ctx context.Context, w domain.WorkspaceID) error
}

// A Scrubber is a database in a file that removes deleted words from the disk too.
type Scrubber interface {
	// Scrub looks at so many pages, and returns how many are left to look at.
	Scrub(ctx context.Context, pages int) (left int, err error)
}

// A Parser parses, splits and unpacks files.
type Parser interface {
	ingest.Parser

	// Unpack calls each for the files within a file that may be read by their names, and returns the names of the others.
	Unpack(ctx context.Context, f domain.Format, how domain.Chunking, file io.Reader, size int64, each func(name string, r io.Reader) error) ([]string, error)
}

// Params configures a Service. All fields are required but Scrub, Deleted, Reading, TextPart, MaxWaiting, Price and Embeds.
type Params struct {
	Ledger     *ledger.Ledger
	Files      FileStore
	Queue      *job.Queue
	Projector  Projector
	Words      Searcher                                        // for filters
	Scrub      map[string]Scrubber                             // the files of databases that hold deleted words, by name
	Deleted    func(ctx context.Context, w domain.WorkspaceID) // called after a deletion
	Graph      stategraph.Runnable[ingest.State]
	Reading    func() (end func())                                                                                // called while a document is read
	Parser     Parser                                                                                             // for bills and archives
	Price      func(ctx context.Context, least, most domain.Usage) (money costs.MoneyRange, free bool, err error) // of reading, for bills; nil leaves money out
	Embeds     bool                                                                                               // reading embeds chunks
	Extractor  extract.Extractor
	Window     int // see ingest.Params
	Prompts    *prompts.Book
	MaxUpload  int64         // bytes
	TextPart   int           // bytes of a part of a long text; 2 MB when 0
	AtOnce     int           // chunks of one document mined at the same time
	MaxWaiting int           // added documents of one person in the queue; 0 means no limit
	UndoTime   time.Duration // in which a deletion can be undone
	IDs        domain.IDs
	Now        func() time.Time
	Log        *slog.Logger
}

// A Service keeps the documents of the library.
type Service struct {
	Params

	order order
	disk  disk
}

// New returns a Service.
func New(p Params) *Service { return &Service{Params: p, disk: disk{said: map[string]time.Time{}}} }

// Added is the result of adding a file.
type Added struct {
	Document domain.Document
	Existing bool // the same content was there already
	Skipped  bool // another content of this name was there, and stays
}

// Add stores a file and queues the run that reads it. Content that is in the library already is not stored again, but read
// again if its document failed or was stopped. Errors are Invalid, TooLarge, Unsupported, Exhausted, or TooMany before r is
// read, and leave nothing behind.
func (s *Service) Add(ctx context.Context, w domain.WorkspaceID, name string, r io.Reader) (Added, error) {
	return s.AddBy(ctx, w, name, How{}, r)
}

// How says how an added file is read, and how it came here.
type How struct {
	Schema   string          // name of the schema; "" for that of the library
	Chunking domain.Chunking // how it is cut into chunks
	Hold     bool            // it is held, with its bill, until ReadAgain or ReadHeld

	Source domain.Source // SourceUpload if empty
	Link   string        // address that it comes from
	Index  int           // place within its source, from 1; 0 where it has none

	Named Named             // what it is to a document of its name
	Of    domain.DocumentID // the document whose next version it is, whatever their names; "" for none

	LinkTag string // see domain.Document
}

// AddBy adds a file as Add does, to be read in a way of its own. Content that is in the library already keeps the schema and
// the chunking that were chosen for it, unless it is read again. A file that can't be read is not held: its run says why.
func (s *Service) AddBy(ctx context.Context, w domain.WorkspaceID, name string, by How, r io.Reader) (Added, error) {
	name, stored, err := s.receive(ctx, w, name, by.Source, r)
	if err != nil {
		return Added{}, err
	}
	return s.addStored(ctx, w, name, by, stored)
}

// receive stores a file that may be added. One that can't be read is refused by its first bytes, and the rest is not read.
func (s *Service) receive(ctx context.Context, w domain.WorkspaceID, name string, from domain.Source, r io.Reader) (string, Stored, error) {
	name, err := nameFrom(from, name)
	if err != nil {
		return "", Stored{}, err
	}
	if err := s.Queue.Admit(ctx, s.limit()); err != nil {
		return "", Stored{}, err
	}
	r, whole, err := s.begin(name, r)
	if err != nil {
		return "", Stored{}, err
	}
	if whole { // the client may disconnect
		ctx = context.WithoutCancel(ctx)
	}
	stored, err := s.Files.Put(ctx, w, r, s.MaxUpload)
	return name, stored, err
}

// headBytes is how much of a file tells its format.
const headBytes = 4096

// begin returns a reader of a file, and whether all of it has arrived, or the error of a file that its size on disk or
// its first bytes forbid.
func (s *Service) begin(name string, r io.Reader) (file io.Reader, whole bool, err error) {
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Size() > s.MaxUpload {
			return nil, false, tooLarge(s.MaxUpload)
		}
	}
	ahead := bufio.NewReaderSize(r, headBytes)
	head, err := ahead.Peek(headBytes) // an error comes again, with the rest of the file
	whole = errors.Is(err, io.EOF)
	if len(head) == 0 {
		return ahead, whole, nil
	}
	_, err = parse.Detect(name, head)
	return ahead, whole, err
}

func (s *Service) addStored(ctx context.Context, w domain.WorkspaceID, name string, by How, stored Stored) (Added, error) {
	ctx = context.WithoutCancel(ctx) // the file has arrived: the client may disconnect
	d := domain.Document{Workspace: w, Name: name, Chosen: by.Schema, Chunking: by.Chunking, Hash: stored.Hash, Source: cmp.Or(by.Source, domain.SourceUpload), Index: by.Index}
	d.Link, d.LinkTag = by.Link, by.LinkTag
	doc, err := s.addPlaced(ctx, d, by, stored)
	for errors.Is(err, errTakenOver) {
		doc, err = s.addPlaced(ctx, d, by, stored)
	}
	if doc.Skipped || err != nil {
		s.dropFile(ctx, w, stored.Hash)
		return doc, err
	}
	if !doc.Existing {
		return doc, s.overtake(ctx, doc.Document)
	}
	if err := s.restore(ctx, w, doc.Document.ID); err != nil {
		return Added{}, err
	}
	if doc.Document.Status == domain.DocumentFailed || doc.Document.Status == domain.DocumentStopped {
		if by.Schema != "" || by.Chunking != (domain.Chunking{}) {
			_, err := s.Ledger.UpdateDocument(ctx, w, doc.Document.ID, func(d *domain.Document) {
				d.Chosen = cmp.Or(by.Schema, d.Chosen)
				d.Chunking = cmp.Or(by.Chunking, d.Chunking)
			})
			if err != nil {
				return Added{}, err
			}
		}
		doc.Document, err = s.enqueue(ctx, doc.Document)
	} else if !by.Hold && !doc.Document.Status.Settled() {
		_, err = s.Queue.Wake(ctx, w, doc.Document.Run) // it may be held
	}
	return doc, err
}

// errTakenOver says that the version of an added file was taken over by its document after its place was found.
var errTakenOver = errors.New("the version was taken over")

// addPlaced finds out where a stored file belongs and adds its document.
func (s *Service) addPlaced(ctx context.Context, d domain.Document, by How, stored Stored) (Added, error) {
	known, err := s.place(ctx, &d, by)
	if known.Skipped || err != nil {
		return known, err
	}
	var bill *Bill
	if by.Hold {
		if bill, err = s.billOf(ctx, d); err != nil {
			return Added{}, err
		}
	}
	return s.register(ctx, d, stored, bill, known.Existing)
}

// billOf returns the bill of a stored file, nil for one that is not to be held.
func (s *Service) billOf(ctx context.Context, d domain.Document) (*Bill, error) {
	file, _, err := s.Files.Open(ctx, d.Workspace, d.Hash)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := s.Bill(ctx, d.Workspace, d.Name, d.Chunking, file)
	if err != nil || b.Known || b.Problem != "" {
		return nil, err
	}
	return &b, nil
}

// ReadHeld lets all documents be read that are held, and returns their number.
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

// Choose has a document read by the schema that is kept under a name from its next reading on, or by that of its tags or the
// library for "". It fails with kind NotFound for an unknown document.
func (s *Service) Choose(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, schema string) error {
	_, err := s.Ledger.UpdateDocument(ctx, w, id, func(d *domain.Document) { d.Chosen = schema })
	return err
}

func (s *Service) limit() job.Limit {
	return job.Limit{Kind: Kind, Each: s.MaxWaiting, Waiting: "documents wait to be read", Setting: "MAX_WAITING_DOCUMENTS"}
}

// register checks the stored file and adds its document together with the run that reads it, or that holds it with a bill:
// a killed process leaves both or neither. It fails with errTakenOver if the document should be there and is not.
func (s *Service) register(ctx context.Context, d domain.Document, file Stored, held *Bill, there bool) (Added, error) {
	if file.Size == 0 {
		return Added{}, domain.Errorf(domain.Invalid, "%s is empty: there is nothing to read.", d.Name)
	}
	format, err := parse.Detect(d.Name, file.Head)
	if err != nil {
		return Added{}, err
	}
	if format == domain.FormatArchive {
		return Added{}, domain.Errorf(domain.Unsupported, "%s is an archive and no document: add the files in it.", d.Name)
	}
	run, err := s.IDs.Run()
	if err != nil {
		return Added{}, err
	}
	now := s.order.next(s.Now())
	d.Title, d.Format, d.Size, d.Hash = domain.FileTitle(d.Name), format, file.Size, file.Hash
	d.Status, d.Run, d.CreatedAt, d.UpdatedAt = domain.DocumentWaiting, run, now, now
	doc, existing, err := s.Ledger.AddDocumentTx(ctx, d, func(tx *sql.Tx) error {
		if there {
			return errTakenOver
		}
		if err := s.Queue.AdmitTx(ctx, tx, s.limit()); err != nil {
			return err
		}
		return s.queue(ctx, d, run, held)(tx)
	})
	s.Queue.Announce()
	return Added{Document: doc, Existing: existing}, err
}

// dropFile removes the file if no document needs it.
func (s *Service) dropFile(ctx context.Context, w domain.WorkspaceID, hash string) {
	if err := s.removeFile(ctx, w, hash); err != nil {
		s.Log.ErrorContext(ctx, "remove a refused upload", "err", err)
	}
}

func (s *Service) removeFile(ctx context.Context, w domain.WorkspaceID, hash string) error {
	if needed, err := s.Ledger.NeedsFile(ctx, w, hash); err != nil || needed {
		return err
	}
	return s.Files.Remove(ctx, w, hash)
}

// queue returns what adds a run that reads d in a transaction of the ledger. With a bill the run is held until a person says yes.
func (s *Service) queue(ctx context.Context, d domain.Document, id domain.RunID, held *Bill) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		add, r := s.Queue.AddTx, job.Run{
			Workspace: d.Workspace, ID: id, Kind: Kind, Subject: string(d.ID), Title: d.Name, Priority: priority, MaxAttempts: attempts, CreatedAt: s.Now(),
		}
		if held != nil {
			add = s.Queue.AddHeldTx
			var err error
			if r.Input, err = json.Marshal(held); err != nil {
				return fmt.Errorf("encode a bill: %w", err)
			}
		}
		_, err := add(ctx, tx, r)
		return err
	}
}

// enqueue queues a run that reads the document once more, and sets it on the document.
func (s *Service) enqueue(ctx context.Context, d domain.Document) (domain.Document, error) {
	return s.enqueueWith(ctx, d, func(*sql.Tx, domain.RunID) error { return nil })
}

// enqueueWith is like enqueue, with more to be done in the same transaction.
func (s *Service) enqueueWith(ctx context.Context, d domain.Document, more func(*sql.Tx, domain.RunID) error) (domain.Document, error) {
	id, err := s.IDs.Run()
	if err != nil {
		return d, err
	}
	doc, err := s.Ledger.UpdateDocumentTx(ctx, d.Workspace, d.ID, func(d *domain.Document) {
		d.Status, d.Stage, d.Problem, d.Run, d.Took, d.Deaths = domain.DocumentWaiting, "", "", id, 0, 0
		d.UpdatedAt = s.Now()
	}, func(tx *sql.Tx) error {
		if err := s.queue(ctx, d, id, nil)(tx); err != nil {
			return err
		}
		return more(tx, id)
	})
	if err != nil {
		return d, err
	}
	s.Queue.Announce()
	return doc, nil
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
