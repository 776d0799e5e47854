// Package place has the kinds of places that sources follow: folders, sites, feeds, buckets, mail boxes and Git repositories.
package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/folder"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/source"
)

// Folder follows folders of the server below Roots, and no others. Links that lead out of a root are not followed.
type Folder struct{ Roots []string }

// Traits implements source.Kind.
func (Folder) Traits() source.Traits { return source.Traits{Complete: true} }

// Check implements source.Kind.
func (f Folder) Check(_ context.Context, p source.Place) (source.Place, error) {
	dir, err := f.open(p)
	if err != nil {
		return p, err
	}
	defer dir.Close()
	p.Address = filepath.Clean(dir.Name())
	return p, nil
}

// open opens the folder of a place, within its root.
func (f Folder) open(p source.Place) (*os.Root, error) {
	if len(f.Roots) == 0 {
		return nil, domain.Errorf(domain.Forbidden, "No folder of the server may be followed. Whoever runs it can name folders in the setting SOURCE_FOLDERS; clew watch follows any folder from the command line.")
	}
	at := strings.TrimSpace(p.Address)
	for _, root := range f.Roots {
		within := at
		if filepath.IsAbs(at) {
			var err error
			if within, err = filepath.Rel(root, at); err != nil || !filepath.IsLocal(within) {
				continue
			}
		} else if len(f.Roots) > 1 {
			return nil, domain.Errorf(domain.Invalid, "Write the whole path of the folder, below one of %s.", strings.Join(f.Roots, ", "))
		}
		whole, err := os.OpenRoot(root)
		if err != nil {
			return nil, domain.Because(domain.Unavailable, err, "The folder %s can't be read: it may be unmounted.", root)
		}
		dir, err := whole.OpenRoot(filepath.Clean(within))
		if err = errors.Join(err, whole.Close()); err != nil {
			return nil, domain.Because(domain.NotFound, err, "There is no folder %s that can be read below %s. Write its path from there, or the whole path.", at, root)
		}
		return dir, nil
	}
	return nil, domain.Errorf(domain.Forbidden, "%s is not below a folder that may be followed: %s. The setting SOURCE_FOLDERS names them.", at, strings.Join(f.Roots, ", "))
}

// List implements source.Kind. A folder is listed whole; what is hidden is left out, and so are links.
func (f Folder) List(ctx context.Context, p source.Place, _ string) (l source.Listing, err error) {
	dir, err := f.open(p)
	if err != nil {
		return l, err
	}
	defer dir.Close()
	err = folder.Walk(dir.FS(), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return domain.Because(domain.Unavailable, err, "%s can't be read in the folder.", name)
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && leavesOut(p, "/"+name+"/"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it has gone meanwhile
		}
		if !parse.MayRead(name) || info.Size() == 0 || leavesOut(p, "/"+name) {
			l.LeftOut++
			return nil
		}
		l.Items = append(l.Items, source.Item{Name: name, Stamp: stampOf(info), Size: info.Size()})
		return nil
	})
	return l, err
}

// Listen implements source.Noticer.
func (f Folder) Listen(p source.Place, bell folder.Bell) error {
	dir, err := f.open(p)
	if err != nil {
		return err
	}
	defer dir.Close()
	bell.Listen(dir.Name(), dir.FS())
	return nil
}

// stampOf returns a stamp that changes whenever the file does.
func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// Open implements source.Kind.
func (f Folder) Open(_ context.Context, p source.Place, i source.Item, stamp string) (source.Content, error) {
	dir, err := f.open(p)
	if err != nil {
		return source.Content{}, err
	}
	defer dir.Close()
	file, err := dir.Open(filepath.FromSlash(i.Name))
	if err != nil {
		return source.Content{}, domain.Because(domain.NotFound, err, "%s is not in the folder, or can't be read.", i.Name)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return source.Content{}, domain.Because(domain.NotFound, errors.Join(err, file.Close()), "%s is not a file.", i.Name)
	}
	c := source.Content{Name: path.Join(filepath.Base(dir.Name()), i.Name), Source: domain.SourceFolder, Stamp: stampOf(info), Body: file}
	if c.Stamp == stamp {
		return source.Content{}, errors.Join(source.ErrSame, file.Close())
	}
	return c, nil
}

// leavesOut reports whether the rules of a place leave out what has a path, which begins with a slash.
func leavesOut(p source.Place, at string) bool {
	return slices.ContainsFunc(p.Rules.LeaveOut, func(beginning string) bool { return strings.HasPrefix(at, "/"+strings.TrimPrefix(beginning, "/")) })
}

// rate returns the requests to a site in a second.
func rate(p source.Place) float64 {
	if p.Rules.Rate > 0 {
		return p.Rules.Rate
	}
	return 1
}
