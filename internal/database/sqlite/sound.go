package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// CheckFile checks the database file at path as Sound does, before anything else reads it. Nothing
// is written. There is nothing wrong with a file that is not there.
func CheckFile(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := sharePages(); err != nil { // must come before any connection
		return err
	}
	db := connect(path, Options{Readers: 1})
	return errors.Join(Sound(ctx, db.Reader, filepath.Base(path)), db.closePools())
}

// Sound reads the pages of the named database, about a gigabyte a second, and returns an error of
// kind Conflict that says what to do if one of them is damaged. What no page can tell, such as
// a letter of a text that was changed, it does not find.
func Sound(ctx context.Context, q sqlio.Querier, name string) error {
	found, err := sqlio.Collect(ctx, q, sqlio.Column[string], `PRAGMA quick_check(1)`)
	switch {
	case err == nil && len(found) == 1 && found[0] == "ok":
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !Damaged(err):
		return Explain(fmt.Errorf("check %s: %w", name, err))
	case err == nil:
		err = fmt.Errorf("%w: %v", ErrDamaged, found)
	}
	return domain.Because(domain.Conflict, err, "The database %s is damaged. Restore a backup: clew restore --force FILE. If you have none, stop the program and copy the data folder before you try anything else.", name)
}
