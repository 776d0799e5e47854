package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/gitserver"
)

// papers is a site of numbered pages with ETags, whose first page leads to all others.
type papers struct {
	*httptest.Server
	mu      sync.Mutex
	pages   map[string]string
	bodies  []string // paths of those that were sent
	holding func(path string, r *http.Request)
}

func newPapers(t *testing.T, pages int) *papers {
	t.Helper()
	p := &papers{pages: map[string]string{}}
	links := ""
	for n := 1; n < pages; n++ {
		path := fmt.Sprintf("/papers/%03d.html", n)
		links += fmt.Sprintf(`<a href="%s">Paper %d</a> `, path, n)
		p.pages[path] = fmt.Sprintf("<title>Paper %d</title><p>Maud Ferring cast bell number %d at the Carrow Foundry.</p>", n, n)
	}
	p.pages["/papers/"] = "<title>Papers</title><p>All papers of the foundry.</p>" + links
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *papers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	page, is := p.pages[r.URL.Path]
	holding := p.holding
	p.mu.Unlock()
	if holding != nil {
		holding(r.URL.Path, r)
	}
	if !is {
		http.NotFound(w, r)
		return
	}
	tag := `"` + domain.Hash([]byte(page))[:16] + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	p.mu.Lock()
	p.bodies = append(p.bodies, r.URL.Path)
	p.mu.Unlock()
	fmt.Fprint(w, "<!DOCTYPE html>"+page)
}

func (p *papers) change(path, page string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if page == "" {
		delete(p.pages, path)
	} else {
		p.pages[path] = page
	}
}

// sent returns the pages that were sent since the last call.
func (p *papers) sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := p.bodies
	p.bodies = nil
	return sent
}

// unhurried has a site asked without pauses.
func (a *app) unhurried() {
	a.crawl.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
}

// follows adds a source.
func (a *app) follows(t *testing.T, in source.Wanted) string {
	t.Helper()
	added, err := source.Add.Do(a.sources, domain.WithWorkspace(t.Context(), domain.DefaultWorkspace), in)
	noError(t, err)
	return added.ID
}

// looksAt looks at a source to the end, and returns what that found.
func (a *app) looksAt(t *testing.T, id string) ledger.Look {
	t.Helper()
	run, err := a.sources.Look(t.Context(), domain.DefaultWorkspace, id)
	noError(t, err)
	a.finishes(t, run)
	return a.lookOf(t, id)
}

// lookOf returns the last look at a source, without what differs from test to test.
func (a *app) lookOf(t *testing.T, id string) ledger.Look {
	t.Helper()
	all, err := a.ledger.Looks(t.Context(), domain.DefaultWorkspace, id, time.Time{}, 1)
	noError(t, err)
	if len(all) == 0 {
		t.Fatal("there is no look")
	}
	k := all[0]
	k.Workspace, k.Source, k.Run, k.BeganAt, k.EndedAt = "", "", "", time.Time{}, time.Time{}
	return k
}

// readings counts the runs that read documents.
func (a *app) readings(t *testing.T) int {
	t.Helper()
	n, err := a.queue.Count(t.Context(), domain.DefaultWorkspace, job.Query{Kind: documents.Kind})
	noError(t, err)
	return n
}

