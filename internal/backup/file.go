package backup

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// abandoned is the age from which an unfinished file must be from a killed process.
const abandoned = 24 * time.Hour

// ToFile writes a backup to a file, which appears under its name only when it is
// complete and on disk. The error is Conflict when there is such a file and
// replace is false.
func ToFile(ctx context.Context, path string, s Source, replace bool) (Summary, error) {
	if _, err := os.Stat(path); err == nil && !replace {
		return Summary{}, domain.Errorf(domain.Conflict, "There is a file %s already. Name another one, or replace it with --force.", path)
	}
	dir, base := filepath.Split(path)
	sweep(dir, base, s.Now())
	temp, err := os.CreateTemp(cmp.Or(dir, "."), base+".*.part")
	if err != nil {
		return Summary{}, storage(err, path)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	summary, err := Write(ctx, temp, s)
	if err != nil {
		return Summary{}, storage(err, path)
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return Summary{}, storage(err, path)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return Summary{}, storage(err, path)
	}
	return summary, storage(syncPath(cmp.Or(dir, ".")), path)
}

// sweep removes unfinished backups of killed processes, as far as it can.
func sweep(dir, base string, now time.Time) {
	left, err := filepath.Glob(filepath.Join(cmp.Or(dir, "."), base+".*.part"))
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
		return domain.Because(domain.Exhausted, err, "There is no room for the backup where %s is to be. Nothing is left of it there: make room and try again.", path)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Because(domain.Invalid, err, "The backup can't be written to %s: the folder may not be written to.", path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return domain.Because(domain.Invalid, err, "The backup can't be written to %s: there is no such folder.", path)
	}
	return err
}
