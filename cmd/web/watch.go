package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/folder"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/watch"
	"github.com/clewhq/clew/views/format"
)

const watchHelp = `Follow a folder until Ctrl-C, and read what is in it. The command needs no server
but may run beside one, which shows the documents at once.

A new file is added. A changed one becomes the next version of its document, of which
only what changed is read. A file that is moved or renamed within the folder keeps its
document, which gets the new path as its name. A deleted file is deleted from the
library, with what it alone contributed, unless --keep-deleted is given. What was in
the library before, from elsewhere, is never deleted; what a person deletes there stays
deleted until its file changes. Hidden files and folders are left alone, and so are
links.

Nothing is deleted while the folder can't be read, while all that was in it is gone, or
more than half of it at once (and more than five files): it may be unmounted. If they
were deleted, --delete-many says so.

Clew remembers in the data folder what it has seen, so that the command can be stopped
and started again: what has happened meanwhile is followed at the start. --once does
that and ends, for instance in a timer. Beside what the system reports, the whole folder
is compared every --every, because not all file systems report changes.`

const watchExamples = `  clew watch letters/
  clew watch --keep-deleted --schema minutes /srv/minutes
  clew watch --limit-to group:board /srv/board
  clew watch --once --json letters/ | jq '.[] | select(.change == "refused")'`

// watched is an element of clew watch --json.
type watched struct {
	Change string `json:"change"` // added, known, changed, moved, deleted, kept, refused, away, back or read
	Name   string `json:"name"`
	From   string `json:"from,omitempty"` // its name before it moved
	Why    string `json:"why,omitempty"`

	*ingested `json:",omitempty"` // set if Change is read
}

// watchFlags say how a folder is followed.
type watchFlags struct {
	every, settle            time.Duration
	keep, many, once, asJSON bool
	schema                   string
	limit                    []string
	chunks                   documents.Cutting
}

func watchCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:   "watch FOLDER",
		Short: "Follow a folder: what changes in it changes in the library",
		Long:  watchHelp, Example: watchExamples,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.every < time.Second || f.settle < 0 {
				return domain.Errorf(domain.Invalid, "--every should be at least a second, and --settle no less than nothing.")
			}
			cfg, err := load()
			if err != nil {
				return err
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer a.Close()
			ctx, err := a.toChange(cmd.Context())
			if err != nil {
				return err
			}
			return a.watch(ctx, args[0], f)
		},
	}
	cmd.Flags().BoolVar(&f.keep, "keep-deleted", false, "keep the documents of deleted files")
	cmd.Flags().BoolVar(&f.many, "delete-many", false, "delete documents even if most files are gone at once")
	cmd.Flags().BoolVar(&f.once, "once", false, "compare the folder once, wait until everything is read, and exit")
	cmd.Flags().DurationVar(&f.every, "every", time.Minute, "interval between comparisons of the whole folder")
	cmd.Flags().DurationVar(&f.settle, "settle", 2*time.Second, "wait this long after a change to a file, and for a missing one to come back")
	cmd.Flags().StringVar(&f.schema, "schema", "", "name of the schema to read by, or a YAML file")
	limitFlag(cmd, &f.limit)
	flagsOf(cmd, &f.chunks)
	jsonFlag(cmd, &f.asJSON, jsonArray+", each change as soon as it is carried out")
	return cmd
}

// debounce is how long a folder has to be quiet after a change before it is looked at.
const debounce = 300 * time.Millisecond

// watch follows a folder until ctx ends.
func (a *app) watch(ctx context.Context, dir string, f watchFlags) (err error) {
	chunking, err := f.chunks.Chunking()
	if err != nil {
		return err
	}
	how, err := a.readBy(ctx, f.schema, chunking)
	if err == nil {
		how, err = a.documents.Limited(ctx, how, f.limit)
	}
	if err != nil {
		return err
	}
	how.Source, how.Named = domain.SourceFolder, documents.Next
	followed, err := watch.Open(dir, a.watched(domain.WorkspaceOf(ctx)), watchLibrary{a, how}, watch.Options{
		MayRead: parse.MayRead, Settle: f.settle, KeepDeleted: f.keep, DeleteMany: f.many, Now: a.env.now,
	})
	if err != nil {
		return err
	}
	worker := a.worker(a.kinds().Concurrency(documents.Kind, proposals.Kind, themes.Kind))
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	out := &watchOutput{app: a, list: jsonList{out: a.env.stdout}, asJSON: f.asJSON}
	if f.asJSON {
		defer func() { err = errors.Join(err, out.list.end()) }()
	} else {
		fmt.Fprintf(a.env.stderr, "Following %s. %s Ctrl-C ends it.\n", dir, map[bool]string{false: "Documents of deleted files are deleted.", true: "Documents of deleted files are kept."}[f.keep])
	}
	defer out.reading.Wait()
	bell, deaf := folder.NewBell()
	if deaf != nil {
		fmt.Fprintf(a.env.stderr, "The system reports no changes (%v): they are found when the whole folder is compared.\n", deaf)
	}
	defer func() { err = errors.Join(err, bell.Close()) }()
	for {
		bell.Listen(dir, os.DirFS(dir)) // before looking, so that no change is missed in between
		again, err := followed.Look(ctx, func(c watch.Change) { out.change(ctx, c) })
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && domain.KindOf(err) != domain.TooMany && !domain.Temporary(err):
			return err
		case err != nil: // the queue is full, or something is unavailable
			again = time.Second
		case f.once && again == 0:
			return nil
		}
		if again == 0 || again > f.every {
			again = f.every
		}
		if bell.Wait(ctx, debounce, again); ctx.Err() != nil {
			return nil
		}
	}
}

