package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
)

// A FileStore keeps uploaded files by workspace and hash of their content: [Files] in a folder, [Rows] in SQL, [Objects] in a
// bucket. It is safe for concurrent use, by several processes too.
type FileStore interface {
	// Put stores the content of r and returns its hash. It leaves nothing behind if r breaks off
	// (Invalid), has more than limit bytes (TooLarge), or there is no room (Exhausted).
	Put(ctx context.Context, w domain.WorkspaceID, r io.Reader, limit int64) (Stored, error)
	// Keep stores a file under a hash that the caller has to check. The file appears whole or not at all.
	Keep(ctx context.Context, w domain.WorkspaceID, hash string, r io.Reader) error
	// Read returns the content of a file, or NotFound.
	Read(ctx context.Context, w domain.WorkspaceID, hash string) ([]byte, error)
	// Open returns a reader of the content and its length in bytes, or NotFound.
	Open(ctx context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error)
	// Remove deletes a file. Removing a missing file is not an error.
	Remove(ctx context.Context, w domain.WorkspaceID, hash string) error
	// Clear deletes all files of a workspace.
	Clear(ctx context.Context, w domain.WorkspaceID) error
	// Each calls do for every file of a workspace with its hash and the time when it was stored.
	Each(ctx context.Context, w domain.WorkspaceID, do func(hash string, stored time.Time) error) error
}

// Files is a FileStore in a folder.
type Files struct{ dir string }

var _ FileStore = (*Files)(nil)

// staleAfter is the age at which an unfinished upload must belong to a killed process.
const staleAfter = 24 * time.Hour

