package memo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/memo"
	"github.com/clewhq/clew/internal/stategraph/state"
)

type values struct {
	Question string   `json:"question"`
	Found    []string `json:"found"`
}

type update = state.Update[values]

var (
	schema = state.NewSchema[values](1)
	found  = state.Append(schema, "found", func(s *values) *[]string { return &s.Found })
)

// single builds a graph of one node.
func single(f memo.Func[values, values]) *stategraph.Graph[values] {
	b := stategraph.New("g", schema)
	b.Node("retrieve", f)
	b.Edge(stategraph.Start, "retrieve")
	b.Edge("retrieve", stategraph.End)
	g, err := b.Compile()
	if err != nil {
		panic(err) // the graph is fixed
	}
	return g
}

// clock is moved by hand.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time                             { return c.now }
func (c *clock) Sleep(context.Context, time.Duration) error { return nil }

func TestANodeIsCalledOncePerKeyAndLifetime(t *testing.T) {
	t.Parallel()
	calls, broken := 0, true
	g := single(memo.Node(time.Minute, func(s values) string { return strings.ToLower(s.Question) },
		func(_ *stategraph.Context, s values) (update, error) {
			calls++
			if s.Question == "broken" && broken {
				broken = false
				return update{}, errors.New("broken")
			}
			return found.Add(s.Question), nil
		}))
	c := &clock{time.Unix(0, 0)}
	for _, tt := range []struct {
		question string
		later    time.Duration
		calls    int
		found    string
	}{
		{"One", 0, 1, "One"}, {"one", 59 * time.Second, 1, "One"}, {"two", 0, 2, "two"}, {"one", time.Second, 3, "one"},
		{"broken", 0, 4, ""}, {"broken", 0, 5, "broken"}, {"broken", 0, 5, "broken"},
	} {
		c.now = c.now.Add(tt.later)
		s, err := g.Run(t.Context(), values{Question: tt.question}, stategraph.Time(c))
		if got := strings.Join(s.Found, ","); got != tt.found || (err == nil) != (tt.found != "") || calls != tt.calls {
			t.Errorf("%s: %q after %d calls, want %q after %d (%v)", tt.question, got, calls, tt.found, tt.calls, err)
		}
	}
}

// The cache stays small however many keys there are, and keeps recent ones.
func TestWhatIsKeptStaysSmall(t *testing.T) {
	t.Parallel()
	const keys = 5000
	calls := 0
	f := memo.Node(time.Minute, func(key int) string { return fmt.Sprint(key) }, func(*stategraph.Context, int) (update, error) {
		calls++
		return update{}, nil
	})
	ctx := stategraph.NewContext(t.Context(), nil)
	for key := range keys {
		for range 2 {
			if _, err := f(ctx, key); err != nil {
				t.Fatal(err)
			}
		}
	}
	if calls != keys {
		t.Errorf("%d keys were asked for twice and took %d calls", keys, calls)
	}
	for key := range keys {
		f(ctx, key)
	}
	if again := calls - keys; again < keys-1024 {
		t.Errorf("%d of %d keys were kept", keys-again, keys)
	}
}

func TestAPanicInAKeyIsTheNodesError(t *testing.T) {
	t.Parallel()
	_, err := single(memo.Node(time.Minute, func(values) string { panic("no key") }, func(*stategraph.Context, values) (update, error) {
		return update{}, nil
	})).Run(t.Context(), values{})
	if err == nil || !strings.Contains(err.Error(), "g/retrieve (step 1): panic: no key") {
		t.Errorf("got %v, want the panic as the node's error", err)
	}
}

// A second call with the same question is served from memory.
func ExampleNode() {
	calls := 0
	g := single(memo.Node(time.Hour, func(s values) string { return s.Question }, func(_ *stategraph.Context, s values) (update, error) {
		calls++
		return found.Add("on " + s.Question), nil
	}))
	for _, q := range []string{"bells", "bells", "schools"} {
		s, err := g.Run(context.Background(), values{Question: q})
		fmt.Println(s.Found, err)
	}
	fmt.Println(calls, "calls")
	// Output:
	// [on bells] <nil>
	// [on bells] <nil>
	// [on schools] <nil>
	// 2 calls
}
