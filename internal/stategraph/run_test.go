package stategraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/google/go-cmp/cmp"
)

func wantLog(t *testing.T, got board, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got.Log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestUpdatesAreMergedInTheOrderOfDeclaration(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("z", "m", "a", "last")
	for _, name := range []string{"a", "m", "z"} {
		k.path(Start, name, "last")
	}
	k.Edge("last", End)
	wantLog(t, k.run(), "z", "m", "a", "last")
}

func TestSendsAreMergedInTheOrderTheyWereSent(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	second := Task(k.Builder, "second", func(_ *Context, p string) (update, error) { return k.log.Add("second " + p), nil })
	first := Task(k.Builder, "first", func(_ *Context, p int) (update, error) { return k.log.Add(fmt.Sprint("first ", p)), nil })
	k.Branch(Start, "fan", func(*Context, board) (route, error) {
		return Fan(first.Send(2), second.Send("b"), first.Send(1)).And(Fan(second.Send("a"))), nil
	}, Case{"strings", second.Name()}, Case{"numbers", first.Name()})
	k.path("first", End)
	k.path("second", End)
	wantLog(t, k.run(), "second b", "second a", "first 2", "first 1")
}

// Sends to two tasks in turn: each task keeps the order, and each case is
// reported once.
func TestInterleavedSendsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	even := Task(k.Builder, "even", func(_ *Context, p int) (update, error) { return k.log.Add(fmt.Sprint(p)), nil })
	odd := Task(k.Builder, "odd", func(_ *Context, p int) (update, error) { return k.log.Add(fmt.Sprint(p)), nil })
	var evens, odds []string
	k.Branch(Start, "fan", func(*Context, board) (route, error) {
		var sends []Send[board]
		for i := range 50 {
			sends = append(sends, even.Send(2*i), odd.Send(2*i+1))
		}
		return Fan(sends...), nil
	}, Case{"evens", "even"}, Case{"odds", "odd"})
	k.path("even", End)
	k.path("odd", End)
	for i := range 50 {
		evens, odds = append(evens, fmt.Sprint(2*i)), append(odds, fmt.Sprint(2*i+1))
	}
	r := &recorder{}
	wantLog(t, k.run(r.observe()), slices.Concat(evens, odds)...)
	if diff := cmp.Diff([]string{"g branch 0 fan evens even", "g branch 0 fan odds odd"}, r.lines(Branch)); diff != "" {
		t.Errorf("branch events (-want +got):\n%s", diff)
	}
}

func TestNodesOfAStepSeeOneSnapshot(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, name := range []string{"a", "b", "c"} {
		k.Node(name, func(_ *Context, s board) (update, error) {
			return state.Merge(k.log.Add(fmt.Sprintf("%s saw %d", name, len(s.Log))), k.total.Add(1)), nil
		})
	}
	k.path(Start, "a", "c", End)
	k.path(Start, "b", "c")
	s := k.run()
	wantLog(t, s, "a saw 0", "b saw 0", "c saw 2")
	if s.Total != 3 {
		t.Errorf("total is %v, want 3", s.Total)
	}
}

// On an uneven diamond an edge runs its node once for each step in which a
// predecessor ran, and a join only once.
func TestUnevenDiamond(t *testing.T) {
	t.Parallel()
	build := func(join bool) *kit {
		k := newKit(t)
		k.logs("short", "long1", "long2", "meet")
		k.path(Start, "short")
		k.path(Start, "long1", "long2")
		if join {
			k.Join("meet", "short", "long2")
		} else {
			k.path("short", "meet")
			k.path("long2", "meet")
		}
		k.Edge("meet", End)
		return k
	}
	t.Run("plain edges", func(t *testing.T) {
		t.Parallel()
		wantLog(t, build(false).run(), "short", "long1", "long2", "meet", "meet")
	})
	t.Run("join", func(t *testing.T) {
		t.Parallel()
		wantLog(t, build(true).run(), "short", "long1", "long2", "meet")
	})
}

func TestAJoinCountsAnewAfterItWasTaken(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a", "b", "meet")
	k.path(Start, "a")
	k.path(Start, "b")
	k.Join("meet", "a", "b")
	k.Branch("meet", "twice", func(_ *Context, s board) (route, error) {
		if len(s.Log) > 3 {
			return Choose[board]("done"), nil
		}
		return Choose[board]("again a", "again b"), nil
	}, Case{"again a", "a"}, Case{"again b", "b"}, Case{"done", End})
	wantLog(t, k.run(), "a", "b", "meet", "a", "b", "meet")
}

