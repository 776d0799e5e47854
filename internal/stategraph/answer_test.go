package stategraph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// refused expects an AnswerError about a question.
func refused(t *testing.T, err error, id string) {
	t.Helper()
	var refusal *AnswerError
	if !errors.As(err, &refusal) || refusal.Question.ID != id {
		t.Fatalf("got %v, want the answer to %s refused", err, id)
	}
	if _, waits := errors.AsType[*InterruptedError](err); waits {
		t.Errorf("%v counts as a run that waits", err)
	}
}

// open expects the questions of the thread t that wait for an answer, and that nothing is stored as one.
func open(t *testing.T, g *Graph[board], want ...string) {
	t.Helper()
	questions, err := g.Questions(t.Context(), "t")
	var got []string
	for _, q := range questions {
		got = append(got, q.ID)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("open are %v, %v, want %v", got, err, want)
	}
	answers, err := g.Answers(t.Context(), "t")
	for _, id := range want {
		if _, stored := answers[id]; stored || err != nil {
			t.Errorf("the answer to %s is stored: %v", id, err)
		}
	}
}

// numbers builds a graph of a node that asks for a number.
func numbers(k *kit, store Checkpointer, opts ...NodeOption) *Graph[board] {
	k.Node("ask", func(ctx *Context, _ board) (update, error) {
		n, err := Interrupt[int](ctx, "How many?")
		return k.high.Raise(n), err
	}, append(opts, MayInterrupt())...)
	k.path(Start, "ask", End)
	return k.compile(WithCheckpointer(store))
}

// TestAnAnswerOfAnotherTypeIsRefused answers wrongly again and again, each time by a graph of another process, and then as it
// was asked. A refusal is no failure: no retry follows, and the thread holds nothing of it.
func TestAnAnswerOfAnotherTypeIsRefused(t *testing.T) {
	t.Parallel()
	store := newMortal()
	_, err := numbers(newKit(t), store).Run(t.Context(), board{}, Thread("t"))
	id := ids(t, err)[0]
	records := len(store.threads["t"])
	for _, wrong := range []any{"seven", 7.5, true, []int{7}, map[string]int{"n": 7}, nil} {
		g := numbers(newKit(t), store, WithRetry(Retry{Attempts: 3}))
		var kinds []EventKind
		_, err := g.Resume(t.Context(), "t", Answer(id, wrong), Observe(func(e Event) { kinds = append(kinds, e.Kind) }))
		refused(t, err, id)
		open(t, g, id)
		if diff := cmp.Diff([]EventKind{RunStart, StepStart, NodeStart, Interrupted, RunEnd}, kinds); diff != "" {
			t.Errorf("%v: events (-want +got)\n%s", wrong, diff)
		}
		if n := len(store.threads["t"]); n != records {
			t.Errorf("%v: %d records, want %d", wrong, n, records)
		}
		_, err = g.Resume(t.Context(), "t")
		if got := ids(t, err); !slices.Equal(got, []string{id}) {
			t.Errorf("resumed without an answer it asks %v", got)
		}
	}
	s, err := numbers(newKit(t), store).Resume(t.Context(), "t", Answer(id, 7))
	if err != nil || s.High != 7 {
		t.Fatalf("the right answer: %+v, %v", s, err)
	}
}

// TestAnswersThatCannotBeGivenChangeNothing refuses them before anything runs.
func TestAnswersThatCannotBeGivenChangeNothing(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	k := newKit(t)
	g := asking(k, &calls, newMortal())
	_, err := g.Run(t.Context(), board{}, Thread("t"))
	asked := ids(t, err)
	for _, c := range []struct {
		opts []RunOption
		says string
	}{
		{[]RunOption{Answer(asked[0], "1"), Answer("1:c#0.1", "2")}, "waits for no answer"},
		{[]RunOption{Answer(asked[0], "1"), Answer(asked[0], "2")}, "answered twice"},
		{[]RunOption{Answer(asked[0], "1"), Answer(asked[1], make(chan int))}, "encode the answer"},
	} {
		_, err := g.Resume(t.Context(), "t", c.opts...)
		wantText(t, err, c.says)
		open(t, g, asked...)
	}
	if calls.Load() != 2 {
		t.Errorf("%d calls, want the 2 that asked", calls.Load())
	}
}

