package projected

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// The ledger that each workspace's rows are from, which outlives a reset. Files
// of earlier versions get the table when they are opened.
const owners = `CREATE TABLE IF NOT EXISTS owners (
	workspace TEXT PRIMARY KEY,
	owner     TEXT NOT NULL
) WITHOUT ROWID`

// Claim has a workspace belong to a ledger: from then on other ledgers' moves and
// resets are refused. The error wraps domain.ErrForeign if it belongs to another one,
// unless takeOver is set: then empty deletes its rows, and its last move is forgotten.
func (f *File) Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool, empty func(*Batch)) error {
	f.owners.Set(w, owner)
	return f.write(ctx, "claim", func(tx *sql.Tx) (*Batch, error) {
		err := f.own(ctx, tx, w)
		if err != nil && !takeOver {
			return nil, err
		}
		room, missing := findRoom(ctx, tx, w)
		if missing != nil {
			return nil, missing
		}
		b := newBatch(ctx, tx, room)
		if err != nil {
			b.Exec(`DELETE FROM moves WHERE workspace = ?`, string(w))
			if room.Num != 0 {
				empty(b)
				b.Exec(`DELETE FROM workspaces WHERE num = ?`, room.Num)
				b.Forget()
			}
		}
		b.note(w, owner)
		return b, nil
	})
}

// note records whose a workspace is.
func (b *Batch) note(w domain.WorkspaceID, owner string) {
	if owner != "" {
		b.Exec(`INSERT INTO owners (workspace, owner) VALUES (?, ?) ON CONFLICT (workspace) DO UPDATE SET owner = excluded.owner
			WHERE owners.owner <> excluded.owner`, string(w), owner)
	}
}

// own returns an error if a workspace belongs to another ledger.
func (f *File) own(ctx context.Context, q sqlio.Querier, w domain.WorkspaceID) error {
	var stored string
	err := sqlio.Each(ctx, q, func(rows *sql.Rows) error { return rows.Scan(&stored) }, `SELECT owner FROM owners WHERE workspace = ?`, string(w))
	if err != nil {
		return fmt.Errorf("find the owner: %w", err)
	}
	if f.owners.Differ(w, stored) {
		return domain.Foreign(fmt.Sprintf("The %s in %s", f.name, f.path), "Give this one another data folder, with --data or DATA_DIR.")
	}
	return nil
}
