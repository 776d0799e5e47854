package embedded

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Fill implements vectorstore.Writer. It says where it leads before it writes
// anything: from then on nothing is written any more that leads less far, so
// that whoever leads furthest sees all there is to delete.
func (x *index) Fill(ctx context.Context, w domain.WorkspaceID, after, cursor int64, pieces func(write func(vectorstore.Batch) error) error) error {
	at, err := x.Cursor(ctx, w)
	if err != nil || at >= cursor {
		return err
	}
	var room int64 // another one when the workspace was emptied meanwhile
	write := func(b vectorstore.Batch) error {
		return x.file.Part(ctx, x.room(w), after, cursor, func(to *projected.Batch) {
			claim(to, &room, after)
			x.write(to, b)
		})
	}
	if err := write(vectorstore.Batch{}); err != nil {
		return err
	}
	if err := pieces(write); err != nil {
		return err
	}
	return x.file.Apply(ctx, x.room(w), after, cursor, func(to *projected.Batch) {
		claim(to, &room, after)
		to.Exec(`DELETE FROM fills WHERE workspace = ?`, to.Num)
	})
}

// claim notes that the workspace at change after is being taken to the batch's
// change, and fails the batch when somebody takes it further, or when it is not
// the one that the fill began with.
func claim(to *projected.Batch, room *int64, after int64) {
	if *room == 0 {
		*room = to.Num
	}
	if *room != to.Num {
		to.Fail(domain.Errorf(domain.Conflict, "The search index was emptied while it was filled."))
	}
	var furthest int64
	to.Each(func(rows *sql.Rows) error { return rows.Scan(&furthest) },
		`INSERT INTO fills (workspace, after, cursor) VALUES (?, ?, ?) ON CONFLICT (workspace) DO UPDATE SET
			cursor = CASE WHEN after = excluded.after THEN max(cursor, excluded.cursor) ELSE excluded.cursor END, after = excluded.after
		RETURNING cursor`, to.Num, after, to.Cursor)
	if furthest > to.Cursor {
		to.Fail(domain.Errorf(domain.Conflict, "Another process is taking the search index to change %d, not to %d.", furthest, to.Cursor))
	}
}
