//go:build faults

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/disk"
)

// TestFaultTheDiskIsFull fills the disk at various moments. Failed writes are
// reported in words, existing data stays intact, and a document whose run had
// begun is read by itself once there is room.
func TestFaultTheDiskIsFull(t *testing.T) {
	t.Parallel()
	disk.Small(t, "32m", func(t *testing.T, dir string) {
		foundryFile, bridgeFile := letters(t)
		alone := newShell(t)
		alone.must(t, "ingest", foundryFile, bridgeFile)
		want := contentsOf(t, alone.data)
		want.Documents = nil // they tell when they were read
		for _, room := range []int64{0, 64 << 10, 512 << 10, 2 << 20} {
			sh := shell{data: filepath.Join(dir, "data")}
			sh.must(t, "ingest", foundryFile)
			free := disk.Fill(t, dir, room)
			full := sh.whileFull(t, bridgeFile, free)
			if room == 0 && !full {
				t.Error("without any room nothing is said of the disk")
			}
			sh.must(t, "ingest", bridgeFile)
			sh.must(t, "fsck")
			got := contentsOf(t, sh.data)
			got.Documents = nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("with %d bytes left: -never full +full for a while\n%s", room, diff)
			}
			if err := os.RemoveAll(sh.data); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// whileFull reads a document in another process until that ends or reports a
// full disk; then it frees space and waits for the end.
func (sh shell) whileFull(t *testing.T, path string, free func()) (full bool) {
	t.Helper()
	cmd, said := sh.process(t, "ingest", path), new(screen)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick, late := time.NewTicker(20*time.Millisecond), time.After(hangs)
	defer tick.Stop()
	says := func() bool { return strings.Contains(said.String(), "The disk with the data folder is full") }
	for !says() {
		select {
		case err := <-ended:
			free()
			if err != nil && !says() {
				t.Errorf("it fails and says %q", said)
			}
			return says()
		case <-late:
			t.Fatalf("for minutes it neither ends nor says that the disk is full: %q", said)
		case <-tick.C:
		}
	}
	free()
	select {
	case err := <-ended: // a file that was refused is not added later; a run that began goes on
		if err != nil && strings.Contains(said.String(), "run failed") {
			t.Errorf("with room again the run does not go on by itself: %v\n%s", err, said)
		}
	case <-late:
		t.Fatalf("with room again it does not end: %q", said)
	}
	return true
}

// TestFaultARunMeetsAFullDisk fills the disk between adding a document and
// reading it, except for what small writes need. The run waits in the queue,
// says why, and goes on when there is room.
func TestFaultARunMeetsAFullDisk(t *testing.T) {
	t.Parallel()
	disk.Small(t, "32m", func(t *testing.T, dir string) {
		sh := shell{data: filepath.Join(dir, "data")}
		s, _, said := sh.env()
		defer func() { t.Log(said) }()
		cfg, err := s.load("")
		testkit.Must(t, err)
		a, err := open(t.Context(), cfg, s)
		testkit.Must(t, err)
		defer a.Close()
		text := strings.Repeat("Maud Ferring met Anna Quill at the Carrow Foundry. ", 20_000)
		added, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, "long.txt", documents.How{}, strings.NewReader(text)).One()
		testkit.Must(t, err)
		free := disk.Fill(t, dir, 512<<10)
		worker := a.worker(a.kinds().Concurrency())
		testkit.Must(t, worker.Start(t.Context()))
		defer func() { testkit.Must(t, worker.Stop(context.Background())) }()
		get := func() job.Run {
			r, err := a.queue.Get(t.Context(), domain.DefaultWorkspace, added.Document.Run)
			testkit.Must(t, err)
			return r
		}
		r := waitFor(t, get, func(r job.Run) bool { return r.Problem != "" || r.Status.Ended() })
		if r.Status != job.Waiting || !strings.Contains(r.Problem, "disk with the data folder is full") || r.NextTry.IsZero() {
			t.Errorf("on a full disk: %+v", r)
		}
		free()
		waitFor(t, get, func(r job.Run) bool { return r.Status == job.Done })
	})
}

// waitFor polls until what get returns is right.
func waitFor[T any](t *testing.T, get func() T, right func(T) bool) T {
	t.Helper()
	tick, late := time.NewTicker(20*time.Millisecond), time.After(hangs)
	defer tick.Stop()
	for {
		got := get()
		if right(got) {
			return got
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("for minutes: %+v", got)
		}
	}
}

// TestFaultAFileLargerThanTheDisk uploads a file that does not fit: nothing of
// it remains.
func TestFaultAFileLargerThanTheDisk(t *testing.T) {
	t.Parallel()
	disk.Small(t, "5m", func(t *testing.T, dir string) {
		sh := shell{data: filepath.Join(dir, "data")}
		out, err := sh.run(t, "ingest", "--json", file(t, t.TempDir(), "large.txt", strings.Repeat("Maud Ferring met Anna Quill. ", 300_000)))
		if err == nil {
			t.Fatalf("no error, printed %s", out)
		}
		if lines := decoded[[]ingested](t, out); len(lines) != 1 || !strings.Contains(lines[0].Problem, "disk that holds the data folder is full") {
			t.Errorf("printed %s", out)
		}
		if left, err := os.ReadDir(filepath.Join(sh.data, "files", "incoming")); err != nil || len(left) > 0 {
			t.Errorf("half-written: %v, %v", left, err)
		}
		sh.must(t, "ingest", file(t, t.TempDir(), "small.txt", "Maud Ferring met Anna Quill."))
	})
}

// TestFaultAReadOnlyFolder makes a library read-only and writable again.
func TestFaultAReadOnlyFolder(t *testing.T) {
	t.Parallel()
	disk.Small(t, "32m", func(t *testing.T, dir string) {
		foundryFile, bridgeFile := letters(t)
		sh := shell{data: filepath.Join(dir, "data")}
		sh.must(t, "ingest", foundryFile)
		before := contentsOf(t, sh.data)
		open := disk.Seal(t, dir)
		for _, args := range [][]string{{"ingest", bridgeFile}, {"ask", "Who founded the Carrow Foundry?"}, {"rebuild"}, {"fsck", "--repair"}} {
			out, err := sh.run(t, args...)
			if err == nil || !strings.Contains(strings.Join(sentences(err), " ")+out, "can't be written") {
				t.Errorf("clew %s: %v, printed %q", args[0], err, out)
			}
		}
		open()
		if diff := cmp.Diff(before, contentsOf(t, sh.data)); diff != "" {
			t.Errorf("-before +after\n%s", diff)
		}
		sh.must(t, "ingest", bridgeFile)
		sh.must(t, "fsck")
	})
}
