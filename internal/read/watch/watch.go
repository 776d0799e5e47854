// Package watch follows a folder: files added, changed, moved or deleted in it are added, changed,
// moved or deleted in a library.
//
// The folder itself is the truth. Each look compares its files with those of the look before, so
// nothing depends on the system's notices, which only trigger a look.
package watch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/folder"
)

// A Document is one that a file gave.
type Document struct {
	ID  domain.DocumentID `json:"id"`
	Own bool              `json:"own,omitempty"` // it came from this file and is deleted with it
	Run domain.RunID      `json:"-"`             // that reads it
}

// A Library holds the documents.
type Library interface {
	// Add adds a file by its name, as the next version of the document of that name.
	Add(ctx context.Context, path, name string) ([]Document, error)
	// Rename gives a document the name of a moved file. It returns NotFound if the document is unknown.
	Rename(ctx context.Context, id domain.DocumentID, name string) error
	// Delete deletes a document. Deleting an unknown one is not an error.
	Delete(ctx context.Context, id domain.DocumentID) error
}

// Options say how a folder is followed.
type Options struct {
	MayRead     func(name string) bool
	Settle      time.Duration // how long to leave a file alone after a change, and to wait for a missing one
	KeepDeleted bool          // the documents of deleted files stay
	DeleteMany  bool          // delete documents even if more than half of the folder is gone
	Now         domain.Clock
}

// What happened to a file.
const (
	Added   = "added"
	Changed = "changed"
	Moved   = "moved"
	Deleted = "deleted"
	Kept    = "kept"    // the file is gone, but its document stays
	Refused = "refused" // it can't be added
	Away    = "away"    // the folder can't be read, or too much of it is gone at once
	Back    = "back"    // the folder can be read again
)

// A Change is the outcome for a file since the previous look.
type Change struct {
	What      string
	Name      string     // of the file, including the folder's
	From      string     // its name before it was moved
	Documents []Document // made from it
	Err       error      // why it was refused, or the folder is away
}

// known is the stored state of a file.
type known struct {
	Size      int64      `json:"size"`
	Modified  time.Time  `json:"modified"`
	Hash      string     `json:"hash"`
	Documents []Document `json:"documents,omitempty"`
}

// seen is the state of a file found by a look.
type seen struct {
	size     int64
	modified time.Time
}

// A Folder is one that is followed. It is for one goroutine.
type Folder struct {
	Options
	dir     string // absolute
	library Library
	memory  memory

	files map[string]known // by name
	gone  map[string]time.Time
	fresh map[string]glance // files that are still changing
	away  bool
}

// A glance is how a file looked that was still changing, and since when.
type glance struct {
	seen
	since time.Time
}

// Open returns a folder with its stored state from when it was last followed. The state is stored in the folder state.
func Open(dir, state string, l Library, o Options) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, domain.Because(domain.NotFound, err, "%s is not a folder that can be read.", dir)
	}
	f := &Folder{Options: o, dir: dir, library: l, memory: memoryOf(state, dir), gone: map[string]time.Time{}, fresh: map[string]glance{}}
	f.files, err = f.memory.read()
	return f, err
}

// Look carries out the changes in the folder since the last look, and calls each for every one. Again is when to look
// once more because something is not settled yet, or 0. An error is that of the library; changes made before it are
// remembered.
func (f *Folder) Look(ctx context.Context, each func(Change)) (again time.Duration, err error) {
	found, hidden, err := f.scan()
	if err != nil {
		f.leave(each, domain.Because(domain.Unavailable, err, "The folder can't be read, so nothing is changed until it is back: %v.", err))
		return 0, nil
	}
	before := maps.Clone(f.files)
	defer func() {
		if !maps.EqualFunc(before, f.files, same) {
			err = errors.Join(err, f.memory.write(f.files))
		}
	}()
	missing := f.missing(found, hidden)
	if again, err = f.take(ctx, found, missing, each); err != nil {
		return again, err
	}
	missing = slices.DeleteFunc(missing, func(name string) bool { _, there := f.files[name]; return !there }) // moved
	if f.tooMany(missing) && !f.DeleteMany && !f.KeepDeleted {
		f.leave(each, domain.Errorf(domain.Conflict, "%d of %d files are gone at once, so nothing is deleted: the folder may be unmounted. "+
			"If they were deleted, run clew watch once with --delete-many.", len(missing), len(f.files)))
		return again, nil
	}
	if f.away {
		f.away = false
		each(Change{What: Back, Name: filepath.Base(f.dir)})
	}
	wait, err := f.drop(ctx, missing, each)
	return sooner(again, wait), err
}