func TestAJoinThatWaitsForEverIsAnError(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a", "b", "meet")
	k.Branch(Start, "one", choose("a"), Case{"a", "a"}, Case{"b", "b"})
	k.Join("meet", "a", "b")
	k.Edge("meet", End)
	s, err := k.fails()
	wantText(t, err, `the join into "meet" still waits for "b"`)
	wantLog(t, s, "a")
}

func TestParallelWritesToAReplaceFieldConflict(t *testing.T) {
	t.Parallel()
	t.Run("two nodes", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		for _, name := range []string{"left", "right"} {
			k.Node(name, func(*Context, board) (update, error) { return k.word.Set("same"), nil })
			k.path(Start, name, End)
		}
		_, err := k.fails()
		want := &ConflictError{Field: "word", Step: 1, First: "left", Second: "right"}
		var got *ConflictError
		if !errors.As(err, &got) || *got != *want {
			t.Errorf("error is %v, want %v", err, want)
		}
	})
	t.Run("two sends", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		task := Task(k.Builder, "task", func(_ *Context, p string) (update, error) { return k.word.Set(p), nil })
		k.Branch(Start, "fan", func(*Context, board) (route, error) { return Fan(task.Send("a"), task.Send("b")), nil }, Case{"each", "task"})
		k.Edge("task", End)
		_, err := k.fails()
		wantText(t, err, `nodes "task" and "task"`, `field "word"`, "step 1")
	})
	t.Run("two writes of one node are none", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.logs("other")
		k.Node("a", func(*Context, board) (update, error) { return state.Merge(k.word.Set("x"), k.word.Set("y")), nil })
		k.path(Start, "a", End)
		k.path(Start, "other", End)
		if s := k.run(); s.Word != "y" {
			t.Errorf("word is %q, want y", s.Word)
		}
	})
	t.Run("writes of different steps are none", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.logs("p", "q")
		for _, name := range []string{"a", "b"} {
			k.Node(name, func(*Context, board) (update, error) { return k.word.Set(name), nil })
		}
		k.path(Start, "a", "b", End)
		k.path(Start, "p", "q", End)
		if s := k.run(); s.Word != "b" {
			t.Errorf("word is %q, want b", s.Word)
		}
	})
}

func TestRecursionLimitMeansWhatItSays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		steps, limit int
		fails        bool
	}{{1, 1, false}, {2, 1, true}, {5, 5, false}, {6, 5, true}, {DefaultRecursionLimit, 0, false}, {DefaultRecursionLimit + 1, 0, true}}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.steps, " of ", tt.limit), func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			last := Start
			for i := range tt.steps {
				name := fmt.Sprint("n", i)
				k.logs(name)
				k.Edge(last, name)
				last = name
			}
			k.Edge(last, End)
			var opts []RunOption
			if tt.limit > 0 {
				opts = append(opts, RecursionLimit(tt.limit))
			}
			s, err := k.compile().Run(t.Context(), board{}, opts...)
			if errors.Is(err, ErrRecursionLimit) != tt.fails || (err != nil) != tt.fails {
				t.Errorf("error is %v, want one: %v", err, tt.fails)
			}
			if want := tt.steps; tt.fails && len(s.Log) != want-1 {
				t.Errorf("the state has %d steps, want the %d that were allowed", len(s.Log), want-1)
			}
		})
	}
}

