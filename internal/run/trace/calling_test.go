package trace

import (
	"encoding/json"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

func TestTheCallUnderWay(t *testing.T) {
	t.Parallel()
	told := func(task int, w domain.Wait) Event {
		payload, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		return Event{Kind: string(stategraph.Custom), Node: "extract", Step: 3, Task: task, Custom: domain.EventWait, Payload: payload}
	}
	far := func(task int, why string) Event { return told(task, domain.Wait{For: domain.WaitModel, Why: why}) }
	over := func(task int) Event { return told(task, domain.Wait{For: domain.WaitModel, Over: true}) }
	end := Event{Kind: string(stategraph.NodeEnd), Node: "extract", Step: 3, Task: 1}
	for _, tt := range []struct {
		events []Event
		want   string
	}{
		{nil, ""},
		{[]Event{far(1, "a")}, "a"},
		{[]Event{far(1, "a"), far(1, "b")}, "b"},
		{[]Event{far(1, "a"), over(1)}, ""},
		{[]Event{far(1, "a"), end}, ""},
		{[]Event{far(0, "a"), far(1, "b"), over(1)}, "a"},
		{[]Event{far(1, "a"), over(1), far(1, "b")}, "b"}, // asked once more
		{[]Event{far(1, "a"), told(1, domain.Wait{For: domain.WaitSlot}), {Kind: string(stategraph.NodeEnd), Node: "embed", Step: 3, Task: 1}}, "a"},
		{[]Event{far(1, "a"), {Kind: string(stategraph.RunStart), Resumed: true}}, ""},
		{[]Event{far(1, "a"), {Kind: string(stategraph.RunStart), Path: []string{"extract", "inner"}}}, "a"},
	} {
		got, ok := Calling(tt.events)
		if got.Why != tt.want || ok != (tt.want != "") {
			t.Errorf("of %d events, got %q, want %q", len(tt.events), got.Why, tt.want)
		}
	}
}