func same(a, b known) bool {
	return a.Size == b.Size && a.Modified.Equal(b.Modified) && a.Hash == b.Hash && slices.Equal(ids(a.Documents), ids(b.Documents))
}

func ids(docs []Document) (list []domain.DocumentID) {
	for _, d := range docs {
		list = append(list, d.ID)
	}
	return list
}

// leave reports once that the folder is left alone, and why.
func (f *Folder) leave(each func(Change), why error) {
	if !f.away {
		each(Change{What: Away, Name: filepath.Base(f.dir), Err: why})
	}
	f.away = true
	clear(f.gone)
}

func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// scan returns the readable files of the folder, by name, and the names of folders in it that can't be read.
func (f *Folder) scan() (found map[string]seen, hidden []string, err error) {
	found = map[string]seen{}
	err = folder.Walk(os.DirFS(f.dir), func(name string, d fs.DirEntry, err error) error {
		top := name == "."
		name = path.Join(filepath.Base(f.dir), name)
		switch {
		case err != nil && top:
			return err
		case err != nil:
			hidden = append(hidden, name)
			return nil //nolint:nilerr // the rest of the folder is looked at
		case d.IsDir() || !f.MayRead(d.Name()):
			return nil
		}
		if info, err := d.Info(); err == nil { // if not, it is gone
			found[name] = seen{info.Size(), info.ModTime()}
		}
		return nil
	})
	return found, hidden, err
}

// missing lists, in order, the known files that are not there.
func (f *Folder) missing(found map[string]seen, hidden []string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		_, there := found[name]
		if !there && !slices.ContainsFunc(hidden, func(dir string) bool { return strings.HasPrefix(name, dir+"/") }) {
			names = append(names, name)
		} else {
			delete(f.gone, name)
		}
	}
	return names
}

// fewMissing is how many files may be missing at once, regardless of their total.
const fewMissing = 5

// tooMany reports whether so many files are missing that the folder itself may be.
func (f *Folder) tooMany(missing []string) bool {
	return len(missing) > 0 && (len(missing) == len(f.files) || len(missing) > fewMissing && 2*len(missing) > len(f.files))
}

// take adds new and changed files.
func (f *Folder) take(ctx context.Context, found map[string]seen, missing []string, each func(Change)) (again time.Duration, err error) {
	maps.DeleteFunc(f.fresh, func(name string, _ glance) bool { _, there := found[name]; return !there })
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s := found[name]
		was, there := f.files[name]
		if there && was.Size == s.size && was.Modified.Equal(s.modified) {
			continue
		}
		if wait := f.unsettled(name, s); wait > 0 {
			again = sooner(again, wait)
			continue
		}
		delete(f.fresh, name)
		if err := f.takeOne(ctx, name, s, missing, each); err != nil {
			return again, err
		}
	}
	return again, nil
}

// unsettled returns how long a file is left alone because it may still be written.
func (f *Folder) unsettled(name string, s seen) time.Duration {
	now := f.Now()
	g, known := f.fresh[name]
	if !known || g.size != s.size || !g.modified.Equal(s.modified) {
		g = glance{s, now}
		f.fresh[name] = g
	}
	quiet := now.Sub(g.since)
	if age := now.Sub(s.modified); age > quiet { // a clock that is ahead proves nothing
		quiet = age
	}
	return max(0, f.Settle-quiet)
}

