// Package run carries out runs of state graphs for the queue's workers, the same way for every kind of run: the run's
// events are recorded, its state is kept on a thread named like the run, an attempt goes on where the last one ended,
// and the end is settled once.
//
// A package that has runs of its own describes each kind by one [Kind] value. The program lists them in one place.
package run

import (
	"context"
	"encoding/json"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Kind describes one kind of run: how it is shown, and how it is carried out.
type Kind struct {
	Name   string // stored with every run
	Title  string // of one run, for a page: "Answer"
	Plural string // heads a list of such runs; "" keeps the kind out of the choice of lists
	Apart  bool   // leaves the runs out of lists that are not narrowed to the kind
	Opens  string // labels the link to a run's subject: "Open the conversation"
	About  string // is the log's key for a run's subject: "message"
	Gone   string // stands for a subject that was deleted: "a deleted question"

	Topology stategraph.Topology // of the run's graph
	// State returns a state of a run of the kind, whose thread is named like it; see [stategraph.Graph.EncodedAt].
	State func(ctx context.Context, thread string, within []stategraph.Visit, step int) (json.RawMessage, error)
	Cap   string // labels the decision of a run that has used up its loops; "" where there are none

	Concurrency int // runs of the kind at a time in one process
	// WaitsForServers keeps a run trying, however often, while a server that it needs is down. Without it the attempts
	// of a run are limited, except while the disk is full.
	WaitsForServers bool
	// PausesAtCap puts a run off where a cap on costs is reached, until it is lifted. Without it the run fails.
	PausesAtCap bool

	// Subjects returns what runs are about, by the ids of their subjects. Those that were deleted are left out.
	Subjects func(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]Subject, error)
	// Work carries out an attempt. The worker tries again after a temporary error, see [job.Handler]. A run that
	// returns a [stategraph.InterruptedError] sleeps until it is woken.
	Work func(ctx context.Context, a *Attempt) error
	// Settled notes on the subject how r ended; NotFound when it was deleted. It may be called more than once, and
	// may be nil when there is nothing to note.
	Settled func(ctx context.Context, r job.Run) error
}

// A Subject is the thing that a run is about.
type Subject struct {
	Title string
	Path  string // of the page that shows it, made by package link; "" when there is none
}

// Kinds lists the kinds of run of a program.
type Kinds []Kind

// Named returns the kind with the given name. A run may be of a kind that this version does not have: its kind is
// titled by its name and has an empty graph.
func (l Kinds) Named(name string) Kind {
	for _, k := range l {
		if k.Name == name {
			return k
		}
	}
	return Kind{Name: name, Title: name}
}

// Subjects returns what runs of one workspace are about, in the order of runs. A subject that was deleted has no path.
func (l Kinds) Subjects(ctx context.Context, runs ...job.Run) ([]Subject, error) {
	ids := map[string][]string{} // by kind
	for _, r := range runs {
		ids[r.Kind] = append(ids[r.Kind], r.Subject)
	}
	found := map[string]map[string]Subject{}
	for _, k := range l {
		if k.Subjects == nil || len(ids[k.Name]) == 0 {
			continue
		}
		var err error
		if found[k.Name], err = k.Subjects(ctx, runs[0].Workspace, ids[k.Name]); err != nil {
			return nil, err
		}
	}
	subjects := make([]Subject, len(runs))
	for i, r := range runs {
		k := l.Named(r.Kind)
		s, ok := found[r.Kind][r.Subject]
		switch {
		case ok:
			subjects[i] = s
		case k.Subjects == nil:
			subjects[i].Title = r.Subject
		default:
			subjects[i].Title = k.Gone
		}
	}
	return subjects, nil
}

// Names lists the names of all kinds, or only the given one if there is one.
func (l Kinds) Names(only string) []string {
	if only != "" {
		return []string{only}
	}
	names := make([]string, len(l))
	for i, k := range l {
		names[i] = k.Name
	}
	return names
}

// Apart lists the names of the kinds that lists leave out, none for a list that is
// narrowed to a kind.
func (l Kinds) Apart(only string) []string {
	var names []string
	for _, k := range l {
		if k.Apart && only == "" {
			names = append(names, k.Name)
		}
	}
	return names
}

// Concurrency returns how many runs go on at a time by kind, for the named kinds or for all when none is named.
func (l Kinds) Concurrency(names ...string) map[string]int {
	most := map[string]int{}
	for _, k := range l {
		most[k.Name] = k.Concurrency
	}
	if len(names) == 0 {
		return most
	}
	chosen := map[string]int{}
	for _, name := range names {
		chosen[name] = most[name]
	}
	return chosen
}

// IDs converts the ids that Subjects is called with to ids of one kind of subject.
func IDs[T ~string](ids []string) []T {
	converted := make([]T, len(ids))
	for i, id := range ids {
		converted[i] = T(id)
	}
	return converted
}
