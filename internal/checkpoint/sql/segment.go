package sql

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
)

// A segment is a row that holds several records of one scope. Reading a state
// takes the records of hundreds of steps, and fetching a row costs more than
// decoding a record; growing a thread's last row writes the same page of the file
// as adding another row.
//
// A record in a segment is its kind, step, task, version, time and data: numbers
// as varints, texts as their length and bytes. Snapshots, questions and answers
// are looked up by kind and have their own rows.
const kindSegment = "segment"

// segmentSize is how many bytes a segment may grow to: half a page of SQLite, so
// that growing moves few other rows to another page.
const segmentSize = 2000

var errSegment = errors.New("load thread: a segment of its records is damaged: restore the database from a backup")

// shareable reports whether a record can be part of a segment.
func shareable(r *stategraph.Record) bool {
	switch r.Kind {
	case stategraph.RecordPlan, stategraph.RecordWrite, stategraph.RecordEnd:
		return r.ID == ""
	}
	return false
}

// segmentOf encodes as many of the first records as fit into a segment, and
// returns how many: none if the first needs its own row.
func segmentOf(records []stategraph.Record) (data []byte, n int) {
	for i := range records {
		r, first := &records[i], &records[0]
		if !shareable(r) || r.Scope != first.Scope || r.Step < first.Step || i > 0 && len(data)+len(r.Data) > segmentSize {
			break
		}
		data, n = appendRecord(data, r), i+1
	}
	return data, n
}

func appendRecord(data []byte, r *stategraph.Record) []byte {
	data = binary.AppendVarint(data, int64(len(r.Kind)))
	data = append(data, r.Kind...)
	for _, n := range [...]int64{int64(r.Step), int64(r.Task), int64(r.Version), r.At.UnixMicro(), int64(len(r.Data))} {
		data = binary.AppendVarint(data, n)
	}
	return append(data, r.Data...)
}

// segment yields the records of a segment up to step to, and reports whether
// yield wants more.
func segment(scope string, data []byte, to int, yield func(stategraph.Record, error) bool) bool {
	r := stategraph.Record{Scope: scope}
	for d := (&decoder{rest: data}); len(d.rest) > 0; {
		r.Kind = intern(r.Kind, d.bytes())
		r.Step, r.Task, r.Version, r.At = int(d.number()), int(d.number()), int(d.number()), time.UnixMicro(d.number())
		r.Data = d.bytes()
		if d.damaged || !shareable(&r) {
			yield(stategraph.Record{}, errSegment)
			return false
		}
		if r.Step <= to && !yield(r, nil) {
			return false
		}
	}
	return true
}

type decoder struct {
	rest    []byte
	damaged bool
}

func (d *decoder) number() int64 {
	n, size := binary.Varint(d.rest)
	if size <= 0 {
		d.rest, d.damaged = nil, true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) bytes() []byte {
	n := d.number()
	if n < 0 || n > int64(len(d.rest)) {
		d.rest, d.damaged = nil, true
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}