func TestBranches(t *testing.T) {
	t.Parallel()
	cases := []Case{{"left", "l"}, {"also left", "l"}, {"right", "r"}, {"stop", End}, {"send", "t"}}
	tests := []struct {
		name   string
		decide func(send func(int) Send[board]) route
		more   []Case
		want   []string
		err    string
	}{
		{"one", func(func(int) Send[board]) route { return Choose[board]("left") }, nil, []string{"l"}, ""},
		{"two labels of one target", func(func(int) Send[board]) route { return Choose[board]("left", "also left") }, nil, []string{"l"}, ""},
		{"several", func(func(int) Send[board]) route { return Choose[board]("right", "left") }, nil, []string{"l", "r"}, ""},
		{"the end", func(func(int) Send[board]) route { return Choose[board]("stop") }, nil, nil, ""},
		{"the end and more", func(func(int) Send[board]) route { return Choose[board]("stop", "right") }, nil, []string{"r"}, ""},
		{"sends", func(send func(int) Send[board]) route { return Fan(send(1), send(2)) }, nil, []string{"t1", "t2"}, ""},
		{"labels and sends", func(send func(int) Send[board]) route { return Choose[board]("right").And(Fan(send(1))) }, nil, []string{"r", "t1"}, ""},
		{"nothing, otherwise", func(func(int) Send[board]) route { return route{} }, []Case{Otherwise("r")}, []string{"r"}, ""},
		{"nothing", func(func(int) Send[board]) route { return route{} }, nil, nil, `chose nothing, and has no Otherwise among its cases "left"`},
		{"no sends", func(func(int) Send[board]) route { return Fan[board]() }, nil, nil, "chose nothing"},
		{"an unknown label", func(func(int) Send[board]) route { return Choose[board]("up") }, nil, nil, `chose "up", which is none of its cases "left", "also left"`},
		{"a task without payload", func(func(int) Send[board]) route { return Choose[board]("send") }, nil, nil, `chose "send", but task "t" takes a payload`},
		{"a send of nothing", func(func(int) Send[board]) route { return Fan(Send[board]{}) }, nil, nil, "a task that is not of this graph"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			k.logs("l", "r")
			task := Task(k.Builder, "t", func(_ *Context, p int) (update, error) { return k.log.Add(fmt.Sprint("t", p)), nil })
			k.Branch(Start, "d", func(*Context, board) (route, error) { return tt.decide(task.Send), nil }, append(slices.Clone(cases), tt.more...)...)
			for _, name := range []string{"l", "r", "t"} {
				k.Edge(name, End)
			}
			s, err := k.compile().Run(t.Context(), board{})
			if tt.err == "" && err != nil {
				t.Fatal(err)
			}
			if tt.err != "" {
				wantText(t, err, "g/d (step 0)", tt.err)
			}
			wantLog(t, s, tt.want...)
		})
	}
}

func TestSendsAnsweredByTheWrongGraph(t *testing.T) {
	t.Parallel()
	k, other := newKit(t), newKit(t)
	work := func(*Context, int) (update, error) { return update{}, nil }
	Task(k.Builder, "t", work)
	foreign := Task(other.Builder, "t", work)
	k.Branch(Start, "d", func(*Context, board) (route, error) { return Fan(foreign.Send(1)), nil }, Case{"x", "t"})
	k.Edge("t", End)
	_, err := k.fails()
	wantText(t, err, "not of this graph")
}

func TestSendsToATaskThatIsNoCase(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	work := func(*Context, int) (update, error) { return update{}, nil }
	Task(k.Builder, "t", work)
	other := Task(k.Builder, "u", work)
	k.Branch(Start, "d", func(*Context, board) (route, error) { return Fan(other.Send(1)), nil }, Case{"x", "t"})
	k.Branch("t", "e", choose("x"), Case{"x", "u"}, Case{"y", End})
	k.Edge("u", End)
	_, err := k.fails()
	wantText(t, err, `sent to "u", which is none of its cases "x"`)
}

func TestABranchSeesTheWholeStep(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a", "b")
	k.path(Start, "a")
	k.path(Start, "b", End)
	k.Branch("a", "d", func(ctx *Context, s board) (route, error) {
		if len(s.Log) != 2 || ctx.Step() != 1 || ctx.Node() != "d" || ctx.Attempt() != 1 {
			t.Errorf("branch %q saw %v in step %d", ctx.Node(), s.Log, ctx.Step())
		}
		return Choose[board]("x"), nil
	}, Case{"x", End})
	k.run()
}

func TestMaxConcurrencyBoundsNodesAtWork(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 3} {
		k := newKit(t)
		var working, most atomic.Int64
		task := Task(k.Builder, "t", func(*Context, int) (update, error) {
			n := working.Add(1)
			defer working.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			for range 20 {
				runtime.Gosched()
			}
			return k.total.Add(1), nil
		})
		k.Branch(Start, "fan", func(*Context, board) (route, error) {
			sends := make([]Send[board], 100)
			for i := range sends {
				sends[i] = task.Send(i)
			}
			return Fan(sends...), nil
		}, Case{"each", "t"})
		k.Edge("t", End)
		s := k.run(MaxConcurrency(limit))
		if s.Total != 100 || most.Load() > int64(limit) {
			t.Errorf("%v tasks ran, %d at a time, want 100 and at most %d", s.Total, most.Load(), limit)
		}
	}
}

