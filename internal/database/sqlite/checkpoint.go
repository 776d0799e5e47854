package sqlite

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// Checkpoint moves the write-ahead log into the database file and truncates it.
// The file overwrites deleted rows, so their words have left the disk once it
// returns nil. It waits for readers up to the busy timeout. The error is
// Unavailable when one still reads an older state; the words then go with the
// next checkpoint.
func (db *DB) Checkpoint(ctx context.Context) error {
	var blocked, pages, moved int
	err := db.Writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&blocked, &pages, &moved)
	if err != nil {
		return Explain(fmt.Errorf("checkpoint: %w", err))
	}
	if blocked != 0 {
		return domain.Errorf(domain.Unavailable, "Somebody is still reading the database; what was deleted leaves the disk once they are done.")
	}
	return nil
}
