package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/job"
)

// A Desk lets people look at runs and stop them.
type Desk struct {
	Queue  *job.Queue
	Kinds  Kinds
	Access operation.Access
}

// MayStop fails with kind Forbidden unless whoever ctx is of may stop a run: its maker, who has the access that its kind needs,
// or an admin.
func (d Desk) MayStop(ctx context.Context, r job.Run) error {
	if needs := d.Kinds.Named(r.Kind).Needs; needs != "" {
		return d.Access.May(ctx, needs)
	}
	if r.Person == domain.PersonOf(ctx) || d.Access.May(ctx, operation.Admin) == nil {
		return nil
	}
	return domain.Errorf(domain.Forbidden, "This run is not yours. Whoever started it may stop it, or an admin of this workspace.")
}

// Wanted selects the runs to list.
type Wanted struct {
	Words    string `json:"words" arg:"[WORDS]" words:"" doc:"words in the question or name"`
	Kind     string `json:"kind" doc:"only runs of this kind: answer, ingest, summarize, …"`
	State    string `json:"state" doc:"only those in this state: waiting, asks, held, paused, asking, capped, running, done, failed, stopped"`
	Person   string `json:"person" doc:"only those requested by this person"`
	From     string `json:"from" doc:"only those begun on or after this day: 2026-03-01"`
	To       string `json:"to" doc:"only those begun on or before this day"`
	Slow     bool   `json:"slow" doc:"only slow ones"`
	Costly   bool   `json:"costly" doc:"only costly ones"`
	Capped   bool   `json:"cap_reached" doc:"only those that used up their rewrites"`
	Resumed  bool   `json:"resumed" doc:"only those that resumed after an interrupted attempt"`
	FailedAt string `json:"failed_at" doc:"only those that failed at this node"`
	After    string `json:"after" doc:"only those listed after the run with this id, to continue from the last one"`
	Limit    int    `json:"limit" default:"20" doc:"list at most this many; 0 lists all"`
}

// Listed is a run in a list.
type Listed struct {
	ID      domain.RunID `json:"id"`
	Kind    string       `json:"kind"`
	About   string       `json:"about"`
	Status  job.Status   `json:"status"`
	Problem string       `json:"problem,omitempty"`
	Because string       `json:"problem_kind,omitempty"` // of the problem, as the name of a domain.Kind
	Person  string       `json:"person,omitempty"`
	Began   time.Time    `json:"began,omitzero"`
	Seconds float64      `json:"seconds,omitempty"`
	Tokens  int          `json:"tokens,omitempty"`
	Capped  bool         `json:"cap_reached,omitempty"`
	Resumed bool         `json:"resumed,omitempty"`
	Failed  string       `json:"failed_at,omitempty"` // node
}

// Operations returns the operations on runs of every kind.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{Stopping, operation.Op[Desk, Wanted, []Listed]{
		Name: "run list", Short: "List runs, newest first", Scope: operation.Read, Routes: []string{"GET /runs"},
		Long: `List runs, newest first: all, or those whose question or name has the given
words and that match every flag. A run is slow, or costly, if it took longer, or
cost more, than 95 of 100 of the latest finished runs of its kind; where no price
is known, tokens count.`,
		Example: `  clew run list --kind answer --limit 5
  clew run list bells --state failed --from 2026-03-01
  clew run list --slow --cap-reached --json`,
		Do: Desk.list,
		Text: operation.Table("ID\tKIND\tSTATUS\tSECONDS\tABOUT", "", func(r Listed) []any {
			return []any{r.ID, r.Kind, r.Status, fmt.Sprintf("%.2f", r.Seconds), r.About}
		}),
	}}
}

// Stopping stops a run.
var Stopping = operation.Op[Desk, stopped, operation.Nothing]{
	Name: "run stop", Short: "Stop a run", Scope: operation.Ask, Routes: []string{"POST /runs/{id}/stop"}, Example: "  clew run stop j0123456789abcdef0123",
	Long: `Stop a run: one that waits at once, one that is at work as soon as its worker notices.
What it has found is kept. A run that has ended stays as it is. The reading of a document
is stopped by contributors, another run by whoever started it or by an admin.`,
	Do: func(d Desk, ctx context.Context, in stopped) (operation.Nothing, error) {
		r, err := d.Queue.Get(ctx, domain.WorkspaceOf(ctx), in.ID)
		if err == nil {
			err = d.MayStop(ctx, r)
		}
		if err != nil {
			return operation.Nothing{}, err
		}
		return operation.Nothing{}, d.Queue.Stop(ctx, r.Workspace, r.ID)
	},
}

type stopped struct {
	ID domain.RunID `json:"id" arg:"ID" doc:"id of a run"`
}

// states are the states that runs can be narrowed to, as job.InState knows them.
var states = []string{"waiting", "asks", "held", "paused", "asking", "capped", "running", "done", "failed", "stopped"}

