package sql

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/database/sqlio"
)

// InTx runs f in a transaction of the checkpointer's database.
func (c *Checkpointer) InTx(ctx context.Context, f func(*sql.Tx) error) error {
	return sqlio.InTx(ctx, c.writer, f)
}
