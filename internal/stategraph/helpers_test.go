package stategraph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// board is the state of most tests, with one field per reducer.
type board struct {
	Word  string   `json:"word"`
	Ints  []int    `json:"ints"`
	Log   []string `json:"log"`
	Cards []card   `json:"cards"`
	High  int      `json:"high"`
	Total float64  `json:"total"`
}

type card struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type fields struct {
	schema *state.Schema[board]
	word   state.ReplaceField[board, string]
	ints   state.ReplaceField[board, []int]
	log    state.AppendField[board, string]
	cards  state.UpsertField[board, card]
	high   state.MaxField[board, int]
	total  state.SumField[board, float64]
}

func newFields(version int) fields {
	sc := state.NewSchema[board](version)
	return fields{
		schema: sc,
		word:   state.Replace(sc, "word", func(s *board) *string { return &s.Word }),
		ints:   state.Replace(sc, "ints", func(s *board) *[]int { return &s.Ints }),
		log:    state.Append(sc, "log", func(s *board) *[]string { return &s.Log }),
		cards:  state.Upsert(sc, "cards", func(s *board) *[]card { return &s.Cards }, func(c card) string { return c.ID }),
		high:   state.Max(sc, "high", func(s *board) *int { return &s.High }),
		total:  state.Sum(sc, "total", func(s *board) *float64 { return &s.Total }),
	}
}

type (
	update = state.Update[board]
	route  = Route[board]
	node1  = func(*Context, board) (update, error)
)

// kit is a builder with its fields and shorthands for tests.
type kit struct {
	fields
	*Builder[board]
	t      testing.TB
	called func(*Context)           // by nodes of a plan
	inner  map[string]*Graph[board] // subgraphs of a plan, by node
}

func newKit(t testing.TB) *kit { return newKitOf(t, 1) }

// newKitOf returns a kit whose schema has the given version.
func newKitOf(t testing.TB, version int) *kit {
	f := newFields(version)
	return &kit{fields: f, Builder: New("g", f.schema), t: t, inner: map[string]*Graph[board]{}}
}

// logs adds nodes that append their names to the log.
func (k *kit) logs(names ...string) {
	for _, name := range names {
		k.Node(name, func(ctx *Context, _ board) (update, error) { return k.log.Add(ctx.Node()), nil })
	}
}

// path connects nodes in a row.
func (k *kit) path(names ...string) {
	for i := range names[1:] {
		k.Edge(names[i], names[i+1])
	}
}

// choose returns a branch that always chooses the same labels.
func choose(labels ...string) func(*Context, board) (route, error) {
	return func(*Context, board) (route, error) { return Choose[board](labels...), nil }
}

func (k *kit) compile(opts ...CompileOption) *Graph[board] {
	k.t.Helper()
	g, err := k.Compile(opts...)
	if err != nil {
		k.t.Fatalf("Compile: %v", err)
	}
	return g
}

func (k *kit) run(opts ...RunOption) board {
	k.t.Helper()
	s, err := k.compile().Run(context.Background(), board{}, append(opts, unchanged())...)
	if err != nil {
		k.t.Fatalf("Run: %v", err)
	}
	return s
}

// unchanged fails nodes that change their input. The product's tests use
// stategraphtest, which these can't import.
func unchanged() RunOption {
	return Around(func(_ *Context, c Call) (any, error) {
		before, err := json.Marshal(c.Input)
		if err != nil {
			return nil, err
		}
		result, err := c.Do(c.Input)
		if after, _ := json.Marshal(c.Input); !bytes.Equal(before, after) {
			return nil, fmt.Errorf("changed its input from %s to %s", before, after)
		}
		return result, err
	})
}

// fails runs the graph and returns its error and the state it left.
func (k *kit) fails(opts ...RunOption) (board, error) {
	k.t.Helper()
	s, err := k.compile().Run(context.Background(), board{}, opts...)
	if err == nil {
		k.t.Fatalf("Run succeeded with %+v, want an error", s)
	}
	return s, err
}

// wantText fails the test unless err says all of parts.
func wantText(t testing.TB, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error is %v, want it to say %q", err, part)
		}
	}
}

// recorder keeps events.
type recorder struct{ events []Event }

func (r *recorder) observe() RunOption {
	return Observe(func(e Event) { r.events = append(r.events, e) })
}

// lines renders the events of the wanted kinds; without kinds, all.
func (r *recorder) lines(kinds ...EventKind) []string {
	var out []string
	for _, e := range r.events {
		if len(kinds) > 0 && !slices.Contains(kinds, e.Kind) {
			continue
		}
		out = append(out, line(e))
	}
	return out
}

func line(e Event) string {
	words := []string{strings.Join(e.Path, "/"), string(e.Kind), fmt.Sprint(e.Step)}
	for _, word := range []string{e.Node, e.Label, strings.Join(e.Targets, ","), string(e.Update), e.Custom} {
		if word != "" {
			words = append(words, word)
		}
	}
	if e.Payload != nil {
		words = append(words, fmt.Sprint(e.Payload))
	}
	if e.Err != nil {
		words = append(words, "("+e.Err.Error()+")")
	}
	return strings.Join(words, " ")
}

// stillClock advances only by the pauses it is asked for. It records them and does
// not wait.
type stillClock struct {
	mu     sync.Mutex
	now    time.Time
	pauses []time.Duration
}

func (c *stillClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stillClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.pauses = append(c.pauses, d)
	return ctx.Err()
}

var errBroken = errors.New("broken")
