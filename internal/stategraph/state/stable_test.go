package state_test

import (
	"testing"

	"github.com/clewhq/clew/internal/stategraph/state"
)

type timed struct {
	Name string `json:"name"`
	MS   int    `json:"ms,omitempty" volatile:"true"`
	At   *timed `json:"at,omitempty"`
}

type clocked struct {
	Steps []timed `json:"steps"`
	Last  timed   `json:"last"`
	Took  int     `json:"took" volatile:"true"`
	In    struct {
		Took  int `json:"took" volatile:"true"`
		Count int `json:"count"`
	} `json:"in"`
}

func TestStableUpdatesHaveNoDurations(t *testing.T) {
	t.Parallel()
	sc := state.NewSchema[clocked](1)
	steps := state.Append(sc, "steps", func(c *clocked) *[]timed { return &c.Steps })
	last := state.Replace(sc, "last", func(c *clocked) *timed { return &c.Last })
	took := state.Sum(sc, "took", func(c *clocked) *int { return &c.Took })
	inner := state.Replace(sc, "inner", func(c *clocked) *int { return &c.In.Took })
	count := state.Sum(sc, "count", func(c *clocked) *int { return &c.In.Count })
	u := state.Merge(
		steps.Add(timed{Name: "a", MS: 3, At: &timed{Name: "b", MS: 4}}), last.Set(timed{Name: "c", MS: 5}), took.Add(6), inner.Set(7), count.Add(8),
	)
	encoded, err := u.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	got, err := sc.Stable(encoded)
	if want := `{"steps":[{"name":"a","at":{"name":"b"}}],"last":{"name":"c"},"count":8}`; err != nil || string(got) != want {
		t.Errorf("got %s, error %v, want %s", got, err, want)
	}
	for _, bad := range []string{`[]`, `{"last":{"nickname":"c"}}`} {
		if got, err := sc.Stable([]byte(bad)); err == nil {
			t.Errorf("%s became %s", bad, got)
		}
	}
}
