package place

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/gitserver"
)

// following returns what follows places of some kinds.
func following(t *testing.T, a *testkit.App, kinds map[string]source.Kind, now domain.Clock) *source.Service {
	t.Helper()
	s, err := source.New(source.Params{
		Ledger: a.Ledger, Documents: a.Documents, Schemas: a.Schemas, Queue: a.Queue, Kinds: kinds, Vault: vault.Vault{},
		Threads: a.Threads, IDs: domain.IDs{Random: rand.Reader, Now: now}, Now: now, Log: a.Log, MaxBytes: 1 << 20,
	})
	noError(t, err)
	return s
}

// begin has looks carried out, while documents wait: how many are to be read is counted.
func begin(t *testing.T, a *testkit.App, s *source.Service) {
	t.Helper()
	for i := range a.Kinds {
		if a.Kinds[i].Name == documents.Kind {
			a.Kinds[i].Concurrency = 0
		}
	}
	a.Kinds = append(a.Kinds, s.Kind())
	a.Start(t)
}

// TestALookReadsOnlyWhatHasChanged looks twice at a site of 500 pages, of which 20 have changed in between: the second look
// downloads and reads these, and no others.
func TestALookReadsOnlyWhatHasChanged(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	w := newWeb(t)
	for n := 1; n < 500; n++ {
		w.put(fmt.Sprintf("%03d.html", n), fmt.Sprintf("Maud Ferring cast bell %d.", n))
	}
	s := following(t, a, map[string]source.Kind{source.OfSite: Site{w.service(t)}}, a.Clock.Now)
	begin(t, a, s)
	ctx := domain.WithWorkspace(t.Context(), testkit.Workspace)
	added, err := source.Add.Do(s, ctx, source.Wanted{Kind: source.OfSite, Address: w.URL + "/docs/", Every: "1h", Rate: mostRate})
	noError(t, err)
	readings, bodies := 0, 0
	look := func(want ledger.Look, sent int) {
		t.Helper()
		run, err := s.Look(ctx, testkit.Workspace, added.ID)
		noError(t, err)
		ended, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		for _, err := range a.Hub.Watch(ended, testkit.Workspace, run, 0) {
			noError(t, err)
		}
		looks, err := a.Ledger.Looks(ctx, testkit.Workspace, added.ID, time.Time{}, 1)
		noError(t, err)
		got := looks[0]
		if got.Seen != want.Seen || got.Fresh != want.Fresh || got.Changed != want.Changed || got.Gone != want.Gone || got.Failed != 0 || got.Problem != "" {
			t.Errorf("the look found %+v, want %+v", got, want)
		}
		n, err := a.Queue.Count(ctx, testkit.Workspace, job.Query{Kind: documents.Kind})
		noError(t, err)
		w.mu.Lock()
		defer w.mu.Unlock()
		if n-readings != sent || w.bodies-bodies != sent {
			t.Errorf("it downloads %d pages and has %d read, want %d", w.bodies-bodies, n-readings, sent)
		}
		readings, bodies = n, w.bodies
	}
	look(ledger.Look{Seen: 500, Fresh: 500}, 500)
	for n := 1; n <= 20; n++ {
		w.put(fmt.Sprintf("%03d.html", 20*n), fmt.Sprintf("Bell %d was cast again.", 20*n))
	}
	look(ledger.Look{Seen: 500, Changed: 20}, 20)
	w.drop("001.html") // the first page leads there no more, which changes it
	look(ledger.Look{Seen: 499, Changed: 1, Gone: 1}, 1)
}