// watched returns the folder with the stored states of what was followed for a workspace.
func (a *app) watched(w domain.WorkspaceID) string {
	if w == domain.DefaultWorkspace { // its place before there were other workspaces
		return a.cfg.Path("watched")
	}
	return a.cfg.Path(filepath.Join("watched", string(w)))
}

// watchLibrary adds the files of a folder.
type watchLibrary struct {
	*app
	how documents.How
}

// Add implements watch.Library. A document is the folder's own if the file gave it, or
// gave it before.
func (l watchLibrary) Add(ctx context.Context, path, name string) (docs []watch.Document, err error) {
	file, err := os.Open(path)
	if err != nil {
		err = domain.Because(domain.NotFound, err, "The file can't be read: %v.", err)
		if !errors.Is(err, fs.ErrNotExist) { // a deleted file need not be logged
			l.note(ctx, "ingest", err)
		}
		return nil, err
	}
	defer file.Close()
	for _, r := range l.documents.Add(ctx, domain.WorkspaceOf(ctx), name, l.how, file) {
		if r.Err != nil {
			err = r.Err
			l.note(ctx, "ingest", err)
			continue
		}
		d := watch.Document{ID: r.Document.Becomes(), Own: !r.Existing || r.Document.Source == domain.SourceFolder && r.Document.Name == name}
		if !r.Existing {
			d.Run = r.Document.Run
			l.note(ctx, "ingest", nil, string(d.ID))
		}
		docs = append(docs, d)
	}
	if len(docs) > 0 && domain.KindOf(err) != domain.TooMany {
		err = nil
	}
	return docs, err
}

// Rename implements watch.Library.
func (l watchLibrary) Rename(ctx context.Context, id domain.DocumentID, name string) error {
	err := l.documents.Rename(ctx, domain.WorkspaceOf(ctx), id, name)
	l.note(ctx, "documents rename", err, string(id))
	return err
}

// note records a change, or that it failed, unless it is tried again.
func (l watchLibrary) note(ctx context.Context, action string, err error, things ...string) {
	if err == nil || ctx.Err() == nil && !domain.Temporary(err) {
		l.noted(ctx, action, err, things...)
	}
}

// Delete implements watch.Library.
func (l watchLibrary) Delete(ctx context.Context, id domain.DocumentID) error {
	n, err := l.documents.DeleteNow(ctx, domain.WorkspaceOf(ctx), ledger.DocumentQuery{IDs: []domain.DocumentID{id}}, false)
	if n > 0 || err != nil {
		l.note(ctx, "documents delete", err, string(id))
	}
	return err
}

// watchOutput prints what happens to a folder.
type watchOutput struct {
	app     *app
	asJSON  bool
	reading sync.WaitGroup

	mu   sync.Mutex
	list jsonList
}

// change prints what became of a file, and later how it was read.
func (o *watchOutput) change(ctx context.Context, c watch.Change) {
	w := watched{Change: c.What, Name: c.Name, From: c.From}
	switch {
	case c.Err != nil:
		w.Why = domain.InWords(c.Err)
	case c.What == watch.Added && !slices.ContainsFunc(c.Documents, func(d watch.Document) bool { return d.Run != "" }):
		w.Change, w.Why = "known", "The library already has this content."
	}
	o.print(w)
	if c.What != watch.Added && c.What != watch.Changed {
		return
	}
	for _, d := range c.Documents {
		if d.Run == "" {
			continue
		}
		o.reading.Go(func() {
			r, err := o.app.follow(ctx, ingested{Document: c.Name, id: d.ID, run: d.Run, become: d.ID}, false, new(waits))
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				r = refused(c.Name, err)
			}
			o.print(watched{Change: "read", Name: c.Name, Why: r.Problem, ingested: &r})
		})
	}
}

func (o *watchOutput) print(w watched) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.asJSON {
		_ = o.list.add(w) // an error means that the reader is gone
		return
	}
	line := fmt.Sprintf("%s: %s", w.Name, w.Change)
	if w.From != "" {
		line += " from " + w.From
	}
	if r := w.ingested; r != nil {
		line = fmt.Sprintf("%s: %s, %s, %s", w.Name, r.Status, format.Count(r.Chunks, "chunk", "chunks"), format.Count(r.Entities, "entity", "entities"))
	}
	if w.Why != "" {
		line += ". " + w.Why
	}
	fmt.Fprintln(o.app.env.stdout, line)
}
