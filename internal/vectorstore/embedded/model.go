package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

const (
	findModel = `SELECT model FROM models WHERE place = ?`
	anyVector = `SELECT length(vector) FROM vectors v JOIN workspaces w ON w.num = v.workspace WHERE instr(w.id, ?) = ? LIMIT 1`
)

// args returns the arguments of queries for the workspaces of a slot: the prefix
// of a build's names, and at which position it must occur.
func (p slot) args() []any {
	if p == live {
		return []any{string(building), 0}
	}
	return []any{string(p), 1}
}

// Embedding implements vectorstore.Reader.
func (x *index) Embedding(ctx context.Context) (vectorstore.Embedding, error) {
	var e vectorstore.Embedding
	err := x.file.Read(ctx, "", func(tx *sql.Tx, _ projected.Workspace) error {
		var bytes int
		if err := first(ctx, tx, &bytes, anyVector, x.slot.args()...); err != nil || bytes == 0 {
			return err
		}
		e.Dimension = bytes / 4
		return first(ctx, tx, &e.Model, findModel, string(x.slot))
	})
	if err != nil {
		return e, fmt.Errorf("read the embedding of the index: %w", err)
	}
	return e, nil
}

// first scans the first row of a query, if there is one.
func first(ctx context.Context, tx *sql.Tx, into any, query string, args ...any) error {
	return sqlio.Each(ctx, tx, func(rows *sql.Rows) error { return rows.Scan(into) }, query, args...)
}

// checkModel returns an error if the index has vectors of another model.
func (x *index) checkModel(ctx context.Context, tx *sql.Tx) error {
	var have string
	if err := first(ctx, tx, &have, findModel, string(x.slot)); err != nil {
		return err
	}
	misfit := x.differ(have)
	if misfit == nil {
		return nil
	}
	held := 0
	if err := first(ctx, tx, &held, anyVector, x.slot.args()...); err != nil || held == 0 {
		return err
	}
	return misfit
}

func (x *index) differ(have string) error {
	if have == "" || x.model == "" || have == x.model {
		return nil
	}
	return vectorstore.ModelError(x.model, have)
}

// adopt records the model of an index's first vectors. It fails the batch if the
// index has vectors of another model.
func (x *index) adopt(b *projected.Batch, points []vectorstore.Point) {
	if x.model == "" || !hasVectors(points) {
		return
	}
	var have string
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&have) }, findModel, string(x.slot))
	if have == x.model {
		return
	}
	held := 0
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&held) }, anyVector, x.slot.args()...)
	if held > 0 {
		b.Fail(x.differ(have))
	}
	b.Exec(`INSERT OR REPLACE INTO models (place, model) VALUES (?, ?)`, string(x.slot), x.model)
}

// hasVectors reports whether any point has a vector.
func hasVectors(points []vectorstore.Point) bool {
	return slices.ContainsFunc(points, func(p vectorstore.Point) bool { return len(p.Vector) > 0 })
}
