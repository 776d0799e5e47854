package sql_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

type listState struct {
	Notes []string `json:"notes"`
}

// BenchmarkStateAt reads a state of 1,000 messages.
func BenchmarkStateAt(b *testing.B) {
	g := thousandMessages(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.StateAt(b.Context(), "t", 1000); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkResume resumes a run of 1,000 messages, adds one, and stops again.
func BenchmarkResume(b *testing.B) {
	g := thousandMessages(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Resume(b.Context(), "t", untilAsk()...); !isStop(err) {
			b.Fatal(err)
		}
	}
}

// BenchmarkThread runs the graph on a thread until it has 1,000 messages.
func BenchmarkThread(b *testing.B) {
	g := thousandMessages(b)
	for i := 0; b.Loop(); i++ {
		if _, err := g.Run(b.Context(), listState{}, append(untilAsk(), stategraph.Thread(fmt.Sprint(i)))...); !isStop(err) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "µs/step")
}

// thousandMessages builds a graph with a thread that has collected 1,000 messages, one
// per step, and has stopped before the node that adds more.
func thousandMessages(b *testing.B) stategraph.Runnable[listState] {
	b.Helper()
	schema := state.NewSchema[listState](1)
	notes := state.Append(schema, "notes", func(s *listState) *[]string { return &s.Notes })
	message := strings.Repeat("m", 200)
	add := func(*stategraph.Context, listState) (state.Update[listState], error) {
		return notes.Add(message), nil
	}
	build := stategraph.New("list", schema)
	build.Node("add", add)
	build.Node("ask", add)
	build.Edge(stategraph.Start, "add")
	next := func(_ *stategraph.Context, s listState) (stategraph.Route[listState], error) {
		if len(s.Notes) < 1000 {
			return stategraph.Choose[listState]("more"), nil
		}
		return stategraph.Choose[listState]("ask"), nil
	}
	cases := []stategraph.Case{
		{Label: "more", Target: "add"}, {Label: "ask", Target: "ask"}, {Label: "done", Target: stategraph.End},
	}
	build.Branch("add", "enough", next, cases...)
	build.Branch("ask", "again", next, cases...)
	g, err := build.Compile(stategraph.WithCheckpointer(open(b, time.Now)), stategraph.WithCodec(checkpoint.NewCodec()))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := g.Run(b.Context(), listState{}, append(untilAsk(), stategraph.Thread("t"))...); !isStop(err) {
		b.Fatal(err)
	}
	return g
}

func untilAsk() []stategraph.RunOption {
	return []stategraph.RunOption{stategraph.RecursionLimit(1 << 30), stategraph.StopBefore("ask")}
}

func isStop(err error) bool {
	_, ok := errors.AsType[*stategraph.StoppedError](err)
	return ok
}
