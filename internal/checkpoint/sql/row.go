package sql

import (
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
)

// row holds a record, or a segment of records, without copying its text and data.
type row struct {
	scope, kind, name, data sql.RawBytes // the driver's, valid until the next row
	step, task, version, at int64

	last stategraph.Record // its strings are probably those of the next one
}

// each yields the row's record, or the records of its segment up to step to. It
// reports whether yield wants more.
func (r *row) each(to int, yield func(stategraph.Record, error) bool) bool {
	r.last.Scope = intern(r.last.Scope, r.scope)
	if string(r.kind) == kindSegment {
		return segment(r.last.Scope, r.data, to, yield)
	}
	r.last = stategraph.Record{
		Scope: r.last.Scope, Kind: intern(r.last.Kind, r.kind), ID: intern(r.last.ID, r.name),
		Step: int(r.step), Task: int(r.task), Version: int(r.version), At: time.UnixMicro(r.at), Data: r.data,
	}
	return yield(r.last, nil)
}

// intern returns text as a string: last, if that is equal.
func intern[T ~string](last T, text []byte) T {
	if string(text) == string(last) {
		return last
	}
	return T(text)
}