func TestNodesOfAStepRunSideBySide(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	meet := make(chan struct{})
	for _, name := range []string{"a", "b"} {
		k.Node(name, func(ctx *Context, _ board) (update, error) {
			select { // one sends, the other receives: neither can do it alone
			case meet <- struct{}{}:
			case <-meet:
			case <-ctx.Done():
			}
			return update{}, ctx.Err()
		})
		k.path(Start, name, End)
	}
	k.run()
}

// jitter yields a random number of times.
func jitter() {
	for range rand.IntN(20) {
		runtime.Gosched()
	}
}

// The result does not depend on which goroutine finishes first.
func TestAThousandJitteredRunsGiveOneResult(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, name := range []string{"d", "c", "b", "a"} {
		k.Node(name, func(*Context, board) (update, error) {
			jitter()
			return state.Merge(k.log.Add(name), k.cards.Put(card{"shared", name}, card{name, ""}), k.total.Add(0.1)), nil
		})
		k.path(Start, name)
	}
	task := Task(k.Builder, "task", func(_ *Context, p int) (update, error) {
		jitter()
		return state.Merge(k.log.Add(fmt.Sprint(p)), k.high.Raise(p), k.total.Add(1/float64(p+1)), k.cards.Put(card{fmt.Sprint(p % 7), fmt.Sprint(p)})), nil
	})
	k.logs("last")
	k.Join("last", "a", "b", "c", "d", "task")
	k.Branch("b", "fan", func(*Context, board) (route, error) {
		var sends []Send[board]
		for i := range 30 {
			sends = append(sends, task.Send(i))
		}
		return Fan(sends...), nil
	}, Case{"each", "task"})
	k.Edge("last", End)
	g := k.compile()
	var first string
	for i := range 1000 {
		s, err := g.Run(t.Context(), board{}, MaxConcurrency(1+i%16))
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(data)
		}
		if string(data) != first {
			t.Fatalf("run %d gave\n%s\nand the first\n%s", i, data, first)
		}
	}
}

func TestOneGraphServesManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("a", func(_ *Context, s board) (update, error) { return k.word.Set(s.Word + "!"), nil })
	k.path(Start, "a", End)
	g := k.compile()
	results := make(chan string)
	for i := range 20 {
		go func() {
			s, err := g.Run(context.Background(), board{Word: fmt.Sprint(i)})
			if err != nil || s.Word != fmt.Sprint(i, "!") {
				results <- fmt.Sprintf("run %d gave %q, %v", i, s.Word, err)
				return
			}
			results <- ""
		}()
	}
	for range 20 {
		if problem := <-results; problem != "" {
			t.Error(problem)
		}
	}
}

func TestTheStateGivenIsNotChanged(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("a", func(*Context, board) (update, error) {
		return state.Merge(k.log.Add("new"), k.cards.Put(card{"1", "new"}), k.ints.Set([]int{9})), nil
	})
	k.path(Start, "a", End)
	given := board{Log: append(make([]string, 0, 4), "old"), Cards: []card{{"1", "old"}}, Ints: []int{1}}
	if _, err := k.compile().Run(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	want := board{Log: []string{"old"}, Cards: []card{{"1", "old"}}, Ints: []int{1}}
	if diff := cmp.Diff(want, given); diff != "" {
		t.Errorf("the given state (-want +got):\n%s", diff)
	}
	if spare := given.Log[:2][1]; spare != "" {
		t.Errorf("%q was written into the spare capacity of the given state", spare)
	}
}

func TestAStartThatLeadsToTheEndRunsNothing(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	k.Branch(Start, "d", choose("nothing to do"), Case{"nothing to do", End}, Case{"work", "a"})
	k.Edge("a", End)
	wantLog(t, k.run())
}

func TestListsHaveNoSpareCapacityInNodes(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("fill", func(*Context, board) (update, error) {
		return state.Merge(k.log.Add("a", "b", "c"), k.cards.Put(card{"1", ""}), k.ints.Set(make([]int, 1, 10))), nil
	})
	k.Node("look", func(_ *Context, s board) (update, error) {
		if cap(s.Log) != len(s.Log) || cap(s.Cards) != len(s.Cards) || cap(s.Ints) != len(s.Ints) {
			t.Errorf("capacities are %d, %d, %d, want %d, %d, %d", cap(s.Log), cap(s.Cards), cap(s.Ints), len(s.Log), len(s.Cards), len(s.Ints))
		}
		return update{}, nil
	})
	k.path(Start, "fill", "look", End)
	if _, err := k.compile().Run(t.Context(), board{}); err != nil {
		t.Fatal(err)
	}
}
