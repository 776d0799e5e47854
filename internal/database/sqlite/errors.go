package sqlite

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/clewhq/clew/internal/domain"
)

// ErrDamaged marks an error about a file with impossible content.
var ErrDamaged = errors.New("the file is damaged")

// Damaged reports whether err means that a file is damaged or no database.
func Damaged(err error) bool {
	if own, ok := errors.AsType[*sqlite.Error](err); ok {
		code := own.Code() & primary
		return code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_CORRUPT
	}
	return errors.Is(err, ErrDamaged)
}

// primary masks an extended result code to its primary code.
const primary = 0xff

// Explain gives an error of SQLite a kind and a sentence: Exhausted for a full
// disk, Unavailable when another process locks the database too long, Invalid
// when it can't be written. It returns other errors, and nil, unchanged.
func Explain(err error) error {
	var own *sqlite.Error
	if domain.KindOf(err) != domain.Internal || !errors.As(err, &own) {
		return err
	}
	code := own.Code() & primary
	if own.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // SQLite doesn't treat it as a full disk
		code = sqlite3.SQLITE_FULL
	}
	switch code {
	case sqlite3.SQLITE_FULL:
		return domain.Because(domain.Exhausted, err, "The disk with the data folder is full. Free some space and try again; nothing was half-written.")
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return domain.Because(domain.Unavailable, err, "Another process has been writing to the data folder for a long time. Try again in a moment.")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return domain.Because(domain.Invalid, err, "The data folder can't be written to. Give this user write access, or choose another folder with DATA_DIR.")
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return domain.Because(domain.Internal, err, "The database file is damaged or not a database. Restore it from a backup, or choose another folder with DATA_DIR.")
	}
	return err
}

// describe explains why the database at path can't be opened.
func describe(path string, err error) error {
	folder := filepath.Dir(path)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return domain.Because(domain.Exhausted, err, "The disk that holds the data folder %s is full. Free some space, or choose another folder with DATA_DIR.", folder)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Because(domain.Invalid, err, "The data folder %s can't be written to. Give this user write access, or choose another folder with DATA_DIR.", folder)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, fs.ErrNotExist):
		return domain.Because(domain.Invalid, err, "The data folder %s can't be used: a file of that name is in the way. Choose another one with DATA_DIR.", folder)
	}
	return Explain(err)
}
