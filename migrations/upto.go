package migrations

import (
	"context"
	"database/sql"
	"fmt"
)

// UpTo brings an empty database to where it stood after migration number
// version, for rows that were saved then.
func UpTo(ctx context.Context, db *sql.DB, version int64) error {
	p, err := provider(db)
	if err != nil {
		return err
	}
	if _, err := p.UpTo(ctx, version); err != nil {
		return fmt.Errorf("migrate to %d: %w", version, err)
	}
	return nil
}
