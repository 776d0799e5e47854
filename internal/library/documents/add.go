package documents

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/run/job"
)

// How describes how an added file is read, and how it came here.
type How struct {
	Schema   string          // name of the schema; "" for the library's
	Chunking domain.Chunking // how it is cut into chunks
	Hold     bool            // it is held, with its bill, until ReadAgain or ReadHeld

	Source domain.Source // SourceUpload if ""
	Link   string        // address it comes from
	Index  int           // place within its source, from 1; 0 if it has none

	Named Named             // its relation to a document of the same name
	Of    domain.DocumentID // the document whose next version it is, whatever their names; "" if there is none

	LinkTag string // see domain.Document

	Limited bool            // only Readers and the person adding it may read it; a next version has its document's readers
	Readers []ledger.Reader // of a limited document

	within bool // it is part of another file
}

// Added is the outcome of adding a file.
type Added struct {
	Document domain.Document
	Existing bool // the same content was already there
	Skipped  bool // other content of this name was there, and stays
}

// A Result is the outcome of adding a file, or a file within one.
type Result struct {
	Name string
	Added
	Err error // why it was refused
}

// Results hold the outcome of each file that was added at once.
type Results []Result

// One returns the outcome of the first file.
func (r Results) One() (Added, error) { return r[0].Added, r[0].Err }

// Add stores a file and queues the run that reads it, or holds that run with its bill: a killed process leaves both or
// neither. Instead of an archive, it adds each of its files, and beside mail what is attached to it; a very long text it adds
// in parts. There is a result for each of them, and at least one.
//
// Content that the library has is not stored again, but read again if its document failed or was stopped. The document keeps
// its schema and its chunking, unless it is read again. A file that can't be read is not held: its run reports why. Errors are
// Invalid, TooLarge, Unsupported, Exhausted, or TooMany before r is read; a refused file leaves nothing behind.
func (s *Service) Add(ctx context.Context, w domain.WorkspaceID, name string, by How, r io.Reader) Results {
	d, err := s.receive(ctx, w, name, by, r)
	if err != nil {
		return Results{{Name: name, Err: err}}
	}
	ctx = context.WithoutCancel(ctx) // the file has arrived: the client may disconnect
	switch archive := d.Format == domain.FormatArchive; {
	case archive && by.within:
		s.dropFile(ctx, w, d.Hash)
		return Results{{Name: name, Err: domain.Errorf(domain.Unsupported, "%s is an archive within another one. Unpack it and add its files.", d.Name)}}
	case archive:
		return s.addWithin(ctx, d, by, nil)
	case !by.within && s.inParts(d.Format, d.Size, by):
		return s.addParts(ctx, d, by)
	}
	added, err := s.enter(ctx, d, by)
	if added.Skipped || err != nil {
		s.dropFile(ctx, w, d.Hash)
	}
	results := Results{{Name: d.Name, Added: added, Err: err}}
	if err == nil && !by.within && parse.Of(d.Format).Packs {
		return s.addWithin(ctx, d, by, results)
	}
	return results
}

