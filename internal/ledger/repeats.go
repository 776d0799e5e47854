package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Repeat is what a program was answered to a request that it may send again.
type Repeat struct {
	Workspace domain.WorkspaceID
	Token     string
	Key       string // as the program names the request
	Request   string // hash of it
	Status    int    // 0 while it is being answered
	MediaType string
	Location  string
	Body      string
	At        time.Time
}

// RepeatsFor is how long a Repeat is kept, and answering how long one may be answered: after that, the process that answered
// it is taken for lost, and the request may be sent again.
const (
	RepeatsFor = 24 * time.Hour
	answering  = 10 * time.Minute
)

var repeatTable = sqlio.Table[Repeat]{Name: "repeats", Row: func(r *Repeat) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &r.Workspace, "token_id key", &r.Token, "repeat_key key", &r.Key, "request fixed", &r.Request, "status", &r.Status, "media_type", &r.MediaType,
		"location", &r.Location, "body", &r.Body, "at fixed", &r.At,
	}
}}

// BeginRepeat stores that a request is being answered, or returns the Repeat of the same key that was stored before it. Those
// older than RepeatsFor are removed.
func (l AccountStore) BeginRepeat(ctx context.Context, r Repeat) (before *Repeat, err error) {
	err = l.tx(ctx, "begin a request", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM repeats WHERE at <= ? OR status = 0 AND at <= ?`, sqlio.Millis(now.Add(-RepeatsFor)), sqlio.Millis(now.Add(-answering))); err != nil {
			return err
		}
		r.At = now
		fresh, err := repeatTable.Insert(ctx, tx, &r)
		if err != nil || fresh {
			return err
		}
		found, err := read(ctx, tx, repeatTable, domain.Errorf(domain.NotFound, "The request is gone."), `WHERE workspace_id = ? AND token_id = ? AND repeat_key = ?`, r.Workspace, r.Token, r.Key)
		before = &found
		return err
	})
	return before, err
}

// EndRepeat stores what a request was answered with. Status 0 forgets the request, so that it can be sent again.
func (l AccountStore) EndRepeat(ctx context.Context, r Repeat) error {
	const of = ` WHERE workspace_id = ? AND token_id = ? AND repeat_key = ?`
	if r.Status == 0 {
		return l.exec(ctx, "forget a request", `DELETE FROM repeats`+of, r.Workspace, r.Token, r.Key)
	}
	return l.exec(ctx, "end a request", `UPDATE repeats SET status = ?, media_type = ?, location = ?, body = ?`+of,
		r.Status, r.MediaType, r.Location, r.Body, r.Workspace, r.Token, r.Key)
}
