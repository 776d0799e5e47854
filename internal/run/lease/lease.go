// Package lease lends the stores of a workspace to one writer at a time, in any process, and
// distinguishes processes.
//
// A lease has a token, which grows whenever the workspace is lent. The stores refuse writes with a
// token lower than the highest they have seen, so a writer whose lease has ended unnoticed changes
// nothing more.
package lease

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Local lends to the writers of this process only, for stores that no other
// process writes to. Its tokens are 0. The zero value is ready for use.
type Local struct {
	mu   sync.Mutex
	lent map[domain.WorkspaceID]chan struct{}
}

// Hold waits for other calls for the workspace to finish, then calls work.
func (l *Local) Hold(ctx context.Context, ws domain.WorkspaceID, work func(ctx context.Context, token int64) error) error {
	l.mu.Lock()
	if l.lent == nil {
		l.lent = map[domain.WorkspaceID]chan struct{}{}
	}
	lent := l.lent[ws]
	if lent == nil {
		lent = make(chan struct{}, 1)
		l.lent[ws] = lent
	}
	l.mu.Unlock()
	select {
	case lent <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-lent }()
	return work(ctx, 0)
}

// Options configure Leases. All but Length, Explain and Wire are required.
type Options struct {
	Writer, Reader *sql.DB // of a migrated database that all processes share
	Process        Process // see Self
	Now            domain.Clock
	Log            *slog.Logger
	Explain        func(error) error // gives the database's own errors a domain kind
	Length         time.Duration     // after which the lease of a silent process ends; 0 means 30 s
	Wire           sqlio.Wire        // reports processes that have ended; may be nil
}

// Leases lends to the writers of all processes that share a database.
type Leases struct {
	Options
	holder string // names this process
	local  Local
}

// New returns leases.
func New(o Options) *Leases {
	if o.Length == 0 {
		o.Length = 30 * time.Second
	}
	if o.Explain == nil {
		o.Explain = func(err error) error { return err }
	}
	if o.Wire == nil {
		o.Wire = sqlio.Unwired{}
	}
	return &Leases{Options: o, holder: rand.Text()}
}

// Hold waits until nobody else holds the workspace's lease, takes it for the duration of work, and keeps renewing it. If
// it can't be renewed, the context of work ends and the error is Conflict. The lease of a process that has died is free at once on
// this machine, and elsewhere as soon as it is silent and its session over.
func (l *Leases) Hold(ctx context.Context, ws domain.WorkspaceID, work func(ctx context.Context, token int64) error) error {
	return l.local.Hold(ctx, ws, func(ctx context.Context, _ int64) error {
		token, until, err := l.take(ctx, ws)
		if err != nil {
			return fmt.Errorf("take the lease of the stores: %w", l.Explain(err))
		}
		defer l.giveBack(context.WithoutCancel(ctx), ws, token)
		held, lose := context.WithCancelCause(ctx)
		defer lose(nil)
		keeping, stop := context.WithCancel(held)
		var keeper sync.WaitGroup
		keeper.Go(func() { l.keep(keeping, lose, ws, token, until) })
		err = work(held, token)
		stop()
		keeper.Wait()
		if err != nil && errors.Is(context.Cause(held), errLost) {
			return domain.Because(domain.Conflict, err, "Another process is bringing the stores up to date.")
		}
		return err
	})
}

var errLost = errors.New("the lease was lost")

// The pauses between two tries to take a lease.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 50 * time.Millisecond
)

// take waits for the lease and returns its token and when it ends.
func (l *Leases) take(ctx context.Context, ws domain.WorkspaceID) (token int64, until time.Time, err error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		now := l.Now()
		token, ok, err := l.try(ctx, ws, now)
		if err != nil || ok {
			return token, now.Add(l.Length), err
		}
		freed, err := l.freeDead(ctx, ws)
		if err != nil {
			return 0, time.Time{}, err
		}
		if freed {
			continue
		}
		if err := domain.Sleep(ctx, pause); err != nil {
			return 0, time.Time{}, err
		}
	}
}

// try takes the lease if it is free or still held by this holder. The token is a time, so that it also exceeds the tokens
// of a database that this one replaces.
func (l *Leases) try(ctx context.Context, ws domain.WorkspaceID, now time.Time) (token int64, ok bool, err error) {
	p := l.Process
	err = sqlio.Each(ctx, l.Writer, func(rows *sql.Rows) error {
		ok = true
		return rows.Scan(&token)
	}, `INSERT INTO store_leases (workspace_id, token, holder, host, boot, pid, started, session, lease_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (workspace_id) DO UPDATE SET
			token = CASE WHEN excluded.token > store_leases.token THEN excluded.token ELSE store_leases.token + 1 END,
			holder = excluded.holder, host = excluded.host, boot = excluded.boot, pid = excluded.pid, started = excluded.started,
			session = excluded.session, lease_until = excluded.lease_until
		WHERE store_leases.lease_until <= ? OR store_leases.holder = excluded.holder
		RETURNING token`,
		ws, sqlio.Millis(now), l.holder, p.Host, p.Boot, p.PID, p.Started, l.Wire.Session(), sqlio.Millis(now.Add(l.Length)), sqlio.Millis(now))
	return token, ok, err
}

