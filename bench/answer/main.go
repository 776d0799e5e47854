// Command answer measures what a question costs: the program as it is served,
// with its page, its stream and its trace, beside the same loop in LangGraph,
// which only returns the answer. Both ask the same scripted model, which answers
// at once, over HTTP, and search the same 200 documents. It prints the processor
// time of each question, questions a second, how soon the first word comes, and
// how long a search takes in a large library.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/clewhq/clew/bench/made"
)

// options are the sizes of a measurement.
type options struct {
	clew, python, sets, dir           string
	documents, clients, times, copies int
}

func main() {
	var o options
	flag.StringVar(&o.clew, "clew", "../bin/clew", "the program to measure")
	flag.StringVar(&o.python, "langgraph", "", "command that runs LangGraph's part; empty leaves it out")
	flag.StringVar(&o.sets, "sets", "../../shared/data/multihop", "folder of the sets of passages")
	flag.StringVar(&o.dir, "dir", "", "folder to keep the library in, to measure again; empty means a temporary one")
	flag.IntVar(&o.documents, "documents", 200, "documents in the library")
	flag.IntVar(&o.clients, "clients", 16, "people who ask at the same time")
	flag.IntVar(&o.times, "times", 600, "questions that they ask")
	flag.IntVar(&o.copies, "copies", 3, "copies of all passages that make the large library; 0 leaves it out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "clew-bench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	}
	set, err := made.Set(o.sets, "musique_dev", filepath.Join(o.dir, "sets"))
	if err != nil {
		return err
	}
	o.sets = filepath.Dir(set)
	l, err := makeLibrary(o.clew, set, o.dir, o.documents)
	if err != nil {
		return err
	}
	m, err := startModel()
	if err != nil {
		return err
	}
	defer m.http.Close()
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("load %s, %d documents, %d clients, %d questions\n\n", strings.Join(strings.Fields(string(load))[:3], " "), o.documents, o.clients, o.times)
	fmt.Println("                                   CPU ms each   questions/s    p50 ms    p99 ms   calls each")
	// The model always answers the same, so by the labelled passages of clew model test it would not do for auto.
	for _, row := range []struct{ name, many string }{{"Clew, passages graded one by one", "each"}, {"Clew, passages graded together", "together"}} {
		if err := ours(ctx, o, l, m, row.name, row.many); err != nil {
			return err
		}
	}
	if o.python != "" {
		for _, row := range []struct{ name, database string }{{"LangGraph, no page, no thread", ""}, {"LangGraph, no page, thread kept", filepath.Join(o.dir, "langgraph.db")}} {
			if err := theirs(ctx, o, l, m, row.name, row.database); err != nil {
				return err
			}
		}
	}
	return large(ctx, o)
}

// ours measures the program with a setting of GRADE_MANY.
func ours(ctx context.Context, o options, l library, m *model, name, many string) (err error) {
	s, err := startServer(o.clew, l.data, m.url, many, o.clients)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.asked.Store(time.Now().Unix() % 1e6 * 1000) // a library that was kept has answered others
	if _, err := s.measure(ctx, l.questions, 4, 60); err != nil {
		return err
	}
	one, err := s.measure(ctx, l.questions, 1, max(o.times/6, 1))
	if err != nil {
		return err
	}
	called := m.calls.Load()
	all, err := s.measure(ctx, l.questions, o.clients, o.times)
	if err != nil {
		return err
	}
	calls := float64(m.calls.Load()-called) / float64(o.times)
	p50, p95, err := s.firstWords(ctx, m, l.questions, 30)
	if err != nil {
		return err
	}
	printRates(name, all, calls)
	printRates("the same, one client", one, calls)
	fmt.Printf("the same, first word on the page after the model's first: p50 %.1f ms, p95 %.1f ms\n", p50, p95)
	return nil
}

// theirs measures LangGraph.
func theirs(ctx context.Context, o options, l library, m *model, name, database string) error {
	command := append(strings.Fields(o.python), m.url, l.passages, l.asked, fmt.Sprint(o.clients), fmt.Sprint(o.times), database)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	called := m.calls.Load()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", o.python, err)
	}
	var r rates
	if err := json.Unmarshal(out, &r); err != nil {
		return err
	}
	const warm = 20 // questions that it asks before it measures
	printRates(name, r, float64(m.calls.Load()-called)/float64(o.times+warm))
	if database != "" {
		return os.Remove(database)
	}
	return nil
}

func printRates(name string, r rates, calls float64) {
	fmt.Printf("%-35s %11.1f %13.1f %9.0f %9.0f %12.1f\n", name, r.CPU, r.Each, r.P50, r.P99, calls)
}

// large prints how long searches take in a large library.
func large(ctx context.Context, o options) (err error) {
	if o.copies == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "clew-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	rows, passages, err := measureRetrieval(ctx, o.sets, dir, o.copies)
	if err != nil {
		return err
	}
	fmt.Printf("\nsearches in %d passages, with vectors of passages and sentences\n", passages)
	for _, r := range rows {
		fmt.Printf("%-10s p50 %5.1f ms, p95 %5.1f ms\n", r.Method, r.P50, r.P95)
	}
	return nil
}
