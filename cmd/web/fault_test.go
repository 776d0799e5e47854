//go:build faults

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/migrations"
)

// child returns the program as a child process that can be killed.
func (sh shell) child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := sh.process(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// ledgerOf opens a data folder beside the child that works on it.
func ledgerOf(t *testing.T, data string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(data, "clew.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// fifty returns fifty documents with the given number of chunks that mention
// each other's people.
func fifty(t *testing.T, chunks int) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for n := range 50 {
		var text strings.Builder
		for line := range chunks {
			fmt.Fprintf(&text, "In letter %d line %d Ann Marrow%c wrote to Tom Quill%c about the harbour of Osterby and its lamps.\n\n", n, line, 'a'+line%7, 'a'+n%11)
		}
		paths = append(paths, file(t, dir, fmt.Sprintf("letter-%02d.txt", n), text.String()))
	}
	return paths
}

// killedAt runs a command repeatedly and kills it at moments spread over its
// run time; check inspects what is left after each.
func (sh shell) killedAt(t *testing.T, moments int, prepare, check func(), args ...string) {
	t.Helper()
	prepare()
	began := time.Now()
	if err := sh.child(t, args...).Wait(); err != nil {
		t.Fatalf("%v undisturbed: %v", args, err)
	}
	whole := time.Since(began)
	for n := range moments {
		prepare()
		cmd := sh.child(t, args...)
		time.Sleep(whole * time.Duration(n+1) / time.Duration(moments+1))
		if err := cmd.Process.Kill(); err == nil {
			cmd.Wait()
		}
		check()
	}
}

func TestFaultKilledInBackupRestoreAndRebuild(t *testing.T) {
	t.Parallel()
	sh, other := newShell(t), newShell(t)
	paths := fifty(t, 12)
	sh.must(t, append([]string{"ingest"}, paths[:12]...)...)
	foundryFile, _ := letters(t)
	other.must(t, "ingest", foundryFile)
	large, small := contentsOf(t, sh.data), contentsOf(t, other.data)
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	smallArchive := filepath.Join(t.TempDir(), "small.tar.zst")
	other.must(t, "backup", smallArchive)

	sh.killedAt(t, long.Or(3, 8), func() { os.Remove(archive) }, func() {
		if _, err := os.Stat(archive); err == nil {
			sh.must(t, "restore", "--check", archive)
		}
		sh.must(t, "backup", "--force", archive)
		if diff := cmp.Diff(large, contentsOf(t, sh.data)); diff != "" {
			t.Errorf("backup changed the library -before +after\n%s", diff)
		}
	}, "backup", archive)

	sh.must(t, "backup", "--force", archive)
	other.killedAt(t, long.Or(3, 8), func() { other.must(t, "restore", "--force", smallArchive) }, func() {
		other.must(t, "rebuild") // the stores of whatever state it is
		got := contentsOf(t, other.data)
		if !cmp.Equal(got, small) && !cmp.Equal(got, large) {
			t.Errorf("after a killed restore there are %d documents: neither the old state nor the new", len(got.Documents))
		}
		other.must(t, "restore", "--force", archive)
		if diff := cmp.Diff(large, contentsOf(t, other.data)); diff != "" {
			t.Errorf("restored again -backed up +got\n%s", diff)
		}
	}, "restore", "--force", archive)

	sh.killedAt(t, long.Or(3, 8), func() {}, func() {
		sh.must(t, "rebuild")
		if diff := cmp.Diff(large, contentsOf(t, sh.data)); diff != "" {
			t.Errorf("rebuilt again -before +after\n%s", diff)
		}
		sh.must(t, "fsck")
	}, "rebuild")
}

func TestFaultKilledInAMigration(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	path := filepath.Join(sh.data, "clew.db")
	sh.killedAt(t, long.Or(3, 8), func() {
		if err := os.RemoveAll(sh.data); err != nil {
			t.Fatal(err)
		}
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := migrations.UpTo(context.Background(), db.Writer, 4); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}, func() {
		sh.must(t, "fsck") // migrates on
		db := ledgerOf(t, sh.data)
		if v, err := migrations.State(t.Context(), db.Writer); err != nil || v.Database != v.Program {
			t.Errorf("stands at %+v, error %v", v, err)
		}
		db.Close()
	}, "fsck")
}

// TestFaultTheSameFileTwiceAtOnce lets two processes add and read one file.
func TestFaultTheSameFileTwiceAtOnce(t *testing.T) {
	t.Parallel()
	sh, alone := newShell(t), newShell(t)
	path := fifty(t, 12)[0]
	alone.must(t, "ingest", path)
	sh.must(t, "ask", "Is anything there?") // makes the folder
	one, two := sh.child(t, "ingest", path), sh.child(t, "ingest", path)
	if err := one.Wait(); err != nil {
		t.Errorf("the first: %v", err)
	}
	if err := two.Wait(); err != nil {
		t.Errorf("the second: %v", err)
	}
	want, got := contentsOf(t, alone.data), contentsOf(t, sh.data)
	if len(got.Documents) != 1 {
		t.Fatalf("%d documents", len(got.Documents))
	}
	want.Documents, got.Documents = nil, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-alone +twice at once\n%s", diff)
	}
	sh.must(t, "fsck")
}
