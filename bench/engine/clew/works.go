package main

import (
	stdcontext "context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/stategraph"
)

var ctx = stdcontext.Background()

// works are the available works.
type works struct {
	folder string
	mark   func()
	ready  map[string]func() float64
}

// get returns a prepared work of a size, or nil if there is none.
func (w *works) get(work string, size int) func() float64 {
	key := fmt.Sprint(work, size)
	if w.ready[key] == nil {
		w.ready[key] = w.build(work, size)
	}
	return w.ready[key]
}

func (w *works) build(work string, size int) func() float64 {
	switch work {
	case "linear":
		return run(chain(size, 0))
	case "idle":
		return run(chain(10, size))
	case "send", "wide":
		return run(fan(size, nil))
	case "observed":
		return observed(chain(size, 0))
	case "unheard":
		return run(talking(size))
	case "durable", "durable_full":
		return w.durable(work, size)
	case "grow":
		return w.grow(size)
	case "resume", "state", "history":
		return w.reading(work, size, checkpoint.NewCodec())
	case "resume_json", "state_json", "history_json":
		return w.reading(strings.TrimSuffix(work, "_json"), size, plain)
	case "killed":
		return w.killed(size, 0)
	case "killed_slow":
		return w.killed(size, 10*time.Millisecond)
	case "kept":
		return w.kept
	}
	return nil
}

const limit = 5000 // super-steps; more than any run here needs

func run(g stategraph.Runnable[values]) func() float64 {
	return func() float64 {
		must(g.Run(ctx, values{}, stategraph.RecursionLimit(limit)))
		return 0
	}
}

// observed counts the events of a run.
func observed(g stategraph.Runnable[values]) func() float64 {
	return func() float64 {
		events := 0
		must(g.Run(ctx, values{}, stategraph.RecursionLimit(limit), stategraph.Observe(func(stategraph.Event) { events++ })))
		return float64(events)
	}
}

// killed kills its own process in call 500; each call takes a while.
func (w *works) killed(size int, while time.Duration) func() float64 {
	return func() float64 {
		check(os.RemoveAll(w.path("killed")))
		calls := 0
		g := fan(size, func(int) {
			if calls++; calls == 500 {
				check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
				select {}
			}
			time.Sleep(while)
		}, stategraph.WithCheckpointer(open(w.path("killed"), false).store))
		must(g.Run(ctx, values{}, stategraph.Thread("t"), stategraph.MaxConcurrency(1)))
		return 0
	}
}

// kept returns how many calls survived in a killed process.
func (w *works) kept() float64 {
	db := open(w.path("killed"), false)
	defer db.close()
	kept := 0.0
	for r, err := range db.store.Load(ctx, "t", "", 1, 1) {
		check(err)
		if r.Kind == stategraph.RecordWrite {
			kept++
		}
	}
	return kept
}
