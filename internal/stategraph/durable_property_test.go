package stategraph

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// process runs a plan on a thread, again and again until it has ended.
type process struct {
	*rapid.T
	plan  plan
	store *mortal
	graph *Graph[board]
	opts  []RunOption

	mu    sync.Mutex
	done  map[taskKey]bool // before this life
	twice []taskKey        // called though they were done
}

func newProcess(t *testing.T, rt *rapid.T, p plan, opts ...RunOption) *process {
	proc := &process{T: rt, plan: p, store: newMortal(), opts: append(opts, RecursionLimit(p.Limit))}
	k := newKit(t)
	k.called = func(ctx *Context) {
		proc.mu.Lock()
		defer proc.mu.Unlock()
		if key := (taskKey{ctx.step, ctx.node, ctx.task}); proc.done[key] {
			proc.twice = append(proc.twice, key)
		}
	}
	proc.graph = p.buildWith(k, WithCheckpointer(proc.store))
	return proc
}

// live runs or resumes a thread once, and answers what it asks.
func (p *process) live(thread string) (board, error) {
	p.mu.Lock()
	p.done = p.store.done(p.graph, thread)
	p.mu.Unlock()
	opts := append(slices.Clone(p.opts), Thread(thread), OrResume())
	questions, err := p.graph.Questions(p.Context(), thread)
	if err != nil {
		p.Fatal(err)
	}
	for i, q := range questions {
		if i > 0 && len(questions)%2 == 0 { // not all at once
			continue
		}
		var input int
		if err := p.graph.codec.Unmarshal(q.Payload, &input); err != nil {
			p.Fatal(err)
		}
		opts = append(opts, Answer(q.ID, answerTo(input)))
	}
	s, err := p.graph.Run(p.Context(), board{}, opts...)
	if p.twice != nil {
		p.Fatalf("called though their updates were on the thread: %v", p.twice)
	}
	return s, err
}

// finish lives until the thread ends, dying never more.
func (p *process) finish(thread string) (board, error) {
	for range 200 {
		s, err := p.live(thread)
		if _, ok := errors.AsType[*InterruptedError](err); !ok {
			return s, err
		}
	}
	p.Fatal("the run asks for ever")
	panic("unreachable")
}

// agrees compares an end with the reference's.
func (p *process) agrees(what string, got board, err error, want board, wantEnd outcome) {
	p.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.Fatalf("%s: state (-reference +engine):\n%s\n%v", what, diff, err)
	}
	end := ended(err)
	if end.kind == "node" && slices.Contains(wantEnd.nodes, end.nodes[0]) {
		end.nodes = wantEnd.nodes
	}
	if diff := cmp.Diff(wantEnd, end, cmp.AllowUnexported(outcome{})); diff != "" {
		p.Fatalf("%s: end (-reference +engine):\n%s\n%v", what, diff, err)
	}
}

func drawAskingPlan(t *rapid.T) plan {
	p := drawPlan(t)
	for i := range p.Nodes {
		p.Nodes[i].Asks = rapid.IntRange(0, 3).Draw(t, "asks") == 0
	}
	return p
}

// Wherever a run dies, between any two of its writes, it ends as the
// reference does once it is resumed, and calls nothing again that was done.
func TestRunsThatDieAtEveryWriteEndLikeTheReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		plan := drawAskingPlan(rt)
		want, wantEnd := plan.interpret()
		mode := Durable(rapid.SampledFrom([]Durability{EachTask, EachStep, AtExit}).Draw(rt, "mode"))
		atOnce := MaxConcurrency(rapid.IntRange(1, 8).Draw(rt, "concurrency"))
		whole := newProcess(t, rt, plan, mode, atOnce)
		got, err := whole.finish("t")
		whole.agrees("undisturbed", got, err, want, wantEnd)
		got, err = whole.live("t")
		whole.agrees("again", got, err, want, wantEnd)
		for writes := range min(whole.store.writes, 40) {
			p := newProcess(t, rt, plan, mode, atOnce)
			for life := 0; ; life++ { // dies after as many writes each time, or lives on
				p.store.give(writes + life)
				_, err = p.live("t")
				var asked *InterruptedError
				if !errors.Is(err, errKilled) && !errors.As(err, &asked) {
					break
				}
			}
			p.store.give(-1)
			got, err = p.finish("t")
			p.agrees(fmt.Sprintf("killed after %d writes", writes), got, err, want, wantEnd)
		}
	})
}

// A fork from any step goes where the reference goes from the edited state, and
// every state on the way can be read.
func TestForksOfRandomRunsEndLikeTheReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		plan := drawAskingPlan(rt)
		p := newProcess(t, rt, plan)
		var states []board
		plan.interpretForked(func(_ int, s *board) { states = append(states, *s) })
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
			want, wantEnd := plan.interpretForked(func(at int, s *board) {
				if at == step {
					edit(s)
				}
			})
			got, err := p.finish(to)
			p.agrees(to, got, err, want, wantEnd)
		}
	})
}
