package projected

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Batch writes the changes of one workspace. After its first error its methods
// do nothing, so that callers need not check each of them.
type Batch struct {
	Workspace      // with the cursor that the batch moves to
	New       bool // nothing was ever written for the workspace

	ctx    context.Context
	short  bool // no statement takes long enough to be interrupted
	tx     *sql.Tx
	forget bool
	err    error
}

func newBatch(ctx context.Context, tx *sql.Tx, r Workspace) *Batch {
	return &Batch{Workspace: r, New: r.Num == 0, ctx: ctx, tx: tx}
}

// move sets the workspace's cursor and numbers a new workspace.
func (b *Batch) move(w domain.WorkspaceID, cursor int64) {
	b.Cursor = cursor
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&b.Num) }, `INSERT INTO workspaces (id, cursor) VALUES (?, ?)
		ON CONFLICT (id) DO UPDATE SET cursor = excluded.cursor RETURNING num`, string(w), cursor)
}

// remember records the workspace's last move, or a reset as a move to nowhere.
func (b *Batch) remember(w domain.WorkspaceID, m Move) {
	b.Exec(`INSERT INTO moves (workspace, token, after, cursor) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace) DO UPDATE SET token = excluded.token, after = excluded.after, cursor = excluded.cursor`, string(w), m.Token, m.After, m.Cursor)
}

// Exec runs a statement.
func (b *Batch) Exec(query string, args ...any) {
	if ctx := b.next(); b.err == nil {
		_, err := b.tx.ExecContext(ctx, query, args...)
		b.Fail(err)
	}
}

// Each calls f for every row of query. f must not write.
func (b *Batch) Each(f func(*sql.Rows) error, query string, args ...any) {
	if ctx := b.next(); b.err == nil {
		b.Fail(sqlio.Each(ctx, b.tx, f, query, args...))
	}
}

// next returns the context of the next statement, and fails once the batch's has
// ended. To be able to interrupt a statement costs as much as most of them.
func (b *Batch) next() context.Context {
	if !b.short {
		return b.ctx
	}
	b.Fail(b.ctx.Err())
	return context.WithoutCancel(b.ctx)
}

// Fail makes the batch fail with err, unless err is nil or the batch has failed.
func (b *Batch) Fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Forget has the write-ahead log emptied after the batch, because deleted words
// must not stay on disk.
func (b *Batch) Forget() { b.forget = true }
