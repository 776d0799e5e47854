package trace

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// at returns an event of the node weigh of the looped graph, so many seconds after the start.
func at(second int, kind stategraph.EventKind, task int, change func(*Event)) Event {
	e := Event{At: time.Unix(int64(second), 0), Kind: string(kind), Path: []string{"looped"}, Node: "weigh", Step: 2, Task: task, Attempt: 1}
	if change != nil {
		change(&e)
	}
	return e
}

func custom(w domain.Wait) func(*Event) {
	return func(e *Event) {
		e.Custom = domain.EventWait
		e.Payload, _ = json.Marshal(w)
	}
}

func TestTheSendsAtWork(t *testing.T) {
	t.Parallel()
	events := []Event{
		{At: time.Unix(0, 0), Kind: string(stategraph.RunStart), Path: []string{"looped"}},
		{At: time.Unix(0, 0), Kind: string(stategraph.Branch), Path: []string{"looped"}, Node: "each", Step: 1, Label: "each", Targets: []string{"weigh"}, Sends: 42},
		at(1, stategraph.NodeStart, 0, nil), at(2, stategraph.NodeStart, 1, nil), at(3, stategraph.NodeStart, 2, nil),
		at(4, stategraph.Custom, 1, custom(domain.Wait{For: domain.WaitSlot})),
		at(5, stategraph.NodeRetry, 2, func(e *Event) { e.Pause, e.Problem = 20*time.Second, "It is busy." }),
		at(6, stategraph.NodeEnd, 0, nil),
	}
	slot := Wait{Wait: domain.Wait{For: domain.WaitSlot}}
	retry := Wait{Wait: domain.Wait{For: domain.WaitRetry, Pause: 20 * time.Second, Why: "It is busy."}, Until: time.Unix(25, 0)}
	for _, tt := range []struct {
		name string
		more []Event
		want []Task
	}{
		{"one waits for a slot, one for its next attempt", nil, []Task{{N: 1, Began: time.Unix(2, 0), Waits: []Wait{slot}}, {N: 2, Began: time.Unix(3, 0), Waits: []Wait{retry}}}},
		{
			"both go on",
			[]Event{
				at(7, stategraph.Custom, 1, custom(domain.Wait{For: domain.WaitSlot, Over: true})),
				at(25, stategraph.NodeStart, 2, func(e *Event) { e.Attempt = 2 }),
			},
			[]Task{{N: 1, Began: time.Unix(2, 0), Waits: []Wait{}}, {N: 2, Began: time.Unix(3, 0)}},
		},
		{"one fails", []Event{at(7, stategraph.NodeFailed, 2, nil)}, []Task{{N: 1, Began: time.Unix(2, 0), Waits: []Wait{slot}}}},
		{"a person stops the run", []Event{{At: time.Unix(8, 0), Kind: Settled, Label: "stopped"}}, nil},
	} {
		v := Fold("r", looped(t, say).Topology(), slices.Concat(events, tt.more))
		if diff := cmp.Diff(tt.want, v.Steps[0].Slowest(3)); diff != "" && len(tt.want)+len(v.Steps[0].Open) > 0 {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
	if s := Fold("r", looped(t, say).Topology(), events).Steps[0]; s.Total() != 42 || s.TasksDone != 1 {
		t.Errorf("%d of %d tasks are done", s.TasksDone, s.Total())
	}
	if slow := Fold("r", looped(t, say).Topology(), events).Steps[0].Slowest(1); len(slow) != 1 || slow[0].N != 1 {
		t.Errorf("the slowest is %+v", slow)
	}
}
