package trace

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Moment is a point in a run between two super-steps of its graph or of a
// subgraph.
type Moment struct {
	N     int   // from 0, the start
	Seq   int   // number of the last event before the moment
	Rows  []int // N of the steps that ended in the super-step before it; empty at the start
	Super int   // that super-step, counted by its graph; at the start 0, or the one where a fork begins

	// Within leads to the subgraph: the visits of the nodes around it, outermost
	// first.
	Within []stategraph.Visit
	// Shared reports that several runs of the subgraph were at work at the same time, so Within can't
	// identify the one that had the state.
	Shared bool
}

// Moments returns the moments of a run in order, and the run's view after all
// events. A super-step that was not finished has no moment.
func Moments(run domain.RunID, topology stategraph.Topology, events []Event) ([]Moment, *View) {
	v := NewView(run, topology)
	last := map[*Step]int{} // index of the event that last ended it
	for i, e := range events {
		for _, s := range v.Apply(e) {
			if e.Kind == string(stategraph.NodeEnd) && s.State == Done {
				last[s] = i
			}
		}
	}
	if v.Withheld {
		return nil, v
	}
	moments := []Moment{{Super: v.forked}}
	ends := []int{beforeFirst(events)}
	for _, group := range superSteps(v.Steps) {
		end, done := 0, true
		m := Moment{Super: group[0].Super, Within: group[0].Within, Shared: group[0].Shared}
		for _, s := range group {
			i, ended := last[s]
			done = done && ended
			end = max(end, i)
			m.Rows = append(m.Rows, s.N)
		}
		if done {
			at, _ := slices.BinarySearch(ends[1:], end)
			moments, ends = slices.Insert(moments, at+1, m), slices.Insert(ends, at+1, end)
		}
	}
	for i := range moments {
		moments[i].N, moments[i].Seq = i, events[settled(events, ends[i])].Seq
	}
	return moments, v
}

// MomentAt returns moment n, or an error of kind NotFound that lists the valid numbers.
func MomentAt(moments []Moment, n int) (Moment, error) {
	if n < 0 || n >= len(moments) {
		return Moment{}, domain.Errorf(domain.NotFound, "The run has no step %d: its steps are 0 to %d.", n, len(moments)-1)
	}
	return moments[n], nil
}

// superSteps groups the steps of each super-step.
func superSteps(steps []*Step) [][]*Step {
	type key struct {
		path         string
		round, super int
	}
	var groups [][]*Step
	index := map[key]int{}
	for _, s := range steps {
		k := key{strings.Join(s.Path, "/"), s.Round, s.Super}
		i, ok := index[k]
		if !ok {
			i = len(groups)
			index[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// beforeFirst returns the index of the event before the first node starts.
func beforeFirst(events []Event) int {
	i := slices.IndexFunc(events, func(e Event) bool { return e.Kind == string(stategraph.NodeStart) })
	return max(0, i-1)
}

// settled returns the index of the last event at or after i before another node
// begins or ends: decisions belong to the super-step before them.
func settled(events []Event, i int) int {
	for i+1 < len(events) {
		switch e := events[i+1]; e.Kind {
		case string(stategraph.NodeStart), string(stategraph.NodeEnd), string(stategraph.NodeFailed):
			return i
		}
		i++
	}
	return i
}