// receive stores a file that may be added, and returns its document, which has no id yet. It refuses a file that can't be
// read by its first bytes, without reading the rest. If several files arrive at the same moment, each may take the last place
// in the queue.
func (s *Service) receive(ctx context.Context, w domain.WorkspaceID, name string, by How, r io.Reader) (d domain.Document, err error) {
	d = domain.Document{Workspace: w, Chosen: by.Schema, Chunking: by.Chunking, Source: cmp.Or(by.Source, domain.SourceUpload), Index: by.Index}
	d.Link, d.LinkTag, d.AddedBy, d.Limited = by.Link, by.LinkTag, domain.PersonOf(ctx), by.Limited
	safe := SafeName
	if slices.Contains([]domain.Source{domain.SourceFolder, domain.SourceStorage, domain.SourceGit}, by.Source) {
		safe = SafePath // files of the same name stay separate, and a changed one is recognised
	}
	if d.Name, err = safe(name); err != nil {
		return d, err
	}
	room := job.Limit{Workspace: w, Kind: Kind, Each: s.MaxWaiting, Waiting: "documents wait to be read", Setting: "MAX_WAITING_DOCUMENTS"}
	if err := s.Queue.Admit(ctx, room); err != nil {
		return d, err
	}
	r, format, whole, err := s.begin(d.Name, r)
	if err != nil {
		return d, err
	}
	if whole { // the client may disconnect
		ctx = context.WithoutCancel(ctx)
	}
	stored, err := s.Files.Put(ctx, w, r, s.MaxUpload)
	if err == nil && stored.Size == 0 {
		s.dropFile(ctx, w, stored.Hash)
		err = domain.Errorf(domain.Invalid, "%s is empty: it contains nothing to read.", d.Name)
	}
	d.Title, d.Format, d.Size, d.Hash = domain.FileTitle(d.Name), format, stored.Size, stored.Hash
	return d, err
}

// headBytes is how much of a file is read to detect its format.
const headBytes = 4096

// begin returns a reader of a file, its format, and whether all of it has arrived. The error is that of a file whose size on
// disk or first bytes forbid it.
func (s *Service) begin(name string, r io.Reader) (file io.Reader, format domain.Format, whole bool, err error) {
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Size() > s.MaxUpload {
			return nil, "", false, tooLarge(s.MaxUpload)
		}
	}
	ahead := bufio.NewReaderSize(r, headBytes)
	head, err := ahead.Peek(headBytes) // an error recurs when the rest is read
	whole = errors.Is(err, io.EOF)
	if len(head) == 0 {
		return ahead, "", whole, nil
	}
	format, err = parse.Detect(name, head)
	return ahead, format, whole, err
}

// enter adds the document of a stored file to the ledger with the run that reads it, or finds the one that has its content.
func (s *Service) enter(ctx context.Context, d domain.Document, by How) (Added, error) {
	same, err := s.Ledger.DocumentsOfFile(ctx, d.Workspace, d.Hash)
	if err != nil {
		return Added{}, err
	}
	if len(same) > 0 && (by.Of == "" || by.Of == same[0].Becomes()) {
		return s.meet(ctx, same[0], by)
	}
	of, err := s.versionOf(ctx, d, by)
	switch {
	case err != nil:
		return Added{}, err
	case of.ID == "":
		if d.ID, err = s.freeID(ctx, d); err != nil {
			return Added{}, err
		}
	case by.Named == Skip && by.Of == "":
		return Added{Document: of, Skipped: true}, nil
	default:
		d.ID, d.VersionOf = domain.NewVersionID(of.ID, d.Hash), of.ID
		if by.Limited && !of.Limited {
			return Added{}, domain.Errorf(domain.Conflict, "Every member may read %s, whose next version this would be. Limit that first, or add this as a document of its own.", of.Name)
		}
		d.Chunking, d.Limited = cmp.Or(d.Chunking, of.Chunking), of.Limited
		if by.Readers, err = s.Ledger.Readers(ctx, d.Workspace, of.ID); err != nil {
			return Added{}, err
		}
	}
	var bill *Bill
	if by.Hold {
		if bill, err = s.billOf(ctx, d); err != nil {
			return Added{}, err
		}
	}
	if d.Run, err = s.IDs.Run(); err != nil {
		return Added{}, err
	}
	d.Status, d.CreatedAt = domain.DocumentWaiting, s.order.next(s.Now())
	limit := func(tx *sql.Tx) error {
		if !d.Limited {
			return nil
		}
		return s.Ledger.LimitTx(ctx, tx, d, by.Readers)
	}
	doc, existing, err := s.Ledger.AddDocument(ctx, d, s.queue(ctx, d, d.Run, bill), limit)
	if err != nil {
		return Added{}, err
	}
	if existing { // it was added just now
		return s.meet(ctx, doc, by)
	}
	s.Queue.Announce()
	return Added{Document: doc}, s.overtake(ctx, doc)
}