// TestOfSeveralAnswersTheRightOnesAreTaken answers two nodes, one of them wrongly, and the second question of a node whose
// first is answered.
func TestOfSeveralAnswersTheRightOnesAreTaken(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	k := newKit(t)
	g := asking(k, &calls, newMortal())
	_, err := g.Run(t.Context(), board{}, Thread("t"))
	ids(t, err)
	_, err = g.Resume(t.Context(), "t", Answer("1:a#0.1", "1"), Answer("1:b#0.1", 2))
	refused(t, err, "1:b#0.1")
	open(t, g, "1:b#0.1", "1:a#0.2")
	_, err = g.Resume(t.Context(), "t", Answer("1:a#0.2", []string{"2"}), Answer("1:b#0.1", "3"))
	refused(t, err, "1:a#0.2")
	open(t, g, "1:a#0.2", "1:b#0.2")
	_, err = g.Resume(t.Context(), "t", Answer("1:a#0.2", 1), Answer("1:b#0.2", 2))
	wantText(t, err, "1:a#0.2", "1:b#0.2")
	open(t, g, "1:a#0.2", "1:b#0.2")
	s, err := g.Resume(t.Context(), "t", Answer("1:a#0.2", "2"), Answer("1:b#0.2", "4"))
	if diff := cmp.Diff([]string{"a12", "b34", "last"}, s.Log); err != nil || diff != "" {
		t.Fatalf("%v (-want +got)\n%s", err, diff)
	}
}

// TestAnAnswerInASubgraphIsRefusedInside keeps what the subgraph and the node beside it have done.
func TestAnAnswerInASubgraphIsRefusedInside(t *testing.T) {
	t.Parallel()
	var before, beside atomic.Int32
	in := newKit(t)
	in.Node("before", func(*Context, board) (update, error) { before.Add(1); return in.log.Add("before"), nil })
	in.Node("ask", func(ctx *Context, _ board) (update, error) {
		c, err := Interrupt[card](ctx, "?")
		return in.log.Add(c.ID), err
	}, MayInterrupt())
	in.path(Start, "before", "ask", End)
	k := newKit(t)
	k.Node("beside", func(*Context, board) (update, error) { beside.Add(1); return k.log.Add("beside"), nil })
	Subgraph(k.Builder, "sub", in.compile(AsSubgraph()), func(board) board { return board{} },
		func(_, inner board) update { return k.log.Add(inner.Log...) }, WithRetry(Retry{Attempts: 3}))
	k.Edge(Start, "beside")
	k.Edge("beside", End)
	k.path(Start, "sub", End)
	g := k.compile(WithCheckpointer(newMortal()))
	_, err := g.Run(t.Context(), board{}, Thread("t"))
	id := ids(t, err)[0]
	for _, wrong := range []any{map[string]string{"id": "c", "colour": "red"}, "c", 1} {
		_, err = g.Resume(t.Context(), "t", Answer(id, wrong))
		refused(t, err, id)
		open(t, g, id)
	}
	s, err := g.Resume(t.Context(), "t", Answer(id, card{ID: "c"}))
	if diff := cmp.Diff([]string{"beside", "before", "c"}, s.Log); err != nil || diff != "" || before.Load() != 1 || beside.Load() != 1 {
		t.Fatalf("%v, %d and %d calls (-want +got)\n%s", err, before.Load(), beside.Load(), diff)
	}
}

// TestAnAnswerThatIsNotAskedForAgainIsSettled resumes a node that no longer asks.
func TestAnAnswerThatIsNotAskedForAgainIsSettled(t *testing.T) {
	t.Parallel()
	asks := true
	k := newKit(t)
	k.Node("ask", func(ctx *Context, _ board) (update, error) {
		if !asks {
			return k.log.Add("went on"), nil
		}
		_, err := Interrupt[int](ctx, "?")
		return update{}, err
	}, MayInterrupt())
	k.path(Start, "ask", End)
	g := k.compile(WithCheckpointer(newMortal()))
	_, err := g.Run(t.Context(), board{}, Thread("t"))
	id := ids(t, err)[0]
	asks = false
	s, err := g.Resume(t.Context(), "t", Answer(id, "whatever"))
	if err != nil || !slices.Equal(s.Log, []string{"went on"}) {
		t.Fatalf("%+v, %v", s, err)
	}
	open(t, g)
}

// TestANodeAsksUntilItLikesTheAnswer asks in a loop, each time another question.
func TestANodeAsksUntilItLikesTheAnswer(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("ask", func(ctx *Context, _ board) (update, error) {
		for question := "How many?"; ; {
			n, err := Interrupt[int](ctx, question)
			if err != nil || n > 0 {
				return k.high.Raise(n), err
			}
			question = fmt.Sprintf("%d is too few. How many?", n)
		}
	}, MayInterrupt())
	k.path(Start, "ask", End)
	g := k.compile(WithCheckpointer(newMortal()))
	s, err := g.Run(t.Context(), board{}, Thread("t"))
	var payloads []string
	for _, n := range []int{-1, 0, 9} {
		var asked *InterruptedError
		if !errors.As(err, &asked) || len(asked.Questions) != 1 {
			t.Fatalf("before %d: %v", n, err)
		}
		payloads = append(payloads, string(asked.Questions[0].Payload))
		s, err = g.Resume(t.Context(), "t", Answer(asked.Questions[0].ID, n))
	}
	if diff := cmp.Diff([]string{`"How many?"`, `"-1 is too few. How many?"`, `"0 is too few. How many?"`}, payloads); diff != "" || err != nil || s.High != 9 {
		t.Fatalf("%+v, %v (-want +got)\n%s", s, err, diff)
	}
}