// TestALookGoesOnWhereItStopped stops the worker in the middle of a look. Another goes on, and downloads nothing again but what
// was under way.
func TestALookGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	site := newPapers(t, 30)
	reached := make(chan struct{})
	var once sync.Once
	site.holding = func(path string, r *http.Request) {
		if path == "/papers/015.html" {
			once.Do(func() {
				close(reached)
				<-r.Context().Done()
			})
		}
	}
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	a := sh.app(t)
	a.unhurried()
	first := a.worker(a.kinds().Concurrency(source.RunKind))
	noError(t, first.Start(t.Context()))
	id := a.follows(t, source.Wanted{Kind: source.OfSite, Address: site.URL + "/papers/", Every: "never"})
	run, err := a.sources.Look(t.Context(), domain.DefaultWorkspace, id)
	noError(t, err)
	<-reached
	if _, err := a.sources.Look(t.Context(), domain.DefaultWorkspace, id); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a second look at once: %v", err)
	}
	noError(t, first.Stop(t.Context()))
	second := a.worker(a.kinds().Concurrency(source.RunKind))
	noError(t, second.Start(t.Context()))
	a.finishes(t, run)
	noError(t, second.Stop(t.Context()))
	if got, want := a.lookOf(t, id), (ledger.Look{Seen: 30, Fresh: 30}); got != want {
		t.Errorf("the look found %+v, want %+v", got, want)
	}
	times := map[string]int{}
	for _, path := range site.sent() {
		times[path]++
	}
	again := 0
	for _, n := range times {
		again += n - 1
	}
	if len(times) != 30 || again > 4 || times["/papers/001.html"] != 1 {
		t.Errorf("%d pages were sent, %d of them again", len(times), again)
	}
	if read := a.readings(t); read != 30 {
		t.Errorf("%d documents are read, want 30", read)
	}
}

// TestAFolderIsFollowed adds a folder by a command and changes its files: a changed file becomes the next version, a moved file renames
// its document, and a deleted file waits for a decision.
func TestAFolderIsFollowed(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		noError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		noError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	put("scans/a.txt", foundry)
	put("scans/b.txt", bridge)
	put("scans/c.txt", "Agnes Lovibond taught at the school of Osterby.")
	put("scans/.hidden.txt", "nothing to read")
	put("scans/picture.xyz", "nothing to read")
	sh := newShell(t, "SOURCE_FOLDERS="+root)
	if preview := sh.must(t, "source", "preview", "folder", "scans"); !strings.Contains(preview, "3 items") || !strings.Contains(preview, "free") {
		t.Errorf("the preview says %q", preview)
	}
	if _, err := sh.run(t, "source", "add", "folder", "../"); err == nil {
		t.Error("a folder beside the root is followed")
	}
	shown := decoded[source.Shown](t, sh.must(t, "source", "add", "folder", "scans", "--name", "Museum scans", "--every", "6h", "--json"))
	if out, err := sh.run(t, "source", "add", "folder", "scans"); err == nil || !strings.Contains(err.Error(), "followed already") {
		t.Errorf("added twice: %v %s", err, out)
	}
	a := sh.app(t)
	worker := a.worker(a.kinds().Concurrency())
	noError(t, worker.Start(t.Context()))
	noError(t, a.sources.Due(t.Context()))
	due, err := a.ledger.Source(t.Context(), domain.DefaultWorkspace, shown.ID)
	noError(t, err)
	a.finishes(t, due.Looking)
	if got, want := a.lookOf(t, shown.ID), (ledger.Look{Seen: 3, Fresh: 3, LeftOut: 1}); got != want {
		t.Errorf("the first look: %+v, want %+v", got, want)
	}
	a.allRead(t)
	put("scans/a.txt", strings.Replace(foundry, "1871", "1872", 1)+" It closed in 1931.")
	noError(t, os.Rename(filepath.Join(root, "scans/b.txt"), filepath.Join(root, "scans/moved.txt")))
	noError(t, os.Remove(filepath.Join(root, "scans/c.txt")))
	if got, want := a.looksAt(t, shown.ID), (ledger.Look{Seen: 2, Changed: 1, Gone: 1, LeftOut: 1}); got != want {
		t.Errorf("the second look: %+v, want %+v", got, want)
	}
	a.allRead(t)
	names := func() (names []string) {
		docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
		noError(t, err)
		for _, d := range docs {
			names = append(names, d.Name)
		}
		slices.Sort(names)
		return names
	}
	if diff := cmp.Diff([]string{"scans/a.txt", "scans/c.txt", "scans/moved.txt"}, names()); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	noError(t, worker.Stop(t.Context()))
	if out := sh.must(t, "source", "show", "museum scans"); !strings.Contains(out, "gone     c.txt") || !strings.Contains(out, "moved    moved.txt, before b.txt") {
		t.Errorf("it is shown as %q", out)
	}
	sh.must(t, "source", "settle", "Museum scans", "--items", "c.txt", "--delete")
	if diff := cmp.Diff([]string{"scans/a.txt", "scans/moved.txt"}, names()); diff != "" {
		t.Errorf("documents after the decision (-want +got):\n%s", diff)
	}
	sh.must(t, "source", "pause", shown.ID)
	if _, err := sh.run(t, "source", "look", shown.ID); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a look at a paused source: %v", err)
	}
	sh.must(t, "source", "resume", shown.ID)
	sh.must(t, "source", "remove", shown.ID)
	if diff := cmp.Diff([]string{"scans/a.txt", "scans/moved.txt"}, names()); diff != "" {
		t.Errorf("documents after the source was removed (-want +got):\n%s", diff)
	}
}

