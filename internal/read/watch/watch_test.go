package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

// library holds the content of files by the ids of their documents.
type library struct {
	names map[domain.DocumentID]string
	texts map[domain.DocumentID]string
	next  int
	full  bool
}

func newLibrary() *library {
	return &library{names: map[domain.DocumentID]string{}, texts: map[domain.DocumentID]string{}}
}

func (l *library) Add(_ context.Context, path, name string) ([]Document, error) {
	if l.full {
		return nil, domain.Errorf(domain.TooMany, "Many documents wait.")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(data), "\x00") {
		return nil, domain.Errorf(domain.Unsupported, "It is no text.")
	}
	for id, text := range l.texts {
		if text == string(data) {
			return []Document{{ID: id, Own: l.names[id] == name}}, nil
		}
	}
	for id, n := range l.names {
		if n == name {
			l.texts[id] = string(data)
			return []Document{{ID: id, Own: true}}, nil
		}
	}
	l.next++
	id := domain.DocumentID(fmt.Sprint("d", l.next))
	l.names[id], l.texts[id] = name, string(data)
	return []Document{{ID: id, Own: true, Run: "r"}}, nil
}

func (l *library) Rename(_ context.Context, id domain.DocumentID, name string) error {
	if _, there := l.names[id]; !there {
		return domain.Errorf(domain.NotFound, "There is no such document.")
	}
	l.names[id] = name
	return nil
}

func (l *library) Delete(_ context.Context, id domain.DocumentID) error {
	delete(l.names, id)
	delete(l.texts, id)
	return nil
}

// holds lists the documents by name.
func (l *library) holds() []string {
	all := []string{}
	for id, name := range l.names {
		all = append(all, fmt.Sprintf("%s %s %s", id, name, l.texts[id]))
	}
	slices.Sort(all)
	return all
}

// desk is a folder that is followed, with a clock of its own.
type desk struct {
	testing.TB
	dir, state string
	library    *library
	folder     *Folder
	options    Options
	now        time.Time
}

const settle = 2 * time.Second

func newDesk(t testing.TB, dir string) *desk {
	t.Helper()
	d := &desk{TB: t, dir: filepath.Join(dir, "box"), state: filepath.Join(dir, "state"), library: newLibrary(), now: time.Now()}
	d.options = Options{MayRead: func(name string) bool { return filepath.Ext(name) == ".txt" }, Settle: settle, Now: func() time.Time { return d.now }}
	d.must(os.MkdirAll(d.dir, 0o700))
	d.open()
	return d
}

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// open follows the folder as after a restart.
func (d *desk) open() {
	d.Helper()
	var err error
	d.folder, err = Open(d.dir, d.state, d.library, d.options)
	d.must(err)
}

func (d *desk) write(name, text string) {
	d.Helper()
	path := filepath.Join(d.dir, name)
	d.must(os.MkdirAll(filepath.Dir(path), 0o700))
	d.must(os.WriteFile(path, []byte(text), 0o600))
	d.now = d.now.Add(time.Second)
	d.must(os.Chtimes(path, d.now, d.now))
}

func (d *desk) move(from, to string) {
	d.Helper()
	d.must(os.MkdirAll(filepath.Dir(filepath.Join(d.dir, to)), 0o700))
	d.must(os.Rename(filepath.Join(d.dir, from), filepath.Join(d.dir, to)))
}

func (d *desk) remove(name string) {
	d.Helper()
	d.must(os.RemoveAll(filepath.Join(d.dir, name)))
}

// look looks until nothing is unsettled, and returns what happened.
func (d *desk) look() (changes []string) {
	d.Helper()
	for range 10 {
		again, err := d.folder.Look(d.Context(), func(c Change) {
			said := c.What + " " + c.Name
			if c.From != "" {
				said += " from " + c.From
			}
			changes = append(changes, said)
		})
		d.must(err)
		if again == 0 {
			return changes
		}
		d.now = d.now.Add(again)
	}
	d.Fatal("the folder does not settle")
	return nil
}

// wants checks what a look finds and what the library holds then.
func (d *desk) wants(when string, changes, holds []string) {
	d.Helper()
	got := d.look()
	slices.Sort(got) // what has changed longer ago comes first
	if diff := cmp.Diff(changes, got); diff != "" {
		d.Errorf("%s, changes (-want +got)\n%s", when, diff)
	}
	if diff := cmp.Diff(holds, d.library.holds()); diff != "" {
		d.Errorf("%s, documents (-want +got)\n%s", when, diff)
	}
}

