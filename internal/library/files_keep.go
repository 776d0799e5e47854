package library

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clewhq/clew/internal/domain"
)

// Open gives the content of a file and its length in bytes; kind NotFound when
// there is none. Closing it is the caller's.
func (f *Files) Open(_ context.Context, w domain.WorkspaceID, hash string) (io.ReadCloser, int64, error) {
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

// Keep stores a file whose hash the caller has checked, or will: it appears
// whole or not at all, and is not forced onto the disk.
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
