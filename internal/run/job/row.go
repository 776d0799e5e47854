package job

import (
	"database/sql/driver"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Every change is one statement, which SQLite and Postgres share. Only Claim and ClaimEnded differ: Postgres has several
// writers, so a claim skips rows that another one has locked.

// table lists the columns of a run, but for those of its place in the queue, which insert sets.
var table = sqlio.Table[Run]{Name: "runs", Row: func(r *Run) sqlio.Row {
	return sqlio.Row{
		"workspace_id", &r.Workspace, "id key", &r.ID, "kind", &r.Kind, "subject", &r.Subject, "person", &r.Person, "input", (*input)(&r.Input), "status", &r.Status,
		"priority", &r.Priority, "attempt", &r.Attempt, "max_attempts", &r.MaxAttempts, "owner", &r.Owner, "lease_until", &r.LeaseUntil, "next_try", &r.NextTry,
		"stop_asked", &r.StopAsked, "problem", &r.Problem, "problem_kind", (*kind)(&r.ProblemKind), "created_at", &r.CreatedAt, "started_at", &r.StartedAt,
		"finished_at", &r.FinishedAt, "tokens", &r.Tokens, "spent", &r.Spent, "capped", &r.Capped, "resumed", &r.Resumed, "failed_at", &r.FailedAt, "settled", &r.Settled,
		"title written", titled(r.Title), "form_key written", r.FormKey,
	}
}}

var columns = table.Columns("")

func scanRun(scan func(...any) error) (r Run, err error) { return r, scan(table.Fields(&r)...) }

// An input is stored as text, nil as "".
type input []byte

// Value implements driver.Valuer.
func (i input) Value() (driver.Value, error) { return string(i), nil }

// Scan implements sql.Scanner.
func (i *input) Scan(src any) error {
	if s, _ := src.(string); s != "" {
		*i = []byte(s)
	}
	return nil
}

// A kind of a problem is stored by its name.
type kind domain.Kind

// Value implements driver.Valuer.
func (k kind) Value() (driver.Value, error) {
	if k == kind(domain.Internal) {
		return "", nil
	}
	return domain.Kind(k).String(), nil
}

// Scan implements sql.Scanner.
func (k *kind) Scan(src any) error {
	name, ok := src.(string)
	if !ok {
		return fmt.Errorf("the kind of a problem is stored as %T", src)
	}
	*k = kind(domain.KindNamed(name))
	return nil
}
