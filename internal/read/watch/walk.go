package watch

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// Walk calls see for a folder, for the folders and the files in it, and so on, in the order of their names. A name is the
// path below the folder, beginning with the folder's own. What is hidden is left out, and so are links; a folder that can't be
// looked into comes with the error.
func Walk(dir string, see func(path, name string, d fs.DirEntry, err error) error) error {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		within, relErr := filepath.Rel(dir, path)
		switch {
		case relErr != nil:
			return errors.Join(err, relErr)
		case path != dir && strings.HasPrefix(filepath.Base(path), "."):
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err == nil && !d.IsDir() && !d.Type().IsRegular():
			return nil
		}
		return see(path, filepath.ToSlash(filepath.Join(filepath.Base(whole), within)), d, err)
	})
}
