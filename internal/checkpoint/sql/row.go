package sql

import (
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
)

// row is a record, or a segment of them, as the database gives it. Texts and
// data are looked at in place.
type row struct {
	scope, kind, name, data sql.RawBytes // of the driver, until the next row
	step, task, version, at int64

	last stategraph.Record // whose texts the next is likely to share
}

// each gives yield what the row holds: a record, or those of a segment up to a
// step. It reports whether yield wants more.
func (r *row) each(to int, yield func(stategraph.Record, error) bool) bool {
	r.last.Scope = shared(r.last.Scope, r.scope)
	if string(r.kind) == kindSegment {
		return segment(r.last.Scope, r.data, to, yield)
	}
	r.last = stategraph.Record{
		Scope: r.last.Scope, Kind: shared(r.last.Kind, r.kind), ID: shared(r.last.ID, r.name),
		Step: int(r.step), Task: int(r.task), Version: int(r.version), At: time.UnixMicro(r.at), Data: r.data,
	}
	return yield(r.last, nil)
}

// shared is a text, as the one before if that is the same.
func shared[T ~string](last T, text []byte) T {
	if string(text) == string(last) {
		return last
	}
	return T(text)
}