// NewFiles returns a store under dir, which it creates if necessary. It removes unfinished uploads of killed processes.
func NewFiles(dir string, now time.Time) (*Files, error) {
	incoming := filepath.Join(dir, "incoming")
	if err := os.MkdirAll(incoming, 0o700); err != nil {
		return nil, storageError(err)
	}
	entries, err := os.ReadDir(incoming)
	if err != nil {
		return nil, storageError(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < staleAfter {
			continue // gone, or still being written
		}
		if err := os.Remove(filepath.Join(incoming, e.Name())); err != nil {
			return nil, storageError(err)
		}
	}
	return &Files{dir}, nil
}

// Stored describes a complete file.
type Stored struct {
	Hash string // lower-case hexadecimal SHA-256
	Size int64
}

// Put implements FileStore.
func (f *Files) Put(ctx context.Context, w domain.WorkspaceID, r io.Reader, limit int64) (Stored, error) {
	temp, err := os.CreateTemp(filepath.Join(f.dir, "incoming"), "*")
	if err != nil {
		return Stored{}, storageError(err)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	s, err := receive(ctx, temp, r, limit)
	if err != nil {
		return Stored{}, storageError(err)
	}
	return s, f.keep(temp, f.path(w, s.Hash))
}

// receive copies r to file. It returns errors of file unchanged.
func receive(ctx context.Context, file io.Writer, r io.Reader, limit int64) (Stored, error) {
	hash := sha256.New()
	source := &cancelled{ctx: ctx, r: io.LimitReader(r, limit+1)}
	size, err := io.Copy(io.MultiWriter(file, hash), source)
	switch {
	case source.err != nil:
		return Stored{}, domain.Because(domain.Invalid, source.err, "The upload broke off after %d bytes. Nothing was kept. Add the file again.", size)
	case err != nil:
		return Stored{}, err
	case size > limit:
		return Stored{}, tooLarge(limit)
	}
	return Stored{Hash: hex.EncodeToString(hash.Sum(nil)), Size: size}, nil
}

func tooLarge(limit int64) error {
	return domain.Errorf(domain.TooLarge, "The file is larger than %d MB, the limit set by MAX_UPLOAD_MB.", limit/1_000_000)
}

// keep makes a complete file durable under its name.
func (f *Files) keep(temp *os.File, path string) error {
	if err := temp.Sync(); err != nil {
		return storageError(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return storageError(err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return storageError(err)
	}
	return nil
}

// Read implements FileStore.
func (f *Files) Read(_ context.Context, w domain.WorkspaceID, hash string) ([]byte, error) {
	b, err := os.ReadFile(f.path(w, hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, domain.Because(domain.NotFound, err, "The uploaded file is no longer in the data folder. Add it again.")
	}
	return b, err
}

// Remove implements FileStore.
func (f *Files) Remove(_ context.Context, w domain.WorkspaceID, hash string) error {
	if err := os.Remove(f.path(w, hash)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove an uploaded file: %w", err)
	}
	return nil
}

// Clear implements FileStore.
func (f *Files) Clear(_ context.Context, w domain.WorkspaceID) error {
	if err := os.RemoveAll(f.Folder(w)); err != nil {
		return fmt.Errorf("remove uploaded files: %w", err)
	}
	return nil
}

// Folder returns the folder of a workspace's files, which need not exist. Its name is derived from the workspace's id
// if that is not a valid path element.
func (f *Files) Folder(w domain.WorkspaceID) string {
	return filepath.Join(f.dir, hex.EncodeToString([]byte(w)))
}

// path returns the path of a file. It spreads the files of a workspace over 256 folders.
func (f *Files) path(w domain.WorkspaceID, hash string) string {
	return filepath.Join(f.Folder(w), hash[:2], hash)
}

// storageError explains why a file could not be written.
func storageError(err error) error {
	switch {
	case err == nil || domain.KindOf(err) != domain.Internal:
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return domain.Because(domain.Exhausted, err, "The disk that holds the data folder is full. Free some space and try again.")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Because(domain.Unavailable, err, "The data folder can't be written to. Give the program write access, or choose another folder with DATA_DIR.")
	}
	return fmt.Errorf("store a file: %w", err)
}

// cancelled reads until its context ends, and keeps the error of reading, to tell a broken upload from a full disk.
type cancelled struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (c *cancelled) Read(p []byte) (int, error) {
	if c.err = c.ctx.Err(); c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// Open implements FileStore.
func (f *Files) Open(_ context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error) {
	file, err := os.Open(f.path(w, hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, domain.Because(domain.NotFound, err, "The uploaded file is no longer in the data folder. Add it again.")
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
	err := filepath.WalkDir(f.Folder(w), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed in the meantime
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

// maxName is the longest name of a document in code points.
const maxName = 200

// SafeName returns a file's name safe to store and print: the last element of its path in NFC, without control
// characters and invisible marks, cut to 200 code points before the extension. The error is Invalid if nothing is left.
func SafeName(name string) (string, error) {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/")
	if name = path.Base(path.Clean("/" + name)); name == "/" {
		name = ""
	}
	name = strings.TrimSpace(norm.NFC.String(strings.Map(printable, name)))
	if strings.Trim(name, ". ") == "" {
		return "", domain.Errorf(domain.Invalid, "The file has no name. Give it one and add it again.")
	}
	return shorten(name), nil
}

// maxPath is the longest path of a document within its folder in code points.
const maxPath = 1000

// SafePath returns the path of a file within a folder safe to store and print: the names of the folders and of the file, each
// as SafeName returns it, with slashes between them. A path that is too long, or of which no file's name is left, is Invalid.
func SafePath(name string) (string, error) {
	elements := strings.Split(path.Clean("/"+strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/")), "/")
	var safe []string
	for i, element := range elements {
		element, err := SafeName(element)
		if err == nil {
			safe = append(safe, element)
		} else if i == len(elements)-1 {
			return "", err
		}
	}
	name = strings.Join(safe, "/")
	if len([]rune(name)) > maxPath {
		return "", domain.Errorf(domain.Invalid, "The path of the file in its folder has more than %d characters. Move the file up, or shorten the names.", maxPath)
	}
	return name, nil
}

// printable drops characters that are invisible or change how others are shown.
func printable(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError {
		return -1
	}
	return r
}

func shorten(name string) string {
	runes := []rune(name)
	if len(runes) <= maxName {
		return name
	}
	ext := []rune(path.Ext(name))
	if len(ext) > 10 {
		ext = nil
	}
	return string(runes[:maxName-len(ext)-1]) + "…" + string(ext)
}

// Original returns a document and a reader of its file, as it was added. It fails with kind NotFound for an unknown document,
// and for one whose file is gone.
func (s *Service) Original(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, io.ReadSeekCloser, error) {
	doc, err := s.Ledger.Document(ctx, w, id)
	if err != nil {
		return doc, nil, err
	}
	file, _, err := s.Files.Open(ctx, w, doc.Hash)
	return doc, file, err
}
