package sql

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
)

// A segment is a row that holds records of a scope one behind the other. A
// state is read from what hundreds of steps wrote, and to fetch a row takes
// longer than to read what a step wrote; to let the last row of a thread grow
// writes the same page of the file as to add another to it.
//
// A record in a segment is its kind, step, task, version and time, and its
// data, texts as their length and their bytes, numbers as varints. What is
// looked for by its kind has a row of its own: snapshots, questions, answers.
const kindSegment = "segment"

// segmentSize is how many bytes a segment may grow to: half a page of SQLite,
// so that growing moves few other rows to another page.
const segmentSize = 2000

// errSegment is met where a segment was changed by something else than this
// program.
var errSegment = errors.New("load thread: a segment of its records is damaged: restore the database from a backup")

// shareable reports whether a record can be part of a segment.
func shareable(r *stategraph.Record) bool {
	switch r.Kind {
	case stategraph.RecordPlan, stategraph.RecordWrite, stategraph.RecordEnd:
		return r.ID == ""
	}
	return false
}

// segmentOf is the data of a segment of the first of records, and how many of
// them it holds: all that fit. It holds none when the first needs a row of its
// own.
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

// segment gives yield the records of a segment up to a step, and reports
// whether it wants more.
func segment(scope string, data []byte, to int, yield func(stategraph.Record, error) bool) bool {
	r := stategraph.Record{Scope: scope}
	for in := (&input{rest: data}); len(in.rest) > 0; {
		r.Kind = shared(r.Kind, in.bytes())
		r.Step, r.Task, r.Version, r.At = int(in.number()), int(in.number()), int(in.number()), time.UnixMicro(in.number())
		r.Data = in.bytes()
		if in.damaged || !shareable(&r) {
			yield(stategraph.Record{}, errSegment)
			return false
		}
		if r.Step <= to && !yield(r, nil) {
			return false
		}
	}
	return true
}

// input is what is left to read of a segment.
type input struct {
	rest    []byte
	damaged bool
}

func (in *input) number() int64 {
	n, size := binary.Varint(in.rest)
	if size <= 0 {
		in.rest, in.damaged = nil, true
		return 0
	}
	in.rest = in.rest[size:]
	return n
}

func (in *input) bytes() []byte {
	n := in.number()
	if n < 0 || n > int64(len(in.rest)) {
		in.rest, in.damaged = nil, true
		return nil
	}
	b := in.rest[:n:n]
	in.rest = in.rest[n:]
	return b
}
