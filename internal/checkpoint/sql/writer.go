package sql

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/stategraph"
)

// writer writes the records of the thread's writer, whose token it holds.
type writer struct {
	insert *sql.Stmt
	grow   *sql.Stmt // nil if rows have one record each
	thread string
	token  int64
	added  []sql.Result // rows added; if all are there, the thread was still its own
}

// write writes records in order, packing those that can share a segment.
func (w *writer) write(ctx context.Context, records []stategraph.Record) error {
	for len(records) > 0 {
		data, n := []byte(nil), 0
		if w.grow != nil {
			data, n = segmentOf(records)
		}
		var err error
		if n == 0 {
			n, err = 1, w.row(ctx, &records[0])
		} else {
			err = w.segment(ctx, &records[0], data)
		}
		if err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// segment appends data to the last segment of the scope. It begins another if
// that is full or not the last row of the scope.
func (w *writer) segment(ctx context.Context, first *stategraph.Record, data []byte) error {
	if room := segmentSize - len(data); room > 0 {
		grown, err := sqlio.Changed(w.grow.ExecContext(ctx, data, w.thread, w.token, first.Scope, first.Step, room))
		if err != nil || grown {
			return err
		}
	}
	return w.row(ctx, &stategraph.Record{Scope: first.Scope, Kind: kindSegment, Step: first.Step, At: first.At, Data: data})
}

func (w *writer) row(ctx context.Context, r *stategraph.Record) error {
	data := r.Data
	if data == nil {
		data = []byte{}
	}
	added, err := w.insert.ExecContext(ctx,
		r.Scope, string(r.Kind), r.Step, r.Task, r.Version, r.At.UnixMicro(), r.ID, data, w.thread, w.token)
	if err == nil {
		w.added = append(w.added, added)
	}
	return err
}

// owned returns ErrThreadTaken if the thread belonged to another holder. It is called after all writes, which the
// database may gather until then.
func (w *writer) owned() error {
	for _, added := range w.added {
		switch ok, err := sqlio.Changed(added, nil); {
		case err != nil:
			return err
		case !ok:
			return stategraph.ErrThreadTaken
		}
	}
	return nil
}
