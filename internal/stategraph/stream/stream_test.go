package stream_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/stategraph/stream"
)

type values struct {
	Said []string `json:"said"`
}

type (
	update      = state.Update[values]
	nodeContext = *stategraph.Context
)

var (
	schema = state.NewSchema[values](1)
	said   = state.Append(schema, "said", func(s *values) *[]string { return &s.Said })
)

var errBroken = errors.New("broken")

// path builds a graph of nodes in a row, named a, b and so on.
func path(t testing.TB, nodes ...func(nodeContext, values) (update, error)) *stategraph.Graph[values] {
	b := stategraph.New("g", schema)
	last := stategraph.Start
	for i, f := range nodes {
		name := string(rune('a' + i))
		b.Node(name, f)
		b.Edge(last, name)
		last = name
	}
	b.Edge(last, stategraph.End)
	g, err := b.Compile(stategraph.WithCheckpointer(memory.New(time.Now)))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func says(ctx nodeContext, _ values) (update, error) { return said.Add(ctx.Node()), nil }

func line(e stategraph.Event) string { return fmt.Sprint(e.Seq, " ", e.Kind, " ", e.Step, " ", e.Node) }

func TestAStreamGivesWhatObserversGet(t *testing.T) {
	t.Parallel()
	g := path(t, says, says)
	var observed, streamed []string
	if _, err := g.Run(t.Context(), values{}, stategraph.Observe(func(e stategraph.Event) { observed = append(observed, line(e)) })); err != nil {
		t.Fatal(err)
	}
	events, result := stream.Run(t.Context(), g, values{})
	for e := range events {
		streamed = append(streamed, line(e.Event))
	}
	if diff := cmp.Diff(observed, streamed); diff != "" {
		t.Errorf("events (-observed +streamed):\n%s", diff)
	}
	if s, err := result(); err != nil || !cmp.Equal(s.Said, []string{"a", "b"}) {
		t.Errorf("the run came to %v, %v", s.Said, err)
	}
	for range events {
		t.Fatal("a stream that was read gives events again")
	}
}

func TestResultRunsWhatNobodyReads(t *testing.T) {
	t.Parallel()
	_, result := stream.Run(t.Context(), path(t, says), values{})
	if s, err := result(); err != nil || !cmp.Equal(s.Said, []string{"a"}) {
		t.Errorf("the run came to %v, %v", s.Said, err)
	}
	_, result = stream.Run(t.Context(), path(t, func(nodeContext, values) (update, error) { return update{}, errBroken }), values{})
	if _, err := result(); !errors.Is(err, errBroken) {
		t.Errorf("error is %v, want %v", err, errBroken)
	}
}

func TestAThreadIsResumedInAStream(t *testing.T) {
	t.Parallel()
	g := path(t, says, says)
	var stopped *stategraph.StoppedError
	if _, err := g.Run(t.Context(), values{}, stategraph.Thread("t"), stategraph.StopBefore("b")); !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	events, result := stream.Resume(t.Context(), g, "t")
	for e := range events {
		if e.Kind == stategraph.RunStart && !e.Resumed {
			t.Error("the run is not told as resumed")
		}
		if e.Kind == stategraph.NodeStart && e.Node != "b" {
			t.Errorf("%s was called again", e.Node)
		}
	}
	if s, err := result(); err != nil || !cmp.Equal(s.Said, []string{"a", "b"}) {
		t.Errorf("the run came to %v, %v", s.Said, err)
	}
}

func TestLeavingEarlyCancels(t *testing.T) {
	t.Parallel()
	events, result := stream.Run(t.Context(), path(t, func(ctx nodeContext, _ values) (update, error) { <-ctx.Done(); return update{}, ctx.Err() }), values{})
	for e := range events {
		if e.Kind == stategraph.NodeStart {
			break
		}
	}
	if _, err := result(); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}

// A reader that starts reading when the run is over misses only custom events,
// and learns how many.
func TestASlowReaderLosesNoStateEvent(t *testing.T) {
	t.Parallel()
	const tokens = 3 * stream.Lag
	over := make(chan struct{})
	talks := func(ctx nodeContext, _ values) (update, error) {
		for i := range tokens {
			ctx.Emit("token", i)
		}
		return said.Add("all"), nil
	}
	last := func(nodeContext, values) (update, error) { close(over); return update{}, nil }
	events, _ := stream.Run(t.Context(), path(t, talks, last), values{})
	heard, skipped := 0, 0
	var others []string
	for e := range events {
		if e.Seq == 1 {
			<-over
		}
		skipped += e.Skipped
		if e.Kind != stategraph.Custom {
			others = append(others, fmt.Sprint(e.Kind, e.Step))
			continue
		}
		if e.Payload != heard+skipped {
			t.Fatalf("token %v came when %d was next", e.Payload, heard+skipped)
		}
		heard++
	}
	if heard+skipped != tokens || skipped == 0 {
		t.Errorf("heard %d and was told of %d skipped, want %d in all and some skipped", heard, skipped, tokens)
	}
	want := []string{"run_start0", "step_start1", "node_start1", "node_end1", "step_start2", "node_start2", "node_end2", "run_end2"}
	if diff := cmp.Diff(want, others); diff != "" {
		t.Errorf("state events (-want +got):\n%s", diff)
	}
}

func ExampleResume() {
	ctx, g := context.Background(), path(nil, says, says)
	_, err := g.Run(ctx, values{}, stategraph.Thread("t"), stategraph.StopBefore("b"))
	fmt.Println(err)
	events, result := stream.Resume(ctx, g, "t")
	for e := range events {
		if e.Kind == stategraph.NodeEnd {
			fmt.Println(e.Node, string(e.Update))
		}
	}
	s, err := result()
	fmt.Println(s.Said, err)
	// Output:
	// stopped before b in step 2
	// b {"said":["b"]}
	// [a b] <nil>
}

func ExampleRun() {
	b := stategraph.New("answer", schema)
	b.Node("generate", func(ctx nodeContext, _ values) (update, error) {
		ctx.Emit("token", "Bees")
		ctx.Emit("token", "dance.")
		return said.Add("Bees dance."), nil
	})
	b.Edge(stategraph.Start, "generate")
	b.Edge("generate", stategraph.End)
	g, _ := b.Compile()

	events, result := stream.Run(context.Background(), g, values{})
	for e := range events {
		if e.Kind == stategraph.Custom {
			fmt.Println(e.Custom, e.Payload)
		}
	}
	s, err := result()
	fmt.Println(s.Said, err)
	// Output:
	// token Bees
	// token dance.
	// [Bees dance.] <nil>
}
