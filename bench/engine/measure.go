package main

import (
	"bufio"
	stdcontext "context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sqlite"
	"github.com/clewhq/clew/internal/sqlite"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/migrations"
)

var ctx = stdcontext.Background()

func cpu() time.Duration {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
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

func run(g *stategraph.Graph[state], opts ...stategraph.RunOption) func() {
	return func() { must(g.Run(ctx, state{}, opts...)) }
}

// measure is all rows of ours.
func measure(folder string) map[string]float64 {
	limit := stategraph.RecursionLimit(5000)
	out := map[string]float64{
		"linear_us":  median(21, 500, run(chain(10, 0))) / 10,
		"invoke_us":  median(21, 2000, run(chain(1, 0))),
		"idle_ratio": median(21, 100, run(chain(100, 300), limit)) / median(21, 100, run(chain(100, 0), limit)),
		"memory_mb":  number(self("memory")),
	}
	for _, n := range []int{1000, 10000, 20000} {
		out[fmt.Sprintf("send_%d_us", n)] = median(11, 50000/n, run(fan(n, nil))) / float64(n)
	}
	events := 0
	g := chain(100, 0)
	silent := median(21, 100, run(g, limit))
	listened := median(21, 100, run(g, limit, stategraph.Observe(func(stategraph.Event) { events++ })))
	perRun := float64(events) / (21*100 + 1)
	out["event_us"] = (listened - silent) / perRun
	threads(folder, out)
	out["lost"] = float64(lost(filepath.Join(folder, "killed.db")))
	return out
}

// open is a checkpointer on a new database.
func open(path string, full bool) (*sqlite.DB, *checkpoint.Checkpointer) {
	db := must(sqlite.Open(ctx, path, sqlite.Options{}))
	check(migrations.Up(ctx, db.Writer))
	if full {
		must(db.Writer.ExecContext(ctx, "PRAGMA synchronous=FULL"))
	}
	return db, must(checkpoint.New(ctx, db.Writer, db.Reader, time.Now))
}

// threads measures what runs on SQLite cost.
func threads(folder string, out map[string]float64) {
	empty := 0.0
	for _, steps := range []int{0, 1000, 2000} {
		path := filepath.Join(folder, fmt.Sprint("grow", steps, ".db"))
		db, store := open(path, false)
		if steps > 0 {
			early, late := grow(store, steps)
			if steps == 1000 {
				out["growth_ratio"] = late / early
			}
		}
		if steps == 1000 {
			read(store, out)
		}
		check(store.Close())
		check(db.Close())
		size := float64(must(os.Stat(path)).Size()) / 1e6
		if steps == 0 {
			empty = size
		}
		out[fmt.Sprintf("db_%d_mb", steps)] = size - empty
	}
	for _, full := range []bool{false, true} {
		db, store := open(filepath.Join(folder, fmt.Sprint("durable", full, ".db")), full)
		n := 0
		g := growing(10, nil, stategraph.WithCheckpointer(store))
		cost := median(31, 10, func() {
			n++
			must(g.Run(ctx, state{}, stategraph.Thread(fmt.Sprint("t", n))))
		})
		out[map[bool]string{false: "durable_us", true: "durable_full_us"}[full]] = cost / 10
		check(store.Close())
		check(db.Close())
	}
}

// grow runs a growing list and compares the cost of steps around the tenth with
// those around the thousandth.
func grow(store stategraph.Checkpointer, steps int) (early, late float64) {
	const around = 100
	var marks []time.Duration
	g := growing(steps, func(int) { marks = append(marks, cpu()) }, stategraph.WithCheckpointer(store))
	must(g.Run(ctx, state{}, stategraph.Thread("t"), stategraph.RecursionLimit(steps)))
	span := func(from, to int) float64 { return float64(marks[to]-marks[from]) / float64(to-from) }
	return span(5, 5+around), span(steps-1-around, steps-1)
}

// read measures how a thread of 1,000 messages is read.
func read(store stategraph.Checkpointer, out map[string]float64) {
	g := growing(1000, nil, append(coded(), stategraph.WithCheckpointer(store))...)
	out["resume_ms"] = median(21, 5, func() { must(g.Resume(ctx, "t", stategraph.RecursionLimit(1000))) }) / 1e3
	out["state_ms"] = median(21, 5, func() { must(g.StateAt(ctx, "t", 1000)) }) / 1e3
	out["history_ms"] = median(21, 5, func() { must(g.History(ctx, "t", 10)) }) / 1e3
}

// reads measures only that, as JSON: for a build with another codec.
func reads(folder string) {
	db, store := open(filepath.Join(folder, "reads.db"), false)
	defer db.Close()
	g := growing(1000, nil, append(coded(), stategraph.WithCheckpointer(store))...)
	must(g.Run(ctx, state{}, stategraph.Thread("t"), stategraph.RecursionLimit(1000)))
	out := map[string]float64{}
	read(store, out)
	check(json.NewEncoder(os.Stdout).Encode(out))
}

// lost kills a process in call 500 of 1,000 and counts the finished calls that
// its thread does not have.
func lost(path string) int {
	db, store := open(path, false)
	check(store.Close())
	check(db.Close())
	_ = exec.Command(os.Args[0], "killed", path).Run() // by its own hand
	db, store = open(path, false)
	defer db.Close()
	kept := 0
	for _, r := range must(store.Load(ctx, "t", "", 1, 1)) {
		if r.Kind == stategraph.RecordWrite {
			kept++
		}
	}
	return 499 - kept
}

// killed is the process that lost kills.
func killed(path string) {
	_, store := open(path, false)
	calls := 0
	g := fan(1000, func(int) {
		if calls++; calls == 500 {
			check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
			select {}
		}
	}, stategraph.WithCheckpointer(store))
	must(g.Run(ctx, state{}, stategraph.Thread("t"), stategraph.MaxConcurrency(1)))
}

// memory prints how much a fan-out of 10,000 adds to what the process has used.
func memory() {
	g := fan(10000, nil)
	run(fan(10, nil))()
	runtime.GC()
	idle := peak()
	run(g)()
	fmt.Println(peak() - idle)
}

// peak is the most memory the process ever had, in MB.
func peak() float64 {
	f := must(os.Open("/proc/self/status"))
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			return number(strings.TrimSuffix(strings.TrimSpace(rest), " kB")) / 1e3
		}
	}
	return 0
}

func self(args ...string) string {
	return strings.TrimSpace(string(must(exec.Command(os.Args[0], args...).Output())))
}

func number(s string) float64 { return must(strconv.ParseFloat(s, 64)) }

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