func (f *Folder) takeOne(ctx context.Context, name string, s seen, missing []string, each func(Change)) error {
	path := filepath.Join(filepath.Dir(f.dir), filepath.FromSlash(name))
	hash, err := hashOf(path)
	if err != nil {
		each(Change{What: Refused, Name: name, Err: domain.Because(domain.NotFound, err, "The file can't be read: %v.", err)})
		f.files[name] = known{Size: s.size, Modified: s.modified, Documents: f.files[name].Documents}
		return nil
	}
	was, there := f.files[name]
	now := known{Size: s.size, Modified: s.modified, Hash: hash, Documents: was.Documents}
	if there && was.Hash == hash {
		f.files[name] = now
		return nil
	}
	if !there {
		if from, moved, err := f.moved(ctx, hash, name, missing); err != nil || from != "" {
			if err == nil {
				now.Documents = f.files[from].Documents
				f.files[name] = now
				delete(f.files, from)
				if moved {
					each(Change{What: Moved, Name: name, From: from, Documents: now.Documents})
				}
			}
			return err
		}
	}
	if was.Documents, err = f.yield(ctx, name, was.Documents); err != nil {
		return err
	}
	docs, err := f.library.Add(ctx, path, name)
	if err != nil {
		if domain.KindOf(err) == domain.TooMany || domain.Temporary(err) || ctx.Err() != nil {
			return err
		}
		f.files[name] = now
		each(Change{What: Refused, Name: name, Err: err})
		return nil
	}
	now.Documents = docs
	f.files[name] = now
	each(Change{What: map[bool]string{true: Changed, false: Added}[there], Name: name, Documents: docs})
	for _, old := range was.Documents { // documents that it no longer contains
		if !slices.Contains(ids(docs), old.ID) {
			if _, _, err := f.release(ctx, name, old); err != nil {
				return err
			}
		}
	}
	return nil
}

// yield hands the documents of a changed file over to files that still have its old content, and returns the others.
func (f *Folder) yield(ctx context.Context, name string, docs []Document) (left []Document, err error) {
	for _, d := range docs {
		if f.otherFile(name, d.ID) == "" {
			left = append(left, d)
		} else if _, _, err := f.release(ctx, name, d); err != nil {
			return docs, err
		}
	}
	return left, nil
}

// moved finds the missing file that a new one was, by its content, and renames its
// document. A document that a person deleted stays deleted.
func (f *Folder) moved(ctx context.Context, hash, name string, missing []string) (from string, renamed bool, err error) {
	for _, old := range missing {
		k, there := f.files[old]
		if !there || k.Hash != hash || len(k.Documents) != 1 || !k.Documents[0].Own {
			continue
		}
		err := f.library.Rename(ctx, k.Documents[0].ID, name)
		if domain.KindOf(err) == domain.NotFound {
			return old, false, nil
		}
		return old, true, err
	}
	return "", false, nil
}

// drop deletes the documents of files that have been missing for long enough.
func (f *Folder) drop(ctx context.Context, missing []string, each func(Change)) (again time.Duration, err error) {
	now := f.Now()
	for _, name := range missing {
		since, waiting := f.gone[name]
		if !waiting {
			since = now
			f.gone[name] = now
		}
		if wait := f.Settle - now.Sub(since); wait > 0 {
			again = sooner(again, wait)
			continue
		}
		if err := f.dropOne(ctx, name, each); err != nil {
			return again, err
		}
		delete(f.gone, name)
	}
	return again, nil
}

func (f *Folder) dropOne(ctx context.Context, name string, each func(Change)) error {
	change := Change{What: Kept, Name: name, Documents: f.files[name].Documents}
	for _, d := range change.Documents {
		what, other, err := f.release(ctx, name, d)
		if err != nil {
			return err
		}
		if change.What = what; what == Moved {
			change.Name, change.From = other, name
		}
	}
	delete(f.files, name)
	if len(change.Documents) > 0 {
		each(change)
	}
	return nil
}

// release does with a document of a file what has to be done when the file gives it no
// more: it goes, unless another file, which is returned, holds the same, or it is kept.
func (f *Folder) release(ctx context.Context, name string, d Document) (what, other string, err error) {
	other = f.otherFile(name, d.ID)
	switch {
	case !d.Own || f.KeepDeleted:
		return Kept, "", nil
	case other == "":
		return Deleted, "", f.library.Delete(ctx, d.ID)
	}
	if err := f.library.Rename(ctx, d.ID, other); err != nil && domain.KindOf(err) != domain.NotFound {
		return "", "", err
	}
	k := f.files[other]
	k.Documents = slices.Clone(k.Documents)
	k.Documents[slices.Index(ids(k.Documents), d.ID)].Own = true
	f.files[other] = k
	return Moved, other, nil
}

// otherFile returns the first other file that gave a document, or "" if there is none.
func (f *Folder) otherFile(name string, id domain.DocumentID) string {
	for _, other := range slices.Sorted(maps.Keys(f.files)) {
		if other != name && slices.Contains(ids(f.files[other].Documents), id) {
			return other
		}
	}
	return ""
}

func hashOf(path string) (hash string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = cmp.Or(err, file.Close()) }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
