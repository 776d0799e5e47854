package job

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Every change is one statement, which SQLite and Postgres share. Only Claim and ClaimEnded differ: Postgres has several
// writers, so a claim skips rows that another one has locked.

const columns = `workspace_id, id, kind, subject, person, input, status, priority, attempt, max_attempts, owner, lease_until,
	next_try, stop_asked, problem, problem_kind, created_at, started_at, finished_at, tokens, spent, capped, resumed, failed_at, settled`

func scanRun(scan func(...any) error) (r Run, err error) {
	var input, problem string
	var lease, next, created, started, finished int64
	err = scan(&r.Workspace, &r.ID, &r.Kind, &r.Subject, &r.Person, &input, &r.Status, &r.Priority, &r.Attempt, &r.MaxAttempts,
		&r.Owner, &lease, &next, &r.StopAsked, &r.Problem, &problem, &created, &started, &finished, &r.Tokens, &r.Spent, &r.Capped, &r.Resumed, &r.FailedAt, &r.Settled)
	if input != "" {
		r.Input = []byte(input)
	}
	r.ProblemKind = domain.KindNamed(problem)
	r.LeaseUntil, r.NextTry = sqlio.Time(lease), sqlio.Time(next)
	r.CreatedAt, r.StartedAt, r.FinishedAt = sqlio.Time(created), sqlio.Time(started), sqlio.Time(finished)
	return r, err
}
