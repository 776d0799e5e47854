// Package audit keeps the trail of an installation: who did what to which thing, when, and from where.
// Rows are only added, and each has a hash of the previous one, so a check can detect changes. The
// trail contains no words of documents or questions.
package audit

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// Results.
const (
	Done    = "done"
	Refused = "refused"
	Failed  = "failed"
)

// Actions that are not operations.
const (
	SignIn       = "sign-in"
	SignInFailed = "sign-in failed"
	SignOut      = "sign-out"
	TokenRefused = "token refused"
	Password     = "password"
	EndSessions  = "sessions end"
	Look         = "look"
	Restore      = "restore"
	Retention    = "retention"
	Undelete     = "documents restore"
	Accept       = "invitation accept"
	CodesOn      = "codes on"
	CodesOff     = "codes off"
	Alone        = "alone"
	Purge        = "workspace purge"
)

// Trail writes the trail. All fields are required.
type Trail struct {
	Ledger ledger.AuditStore
	Log    *slog.Logger
}

// An Entry is something that was done. Who did it and from where is in the context.
type Entry struct {
	Action string
	Things []string // ids and names
	How    []string // name=value
	Err    error    // why it was not done; may be nil
	Person string   // who did it; "" takes it from the context

	Installation bool // it is not about a workspace
	Always       bool // even if nothing was attempted
}

// The most bytes of a column. Names of accounts and settings are shorter; lists of ids may not be.
const maxBytes = 1000

// wait is how long the trail may take to be written after a client has gone.
const wait = time.Minute

// Record appends an entry. It is called after the deed, which is not undone if the trail can't be written: then the
// failure is logged.
func (t *Trail) Record(ctx context.Context, e Entry) {
	result := resultOf(e.Err)
	if result == "" && e.Always {
		result = Refused
	}
	if p := pendingOf(ctx); p != nil {
		p.settle()
	}
	if result == "" {
		return
	}
	from := originOf(ctx)
	row := ledger.Audit{
		Workspace: domain.WorkspaceOf(ctx), Person: domain.PersonOf(ctx), Token: from.token, Address: from.address,
		Action: e.Action, Thing: joined(e.Things), How: joined(e.How), Result: result,
	}
	if e.Person != "" {
		row.Person = e.Person
	}
	if e.Installation {
		row.Workspace = ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	if err := t.Ledger.AddAudit(ctx, row); err != nil {
		t.Log.ErrorContext(ctx, "the trail was not written", "action", e.Action, "err", err)
	}
}

// resultOf returns the result for an error, or "" if nothing was attempted: a form had a mistake, or came too soon.
func resultOf(err error) string {
	if err == nil {
		return Done
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.TooMany, domain.Unsupported:
		return ""
	case domain.Forbidden, domain.Unauthorized, domain.NotFound, domain.Conflict:
		return Refused
	}
	return Failed
}

// joined returns a list as it is stored. A list that is too long is cut between two elements.
func joined(list []string) string {
	var text strings.Builder
	for i, one := range list {
		one = domain.Cut(domain.OneLine(one), maxBytes/4)
		if text.Len()+len(one) > maxBytes {
			text.WriteString(" and " + domain.Counted(len(list)-i, "more", "more"))
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(one)
	}
	return text.String()
}

type (
	originKey  struct{}
	pendingKey struct{}
)

// origin is where a request comes from.
type origin struct{ address, token string }

func originOf(ctx context.Context) origin {
	o, _ := ctx.Value(originKey{}).(origin)
	return o
}

// WithAddress returns a context for requests from an address. Without one, requests come from this machine.
func WithAddress(ctx context.Context, address string) context.Context {
	o := originOf(ctx)
	o.address = address
	return context.WithValue(ctx, originKey{}, o)
}

// WithToken returns a context for the requests of a program, identified by the first letters of its token.
func WithToken(ctx context.Context, prefix string) context.Context {
	o := originOf(ctx)
	o.token = prefix
	return context.WithValue(ctx, originKey{}, o)
}

// pending is the part of an entry that is known before its deed has ended.
type pending struct {
	mu          sync.Mutex
	action      string
	things, how []string
	settled     bool
}

func pendingOf(ctx context.Context) *pending {
	p, _ := ctx.Value(pendingKey{}).(*pending)
	return p
}

func (p *pending) settle() {
	p.mu.Lock()
	p.settled = true
	p.mu.Unlock()
}

// Begin returns a context for a request in which somebody may do something. Pending returns what Did has noted of it.
func Begin(ctx context.Context) context.Context {
	return context.WithValue(ctx, pendingKey{}, &pending{})
}

// Did notes which operation a request carries out, and on what. It does nothing outside of a request.
func Did(ctx context.Context, name string, things ...string) {
	if p := pendingOf(ctx); p != nil {
		p.mu.Lock()
		p.action, p.things = name, append(p.things, things...)
		p.mu.Unlock()
	}
}

// About names things that an operation is about which its input and output don't: a use case calls it that has found them by
// name. It does nothing where nothing is recorded.
func About[ID ~string](ctx context.Context, ids ...ID) {
	if p := pendingOf(ctx); p != nil {
		p.mu.Lock()
		for _, id := range ids {
			p.things = append(p.things, string(id))
		}
		p.mu.Unlock()
	}
}

// IDs returns the values that have the form of an id: other values of a form may contain anybody's words.
func IDs(values ...string) (ids []string) {
	return lists.Filter(values, operation.IsID)
}

// Carried is Did for an operation with its input, to which in points, and its output.
func Carried(ctx context.Context, name string, in, out any) {
	p := pendingOf(ctx)
	if p == nil {
		return
	}
	things, how := operation.Things(in, out)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.things) > 0 {
		things = Union(p.things, things)
	}
	p.action, p.things, p.how = name, things, how
}

// Pending returns the entry collected so far for a request, and whether it has been recorded.
func Pending(ctx context.Context) (e Entry, recorded bool) {
	p := pendingOf(ctx)
	if p == nil {
		return Entry{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return Entry{Action: p.action, Things: p.things, How: p.how}, p.settled
}

// Union returns the elements of two lists, each once.
func Union(a, b []string) []string {
	all := slices.Clone(a)
	for _, one := range b {
		all = lists.AppendOnce(all, one)
	}
	return all
}

// Over wraps operations so that those with a trail are recorded.
func Over[T any](trail func(T) *Trail, rows []operation.Row[T]) []operation.Row[T] {
	recorded := make([]operation.Row[T], len(rows))
	for i, row := range rows {
		do := row.Do
		if row.Trailed() {
			row.Do = func(ctx context.Context, t T, in any) (any, error) {
				about := ctx
				if pendingOf(ctx) == nil {
					about = Begin(ctx)
				}
				out, err := do(about, t, in)
				Carried(about, row.Name, in, out)
				e, _ := Pending(about)
				if row.Trail.Named && len(e.Things) == 0 && len(e.How) == 0 {
					return out, err
				}
				e.Err, e.Installation = err, row.Scope == operation.Install
				trail(t).Record(ctx, e)
				return out, err
			}
		}
		recorded[i] = row
	}
	return recorded
}
