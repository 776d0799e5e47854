// Package retention deletes data older than the settings allow: conversations, the steps of runs, and the trail.
package retention

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// Keep holds the numbers of days for which things are kept; 0 keeps them forever.
type Keep struct{ Conversations, Runs, Trail int }

// A Keeper deletes what is too old. All fields are required.
type Keeper struct {
	Ledger *ledger.Ledger
	Trail  *audit.Trail
	Now    domain.Clock
	Keep   Keep
}

// step is how many conversations or runs are deleted at once.
const step = 100

// before returns the time before which something is too old that is kept for some days.
func (k Keeper) before(days int) time.Time { return k.Now().AddDate(0, 0, -days) }

// CarryOut deletes what is too old in all workspaces, and records how much that was.
func (k Keeper) CarryOut(ctx context.Context) error {
	all, err := k.Ledger.WorkspaceIDs(ctx)
	if err != nil {
		return err
	}
	for _, ws := range all {
		if err := k.in(domain.WithWorkspace(ctx, ws), ws); err != nil {
			return err
		}
	}
	if k.Keep.Trail == 0 {
		return nil
	}
	n, err := k.Ledger.PruneAudit(ctx, k.before(k.Keep.Trail))
	if n > 0 {
		k.record(ctx, "AUDIT_DAYS", k.Keep.Trail, int(n), true)
	}
	return err
}

// in deletes what is too old in a workspace.
func (k Keeper) in(ctx context.Context, ws domain.WorkspaceID) (err error) {
	gone, forgotten := 0, 0
	defer func() {
		if gone > 0 {
			k.record(ctx, "CONVERSATION_DAYS", k.Keep.Conversations, gone, false)
		}
		if forgotten > 0 {
			k.record(ctx, "RUN_DAYS", k.Keep.Runs, forgotten, false)
		}
	}()
	if k.Keep.Conversations > 0 {
		ids, err := k.Ledger.OldConversations(ctx, ws, k.before(k.Keep.Conversations), step)
		if err != nil {
			return err
		}
		for _, id := range ids {
			err := k.Ledger.DeleteConversation(ctx, ws, id)
			switch kind := domain.KindOf(err); {
			case err == nil:
				gone++
			case kind != domain.Conflict && kind != domain.NotFound: // a run is not over, or another process was first
				return err
			}
		}
	}
	for more := k.Keep.Runs > 0; more; {
		n, err := k.Ledger.ForgetSteps(ctx, ws, k.before(k.Keep.Runs), step)
		if err != nil {
			return err
		}
		forgotten += n
		more = n == step
	}
	return nil
}

func (k Keeper) record(ctx context.Context, setting string, days, n int, installation bool) {
	k.Trail.Record(ctx, audit.Entry{
		Action: audit.Retention, Things: []string{setting}, How: []string{"days=" + strconv.Itoa(days), "deleted=" + strconv.Itoa(n)}, Installation: installation,
	})
}

// Wanted asks what other settings would delete.
type Wanted struct {
	Conversations *int `json:"conversation_days" doc:"count as if CONVERSATION_DAYS were this"`
	Runs          *int `json:"run_days" doc:"count as if RUN_DAYS were this"`
}

// Preview counts what is kept, and what is too old.
type Preview struct {
	ConversationDays int `json:"conversation_days"` // 0 keeps all
	Conversations    int `json:"conversations"`     // how many would be deleted now
	RunDays          int `json:"run_days"`
	Runs             int `json:"runs"` // how many would lose their steps now
	TrailDays        int `json:"audit_days"`
}

// Operations returns the operations on retention.
func Operations() []operation.Operation[Keeper] {
	return []operation.Operation[Keeper]{operation.Op[Keeper, Wanted, Preview]{
		Name: "retention", Short: "Show how long data is kept, and how much of it is too old", Scope: operation.Admin, Routes: []string{"GET /retention"},
		Long: `Show for how many days conversations, the steps of runs and the trail are kept, and
how many conversations and runs of the workspace are older. The settings are
CONVERSATION_DAYS, RUN_DAYS and AUDIT_DAYS; running servers delete what is too old
every ten minutes. With a flag, count what another value would delete, before it is
set.`,
		Example: `  clew retention
  clew retention --conversation-days 90
  clew settings set CONVERSATION_DAYS 90`,
		Do: Keeper.Preview, Text: printPreview,
	}}
}

// Preview counts what is too old in the workspace of ctx.
func (k Keeper) Preview(ctx context.Context, in Wanted) (p Preview, err error) {
	p = Preview{ConversationDays: k.Keep.Conversations, RunDays: k.Keep.Runs, TrailDays: k.Keep.Trail}
	if in.Conversations != nil {
		p.ConversationDays = *in.Conversations
	}
	if in.Runs != nil {
		p.RunDays = *in.Runs
	}
	if p.ConversationDays < 0 || p.RunDays < 0 {
		return p, domain.Errorf(domain.Invalid, "A number of days is 0 or more.")
	}
	ws := domain.WorkspaceOf(ctx)
	if p.ConversationDays > 0 {
		if p.Conversations, err = k.Ledger.CountOldConversations(ctx, ws, k.before(p.ConversationDays)); err != nil {
			return p, err
		}
	}
	if p.RunDays > 0 {
		p.Runs, err = k.Ledger.CountOldRuns(ctx, ws, k.before(p.RunDays))
	}
	return p, err
}

// Sentences describes what is kept.
func (p Preview) Sentences() []string {
	lines := []string{"Conversations are kept forever.", "The steps of runs are kept forever.", "The trail is kept forever."}
	if p.ConversationDays > 0 {
		lines[0] = fmt.Sprintf("Conversations are kept for %s: %s older.", days(p.ConversationDays), domain.Counted(p.Conversations, "is", "are"))
	}
	if p.RunDays > 0 {
		lines[1] = fmt.Sprintf("The steps of runs are kept for %s: those of %s older.", days(p.RunDays), domain.Counted(p.Runs, "run are", "runs are"))
	}
	if p.TrailDays > 0 {
		lines[2] = fmt.Sprintf("The trail is kept for %s.", days(p.TrailDays))
	}
	return lines
}

func days(n int) string { return domain.Counted(n, "day", "days") }

func printPreview(w io.Writer, p Preview) error {
	for _, line := range p.Sentences() {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