// SilentFor is how long a process whose session has ended must be silent to count as gone: one that only lost its
// connection soon reports that it is alive. While sessions are reported, processes do so each Sign.
const (
	Sign      = time.Second
	SilentFor = 3 * Sign
)

// freeDead ends the lease if its holder has died, and reports whether it did.
func (l *Leases) freeDead(ctx context.Context, ws domain.WorkspaceID) (bool, error) {
	var token int64
	var p Process
	var session string
	var until int64
	err := sqlio.Each(ctx, l.Reader, func(rows *sql.Rows) error {
		return rows.Scan(&token, &p.Host, &p.Boot, &p.PID, &p.Started, &session, &until)
	}, `SELECT token, host, boot, pid, started, session, lease_until FROM store_leases WHERE workspace_id = ? AND lease_until > 0`, ws)
	if err != nil || token == 0 {
		return false, err
	}
	dead := l.Process.Gone(p)
	if signed := sqlio.Time(until).Add(-l.Length); !dead && session != "" && l.Now().Sub(signed) > SilentFor {
		ended, err := l.Wire.Ended(ctx, []string{session})
		if err != nil {
			return false, err
		}
		dead = len(ended) > 0
	}
	if !dead {
		return false, nil
	}
	return true, l.end(ctx, ws, token)
}

func (l *Leases) end(ctx context.Context, ws domain.WorkspaceID, token int64) error {
	_, err := l.Writer.ExecContext(ctx, `UPDATE store_leases SET lease_until = 0 WHERE workspace_id = ? AND token = ?`, ws, token)
	return err
}

// giveBack ends this holder's lease. If that fails, nobody else can take it
// until it expires.
func (l *Leases) giveBack(ctx context.Context, ws domain.WorkspaceID, token int64) {
	ctx, cancel := context.WithTimeout(ctx, l.Length)
	defer cancel()
	if err := l.end(ctx, ws, token); err != nil {
		l.Log.WarnContext(ctx, "the lease of the stores was not given back", "workspace", ws, "err", l.Explain(err))
	}
}

// keep renews a lease until ctx ends, and calls lose when the lease expires or somebody else has it.
func (l *Leases) keep(ctx context.Context, lose context.CancelCauseFunc, ws domain.WorkspaceID, token int64, until time.Time) {
	every := l.Length / 3
	if l.Wire.Session() != "" {
		every = min(every, Sign)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := l.Now()
		kept, err := l.renew(ctx, ws, token, now, until)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && kept:
			until = now.Add(l.Length)
		case err == nil, !l.Now().Before(until):
			lose(errLost)
			return
		}
	}
}

// renew extends a lease from now and reports whether it was still this one's. It
// gives up when the lease expires.
func (l *Leases) renew(ctx context.Context, ws domain.WorkspaceID, token int64, now, until time.Time) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, max(0, until.Sub(now)))
	defer cancel()
	result, err := l.Writer.ExecContext(ctx, `UPDATE store_leases SET lease_until = ?, session = ? WHERE workspace_id = ? AND token = ?`,
		sqlio.Millis(now.Add(l.Length)), l.Wire.Session(), ws, token)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// A Process identifies a process across machines, restarts, and reuse of its number.
type Process struct {
	Host    string
	Boot    string // the machine's boot id; "" if unknown
	PID     int
	Started string // the process's start time as the kernel prints it; "" if unknown
}

// Self returns this process.
func Self() (Process, error) {
	host, err := os.Hostname()
	if err != nil {
		return Process{}, fmt.Errorf("read the host's name: %w", err)
	}
	p := Process{Host: host, PID: os.Getpid()}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err == nil { // Linux; on other systems leases end only by time
		p.Boot = strings.TrimSpace(string(boot))
		p.Started, err = startOf(p.PID)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Process{}, fmt.Errorf("read the process's start: %w", err)
	}
	return p, nil
}

// Gone reports whether p has certainly ended: it ran on this machine, which has rebooted since or has no such process. It
// is false for other machines, and if start times are unknown.
func (here Process) Gone(p Process) bool {
	if p == here || p.Host != here.Host || here.Boot == "" || here.Started == "" {
		return false
	}
	if p.Boot != here.Boot {
		return true
	}
	started, err := startOf(p.PID)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && started != p.Started
}

// startOf reads the start time of a process, in clock ticks since boot: the 22nd field of /proc/<pid>/stat, see proc(5).
// The second field is a name in parentheses, which may hold anything.
func startOf(pid int) (string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	line := string(b)
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) > 0 && (fields[0] == "Z" || fields[0] == "X") { // killed, but not yet waited for
		return "", fs.ErrNotExist
	}
	const started = 22 - 3 // counted from the third field
	if len(fields) <= started {
		return "", fmt.Errorf("the status of process %d has %d fields", pid, len(fields))
	}
	return fields[started], nil
}
