package page

import (
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// RunsProps is the data for the list of runs.
type RunsProps struct {
	App     layout.Props
	Filter  RunFilter
	Kinds   []RunKind
	Persons []string // people who asked for runs
	Nodes   []string // at which runs failed
	Items   []RunItem
	Newer   string // address of the previous page; "" on the first
	Older   string // address of the next page; "" on the last
	Total   int    // of the kind; -1 if the list is narrowed further
}

// A RunFilter holds the filters of the list of runs, as in its URL.
type RunFilter struct {
	Kind, State, Person, Node string
	From, To                  string // days: 2006-01-02
	Words                     string
	Slow, Costly, Cap         string // "1" to list only those
	Resumed                   string
	After, Before             string // place of the run next to the page
}

// URL returns the address of the list.
func (f RunFilter) URL() string {
	return link.With(link.Runs, "kind", f.Kind, "state", f.State, "person", f.Person, "node", f.Node, "from", f.From, "to", f.To, "q", f.Words,
		"slow", f.Slow, "costly", f.Costly, "cap", f.Cap, "resumed", f.Resumed, "after", f.After, "before", f.Before)
}

// of returns the filter for the first page of a kind of run.
func (f RunFilter) of(kind string) RunFilter {
	f.Kind, f.After, f.Before = kind, "", ""
	return f
}

// Narrowed reports whether the list is narrowed by more than the kind.
func (f RunFilter) Narrowed() bool {
	return f.of("") != RunFilter{}
}

// runMark is a box to check.
type runMark struct {
	Name, Words, About string
	On                 bool
}

func (f RunFilter) marks(ctx context.Context) []runMark {
	return []runMark{
		{"slow", lang.T(ctx, "slow"), lang.T(ctx, "took longer than 95 of 100 of their kind"), f.Slow != ""},
		{"costly", lang.T(ctx, "costly"), lang.T(ctx, "cost more than 95 of 100 of their kind, or used more tokens if no price is known"), f.Costly != ""},
		{"cap", lang.T(ctx, "tried enough"), lang.T(ctx, "used up their rewordings"), f.Cap != ""},
		{"resumed", lang.T(ctx, "resumed"), lang.T(ctx, "resumed after an interrupted attempt"), f.Resumed != ""},
	}
}

var runStates = []Choice{{"waiting", "waiting"}, {"asks", "waiting for a person"}, {"running", "at work"}, {"done", "finished"}, {"failed", "failed"}, {"stopped", "stopped"}}

// A RunKind is a filter of the list of runs.
type RunKind struct{ Title, Name string }

// A RunItem is one line of the list of runs.
type RunItem struct {
	ID       domain.RunID
	Kind     string // its title
	Subject  string
	Status   string // "waiting", "running", "done", "failed" or "stopped"
	Problem  string
	Person   string // who asked for it
	Began    time.Time
	Took     time.Duration
	Tokens   int
	Cost     string // "" if there is none
	Capped   bool   // it used up its loops
	Resumed  bool   // an attempt was cut off
	FailedAt string // node
	Asks     bool   // it is waiting for a person
	URL      string // page for that person
}

// waitsFor says whom a run waits for.
func (r RunItem) waitsFor(ctx context.Context) string {
	if r.Person != "" {
		return lang.F(ctx, "waiting for %s", r.Person)
	}
	return lang.T(ctx, "waiting for you")
}

// remarks lists what is special about a run.
func (r RunItem) remarks(ctx context.Context) string {
	var said []string
	if r.Person != "" && !r.Asks {
		said = append(said, lang.F(ctx, "asked by %s", r.Person))
	}
	if r.Capped {
		said = append(said, lang.T(ctx, "tried enough"))
	}
	if r.Resumed {
		said = append(said, lang.T(ctx, "resumed"))
	}
	if r.FailedAt != "" {
		said = append(said, lang.F(ctx, "failed at %s", r.FailedAt))
	}
	return strings.Join(said, " · ")
}

func (p RunsProps) current(kind string) string { return current(p.Filter.Kind == kind) }

func (p RunsProps) counted(ctx context.Context) string {
	if p.Total < 0 {
		return ""
	}
	return lang.Count(ctx, p.Total, "run", "runs")
}
