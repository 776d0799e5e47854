// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write writes a file that appears under its name only when write has returned and all of it is on disk. A file that was there
// is replaced; it stays as it was if there is an error.
func Write(path string, write func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+unfinished)
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the rename
	err = write(temp)
	if err == nil {
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

const unfinished = ".*.part"

// Unfinished returns the pattern of the files that processes leave which are killed while they write.
func Unfinished(path string) string { return path + unfinished }
