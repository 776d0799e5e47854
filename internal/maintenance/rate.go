package maintenance

import (
	"context"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/trace"
)

// How many of the last runs are measured.
const (
	timed  = 200 // of each kind, for durations
	traced = 50  // answers, for loops and grades: each is read step by step
)

// Speed is the distribution of how long the last finished runs of a kind took.
type Speed struct {
	Kind     string // its title
	Runs     int
	P50, P95 time.Duration
}

// Speeds returns the speed of every kind that has run.
func (v *Monitor) Speeds(ctx context.Context, w domain.WorkspaceID) ([]Speed, error) {
	runs, err := v.Queue.LatestOfEachKind(ctx, w, job.Done, timed)
	if err != nil {
		return nil, err
	}
	took := map[string][]time.Duration{}
	for _, r := range runs {
		took[r.Kind] = append(took[r.Kind], r.FinishedAt.Sub(r.StartedAt))
	}
	var list []Speed
	for _, kind := range v.Kinds {
		if times := took[kind.Name]; len(times) > 0 {
			slices.Sort(times)
			list = append(list, Speed{Kind: kind.Title, Runs: len(times), P50: domain.Percentile(times, 50), P95: domain.Percentile(times, 95)})
		}
	}
	return list, nil
}

// Answers sums up how the last questions went.
type Answers struct {
	Questions        int
	Loops            int // rewordings in total
	Capped           int // questions that reached the loop cap without a relevant passage
	Yes, No, Ungiven int // grades; Ungiven counts passages without one
}

// Answers returns how the last questions went, from the steps of their runs.
func (v *Monitor) Answers(ctx context.Context, w domain.WorkspaceID) (Answers, error) {
	var a Answers
	runs, err := v.Queue.List(ctx, w, job.Query{Kind: v.Answering.Name, Status: []job.Status{job.Done}, Limit: traced})
	if err != nil {
		return a, err
	}
	ids := make([]domain.RunID, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	events, err := v.Events.EventsOf(ctx, w, ids)
	if err != nil {
		return a, err
	}
	for id, list := range events {
		a.add(trace.Fold(id, v.Answering.Topology, list))
	}
	return a, nil
}

func (a *Answers) add(run *trace.View) {
	a.Questions++
	for _, s := range run.Steps {
		if s.Node == answer.NodeTransform {
			a.Loops += len(s.Rewrites)
		}
		for _, b := range s.Branches {
			if b.Label == answer.CaseCap {
				a.Capped++
			}
		}
		for _, g := range s.Grades {
			switch g.Verdict {
			case domain.Relevant:
				a.Yes++
			case domain.Irrelevant:
				a.No++
			default:
				a.Ungiven++
			}
		}
	}
}