// TestAFolderIsLookedAtAtOnce follows a folder by two processes. A change in it is found soon after, and one look does.
func TestAFolderIsLookedAtAtOnce(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		noError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		noError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	put("scans/a.txt", "Maud Ferring cast the bell.")
	kinds := map[string]source.Kind{source.OfFolder: Folder{[]string{root}}, source.OfMail: Mail{localNetwork()}}
	s, other := following(t, a, kinds, time.Now), following(t, a, kinds, time.Now)
	begin(t, a, s)
	ctx := domain.WithWorkspace(t.Context(), testkit.Workspace)
	if _, err := source.Add.Do(s, ctx, source.Wanted{Kind: source.OfMail, Address: "imap://127.0.0.1:9", User: "maud", Every: "at once"}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a mail box is looked at at once: %v", err)
	}
	added, err := source.Add.Do(s, ctx, source.Wanted{Kind: source.OfFolder, Address: "scans", Every: "at-once"})
	noError(t, err)
	noticing, stop := context.WithCancel(t.Context())
	defer stop()
	var one, two source.Notices
	keep := func() { noError(t, errors.Join(s.Due(t.Context()), one.Keep(noticing, s), two.Keep(noticing, other))) }
	// calm returns the looks when all have ended, of which one has found so many new items in all.
	calm := func(fresh int) (looks []ledger.Look) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			var found, going int
			looks, err = a.Ledger.Looks(ctx, testkit.Workspace, added.ID, time.Time{}, 100)
			noError(t, err)
			for _, k := range looks {
				if found += k.Fresh; k.EndedAt.IsZero() {
					going++
				}
			}
			if found == fresh && going == 0 {
				return looks
			}
		}
		t.Fatalf("%d new items are not found by %+v", fresh, looks)
		return nil
	}
	keep()
	calm(1)
	keep()
	time.Sleep(3 * time.Second) // both listen, and have looked
	before := len(calm(1))
	changed := time.Now()
	put("scans/b.txt", "The bridge of Osterby.")
	looks := calm(2)
	t.Logf("found after %v", looks[0].EndedAt.Sub(changed))
	put("scans/new/c.txt", "Agnes Lovibond taught at the school.")
	calm(3)
	time.Sleep(3 * time.Second)
	if n := len(calm(3)) - before; n != 2 {
		t.Errorf("%d looks were ordered for two changes", n)
	}
	_, err = source.Pause.Do(s, ctx, source.Named{ID: added.ID})
	noError(t, err)
	keep()
	put("scans/d.txt", "Nobody looks.")
	time.Sleep(2 * time.Second)
	stop()
	one.Wait()
	two.Wait()
	if n := len(calm(3)) - before; n != 2 {
		t.Errorf("a paused source is looked at: %d looks", n)
	}
}

// TestARepositoryOfPointersIsRead looks twice at a repository whose files Git LFS keeps: each is told as a problem that lasts, and the
// looks do not fail.
func TestARepositoryOfPointersIsRead(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	repo := gitserver.New(t, true)
	for _, name := range []string{"a.txt", "b.pdf"} {
		repo.Put(name, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
	}
	repo.Commit()
	s := following(t, a, map[string]source.Kind{source.OfGit: &Git{Network: localNetwork()}}, a.Clock.Now)
	begin(t, a, s)
	ctx := domain.WithWorkspace(t.Context(), testkit.Workspace)
	added, err := source.Add.Do(s, ctx, source.Wanted{Kind: source.OfGit, Address: repo.Address, Every: "never"})
	noError(t, err)
	for look, failed := range []int{2, 0} {
		run, err := s.Look(ctx, testkit.Workspace, added.ID)
		noError(t, err)
		for _, err := range a.Hub.Watch(ctx, testkit.Workspace, run, 0) {
			noError(t, err)
		}
		shown, err := s.Show(ctx, source.Named{ID: added.ID})
		noError(t, err)
		if shown.Problem != "" || shown.Failures != 0 || shown.Last.Failed != failed || shown.Last.Seen != 2 || shown.Unread != 2 || len(shown.Problems) != 2 || len(shown.Changes) != 0 || !strings.Contains(shown.Problems[0].Problem, "Git LFS") {
			t.Errorf("after look %d it is %+v, %+v", look+1, shown, shown.Last)
		}
	}
	if all, err := s.List(ctx); err != nil || all[0].Unread != 2 {
		t.Errorf("listed as %+v, %v", all, err)
	}
}