// TestAForkIsAnsweredOtherwise answers a question, and again on a fork from the step before it.
func TestAForkIsAnsweredOtherwise(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("before")
	k.Node("ask", func(ctx *Context, _ board) (update, error) {
		n, err := Interrupt[int](ctx, "?")
		return k.log.Add(fmt.Sprint(n)), err
	}, MayInterrupt())
	k.path(Start, "before", "ask", End)
	g := k.compile(WithCheckpointer(newMortal()))
	_, err := g.Run(t.Context(), board{}, Thread("t"))
	id := ids(t, err)[0]
	first, err := g.Resume(t.Context(), "t", Answer(id, 1))
	if err != nil || !slices.Equal(first.Log, []string{"before", "1"}) {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := g.Fork(t.Context(), "t", 1, "fork", nil); err != nil {
		t.Fatal(err)
	}
	_, err = g.Resume(t.Context(), "fork")
	again := ids(t, err)[0]
	second, err := g.Resume(t.Context(), "fork", Answer(again, 2))
	if err != nil || !slices.Equal(second.Log, []string{"before", "2"}) {
		t.Fatalf("%+v, %v", second, err)
	}
	_, err = g.Resume(t.Context(), "t", Answer(id, 3))
	wantText(t, err, "waits for no answer")
}

// TestSendsOfOnePayloadRunEach resumes a step in which one of several sends, two of them alike, failed.
func TestSendsOfOnePayloadRunEach(t *testing.T) {
	t.Parallel()
	var failed atomic.Bool
	k := newKit(t)
	k.logs("plan")
	work := Task(k.Builder, "work", func(_ *Context, n int) (update, error) {
		if n == 5 && failed.CompareAndSwap(false, true) {
			return update{}, errors.New("once")
		}
		return k.log.Add(fmt.Sprint(n)), nil
	})
	k.Branch("plan", "fan", func(*Context, board) (route, error) {
		return Fan(work.Send(4), work.Send(4), work.Send(5), work.Send(3)), nil
	}, Case{Label: work.Name(), Target: work.Name()})
	k.Edge(Start, "plan")
	k.Edge("work", End)
	g := k.compile(WithCheckpointer(newMortal()))
	if _, err := g.Run(t.Context(), board{}, Thread("t")); err == nil {
		t.Fatal("the failure is lost")
	}
	s, err := g.Resume(t.Context(), "t")
	if diff := cmp.Diff([]string{"plan", "4", "4", "5", "3"}, s.Log); err != nil || diff != "" {
		t.Fatalf("%v (-want +got)\n%s", err, diff)
	}
}

// TestARunGoesOnAfterItsLimitAndItsCancellation resumes a cycle at its limit, and a run that was cancelled.
func TestARunGoesOnAfterItsLimitAndItsCancellation(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("turn")
	k.Branch("turn", "again", choose("yes"), Case{Label: "yes", Target: "turn"}, Case{Label: "no", Target: End})
	k.Edge(Start, "turn")
	g := k.compile(WithCheckpointer(newMortal()))
	s, err := g.Run(t.Context(), board{}, Thread("t"), RecursionLimit(5))
	if !errors.Is(err, ErrRecursionLimit) || len(s.Log) != 5 {
		t.Errorf("%d turns, %v", len(s.Log), err)
	}
	if s, err = g.Resume(t.Context(), "t", RecursionLimit(7)); !errors.Is(err, ErrRecursionLimit) || len(s.Log) != 7 {
		t.Errorf("%d turns after more were allowed, %v", len(s.Log), err)
	}
	if s, err = g.Run(t.Context(), board{}, Thread("least"), RecursionLimit(0)); !errors.Is(err, ErrRecursionLimit) || len(s.Log) != 1 {
		t.Errorf("%d turns with a limit of 0, %v", len(s.Log), err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var cut atomic.Bool
	k = newKit(t)
	k.logs("first")
	k.Node("second", func(c *Context, _ board) (update, error) {
		if cut.CompareAndSwap(false, true) {
			cancel()
			<-c.Done()
			return update{}, c.Err()
		}
		return k.log.Add("second"), nil
	})
	k.path(Start, "first", "second", End)
	g = k.compile(WithCheckpointer(newMortal()))
	if _, err := g.Run(ctx, board{}, Thread("t")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for range 2 { // the second time after its end
		if s, err := g.Resume(t.Context(), "t"); err != nil || !slices.Equal(s.Log, []string{"first", "second"}) {
			t.Errorf("resumed: %+v, %v", s, err)
		}
	}
	if _, err := g.Resume(t.Context(), "none"); !errors.Is(err, ErrNoThread) {
		t.Errorf("no thread: %v", err)
	}
	if _, err := g.Run(t.Context(), board{}, Thread("t")); !errors.Is(err, ErrThreadExists) {
		t.Errorf("begun again: %v", err)
	}
}
