package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/domain"
)

// abandoned is the age at which an unfinished file must belong to a killed process.
const abandoned = 24 * time.Hour

// ToFile writes a backup to a file, which appears under its name only when it is
// complete and on disk. The error is Conflict when there is such a file and
// replace is false.
func ToFile(ctx context.Context, path string, s Source, replace bool) (Summary, error) {
	if _, err := os.Stat(path); err == nil && !replace {
		return Summary{}, domain.Errorf(domain.Conflict, "There is already a file %s. Choose another name, or replace it with --force.", path)
	}
	sweep(path, s.Now())
	var summary Summary
	err := atomicfile.Write(path, func(w io.Writer) (err error) {
		summary, err = Write(ctx, w, s)
		return err
	})
	if err != nil {
		return Summary{}, storage(err, path)
	}
	return summary, storage(syncPath(filepath.Dir(path)), path)
}

// sweep removes unfinished backups of killed processes, as far as it can.
func sweep(path string, now time.Time) {
	left, err := filepath.Glob(atomicfile.Unfinished(path))
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > abandoned {
			_ = os.Remove(path)
		}
	}
}

// storage explains why a backup could not be written.
func storage(err error, path string) error {
	switch {
	case err == nil || domain.KindOf(err) != domain.Internal:
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return domain.Because(domain.Exhausted, err, "There is not enough space for the backup at %s. Nothing was left behind. Free some space and try again.", path)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Because(domain.Invalid, err, "The backup can't be written to %s: the folder is not writable.", path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return domain.Because(domain.Invalid, err, "The backup can't be written to %s: there is no such folder.", path)
	}
	return err
}