// allRead waits until no document is being read.
func (a *app) allRead(t *testing.T) {
	t.Helper()
	open, err := a.queue.List(t.Context(), domain.DefaultWorkspace, job.Query{Kind: documents.Kind, Status: job.Unended()})
	noError(t, err)
	for _, r := range open {
		a.finishes(t, r.ID)
	}
}

// TestDueSourcesAreLookedAtOnce checks that of two processes one queues a look that is due, that a failed look is retried, and
// that the sources of a former member are paused.
func TestDueSourcesAreLookedAtOnce(t *testing.T) {
	t.Parallel()
	site := newPapers(t, 2)
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	a, b := sh.app(t), sh.app(t)
	a.unhurried()
	id := a.follows(t, source.Wanted{Kind: source.OfSite, Address: site.URL + "/papers/", Every: "24h"})
	var both sync.WaitGroup
	for _, one := range []*app{a, b} {
		both.Go(func() {
			if err := one.sources.Due(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	n, err := a.queue.Count(t.Context(), domain.DefaultWorkspace, job.Query{Kind: source.RunKind})
	noError(t, err)
	if n != 1 {
		t.Fatalf("%d looks were ordered, want 1", n)
	}
	site.Close()
	worker := a.worker(a.kinds().Concurrency(source.RunKind))
	noError(t, worker.Start(t.Context()))
	src, err := a.ledger.Source(t.Context(), domain.DefaultWorkspace, id)
	noError(t, err)
	noError(t, a.queue.RetryAll(t.Context(), domain.DefaultWorkspace))
	a.finishes(t, src.Looking)
	noError(t, worker.Stop(t.Context()))
	src, err = a.ledger.Source(t.Context(), domain.DefaultWorkspace, id)
	noError(t, err)
	if wait := time.Until(src.NextAt); src.Failures != 1 || !strings.Contains(src.Problem, "does not answer") || src.Looking != "" || wait > 16*time.Minute || wait < 10*time.Minute {
		t.Errorf("after a failure: %+v", src)
	}
	src, err = a.ledger.Source(t.Context(), domain.DefaultWorkspace, id)
	noError(t, err)
	src.ID, src.Person, src.NextAt, src.Address = "src-of-eve", "eve", time.Now().Add(-time.Second), "http://127.0.0.1:9/"
	noError(t, a.ledger.AddSource(t.Context(), src, 10))
	noError(t, a.sources.Due(t.Context()))
	src, err = a.ledger.Source(t.Context(), domain.DefaultWorkspace, src.ID)
	noError(t, err)
	if src.PausedAt.IsZero() || src.Looking != "" || !strings.Contains(src.Problem, "eve") {
		t.Errorf("whoever added it is no member, and it is %+v", src)
	}
}

// TestALookAtARepositoryGoesOnWhereItStopped stops the worker in the middle of a look. Another goes on, reads nothing twice, and the next
// look fetches what has changed alone.
func TestALookAtARepositoryGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	repo := gitserver.New(t, true)
	for n := range 20 {
		noError(t, os.WriteFile(filepath.Join(repo.Work(), fmt.Sprintf("%02d.txt", n)), fmt.Appendf(nil, "Maud Ferring cast bell number %d at the Carrow Foundry.", n), 0o600))
	}
	repo.Commit()
	reached := make(chan struct{})
	var posts atomic.Int32
	repo.Answer = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && posts.Add(1) == 12 {
			_, _ = io.Copy(io.Discard, r.Body) // so that the end of the client is noticed
			close(reached)
			<-r.Context().Done()
			return true
		}
		return false
	}
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	if preview := sh.must(t, "source", "preview", "git", repo.Address); !strings.Contains(preview, "20 items") || !strings.Contains(preview, "free") {
		t.Errorf("the preview says %q", preview)
	}
	posts.Store(0)
	shown := decoded[source.Shown](t, sh.must(t, "source", "add", "git", repo.Address, "--branch", "main", "--every", "never", "--json"))
	if shown.Name != "box" {
		t.Errorf("it is called %q", shown.Name)
	}
	a := sh.app(t)
	first := a.worker(a.kinds().Concurrency(source.RunKind))
	noError(t, first.Start(t.Context()))
	run, err := a.sources.Look(t.Context(), domain.DefaultWorkspace, shown.ID)
	noError(t, err)
	<-reached
	noError(t, first.Stop(t.Context()))
	b := sh.app(t) // another process, which knows nothing of the repository yet
	second := b.worker(b.kinds().Concurrency())
	noError(t, second.Start(t.Context()))
	b.finishes(t, run)
	if got, want := b.lookOf(t, shown.ID), (ledger.Look{Seen: 20, Fresh: 20}); got != want {
		t.Errorf("the look found %+v, want %+v", got, want)
	}
	if read, asked := b.readings(t), posts.Load(); read != 20 || asked > 2+20+4+2*2 {
		t.Errorf("%d documents are read after %d commands, want 20 and no more than 30", read, asked)
	}
	b.allRead(t)
	repo.Put("07.txt", "Agnes Lovibond cast bell number 7 again.")
	repo.Git("mv", "08.txt", "eight.txt")
	repo.Drop("09.txt")
	repo.Sent()
	if got, want := b.looksAt(t, shown.ID), (ledger.Look{Seen: 19, Changed: 1, Gone: 1}); got != want {
		t.Errorf("the second look: %+v, want %+v", got, want)
	}
	if commands, bytes := repo.Sent(); commands != 4 || bytes > 5000 {
		t.Errorf("it takes %d commands and %d bytes, want the branch, the folders and two files", commands, bytes)
	}
	b.allRead(t)
	noError(t, second.Stop(t.Context()))
	docs, _, err := b.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{FactFilter: domain.FactFilter{Sources: []domain.Source{domain.SourceGit}}})
	noError(t, err)
	if len(docs) != 20 || !slices.ContainsFunc(docs, func(d domain.Document) bool { return d.Name == "box/eight.txt" }) || slices.ContainsFunc(docs, func(d domain.Document) bool { return d.Name == "box/08.txt" }) {
		t.Errorf("%d documents, of which none is called box/eight.txt, or one still box/08.txt", len(docs))
	}
}

// TestSourcesComeBack restores everything, and a workspace, from backups. What was read is not read again; a source that comes with a
// workspace waits, without its password.
func TestSourcesComeBack(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file(t, root, "scans/a.txt", foundry)
	file(t, root, "scans/b.txt", bridge)
	settings := []string{"SOURCE_FOLDERS=" + root, "WEB_ALLOW=127.0.0.1"}
	from := newShell(t, settings...)
	folder := decoded[source.Shown](t, from.must(t, "source", "add", "folder", "scans", "--json"))
	locked := decoded[source.Shown](t, from.must(t, "source", "add", "git", "http://127.0.0.1:9/box.git", "--user", "maud", "--json"))
	from.stdin = "bells\n"
	from.must(t, "source", "unlock", locked.ID)
	looks := func(sh shell, w string, want ledger.Look) ledger.Source {
		t.Helper()
		a := sh.app(t)
		worker := a.worker(a.kinds().Concurrency())
		noError(t, worker.Start(t.Context()))
		ws, err := a.ledger.WorkspaceNamed(t.Context(), w)
		noError(t, err)
		run, err := a.sources.Look(t.Context(), ws.ID, folder.ID)
		noError(t, err)
		for _, err := range a.hub.Watch(t.Context(), ws.ID, run, 0) {
			noError(t, err)
		}
		k, err := a.ledger.Looks(t.Context(), ws.ID, folder.ID, time.Time{}, 1)
		noError(t, err)
		if got := (ledger.Look{Seen: k[0].Seen, Fresh: k[0].Fresh, Problem: k[0].Problem}); got != want {
			t.Errorf("%s is looked at: %+v, want %+v", w, got, want)
		}
		noError(t, worker.Stop(t.Context()))
		src, err := a.ledger.Source(t.Context(), ws.ID, locked.ID)
		noError(t, err)
		return src
	}
	sealed := looks(from, "library", ledger.Look{Seen: 2, Fresh: 2}).Sealed
	dir := t.TempDir()
	from.must(t, "backup", filepath.Join(dir, "all"))
	from.must(t, "backup", "--workspace", "library", filepath.Join(dir, "one"))
	for name, kept := range map[string]bool{"all": true, "one": false} {
		packed, err := os.Open(filepath.Join(dir, name))
		noError(t, err)
		unpacked, err := zstd.NewReader(packed)
		noError(t, err)
		data, err := io.ReadAll(unpacked)
		noError(t, errors.Join(err, packed.Close()))
		if strings.Contains(string(data), sealed) != kept {
			t.Errorf("the backup %s holds the encrypted password: %v, want %v", name, !kept, kept)
		}
	}
	all, other := newShell(t, settings...), newShell(t, settings...)
	all.must(t, "restore", filepath.Join(dir, "all"))
	if src := looks(all, "library", ledger.Look{Seen: 2}); src.Sealed != sealed || !src.PausedAt.IsZero() {
		t.Errorf("restored: %+v", src)
	}
	other.must(t, "restore", "--as", "county", filepath.Join(dir, "one"))
	if _, err := other.run(t, "source", "look", folder.ID, "--workspace", "county"); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a source that came with a workspace is looked at: %v", err)
	}
	other.must(t, "source", "resume", folder.ID, "--workspace", "county")
	if src := looks(other, "county", ledger.Look{Seen: 2}); src.Sealed != "" || src.PausedAt.IsZero() || !src.NextAt.IsZero() || !strings.Contains(src.Problem, "backup") {
		t.Errorf("moved: %+v", src)
	}
}

