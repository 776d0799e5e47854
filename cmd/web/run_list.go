package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
)

// runFilter holds the filters of clew run list.
type runFilter struct {
	job.Query
	state, from, to, after string
	slow, costly           bool
}

func runListCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var f runFilter
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [WORDS]",
		Short: "List runs, newest first",
		Long: `List runs, newest first: all, or those whose question or name has the given
words and that match every flag. A run is slow, or costly, if it took longer, or
cost more, than 95 of 100 of the latest finished runs of its kind; where no price
is known, tokens count.`,
		Example: `  clew run list --kind answer --limit 5
  clew run list bells --state failed --from 2026-03-01
  clew run list --slow --cap-reached --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Words = strings.Join(args, " ")
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				list, err := a.listRuns(cmd.Context(), f)
				switch {
				case err != nil:
					return err
				case asJSON:
					return printJSON(s.stdout, list)
				}
				return printRuns(s.stdout, list)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Kind, "kind", "", "only runs of a kind: answer, ingest, summarize, …")
	flags.StringVar(&f.state, "state", "", "only those in a state: "+strings.Join(runStates, ", "))
	flags.StringVar(&f.Person, "person", "", "only those that a person asked for")
	flags.StringVar(&f.from, "from", "", "only those begun on a day or later: 2026-03-01")
	flags.StringVar(&f.to, "to", "", "only those begun on a day or earlier")
	flags.BoolVar(&f.slow, "slow", false, "only slow ones")
	flags.BoolVar(&f.costly, "costly", false, "only costly ones")
	flags.BoolVar(&f.Capped, "cap-reached", false, "only those that used up their rewrites")
	flags.BoolVar(&f.Resumed, "resumed", false, "only those that went on after an attempt was cut off")
	flags.StringVar(&f.FailedAt, "failed-at", "", "only those that failed at a node")
	flags.StringVar(&f.after, "after", "", "only those listed after the run with an ID, to go on from the last one")
	flags.IntVar(&f.Limit, "limit", 20, "list at most so many; 0 lists all")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

// runStates are the states that runs can be narrowed to, as job.InState knows them.
var runStates = []string{"waiting", "asks", "held", "paused", "asking", "capped", "running", "done", "failed", "stopped"}

func (a *app) listRuns(ctx context.Context, f runFilter) ([]listedRun, error) {
	query, err := a.runQuery(ctx, f)
	if err != nil {
		return nil, err
	}
	runs, err := a.queue.List(ctx, domain.DefaultWorkspace, query)
	if err != nil {
		return nil, err
	}
	about, err := a.kinds().Subjects(ctx, runs...)
	if err != nil {
		return nil, err
	}
	list := make([]listedRun, len(runs))
	for i, r := range runs {
		list[i] = listedRun{
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

func (a *app) runQuery(ctx context.Context, f runFilter) (query job.Query, err error) {
	query = f.Query
	query.Except = a.kinds().Apart(f.Kind)
	switch {
	case f.state != "" && !slices.Contains(runStates, f.state):
		return query, domain.Errorf(domain.Invalid, "There is no state %q. The states are %s.", f.state, strings.Join(runStates, ", "))
	case f.state != "":
		query.Status = job.InState(f.state)
	}
	if query.From, err = dayOf(f.from, 0); err != nil {
		return query, err
	}
	if query.To, err = dayOf(f.to, 1); err != nil {
		return query, err
	}
	if f.after != "" {
		r, err := a.queue.Get(ctx, domain.DefaultWorkspace, domain.RunID(f.after))
		if err != nil {
			return query, err
		}
		query.After = r.Place()
	}
	if !f.slow && !f.costly {
		return query, nil
	}
	bars, err := a.queue.Bars(ctx, domain.DefaultWorkspace, a.kinds().Names(f.Kind)...)
	if f.slow {
		query.Slower = bars
	}
	if f.costly {
		query.Costlier = bars
	}
	return query, err
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
