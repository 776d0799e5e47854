package sqlite

import (
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
)

// row is a record as the database gives it. A state is read from hundreds of
// them: texts are looked at in place, and copied once, many to an allocation.
type row struct {
	scope, kind, name, data sql.RawBytes // of the driver, until the next row
	step, task, version, at int64

	last stategraph.Record // whose texts the next is likely to share
	free []byte
}

// chunk is how much is allocated at once for what records hold.
const chunk = 32 << 10

func (r *row) record() stategraph.Record {
	rec := stategraph.Record{
		Scope: shared(r.last.Scope, r.scope), Kind: shared(r.last.Kind, r.kind), ID: shared(r.last.ID, r.name),
		Step: int(r.step), Task: int(r.task), Version: int(r.version), At: time.UnixMicro(r.at), Data: r.keep(r.data),
	}
	r.last = rec
	return rec
}

// shared is a text, as the one before if that is the same.
func shared[T ~string](last T, text []byte) T {
	if string(text) == string(last) {
		return last
	}
	return T(text)
}

// keep copies data out of the driver's hands.
func (r *row) keep(data []byte) []byte {
	if len(data) > cap(r.free)-len(r.free) {
		r.free = make([]byte, 0, max(chunk, len(data)))
	}
	from := len(r.free)
	r.free = append(r.free, data...)
	return r.free[from:len(r.free):len(r.free)]
}
