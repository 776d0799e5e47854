package sqlite_test

import (
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/checkpoint/codec"
	"github.com/clewhq/clew/internal/stategraph"
)

type listState struct {
	Notes []string `json:"notes"`
}

// BenchmarkStateAt reads a state of 1,000 messages.
func BenchmarkStateAt(b *testing.B) {
	schema := stategraph.NewSchema[listState](1)
	notes := stategraph.Append(schema, "notes", func(s *listState) *[]string { return &s.Notes })
	build := stategraph.New("list", schema)
	message := strings.Repeat("m", 200)
	build.Node("add", func(*stategraph.Context, listState) (stategraph.Update[listState], error) {
		return notes.Add(message), nil
	})
	build.Edge(stategraph.Start, "add")
	build.Branch("add", "enough", func(_ *stategraph.Context, s listState) (stategraph.Route[listState], error) {
		if len(s.Notes) < 1000 {
			return stategraph.Choose[listState]("more"), nil
		}
		return stategraph.Choose[listState]("done"), nil
	}, stategraph.Case{Label: "more", Target: "add"}, stategraph.Case{Label: "done", Target: stategraph.End})
	g, err := build.Compile(stategraph.WithCheckpointer(open(b, time.Now)), stategraph.WithCodec(codec.New()))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := g.Run(b.Context(), listState{}, stategraph.Thread("t"), stategraph.RecursionLimit(1000)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := g.StateAt(b.Context(), "t", 1000); err != nil {
			b.Fatal(err)
		}
	}
}