func (d Desk) list(ctx context.Context, in Wanted) ([]Listed, error) {
	query, err := d.Query(ctx, in)
	if err != nil {
		return nil, err
	}
	runs, err := d.Queue.List(ctx, domain.WorkspaceOf(ctx), query)
	if err != nil {
		return nil, err
	}
	about, err := d.Kinds.Subjects(ctx, runs...)
	if err != nil {
		return nil, err
	}
	list := make([]Listed, len(runs))
	for i, r := range runs {
		list[i] = Listed{
			ID: r.ID, Kind: r.Kind, About: about[i].Title, Status: r.Status, Problem: r.Problem, Person: r.Person, Began: r.StartedAt,
			Tokens: r.Tokens, Capped: r.Capped, Resumed: r.Resumed, Failed: r.FailedAt,
		}
		if r.Problem != "" {
			list[i].Because = r.ProblemKind.String()
		}
		if !r.FinishedAt.IsZero() && !r.StartedAt.IsZero() {
			list[i].Seconds = r.FinishedAt.Sub(r.StartedAt).Seconds()
		}
	}
	return list, nil
}

// Query returns the query for the wanted runs. The error is Invalid for an unknown state or a malformed day.
func (d Desk) Query(ctx context.Context, in Wanted) (query job.Query, err error) {
	query = job.Query{
		Words: in.Words, Kind: in.Kind, Person: in.Person, Capped: in.Capped, Resumed: in.Resumed, FailedAt: in.FailedAt, Limit: in.Limit, Except: d.Kinds.Apart(in.Kind), Asked: OnlyAsked(ctx),
	}
	switch {
	case in.State != "" && !slices.Contains(states, in.State):
		return query, domain.Errorf(domain.Invalid, "There is no state %q. The states are %s.", in.State, strings.Join(states, ", "))
	case in.State != "":
		query.Status = job.InState(in.State)
	}
	if kinds := d.Kinds.Names(""); in.Kind != "" && !slices.Contains(kinds, in.Kind) {
		return query, domain.Errorf(domain.Invalid, "Unknown kind of run %q. The kinds are %s.", in.Kind, strings.Join(kinds, ", "))
	}
	if query.From, err = dayOf(in.From, 0); err != nil {
		return query, err
	}
	if query.To, err = dayOf(in.To, 1); err != nil {
		return query, err
	}
	if in.After != "" {
		r, err := d.Queue.Get(ctx, domain.WorkspaceOf(ctx), domain.RunID(in.After))
		if err != nil {
			return query, err
		}
		query.After = r.Place()
	}
	if !in.Slow && !in.Costly {
		return query, nil
	}
	bars, err := d.Queue.Bars(ctx, domain.WorkspaceOf(ctx), d.Kinds.Names(in.Kind)...)
	if in.Slow {
		query.Slower = bars
	}
	if in.Costly {
		query.Costlier = bars
	}
	return query, err
}

// OnlyAsked reports whether the viewer of ctx sees only the runs that somebody requested: the times of automatic runs
// would reveal when documents were added that the viewer may not see.
func OnlyAsked(ctx context.Context) bool {
	v, limited := domain.ViewerOf(ctx)
	return limited && !v.Admin
}

// dayOf returns the beginning of the day n days after the given one, or the zero time for "".
func dayOf(s string, after int) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return t, domain.Errorf(domain.Invalid, "%q is not a day. Write it like 2026-03-01.", s)
	}
	return t.AddDate(0, 0, after), nil
}

// An Exporter writes runs to files.
type Exporter struct {
	*Files
	Kinds Kinds
}

type exporting struct {
	ID    domain.RunID `json:"run" arg:"ID" doc:"id of the run"`
	File  string       `json:"file" arg:"FILE" to:"" doc:"the file to write; - for standard output"`
	Texts bool         `json:"with_text" doc:"include the texts of the passages and the answers of models"`
}

// ExportOperations returns the operations that write runs to files.
func ExportOperations() []operation.Operation[Exporter] {
	return []operation.Operation[Exporter]{operation.Op[Exporter, exporting, operation.Made]{
		Name: "run export", Short: "Write a run to a file", Scope: operation.Read, Routes: []string{"GET /runs/{run}/export"}, Trail: operation.Trail{Kept: true}, Example: "  clew run export run0123456789abcdef0123 bells.clewrun.json",
		Long: `Write a run that has ended to a file of JSON, to keep it, or to send it along with
a report of a problem: its graph, events and states, the keys of recorded calls,
names of documents, the question and the answer. With --with-text also the texts of
its passages and what models answered. FILE may be - for standard output.`,
		Do: func(e Exporter, ctx context.Context, in exporting) (operation.Made, error) {
			var file bytes.Buffer
			err := e.Export(ctx, e.Kinds, domain.WorkspaceOf(ctx), in.ID, in.Texts, &file)
			return operation.Made{Name: string(in.ID) + ".clewrun.json", Type: "application/json", Write: func(w io.Writer) error {
				_, err := w.Write(file.Bytes())
				return err
			}}, err
		},
	}}
}
