package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Repeat is the recorded answer to a request that a program may send again.
type Repeat struct {
	Workspace domain.WorkspaceID
	Token     string
	Key       string // the program's name for the request
	Request   string // its hash
	Status    int    // 0 while it is being answered
	MediaType string
	Location  string
	Body      string
	At        time.Time
	Process   Process   // that is answering it
	Session   string    // of that process; "" if unknown
	SignedAt  time.Time // when that process last confirmed it
}

// A Process is the stored form of a lease.Process.
type Process struct {
	Host, Boot string
	PID        int
	Started    string
}

// RepeatsFor is how long a Repeat is kept, and answering how long an answer may take: after that, the process that
// answers is considered lost, and the request may be sent again. On the same machine, and by its session, that is
// noticed sooner.
const (
	RepeatsFor = 24 * time.Hour
	answering  = 10 * time.Minute
)

var repeatTable = sqlio.Table[Repeat]{Name: "repeats", Row: func(r *Repeat) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &r.Workspace, "token_id key", &r.Token, "repeat_key key", &r.Key, "request fixed", &r.Request, "status", &r.Status, "media_type", &r.MediaType,
		"location", &r.Location, "body", &r.Body, "at fixed", &r.At, "session", &r.Session, "signed_at", &r.SignedAt,
		"host fixed", &r.Process.Host, "boot fixed", &r.Process.Boot, "pid fixed", &r.Process.PID, "started fixed", &r.Process.Started,
	}
}}

// ofRepeat selects a Repeat.
const ofRepeat = ` WHERE workspace_id = ? AND token_id = ? AND repeat_key = ?`

// BeginRepeat stores that a request is being answered, or returns the Repeat of the same key that was stored before it. Those
// older than RepeatsFor are removed, and one that is being answered by a process of which gone tells that it is.
func (l AccountStore) BeginRepeat(ctx context.Context, r Repeat, gone func(ctx context.Context, before Repeat) (bool, error)) (before *Repeat, err error) {
	before, err = l.beginRepeat(ctx, r)
	if err != nil || before == nil || before.Status != 0 {
		return before, err
	}
	if over, err := gone(ctx, *before); err != nil || !over {
		return before, l.explain(err)
	}
	p := before.Process
	if err := l.exec(ctx, "forget a request", `DELETE FROM repeats`+ofRepeat+` AND status = 0 AND session = ? AND host = ? AND boot = ? AND pid = ? AND started = ?`,
		r.Workspace, r.Token, r.Key, before.Session, p.Host, p.Boot, p.PID, p.Started); err != nil {
		return before, err
	}
	return l.beginRepeat(ctx, r)
}

func (l AccountStore) beginRepeat(ctx context.Context, r Repeat) (before *Repeat, err error) {
	err = l.tx(ctx, "begin a request", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM repeats WHERE at <= ? OR status = 0 AND at <= ?`, sqlio.Millis(now.Add(-RepeatsFor)), sqlio.Millis(now.Add(-answering))); err != nil {
			return err
		}
		before, r.At, r.SignedAt = nil, now, now
		fresh, err := repeatTable.Insert(ctx, tx, &r)
		if err != nil || fresh {
			return err
		}
		found, err := read(ctx, tx, repeatTable, domain.Errorf(domain.NotFound, "The request is gone."), ofRepeat, r.Workspace, r.Token, r.Key)
		before = &found
		return err
	})
	return before, err
}

// SignRepeat records that a request is still being answered, by the process of a session.
func (l AccountStore) SignRepeat(ctx context.Context, r Repeat) error {
	return l.exec(ctx, "sign a request", `UPDATE repeats SET session = ?, signed_at = ?`+ofRepeat, r.Session, sqlio.Millis(l.now()), r.Workspace, r.Token, r.Key)
}

// EndRepeat stores what a request was answered with. Status 0 forgets the request, so that it can be sent again.
func (l AccountStore) EndRepeat(ctx context.Context, r Repeat) error {
	if r.Status == 0 {
		return l.exec(ctx, "forget a request", `DELETE FROM repeats`+ofRepeat, r.Workspace, r.Token, r.Key)
	}
	return l.exec(ctx, "end a request", `UPDATE repeats SET status = ?, media_type = ?, location = ?, body = ?`+ofRepeat,
		r.Status, r.MediaType, r.Location, r.Body, r.Workspace, r.Token, r.Key)
}
