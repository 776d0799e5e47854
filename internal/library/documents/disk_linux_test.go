package documents_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/disk"
)

func TestFullDiskIsReported(t *testing.T) {
	t.Parallel()
	disk.Small(t, "64k", func(t *testing.T, dir string) {
		f, err := documents.NewFiles(dir, time.Now())
		testkit.Must(t, err)
		_, err = f.Put(t.Context(), testkit.Workspace, strings.NewReader(strings.Repeat("x", 1<<20)), 1<<21)
		if domain.KindOf(err) != domain.Exhausted || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got error %v, want one that says that the disk is full", err)
		}
		if all := stored(t, dir); len(all) > 0 {
			t.Errorf("got leftover files %q, want none", all)
		}
	})
}
