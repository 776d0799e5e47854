// Command reading measures what adding documents costs where a model reads them:
// the program beside LightRAG, on the same documents and with the same scripted
// model, which answers at once, over HTTP. It prints processor time, peak memory,
// calls, what the model was sent for each token of text, and whether the last
// documents cost more than the first. Then it reads them with a model that takes a
// while, and at last one large text.
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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clewhq/clew/bench/made"
)

// options says what is measured, and on which documents.
type options struct {
	clew, lightrag, sets string
	documents, words     int
	latency              time.Duration
	large                int
	only                 bool
}

func main() {
	var o options
	flag.StringVar(&o.clew, "clew", "../bin/clew", "the program to measure")
	flag.StringVar(&o.lightrag, "lightrag", "", "command that runs LightRAG's part; empty leaves it out")
	flag.StringVar(&o.sets, "sets", "../../shared/data/multihop", "folder of the sets of passages")
	flag.IntVar(&o.documents, "documents", 200, "how many documents")
	flag.IntVar(&o.words, "words", 1000, "words of each")
	flag.DurationVar(&o.latency, "latency", 200*time.Millisecond, "how long the slow model takes to answer; 0 leaves it out")
	flag.IntVar(&o.large, "large", 100, "megabytes of one large text, read last; 0 leaves it out")
	flag.BoolVar(&o.only, "only", false, "measure the default settings alone, without vectors or a call for each chunk")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// part is how many documents the first and the last part of a measurement have.
const part = 25

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "clew-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.sets, err = made.Sets(o.sets, filepath.Join(dir, "sets")); err != nil {
		return err
	}
	passages, err := passagesOf(o.sets)
	if err != nil {
		return err
	}
	files, tokens, err := writeDocuments(passages, filepath.Join(dir, "documents"), o.documents, o.words)
	if err != nil {
		return err
	}
	m, err := startModel()
	if err != nil {
		return err
	}
	defer m.http.Close()
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("load %s, %d documents, %d tokens of text\n\n", strings.Join(strings.Fields(string(load))[:3], " "), len(files), tokens)
	fmt.Println("                                CPU s   peak MB   calls   input/token   last 25/first 25   seconds")
	rows := []struct {
		name     string
		settings []string
	}{
		{"Clew", nil},
		{"Clew, a call for each chunk", []string{"EXTRACT_WINDOW=0"}},
		{"Clew, with vectors", []string{"EMBED_PROVIDER=openai", "EMBED_BASE_URL=" + m.url, "EMBED_MODEL=scripted"}},
	}
	if o.only {
		rows = rows[:1]
	}
	for _, row := range rows {
		if err := m.measure(row.name, tokens, func() (usage, error) {
			return ours(ctx, o.clew, filepath.Join(dir, strings.ReplaceAll(row.name, " ", "-")), files, append(m.settings(), row.settings...))
		}); err != nil {
			return err
		}
	}
	if o.lightrag != "" {
		if err := m.measure("LightRAG", tokens, func() (usage, error) { return theirs(ctx, o.lightrag, m.url, dir, files) }); err != nil {
			return err
		}
	}
	if o.latency > 0 {
		if err := m.measureSlow(ctx, o, filepath.Join(dir, "slow"), files); err != nil {
			return err
		}
	}
	if o.large == 0 {
		return nil
	}
	return m.measureLarge(ctx, o.clew, passages, dir, o.large)
}

// usage holds the resources that reading took.
type usage struct {
	CPU   float64 `json:"cpu"`   // seconds
	Peak  float64 `json:"peak"`  // megabytes
	First float64 `json:"first"` // seconds of the first documents
	Last  float64 `json:"last"`
}

// measure prints a row.
func (m *model) measure(name string, tokens int, read func() (usage, error)) error {
	m.calls.Store(0)
	m.sent.Store(0)
	began := time.Now()
	u, err := read()
	took := time.Since(began)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Printf("%-30s %6.1f %9.0f %7d %13.2f %18.2f %9.1f\n", name, u.CPU, u.Peak, m.calls.Load(), float64(m.sent.Load())/charsPerToken/float64(tokens), u.Last/u.First, took.Seconds())
	return nil
}

// measureSlow reads all documents at once with a model that takes a while, and
// prints how the time compares with one in which nothing but the model works.
func (m *model) measureSlow(ctx context.Context, o options, data string, files []string) error {
	m.calls.Store(0)
	m.latency.Store(int64(o.latency))
	defer m.latency.Store(0)
	began := time.Now()
	if _, err := ingest(ctx, o.clew, data, files, append(m.settings(), fmt.Sprint("INGEST_CONCURRENCY=", 2*concurrency))); err != nil {
		return err
	}
	took, calls := time.Since(began), m.calls.Load()
	fmt.Printf("\nwith a model that takes %v: %d calls, %.1f s, %.2f times what the calls take %d at a time\n",
		o.latency, calls, took.Seconds(), took.Seconds()*concurrency/(float64(calls)*o.latency.Seconds()), concurrency)
	return nil
}

// ours reads the first documents, those between and the last ones into one library.
func ours(ctx context.Context, clew, data string, files, settings []string) (u usage, err error) {
	if len(files) < 2*part {
		return u, fmt.Errorf("%d documents are too few: their first %d are compared with their last", len(files), part)
	}
	for i, some := range [][]string{files[:part], files[part : len(files)-part], files[len(files)-part:]} {
		if len(some) == 0 {
			continue
		}
		state, err := ingest(ctx, clew, data, some, settings)
		if err != nil {
			return u, err
		}
		cpu := (state.UserTime() + state.SystemTime()).Seconds()
		u.CPU += cpu
		if used, ok := state.SysUsage().(*syscall.Rusage); ok {
			u.Peak = max(u.Peak, float64(used.Maxrss)/1000)
		}
		switch i {
		case 0:
			u.First = cpu
		case 2:
			u.Last = cpu
		}
	}
	return u, nil
}

// ingest adds files to a library.
func ingest(ctx context.Context, clew, data string, files, settings []string) (*os.ProcessState, error) {
	cmd := exec.CommandContext(ctx, clew, append([]string{"ingest", "--data", data}, files...)...)
	cmd.Env = append(os.Environ(), settings...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return cmd.ProcessState, nil
}

// theirs lets LightRAG read the same documents in the same parts.
func theirs(ctx context.Context, lightrag, url, dir string, files []string) (u usage, err error) {
	command := append(strings.Fields(lightrag), url, filepath.Join(dir, "lightrag"), fmt.Sprint(part))
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], files...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return u, err
	}
	lines := slices.DeleteFunc(strings.Split(string(out), "\n"), func(l string) bool { return !strings.HasPrefix(l, "{") })
	if len(lines) == 0 {
		return u, errors.New("it printed no result")
	}
	err = json.Unmarshal([]byte(lines[len(lines)-1]), &u)
	return u, err
}
