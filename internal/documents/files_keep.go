package documents

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Open implements FileStore.
func (f *Files) Open(_ context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error) {
	file, err := os.Open(f.path(w, hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, domain.Because(domain.NotFound, err, "The uploaded file is no longer in the data folder: add it again.")
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// Keep implements FileStore. It does not force the file onto the disk.
func (f *Files) Keep(_ context.Context, w domain.WorkspaceID, hash string, r io.Reader) error {
	path := f.path(w, hash)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return storageError(err)
	}
	temp, err := os.CreateTemp(filepath.Join(f.dir, "incoming"), "*")
	if err != nil {
		return storageError(err)
	}
	defer os.Remove(temp.Name())
	if _, err := io.Copy(temp, r); err != nil {
		return storageError(errors.Join(err, temp.Close()))
	}
	if err := temp.Close(); err != nil {
		return storageError(err)
	}
	return storageError(os.Rename(temp.Name(), path))
}

// Each implements FileStore.
func (f *Files) Each(_ context.Context, w domain.WorkspaceID, do func(hash string, stored time.Time) error) error {
	err := filepath.WalkDir(filepath.Dir(filepath.Dir(f.path(w, "00"))), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed by now
		}
		if err != nil {
			return err
		}
		return do(d.Name(), info.ModTime())
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
