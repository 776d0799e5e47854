package job

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A Limit bounds how many runs of a kind may wait.
type Limit struct {
	Kind    string
	Each    int    // the most of one person; 0 means no limit
	Waiting string // says what they wait for: "questions wait to be answered"
	Setting string // changes Each
}

// share is how many persons may have as many runs waiting as one may.
const share = 10

// comeBack is when a person who was refused should try again.
const comeBack = 30 * time.Second

// Admit returns a TooMany error when no further run may wait: the person whom ctx names has as many as l allows, or all
// persons together have ten times as many.
func (q *Queue) Admit(ctx context.Context, l Limit) error { return q.admit(ctx, q.reader, l) }

// AdmitTx is like Admit but counts in the transaction that adds the run.
func (q *Queue) AdmitTx(ctx context.Context, tx *sql.Tx, l Limit) error { return q.admit(ctx, tx, l) }

func (q *Queue) admit(ctx context.Context, db rower, l Limit) error {
	if l.Each == 0 {
		return nil
	}
	var own, all int
	err := db.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM runs WHERE status = 'waiting' AND kind = ? AND person = ?),
		(SELECT COUNT(*) FROM runs WHERE status = 'waiting' AND kind = ?)`, l.Kind, domain.PersonOf(ctx), l.Kind).Scan(&own, &all)
	switch {
	case err != nil:
		return q.wrap("count waiting runs", err)
	case own >= l.Each:
		return domain.TooManyf(comeBack, "%d of your %s, the most that may (%s). Try again when some are done, in half a minute perhaps.", own, l.Waiting, l.Setting)
	case all >= share*l.Each:
		return domain.TooManyf(comeBack, "%d %s, the most that may at a time (ten times %s). Try again when some are done, in half a minute perhaps.", all, l.Waiting, l.Setting)
	}
	return nil
}
