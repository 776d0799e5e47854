package report

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/format"
)

// News is what has happened to a run since the News before it.
type News struct {
	Events []trace.Event
	Steps  []Told // that ended
	Text   string // words of the answer to append
	Reset  bool   // the answer starts again: drop its words so far
	Gist   string // how the run went, in a sentence or two, once it has ended
}

// Told is a step of a run, described in words.
type Told struct {
	Node   string   `json:"node"`
	Said   string   `json:"said"`
	Took   int64    `json:"ms"`
	Super  int      `json:"step"`
	Within string   `json:"within,omitempty"` // the step that contains it
	More   []string `json:"more,omitempty"`   // rewordings of the question, and the relevant passages
	At     int      `json:"-"`                // number of the event with which it ended
}

// Print prints a step as commands trace it.
func (t Told) Print(w io.Writer) {
	indent := ""
	if t.Within != "" {
		indent = "  "
	}
	fmt.Fprintf(w, "%s%s, %s\n", indent, t.Said, format.Duration(time.Duration(t.Took)*time.Millisecond))
	for _, line := range t.More {
		fmt.Fprintf(w, "%s  %s\n", indent, line)
	}
}

// A Teller reports the steps of a run as they end.
type Teller struct {
	View *trace.View
	Loop Loop

	told map[*trace.Step]bool
}

// Tell adds events to the view and returns the steps that end with them: those of the run's own graph and of a summary
// within it.
func (t *Teller) Tell(events []trace.Event) (list []Told) {
	for _, e := range events {
		for _, s := range t.View.Apply(e) {
			if s.State != trace.Done || s.TasksDone < s.Total() || t.told[s] || len(s.Path) > 0 && s.Path[0] != answer.NodeSummarise {
				continue
			}
			if t.told == nil {
				t.told = map[*trace.Step]bool{}
			}
			t.told[s] = true
			told := t.step(s)
			told.At = e.Seq
			list = append(list, told)
		}
	}
	return list
}

func (t *Teller) step(s *trace.Step) Told {
	told := Told{Node: s.Node, Said: Said(t.View, s, t.Loop), Took: s.Took.Milliseconds(), Super: s.Super}
	if len(s.Path) > 0 {
		told.Within = s.Path[0]
	}
	for _, r := range s.Rewrites {
		if !r.SameWords() {
			told.More = append(told.More, "“"+r.To+"”")
		}
	}
	var relevant []string
	for _, g := range s.Grades {
		if g.Verdict == domain.Relevant {
			relevant = append(relevant, fmt.Sprintf("%s: %s: %s", g.Said(), g.Where(), g.Reason))
		}
	}
	slices.Sort(relevant) // they were judged at the same time
	told.More = append(told.More, relevant...)
	if s.Node == answer.NodeReadPage {
		told.More = append(told.More, slices.Sorted(slices.Values(s.Notes))...)
	}
	return told
}

// recheck is how often a watched run is checked for still being visible.
const recheck = time.Second

// WhileSeen returns a context that ends with ctx, and when its viewer may no longer see a run: somebody has stopped sharing
// it, or deleted it. Call cancel when done.
func (p *Runs) WhileSeen(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (_ context.Context, cancel context.CancelFunc) {
	if _, limited := domain.ViewerOf(ctx); !limited {
		return context.WithCancel(ctx)
	}
	return domain.Lasting(ctx, recheck, context.Canceled, func(ctx context.Context) bool {
		_, err := p.Queue.Get(ctx, w, id)
		return domain.KindOf(err) != domain.NotFound
	})
}

// Follow yields the events of a run after number after, until the run ends or asks a person, or ctx ends.
func (p *Runs) Follow(ctx context.Context, id domain.RunID, after int) iter.Seq2[News, error] {
	return func(yield func(News, error) bool) {
		w := domain.WorkspaceOf(ctx)
		f, err := p.follower(ctx, w, id, after)
		if err != nil {
			yield(News{}, err)
			return
		}
		if f.asks {
			return
		}
		seen, done := p.WhileSeen(ctx, w, id)
		defer done()
		for item, err := range p.Hub.Watch(seen, w, id, after) {
			if err != nil {
				yield(News{}, err)
				return
			}
			if news := f.news(item); !yield(news, nil) || f.asks {
				return
			}
		}
	}
}

// A follower makes News of what happens to a run.
type follower struct {
	Teller
	asks  bool // the run is waiting for a person
	ended bool // the end of the run was reported
}

// follower returns a follower that has seen the events of a run up to a number. It asks if the run waits for a person
// and has no more events.
func (p *Runs) follower(ctx context.Context, w domain.WorkspaceID, id domain.RunID, after int) (*follower, error) {
	r, err := p.Queue.Get(ctx, w, id)
	if err != nil {
		return nil, err
	}
	f := &follower{Teller: Teller{View: trace.NewView(id, p.Kinds.Named(r.Kind).Topology), Loop: p.Loops[r.Kind]}}
	if after == 0 {
		return f, nil
	}
	before, err := p.Hub.Events(ctx, w, id, 0)
	for _, e := range before {
		if e.Seq <= after {
			f.Tell([]trace.Event{e})
		}
	}
	f.asks = r.Status.Asleep() && len(before) > 0 && before[len(before)-1].Seq <= after
	return f, err
}

// news returns the News in an item of the run's log.
func (f *follower) news(item trace.Item) News {
	news := News{Events: item.Events, Text: item.Text, Reset: item.Reset, Steps: f.Tell(item.Events)}
	for _, e := range item.Events {
		f.asks = (f.asks || e.Asks && len(e.Path) <= 1) && e.Kind != string(stategraph.RunStart) // a run starts again once a person has replied
	}
	if (f.asks || f.View.Settled) && !f.ended && len(item.Events) > 0 {
		f.ended, news.Gist = true, Gist(f.View)
	}
	return news
}