// TestWhatIsOfferedFitsTheProblem follows a repository that does not answer, and one that refuses the token: only for that one
// the page asks for another.
func TestWhatIsOfferedFitsTheProblem(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(refuses.Close)
	kinds := map[string]string{"http://127.0.0.1:9/box.git": "unavailable", refuses.URL + "/box.git": "forbidden"}
	for address := range kinds {
		src := decoded[source.Shown](t, sh.must(t, "source", "add", "git", address, "--user", "maud", "--json"))
		sh.stdin = "bells\n"
		sh.must(t, "source", "unlock", src.ID)
	}
	v := sh.serve(t)
	for deadline := time.Now().Add(hangs); ; time.Sleep(50 * time.Millisecond) {
		failed := 0
		for _, src := range decoded[[]source.Shown](t, sh.must(t, "source", "list", "--json")) {
			if src.Problem == "" {
				continue
			}
			failed++
			_, page := v.get(t, "/sources")
			_, of, _ := strings.Cut(page, src.Address)
			of, _, _ = strings.Cut(of, "</li>")
			if offered := strings.Contains(of, "New token"); src.Because != kinds[src.Address] || offered != (src.Because == "forbidden") {
				t.Errorf("%s: %s, %s, a token is asked for: %v", src.Address, src.Problem, src.Because, offered)
			}
		}
		if failed == len(kinds) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the sources have not been looked at")
		}
	}
}
