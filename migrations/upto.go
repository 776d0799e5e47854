package migrations

import (
	"context"
	"database/sql"
	"fmt"
)

// UpTo applies the migrations up to number version to an empty database, for
// rows that were saved with that schema.
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
