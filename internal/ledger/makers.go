package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Nobody is the maker of the conversations and drafts of a removed account. No account can have this name.
const Nobody = " "

// NameOf returns the name of the account that owns something, or "" for Nobody.
func NameOf(account string) string { return strings.TrimSpace(account) }

// makerOf returns the account that owns what is made for ctx, or "" for everybody in the workspace.
func makerOf(ctx context.Context) string {
	v, _ := domain.ViewerOf(ctx)
	return v.Account
}

// An extent selects the conversations, answers, summaries and runs that the viewer of a context may see.
type extent bool

const (
	own    extent = false // their own and those that belong to everybody
	shared extent = true  // also those shared by others
)

// conversations returns the condition that the viewer of ctx may see a conversation, by the name of its table.
func (e extent) conversations(ctx context.Context, of string) (string, []any) {
	return e.limit(ctx, `(#.maker IN ('', ?)$)`, ` OR #.shared_at > 0`, of)
}

// answers returns the condition that the viewer of ctx may see an answer, by the name of its table. Of a shared conversation
// it may see what was asked until then, and of what was researched only its own.
func (e extent) answers(ctx context.Context, of string) (string, []any) {
	return e.limit(ctx, `(#.conversation_id = '' AND NOT EXISTS (SELECT 1 FROM researches q WHERE q.run_id = #.run_id AND q.maker NOT IN ('', ?)) OR EXISTS (SELECT 1 FROM conversations v WHERE v.workspace_id = #.workspace_id AND v.id = #.conversation_id AND (v.maker IN ('', ?)$)))`,
		` OR v.shared_at >= #.created_at`, of)
}

// summaries returns the condition that the viewer of ctx may see a summary, which sums up only what it may read. Until it is
// done, it is a draft.
func (e extent) summaries(ctx context.Context, of string) (string, []any) {
	made, args := e.limit(ctx, `(#.maker IN ('', ?)$)`, ` OR #.status = 'done'`, of)
	lacks, more := unseen(ctx)
	if lacks == "" {
		return made, args
	}
	return "(" + made + " AND NOT EXISTS (SELECT 1 FROM summary_documents p JOIN documents d ON d.workspace_id = p.workspace_id AND d.id = p.document_id WHERE p.workspace_id = " +
		of + ".workspace_id AND p.summary_id = " + of + ".id AND " + lacks + "))", append(args, more...)
}

// researches returns the condition that the viewer of ctx may see a research, by the name of its table.
func researches(ctx context.Context, of string) (string, []any) {
	return own.limit(ctx, `#.maker IN ('', ?)`, "", of)
}

// limit fills the name of a table in for #, and more for $ if what is shared is meant. Without a viewer, all may be seen.
func (e extent) limit(ctx context.Context, condition, more, of string) (string, []any) {
	v, limited := domain.ViewerOf(ctx)
	if !limited {
		return "1 = 1", nil
	}
	if e == own {
		more = ""
	}
	return strings.NewReplacer("#", of, "$", strings.ReplaceAll(more, "#", of)).Replace(condition), slices.Repeat([]any{v.Account}, strings.Count(condition, "?"))
}

// SeenRuns returns the condition that the viewer of ctx may see a row of the table runs: one of an answer in a conversation
// that it may see, of a summary that is no draft of others, of a document that it may read, or of something that belongs to the workspace; and no other's own run.
func SeenRuns(ctx context.Context) (string, []any) { return shared.runs(ctx) }

// OwnRuns is like SeenRuns without what is shared: the viewer of ctx may change these.
func OwnRuns(ctx context.Context) (string, []any) { return own.runs(ctx) }

func (e extent) runs(ctx context.Context) (string, []any) {
	answers, args := e.answers(ctx, "x")
	if args == nil {
		return answers, nil
	}
	summaries, more := e.summaries(ctx, "y")
	lacks, also := unseen(ctx)
	if lacks != "" {
		lacks = " AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.workspace_id = runs.workspace_id AND d.id = runs.subject AND " + lacks + ")"
	}
	return `NOT EXISTS (SELECT 1 FROM answers x WHERE x.run_id = runs.id AND NOT ` + answers + `)
		AND NOT EXISTS (SELECT 1 FROM summaries y WHERE y.workspace_id = runs.workspace_id AND y.id = runs.subject AND NOT ` + summaries + `)` + lacks + ` AND (runs.own = 0 OR runs.person = ?)`, slices.Concat(args, more, also, []any{makerOf(ctx)})
}
