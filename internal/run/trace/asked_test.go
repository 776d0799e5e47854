package trace

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// TestACallAtWorkIsEstimated until the server has counted it, or it has ended without that.
func TestACallAtWorkIsEstimated(t *testing.T) {
	t.Parallel()
	for _, last := range []Event{
		{Kind: string(stategraph.Custom), Custom: domain.EventUsage, Payload: json.RawMessage(`{"model":"tiny","input":90,"output":7}`)},
		{Kind: string(stategraph.NodeEnd)},
		{Kind: string(stategraph.NodeFailed), Problem: "It failed."},
		{Kind: Settled, Label: "stopped"},
	} {
		events := []Event{{Kind: string(stategraph.RunStart)}, {Kind: string(stategraph.NodeStart), Attempt: 1}}
		events = append(events, Event{Kind: string(stategraph.Custom), Custom: domain.EventAsked, Payload: json.RawMessage(`{"model":"tiny","input":80}`)})
		for i := range events {
			events[i].At = time.Unix(int64(i), 0)
		}
		for i := range events[1:] {
			events[i+1].Node, events[i+1].Step = "write", 1
		}
		v := Fold("r", stategraph.Topology{}, events)
		if s := v.Wrote(5); s == nil || s.Node != "write" || v.Tokens() != 85 {
			t.Fatalf("while it writes: %d tokens", v.Tokens())
		}
		last.Node, last.Step, last.At = "write", 1, time.Unix(9, 0)
		v.Apply(last)
		var want []domain.Usage
		if last.Custom == domain.EventUsage {
			want = []domain.Usage{{Model: "tiny", Input: 90, Output: 7}}
		}
		if diff := cmp.Diff(want, v.Usages()); diff != "" {
			t.Errorf("after %s %s (-want +got)\n%s", last.Kind, last.Custom, diff)
		}
		if v.Wrote(6) != nil {
			t.Errorf("after %s %s a call is at work", last.Kind, last.Custom)
		}
	}
}
