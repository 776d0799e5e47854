// Command summarize measures what the summary graph costs beside the calls of
// a model: it summarises documents of known length with a model that answers
// after a set time, and compares with the calls' own time over their
// concurrency.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/migrations"
)

func main() {
	latency := flag.Duration("latency", 200*time.Millisecond, "how long the model takes for one answer")
	atOnce := flag.Int("concurrency", 8, "calls at the same time")
	flag.Parse()
	if err := run(*latency, *atOnce); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(latency time.Duration, atOnce int) error {
	fmt.Printf("The model answers after %v, %d calls at a time; every update is written to SQLite.\n", latency, atOnce)
	fmt.Println("parts  calls  rounds  seconds  calls × latency ÷ concurrency  overhead  against the longest chain of calls")
	tokens := chunk.NewTokenizer()
	for _, parts := range []int{3, 14, 100, 1000} {
		if err := measure(parts, latency, atOnce, tokens); err != nil {
			return err
		}
	}
	return nil
}

// measure summarises one document with the given number of parts.
func measure(parts int, latency time.Duration, atOnce int, tokens *chunk.Tokenizer) error {
	dir, err := os.MkdirTemp("", "clew-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(dir, "clew.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := migrations.Up(ctx, db.Writer); err != nil {
		return err
	}
	threads, err := checkpoint.New(ctx, db.Writer, db.Reader, time.Now)
	if err != nil {
		return err
	}
	defer threads.Close()
	m := &model{latency: latency}
	g, err := summarize.Graph(summarize.Params{Texts: sections(parts), Counter: tokens, Summariser: summarize.ModelSummariser(m, prompts.New(nil, prompts.NewFences([]byte("bench")), summarize.Prompt())), AtOnce: atOnce, Threads: threads})
	if err != nil {
		return err
	}
	begin := summarize.Begin{Documents: []domain.DocumentID{"d"}, MaxCollapses: summarize.DefaultMaxCollapses(parts)}
	var made []int64
	steps := stategraph.Observe(func(e stategraph.Event) {
		if e.Kind == stategraph.NodeEnd && e.Node != summarize.NodeMap {
			made = append(made, m.calls.Load())
		}
	})
	began := time.Now()
	s, err := g.Run(ctx, summarize.Start(begin), stategraph.Thread("t"), steps, stategraph.MaxConcurrency(atOnce),
		stategraph.RecursionLimit(summarize.RecursionLimit(parts)))
	if err != nil {
		return err
	}
	took := time.Since(began)
	calls := m.calls.Load()
	ideal := float64(calls) * latency.Seconds() / float64(atOnce)
	least := float64(waves(made, atOnce)) * latency.Seconds()
	fmt.Printf("%5d  %5d  %6d  %7.2f  %29.2f  %8.2f  %34.2f\n", len(s.Contents), calls, s.Rounds, took.Seconds(), ideal, took.Seconds()/ideal, took.Seconds()/least)
	return nil
}

// partMark matches the number of a part in a summary.
var partMark = regexp.MustCompile(`\[\d+\]`)

// model answers after its latency with a summary of about 120 tokens, or an
// account of 450.
type model struct {
	latency time.Duration
	calls   atomic.Int64
}

// Model returns the model's name.
func (m *model) Model() string { return "waits" }

// Complete waits and answers.
func (m *model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	m.calls.Add(1)
	timer := time.NewTimer(m.latency)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
	if strings.HasPrefix(r.Prompt, "reduce/") {
		mark := partMark.FindString(r.Messages[1].Text)
		return llm.Response{Text: strings.Repeat("It tells of the bells again. "+mark+" ", 50), Stop: "stop"}, nil
	}
	return llm.Response{Text: strings.Repeat("It tells of the bells again. ", 14), Stop: "stop"}, nil
}

// waves returns the minimum number of consecutive calls, given the calls made
// by the end of each step: calls of one step run in parallel up to atOnce, and
// steps run one after another.
func waves(made []int64, atOnce int) int {
	n, before := 0, int64(0)
	for _, all := range made {
		n += int(math.Ceil(float64(all-before) / float64(atOnce)))
		before = all
	}
	return n
}

// sections is a document of n sections, each of them a part.
type sections int

// Text returns the document's text.
func (n sections) Text(context.Context, domain.WorkspaceID, domain.DocumentID) (domain.Text, error) {
	var b strings.Builder
	for i := range int(n) {
		fmt.Fprintf(&b, "Section %d.%s\n\n", i, strings.Repeat(fmt.Sprintf(" The bells of tower %d rang.", i), 100))
	}
	return domain.Text{Content: b.String()}, nil
}

// Document returns the document.
func (n sections) Document(_ context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error) {
	return domain.Document{Workspace: w, ID: id, Name: "sections.txt"}, nil
}
