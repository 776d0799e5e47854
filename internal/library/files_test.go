package library_test

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library"
	"github.com/clewhq/clew/internal/testkit"
)

func files(t *testing.T) (*library.Files, string) {
	t.Helper()
	dir := t.TempDir()
	f, err := library.NewFiles(dir, time.Now())
	testkit.Must(t, err)
	return f, dir
}

// stored lists the files under dir.
func stored(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	testkit.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}))
	return all
}

func TestAFileIsKeptUnderItsHash(t *testing.T) {
	t.Parallel()
	f, dir := files(t)
	for range 2 { // the same content twice is one file
		s, err := f.Put(t.Context(), testkit.Workspace, strings.NewReader("copper and tin"), 100)
		testkit.Must(t, err)
		if s.Hash != domain.Hash([]byte("copper and tin")) || s.Size != 14 || string(s.Head) != "copper and tin" {
			t.Fatalf("stored %+v", s)
		}
		b, err := f.Read(t.Context(), testkit.Workspace, s.Hash)
		if err != nil || string(b) != "copper and tin" {
			t.Fatalf("read %q, %v", b, err)
		}
	}
	if all := stored(t, dir); len(all) != 1 {
		t.Errorf("files = %q, want one", all)
	}
}

func TestTheHeadIsBounded(t *testing.T) {
	t.Parallel()
	f, _ := files(t)
	s, err := f.Put(t.Context(), testkit.Workspace, iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 10_000))), 1<<20)
	testkit.Must(t, err)
	if len(s.Head) != 4096 || s.Size != 10_000 {
		t.Errorf("head of %d bytes, size %d", len(s.Head), s.Size)
	}
}

func TestFilesOfWorkspacesAreApart(t *testing.T) {
	t.Parallel()
	f, _ := files(t)
	s, err := f.Put(t.Context(), "one", strings.NewReader("secret"), 100)
	testkit.Must(t, err)
	if _, err := f.Read(t.Context(), "two", s.Hash); domain.KindOf(err) != domain.NotFound {
		t.Errorf("another workspace reads it: %v", err)
	}
	testkit.Must(t, f.Remove(t.Context(), "two", s.Hash))
	if _, err := f.Read(t.Context(), "one", s.Hash); err != nil {
		t.Errorf("another workspace removed it: %v", err)
	}
}

func TestWhatIsNotKeptLeavesNothing(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		r    io.Reader
		kind domain.Kind
		says string
	}{
		{"too large", t.Context(), strings.NewReader(strings.Repeat("x", 101)), domain.TooLarge, "MAX_UPLOAD_MB"},
		{"broken reader", t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), domain.Invalid, "broke off after 4 bytes"},
		{"gone reader", over, strings.NewReader("whole"), domain.Invalid, "broke off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, dir := files(t)
			_, err := f.Put(tt.ctx, testkit.Workspace, tt.r, 100)
			if domain.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error = %v", err)
			}
			if all := stored(t, dir); len(all) > 0 {
				t.Errorf("left behind: %q", all)
			}
		})
	}
}

func TestExactlyTheLimitIsTaken(t *testing.T) {
	t.Parallel()
	f, _ := files(t)
	if _, err := f.Put(t.Context(), testkit.Workspace, strings.NewReader(strings.Repeat("x", 100)), 100); err != nil {
		t.Error(err)
	}
}

func TestAFileInPlaceOfTheFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "files")
	testkit.Must(t, os.WriteFile(path, nil, 0o600))
	if _, err := library.NewFiles(path, time.Now()); err == nil {
		t.Error("a file passes for the folder of files")
	}
}

func TestWhatAKilledProcessLeftIsRemovedADayLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	incoming := filepath.Join(dir, "incoming")
	testkit.Must(t, os.MkdirAll(incoming, 0o700))
	left := filepath.Join(incoming, "half")
	testkit.Must(t, os.WriteFile(left, []byte("half a f"), 0o600))
	for _, tt := range []struct {
		later time.Duration
		kept  bool
	}{{time.Minute, true}, {25 * time.Hour, false}} {
		if _, err := library.NewFiles(dir, time.Now().Add(tt.later)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); (err == nil) != tt.kept {
			t.Errorf("%s later: kept %t, want %t", tt.later, err == nil, tt.kept)
		}
	}
}
