package stategraph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/testkit/race"
)

// process runs a plan on a thread repeatedly until it ends.
type process struct {
	*rapid.T
	plan  plan
	store *mortal
	graph *Graph[board]
	inner map[string]*Graph[board]
	opts  []RunOption
	dice  *rand.Rand // for what people do: what they answer, where they stop

	mu    sync.Mutex
	done  map[taskKey]bool // before this life
	twice []taskKey        // called though they were done
}

func newProcess(t *testing.T, rt *rapid.T, p plan, opts ...RunOption) *process {
	k := newKit(t)
	proc := &process{T: rt, plan: p, store: newMortal(), inner: k.inner, opts: append(opts, RecursionLimit(p.Limit))}
	proc.dice = rand.New(rand.NewPCG(uint64(p.Seed), rapid.Uint64().Draw(rt, "dice")))
	k.called = func(ctx *Context) {
		proc.mu.Lock()
		defer proc.mu.Unlock()
		if key := (taskKey{ctx.at.scope, ctx.step, ctx.node, ctx.task}); proc.done[key] {
			proc.twice = append(proc.twice, key)
		}
	}
	proc.graph = p.buildWith(k, WithCheckpointer(proc.store))
	return proc
}

// live runs or resumes a thread once. It answers some of the questions, in any
// order, and sometimes sets a stop.
func (p *process) live(thread string) (board, error) {
	p.mu.Lock()
	p.done = p.store.done(p.graph, p.inner, thread)
	p.mu.Unlock()
	opts := append(slices.Clone(p.opts), Thread(thread), OrResume())
	questions, err := p.graph.Questions(p.Context(), thread)
	if err != nil {
		p.Fatal(err)
	}
	p.dice.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	for i, q := range questions {
		if i > 0 && p.dice.IntN(2) == 0 {
			continue
		}
		var input int
		if err := p.graph.codec.Unmarshal(q.Payload, &input); err != nil {
			p.Fatal(err)
		}
		opts = append(opts, Answer(q.ID, answerTo(input)))
	}
	node := p.plan.name(p.dice.IntN(len(p.plan.Nodes)))
	switch p.dice.IntN(6) {
	case 0:
		opts = append(opts, StopBefore(node))
	case 1:
		opts = append(opts, StopAfter(node))
	}
	s, err := p.graph.Run(p.Context(), board{}, opts...)
	if p.twice != nil {
		p.Fatalf("called though their updates were on the thread: %v", p.twice)
	}
	return s, err
}

// paused reports whether a run can be resumed.
func paused(err error) bool {
	_, asks := errors.AsType[*InterruptedError](err)
	_, stopped := errors.AsType[*StoppedError](err)
	return asks || stopped
}

// finish resumes the thread until it ends.
func (p *process) finish(thread string) (board, error) {
	for range 500 {
		if s, err := p.live(thread); !paused(err) {
			return s, err
		}
	}
	p.Fatal("the run asks for ever")
	panic("unreachable")
}

// A run that dies between any two writes and is resumed ends like the reference, and
// calls nothing again that was done.
func TestRunsThatDieAtEveryWriteEndLikeTheReference(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		plan := drawPlan(rt, outside, true)
		want, ends := plan.interpret()
		atOnce := MaxConcurrency(rapid.IntRange(1, 8).Draw(rt, "concurrency"))
		whole := newProcess(t, rt, plan, atOnce)
		got, err := whole.finish("t")
		agrees(rt, "undisturbed", got, err, want, ends)
		got, err = whole.live("t")
		agrees(rt, "again", got, err, want, ends)
		for writes := range whole.store.writes {
			p := newProcess(t, rt, plan, atOnce)
			for life := 0; ; life++ { // dies after as many writes each time, or lives on
				p.store.give(writes + life)
				if _, err = p.live("t"); !errors.Is(err, errKilled) && !paused(err) {
					break
				}
			}
			p.store.give(-1)
			got, err = p.finish("t")
			agrees(rt, fmt.Sprintf("killed after %d writes", writes), got, err, want, ends)
		}
	})
}

// A fork at any step ends like the reference from the edited state, and every state
// on the way can be read.
func TestForksOfRandomRunsEndLikeTheReference(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		plan := drawPlan(rt, outside, true)
		p := newProcess(t, rt, plan)
		var states []board
		plan.interpretForked(board{}, func(_ int, s *board) { states = append(states, *s) })
		p.finish("t")
		history, err := p.graph.History(rt.Context(), "t", 100)
		if err != nil || len(history) != len(states) {
			rt.Fatalf("history of %d, want %d (%v)", len(history), len(states), err)
		}
		for step, want := range states {
			edit := func(s *board) { s.Total += 3; s.Log = append(s.Log, "edited") }
			for what, get := range map[string]func() (board, error){
				"state at": func() (board, error) { return p.graph.StateAt(rt.Context(), "t", step) },
				"history":  func() (board, error) { return history[len(history)-1-step].State, nil },
			} {
				if got, err := get(); err != nil || !cmp.Equal(want, got) {
					rt.Fatalf("%s step %d: %v\n%s", what, step, err, cmp.Diff(want, got))
				}
			}
			to := fmt.Sprint("fork", step)
			if err := p.graph.Fork(rt.Context(), "t", step, to, edit); err != nil {
				rt.Fatal(err)
			}
			want, ends := plan.interpretForked(board{}, func(at int, s *board) {
				if at == step {
					edit(s)
				}
			})
			got, err := p.finish(to)
			agrees(rt, to, got, err, want, ends)
		}
	})
}
