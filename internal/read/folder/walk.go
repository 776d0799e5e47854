// Package folder walks folders and notices changes in them.
package folder

import (
	"io/fs"
	"path"
	"strings"
)

// Walk calls see for a folder, for the folders and the files in it, and so on, in the order of their names. A name is the
// path below the folder, "." for the folder itself. What is hidden is left out, and so are links and the data folders of
// libraries; a folder that can't be looked into comes with the error.
func Walk(dir fs.FS, see func(name string, d fs.DirEntry, err error) error) error {
	return fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case name != "." && strings.HasPrefix(path.Base(name), "."):
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err == nil && !d.IsDir() && !d.Type().IsRegular():
			return nil
		case err == nil && d.IsDir():
			if _, err := fs.Stat(dir, path.Join(name, "clew.db")); err == nil {
				return fs.SkipDir
			}
		}
		return see(name, d, err)
	})
}
