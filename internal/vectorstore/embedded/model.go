package embedded

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

const (
	findModel = `SELECT model FROM models WHERE place = ?`
	// A workspace of the live index, or of a build when the two arguments are
	// the mark of one and 1.
	anyVector = `SELECT length(vector) FROM vectors v JOIN workspaces w ON w.num = v.workspace WHERE instr(w.id, ?) = ? LIMIT 1`
)

// ofPlace are the arguments of anyVector.
func (p place) ofPlace() []any {
	if p == live {
		return []any{string(building), 0}
	}
	return []any{string(p), 1}
}

// Embedding implements vectorstore.Reader.
func (x *index) Embedding(ctx context.Context) (vectorstore.Embedding, error) {
	var e vectorstore.Embedding
	err := x.file.Read(ctx, "", func(tx *sql.Tx, _ projected.Room) error {
		var bytes int
		if err := first(ctx, tx, &bytes, anyVector, x.place.ofPlace()...); err != nil || bytes == 0 {
			return err
		}
		e.Dimension = bytes / 4
		return first(ctx, tx, &e.Model, findModel, string(x.place))
	})
	if err != nil {
		return e, fmt.Errorf("read the embedding of the index: %w", err)
	}
	return e, nil
}

// first scans the first row of query, if there is one.
func first(ctx context.Context, tx *sql.Tx, into any, query string, args ...any) error {
	return sqlio.Each(ctx, tx, func(rows *sql.Rows) error { return rows.Scan(into) }, query, args...)
}

// checkModel reports an index whose vectors are those of another model.
func (x *index) checkModel(ctx context.Context, tx *sql.Tx) error {
	var have string
	if err := first(ctx, tx, &have, findModel, string(x.place)); err != nil {
		return err
	}
	misfit := x.differ(have)
	if misfit == nil {
		return nil
	}
	held := 0
	if err := first(ctx, tx, &held, anyVector, x.place.ofPlace()...); err != nil || held == 0 {
		return err
	}
	return misfit
}

func (x *index) differ(have string) error {
	if have == "" || x.model == "" || have == x.model {
		return nil
	}
	return modelError(x.model, have)
}

func modelError(got, want string) error {
	return domain.Errorf(domain.Invalid,
		"The search index holds vectors of the model %s and can't be used with those of %s; after a change of the embedding model, rebuild the search index.", want, got)
}

// adopt notes the model of the first vectors that an index gets, and fails the
// batch when they are of another one than those it holds.
func (x *index) adopt(b *projected.Batch, points []vectorstore.Point) {
	if x.model == "" || !anyOf(points) {
		return
	}
	var have string
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&have) }, findModel, string(x.place))
	if have == x.model {
		return
	}
	held := 0
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&held) }, anyVector, x.place.ofPlace()...)
	if held > 0 {
		b.Fail(x.differ(have))
	}
	b.Exec(`INSERT OR REPLACE INTO models (place, model) VALUES (?, ?)`, string(x.place), x.model)
}

// anyOf reports whether some point has a vector.
func anyOf(points []vectorstore.Point) bool {
	for _, p := range points {
		if len(p.Vector) > 0 {
			return true
		}
	}
	return false
}
