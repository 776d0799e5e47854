package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Division is the result of dividing a graph into communities.
type Division struct {
	Place   domain.WorkspaceID // of the graph store, which contains the graph
	Change  int64              // up to which the graph is complete
	Program string             // the version that built it
	MadeAt  time.Time
	Took    time.Duration // building it
	Content []byte
}

func divisionTable(ws domain.WorkspaceID) sqlio.Table[Division] {
	return sqlio.Table[Division]{Name: "divisions", Row: func(d *Division) sqlio.Row {
		return sqlio.Row{
			"workspace_id key written", ws, "place key", &d.Place, "at_change", &d.Change, "program", &d.Program,
			"made_at", &d.MadeAt, "took", &d.Took, "content", &d.Content,
		}
	}}
}

// Division returns the division of a place's graph made by a version of the program, if that was at a later change than
// after.
func (l ContributionStore) Division(ctx context.Context, ws, place domain.WorkspaceID, program string, after int64) (d Division, found bool, err error) {
	d, found, err = divisionTable(ws).First(ctx, l.reader, `WHERE workspace_id = ? AND place = ? AND program = ? AND at_change > ?`, ws, place, program, after)
	return d, found, l.wrap("read a division", err)
}

// KeepDivision stores a division in place of the one before. It stores none that may contain words of a document, or of
// a version of one, that was deleted since: after its change no document of the graph may have changed.
func (l ContributionStore) KeepDivision(ctx context.Context, ws domain.WorkspaceID, d Division) error {
	return l.tx(ctx, "keep a division", func(tx *sql.Tx, _ time.Time) error {
		if _, err := sqlio.Value[int64](ctx, tx, `SELECT head FROM workspaces WHERE id = ?`+l.lock.Changing, ws); err != nil {
			return err
		}
		outdated, err := sqlio.Value[bool](ctx, tx, `SELECT EXISTS (SELECT 1 FROM changes c WHERE c.workspace_id = ? AND c.seq > ? AND (c.deleted = 1
			OR EXISTS (SELECT 1 FROM changes b WHERE b.workspace_id = c.workspace_id AND b.document_id = c.document_id AND b.seq <= ?)))`, ws, d.Change, d.Change)
		if err != nil || outdated {
			return err
		}
		return divisionTable(ws).Put(ctx, tx, &d)
	})
}

// DropDivisions forgets what the graphs of a workspace were divided into.
func (l ContributionStore) DropDivisions(ctx context.Context, ws domain.WorkspaceID) error {
	return l.tx(ctx, "drop divisions", func(tx *sql.Tx, _ time.Time) error { return dropDivisions(ctx, tx, ws) })
}

func dropDivisions(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID) error {
	return sqlio.Exec(ctx, tx, `DELETE FROM divisions WHERE workspace_id = ?`, ws)
}