// TestAFolderIsFollowed adds, changes, moves, copies and deletes files, with restarts.
func TestAFolderIsFollowed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, t.TempDir())
	d.write("a.txt", "one")
	d.write("sub/b.txt", "two")
	d.write(".hidden.txt", "no")
	d.write(".git/c.txt", "no")
	d.write("picture.png", "no")
	d.write("bad.txt", "\x00")
	d.wants("at first", []string{"added box/a.txt", "added box/sub/b.txt", "refused box/bad.txt"}, []string{"d1 box/a.txt one", "d2 box/sub/b.txt two"})
	d.open()
	d.wants("after a restart", nil, []string{"d1 box/a.txt one", "d2 box/sub/b.txt two"})
	d.write("a.txt", "one, changed")
	d.move("sub/b.txt", "other/c.txt")
	d.wants("changed and moved", []string{"changed box/a.txt", "moved box/other/c.txt from box/sub/b.txt"}, []string{"d1 box/a.txt one, changed", "d2 box/other/c.txt two"})
	d.move("other", "more")
	d.write("more/d.txt", "three")
	d.open()
	d.wants("moved while nobody looked", []string{"added box/more/d.txt", "moved box/more/c.txt from box/other/c.txt"},
		[]string{"d1 box/a.txt one, changed", "d2 box/more/c.txt two", "d3 box/more/d.txt three"})
	d.write("copy.txt", "two")
	d.wants("copied", []string{"added box/copy.txt"}, []string{"d1 box/a.txt one, changed", "d2 box/more/c.txt two", "d3 box/more/d.txt three"})
	d.remove("more/c.txt")
	d.wants("the first of two copies is deleted", []string{"moved box/copy.txt from box/more/c.txt"}, []string{"d1 box/a.txt one, changed", "d2 box/copy.txt two", "d3 box/more/d.txt three"})
	d.remove("copy.txt")
	d.wants("deleted", []string{"deleted box/copy.txt"}, []string{"d1 box/a.txt one, changed", "d3 box/more/d.txt three"})
	d.write("bad.txt", "four")
	d.wants("what was refused is changed", []string{"changed box/bad.txt"}, []string{"d1 box/a.txt one, changed", "d3 box/more/d.txt three", "d4 box/bad.txt four"})
}

// TestAFileThatIsBeingWrittenIsLeftAlone looks while a file grows, and while an editor
// replaces one.
func TestAFileThatIsBeingWrittenIsLeftAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, t.TempDir())
	d.write("z.txt", "still")
	d.look()
	glance := func() (changes int, again time.Duration) {
		t.Helper()
		again, err := d.folder.Look(t.Context(), func(Change) { changes++ })
		d.must(err)
		return changes, again
	}
	for _, text := range []string{"o", "on", "one"} {
		d.write("a.txt", text)
		if changes, again := glance(); changes != 0 || again <= 0 || again > settle {
			t.Errorf("%q: %d changes, to look again in %v", text, changes, again)
		}
	}
	d.wants("when it is quiet", []string{"added box/a.txt"}, []string{"d1 box/z.txt still", "d2 box/a.txt one"})
	d.remove("a.txt")
	d.write("b.txt", "another")
	if changes, again := glance(); changes != 0 || again == 0 {
		t.Errorf("a file that is gone for a moment: %d changes, to look again in %v", changes, again)
	}
	d.write("a.txt", "one, edited")
	d.wants("when it is back", []string{"added box/b.txt", "changed box/a.txt"}, []string{"d1 box/z.txt still", "d2 box/a.txt one, edited", "d3 box/b.txt another"})
	d.write("late.txt", "ahead")
	ahead := d.now.Add(time.Hour)
	d.must(os.Chtimes(filepath.Join(d.dir, "late.txt"), ahead, ahead))
	d.wants("the clock of the file is ahead", []string{"added box/late.txt"}, []string{"d1 box/z.txt still", "d2 box/a.txt one, edited", "d3 box/b.txt another", "d4 box/late.txt ahead"})
}

// TestAFolderThatVanishesDeletesNothing unmounts a folder in three ways.
func TestAFolderThatVanishesDeletesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, t.TempDir())
	for i := range 12 {
		d.write(fmt.Sprintf("sub/%02d.txt", i), fmt.Sprint("text ", i))
	}
	d.write("a.txt", "one")
	d.look()
	all := d.library.holds()
	aside := d.dir + "-aside"
	d.must(os.Rename(d.dir, aside))
	d.wants("the folder is gone", []string{"away box"}, all)
	d.wants("it still is", nil, all)
	d.must(os.Mkdir(d.dir, 0o700))
	d.wants("it is empty", nil, all)
	if _, err := Open(d.dir+"-none", d.state, d.library, d.options); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a folder that never was: %v", err)
	}
	d.open()
	d.wants("it is empty after a restart", []string{"away box"}, all)
	d.remove("")
	d.must(os.Rename(aside, d.dir))
	d.wants("it is back", []string{"back box"}, all)
	d.move("sub", "../aside")
	d.wants("most of it is gone", []string{"away box"}, all)
	d.must(os.Rename(filepath.Join(filepath.Dir(d.dir), "aside"), filepath.Join(d.dir, "sub")))
	d.must(os.Chmod(filepath.Join(d.dir, "sub"), 0))
	if os.Getuid() != 0 { // root may look anyway
		d.wants("most of it can't be read", []string{"back box"}, all)
	}
	d.must(os.Chmod(filepath.Join(d.dir, "sub"), 0o700))
	d.remove("sub")
	d.look()
	d.options.DeleteMany = true
	d.open()
	if d.look(); len(d.library.holds()) != 1 {
		t.Errorf("with DeleteMany the library holds %v", d.library.holds())
	}
}