// meet returns the document that has the content of an added file. It takes the document's deletion back, and has it read if
// its reading failed, was stopped or is held.
func (s *Service) meet(ctx context.Context, d domain.Document, by How) (added Added, err error) {
	added = Added{Document: d, Existing: true}
	if back, err := s.Ledger.Restore(ctx, d.Workspace, d.ID); err != nil {
		return Added{}, err
	} else if back {
		if err := s.follow(ctx, d.Workspace); err != nil {
			return Added{}, err
		}
	}
	switch {
	case d.Status == domain.DocumentFailed || d.Status == domain.DocumentStopped:
		added.Document, err = s.enqueueWith(ctx, d, func(d *domain.Document) {
			d.Chosen, d.Chunking = cmp.Or(by.Schema, d.Chosen), cmp.Or(by.Chunking, d.Chunking)
		}, nothingMore)
		if err == nil {
			err = s.overtake(ctx, d)
		}
	case !by.Hold && !d.Status.Settled():
		_, err = s.Queue.Wake(ctx, d.Workspace, d.Run) // it may be held
	}
	return added, err
}

// overtake hides the other next versions of the document that d is a next version of: the last one counts. Their runs stop,
// and CarryOut deletes them.
func (s *Service) overtake(ctx context.Context, d domain.Document) error {
	if d.VersionOf == "" {
		return nil
	}
	runs, err := s.Ledger.Overtake(ctx, d.Workspace, d.VersionOf, d.ID)
	for _, id := range runs {
		if err == nil {
			err = s.Queue.Stop(ctx, d.Workspace, id)
		}
	}
	return err
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

// addWithin adds the files within a stored file after the results so far, and drops the file of an archive.
func (s *Service) addWithin(ctx context.Context, d domain.Document, by How, results Results) Results {
	archive := d.Format == domain.FormatArchive
	by.Source, by.Index = domain.SourceMail, 0
	by.Named, by.Of, by.within = Apart, "", true // folders in it may have files of the same name
	if archive {
		by.Source = domain.SourceArchive
		defer s.dropFile(ctx, d.Workspace, d.Hash)
	}
	var others []string
	file, size, err := s.Files.Open(ctx, d.Workspace, d.Hash)
	if err == nil {
		defer file.Close()
		others, err = s.Parser.Unpack(ctx, d.Format, by.Chunking, file, size, func(inner string, r io.Reader) error {
			by.Index++
			results = append(results, s.Add(ctx, d.Workspace, inner, by, r)...)
			return nil
		})
	}
	if err != nil {
		results = append(results, Result{Name: d.Name, Err: err})
	}
	if n := len(others); n > 0 && archive { // the text of a mail names its attachments
		why := domain.Errorf(domain.Unsupported, "Their format can't be read: %s.", strings.Join(others[:min(n, 10)], ", "))
		results = append(results, Result{Name: fmt.Sprintf("%s in %s", domain.Counted(n, "file", "files"), d.Name), Err: why})
	}
	if len(results) == 0 {
		results = Results{{Name: d.Name, Err: domain.Errorf(domain.Invalid, "%s contains no files.", d.Name)}}
	}
	return results
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

// order gives documents added within a moment different times, so that lists show them in order of arrival and not by id.
type order struct {
	mu   sync.Mutex
	last time.Time
}

// next returns the time of a document that is added now. A clock that was set back is followed.
func (o *order) next(now time.Time) time.Time {
	const tick = time.Millisecond // precision of the ledger
	o.mu.Lock()
	defer o.mu.Unlock()
	if ahead := o.last.Sub(now); ahead > -tick && ahead < time.Minute {
		now = o.last.Add(tick)
	}
	o.last = now
	return now
}
