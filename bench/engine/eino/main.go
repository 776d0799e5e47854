// Command eino measures the rows of bench/engine for eino: it prints one JSON
// object from row to number. CPU is user+sys of the process, medians of
// several rounds. What eino has no counterpart for is left out.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/cloudwego/eino/compose"
)

type state struct{ Count int }

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// median is the CPU of one call of f in microseconds.
func median(rounds, calls int, f func()) float64 {
	f()
	times := make([]float64, rounds)
	for i := range times {
		began := cpu()
		for range calls {
			f()
		}
		times[i] = float64((cpu() - began).Nanoseconds()) / 1e3 / float64(calls)
	}
	slices.Sort(times)
	return times[rounds/2]
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// chain is a linear graph of n nodes beside idle ones.
func chain(ctx context.Context, n, idle int) compose.Runnable[state, state] {
	g := compose.NewGraph[state, state]()
	last := compose.START
	for i := range n {
		name := fmt.Sprintf("n%d", i)
		check(g.AddLambdaNode(name, compose.InvokableLambda(func(_ context.Context, s state) (state, error) {
			s.Count++
			return s, nil
		})))
		check(g.AddEdge(last, name))
		last = name
	}
	if idle == 0 {
		check(g.AddEdge(last, compose.END))
	} else {
		ends := map[string]bool{compose.END: true}
		for i := range idle {
			name := fmt.Sprintf("idle%d", i)
			check(g.AddLambdaNode(name, compose.InvokableLambda(func(_ context.Context, s state) (state, error) { return s, nil })))
			check(g.AddEdge(name, compose.END))
			ends[name] = true
		}
		check(g.AddBranch(last, compose.NewGraphBranch(func(context.Context, state) (string, error) { return compose.END, nil }, ends)))
	}
	r, err := g.Compile(ctx, compose.WithMaxRunSteps(n+10))
	check(err)
	return r
}

func main() {
	ctx := context.Background()
	run := func(r compose.Runnable[state, state]) func() {
		return func() {
			_, err := r.Invoke(ctx, state{})
			check(err)
		}
	}
	out := map[string]float64{
		"linear_us":  median(21, 200, run(chain(ctx, 10, 0))) / 10,
		"invoke_us":  median(21, 1000, run(chain(ctx, 1, 0))),
		"idle_ratio": median(11, 20, run(chain(ctx, 100, 300))) / median(11, 20, run(chain(ctx, 100, 0))),
	}
	check(json.NewEncoder(os.Stdout).Encode(out))
}
