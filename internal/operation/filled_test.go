package operation

import (
	"encoding/json"
	"testing"
	"time"
)

type hung struct {
	Bells  []rope         `json:"bells"`
	Tuned  map[string]any `json:"tuned"`
	Left   []string       `json:"left,omitempty"`
	Absent []string       `json:"absent,omitzero"`
	Next   *hung          `json:"next,omitempty"`
	Any    any            `json:"any"`
	At     time.Time      `json:"at"`
	Names  []string       `json:"names"`
	worn
	hidden []string
}

type rope struct{ Ends []int }

type worn struct{ Marks []int }

func TestNothingInAnOutputIsNull(t *testing.T) {
	t.Parallel()
	in := hung{Bells: []rope{{}}, Next: &hung{Any: 1}, Any: rope{}, Names: []string{"Maud"}, hidden: []string{"x"}}
	out := Filled(in)
	text, err := json.Marshal(out)
	const inner = `{"bells":[],"tuned":{},"any":1,"at":"0001-01-01T00:00:00Z","names":[],"Marks":[]}`
	const want = `{"bells":[{"Ends":[]}],"tuned":{},"next":` + inner + `,"any":{"Ends":[]},"at":"0001-01-01T00:00:00Z","names":["Maud"],"Marks":[]}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v; want %s", text, err, want)
	}
	if in.Bells[0].Ends != nil || in.Next.Bells != nil || len(out.(hung).hidden) != 1 {
		t.Error("the output was changed itself")
	}
	if Filled(nil) != nil {
		t.Error("nil is filled")
	}
}