// TestWhatIsNotTheFoldersOwnStays follows a folder with a file that a person has added
// before, deletes a document that the folder gave, and keeps what is deleted.
func TestWhatIsNotTheFoldersOwnStays(t *testing.T) {
	t.Parallel()
	d := newDesk(t, t.TempDir())
	d.library.names["upload"], d.library.texts["upload"] = "letter.txt", "one"
	d.write("a.txt", "one")
	d.write("b.txt", "two")
	d.write("c.txt", "three")
	d.wants("at first", []string{"added box/a.txt", "added box/b.txt", "added box/c.txt"}, []string{"d1 box/b.txt two", "d2 box/c.txt three", "upload letter.txt one"})
	d.remove("a.txt")
	d.wants("the file of an upload", []string{"kept box/a.txt"}, []string{"d1 box/b.txt two", "d2 box/c.txt three", "upload letter.txt one"})
	d.must(d.library.Delete(t.Context(), "d1"))
	d.open()
	d.wants("deleted by a person", nil, []string{"d2 box/c.txt three", "upload letter.txt one"})
	d.move("b.txt", "e.txt")
	d.wants("moved when it was deleted", nil, []string{"d2 box/c.txt three", "upload letter.txt one"})
	d.write("e.txt", "two, changed")
	d.wants("changed when it was deleted", []string{"changed box/e.txt"}, []string{"d2 box/c.txt three", "d3 box/e.txt two, changed", "upload letter.txt one"})
	d.options.KeepDeleted = true
	d.open()
	d.remove("c.txt")
	d.wants("kept", []string{"kept box/c.txt"}, []string{"d2 box/c.txt three", "d3 box/e.txt two, changed", "upload letter.txt one"})
}

// TestAFullQueueIsWaitedFor stops at a file for which the queue has no room.
func TestAFullQueueIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t, t.TempDir())
	d.write("a.txt", "one")
	d.now = d.now.Add(time.Minute)
	d.library.full = true
	if _, err := d.folder.Look(t.Context(), func(c Change) { t.Errorf("%+v", c) }); domain.KindOf(err) != domain.TooMany {
		t.Errorf("error %v", err)
	}
	d.library.full = false
	d.wants("with room", []string{"added box/a.txt"}, []string{"d1 box/a.txt one"})
}

// TestTheLibraryFollowsAnyHistory does whatever can be done to the files of a folder, with
// restarts, and compares the library with the folder in the end.
func TestTheLibraryFollowsAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := newDesk(historyOf{t, r}, t.TempDir())
		d.options.DeleteMany = true
		d.open()
		names := []string{"a.txt", "b.txt", "sub/a.txt", "sub/c.txt", "d.txt"}
		want := map[string]string{}
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			name := rapid.SampledFrom(names).Draw(r, "name")
			text, there := want[name]
			switch to := rapid.SampledFrom(names).Draw(r, "to"); rapid.IntRange(0, 4).Draw(r, "act") {
			case 0, 1:
				want[name] = fmt.Sprint("text ", rapid.IntRange(0, 5).Draw(r, "text"))
				d.write(name, want[name])
			case 2:
				if there {
					delete(want, name)
					d.remove(name)
				}
			case 3:
				if there && to != name {
					delete(want, name)
					want[to] = text
					d.move(name, to)
				}
			case 4:
				d.look()
				d.open()
			}
		}
		d.look()
		texts := map[string]bool{}
		for _, text := range want {
			texts[text] = true
		}
		for id, text := range d.library.texts {
			name := strings.TrimPrefix(d.library.names[id], "box/")
			if !texts[text] || want[name] != text {
				r.Errorf("the library holds %q as %s, the folder %v", text, name, want)
			}
			delete(texts, text)
		}
		if len(texts) > 0 {
			r.Errorf("the library misses %v of %v: it holds %v", texts, want, d.library.holds())
		}
	})
}

// historyOf fails a case of a property.
type historyOf struct {
	testing.TB
	r *rapid.T
}

func (h historyOf) Errorf(format string, args ...any) { h.r.Errorf(format, args...) }
func (h historyOf) Fatal(args ...any)                 { h.r.Fatal(args...) }
