// Package job is the durable queue of runs.
package job

import (
	"database/sql"
	"time"
)

// Queue stores runs and their leases.
type Queue struct {
	writer, reader *sql.DB
	now            func() time.Time
	explain        func(error) error
}

// Option changes how a queue works.
type Option func(*Queue)

// WithExplain sets the database's translation of its own errors.
func WithExplain(explain func(error) error) Option { return func(q *Queue) { q.explain = explain } }

// Open returns a queue over a migrated database.
func Open(writer, readers *sql.DB, now func() time.Time, opts ...Option) *Queue {
	q := &Queue{writer: writer, reader: readers, now: now, explain: func(err error) error { return err }}
	for _, o := range opts {
		o(q)
	}
	return q
}
