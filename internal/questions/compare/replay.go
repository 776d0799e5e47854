package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Mark describes how a node of the replay did.
type Mark string

// The marks.
const (
	Same    Mark = "same"
	Differs Mark = "differs" // its update is different, or it failed
	Missing Mark = "missing" // it was not reached
	Extra   Mark = "extra"   // only the replay reached it
)

// A Node is one node's work in one super-step.
type Node struct {
	Name       string      `json:"node"`          // with its path
	Row        int         `json:"row,omitempty"` // of the step in the replayed run; 0 for an extra one
	Mark       Mark        `json:"mark"`
	Difference *Difference `json:"difference,omitempty"` // the first in its update
	Problem    string      `json:"problem,omitempty"`    // why it failed
}

// A Difference is the first difference of two updates.
type Difference struct {
	Path   string          `json:"path"`             // "documents[2].appearances[0].grade"
	Before json.RawMessage `json:"before,omitempty"` // absent if only the replay has it
	After  json.RawMessage `json:"after,omitempty"`  // absent if the replay lacks it
}

// A Replay compares a replay with its run, node by node in the order of the run's.
type Replay struct {
	Nodes []Node
	Ended bool // the replay has ended
}

// Same reports whether every node did the same.
func (r Replay) Same() bool { return r.Ended && r.First() == nil }

// First returns the first node that did something else, or nil if there is none.
func (r Replay) First() *Node {
	for i := range r.Nodes {
		if r.Nodes[i].Mark != Same {
			return &r.Nodes[i]
		}
	}
	return nil
}

// Stable returns an update of the node at path without volatile members; see [stategraph.Graph.Stable].
type Stable func(path []string, update json.RawMessage) (json.RawMessage, error)

// place identifies the work of a node in one super-step. Runs of a subgraph at the
// same time share theirs.
type place struct {
	path, node string
	super      int
}

// done holds the updates that the tasks of a node wrote in one super-step.
type done struct {
	place
	updates []update
	problem string
}

type update struct {
	task int
	data json.RawMessage
}

// Replays compares the events of a replay with the events of its run.
func Replays(stable Stable, t stategraph.Topology, before, after []trace.Event) Replay {
	was, is := collect(stable, before), collect(stable, after)
	var r Replay
	for _, e := range after {
		r.Ended = r.Ended || e.Kind == trace.Settled
	}
	rows := rowsOf(t, before)
	for _, d := range was.list {
		n := Node{Name: d.name(), Row: rows[d.place], Mark: Same}
		again, reached := is.at[d.place]
		switch {
		case !reached:
			n.Mark = Missing
		case again.problem != "":
			n.Mark, n.Problem = Differs, again.problem
		default:
			if n.Difference = firstDifference(d.updates, again.updates); n.Difference != nil {
				n.Mark = Differs
			}
		}
		r.Nodes = append(r.Nodes, n)
	}
	for _, d := range is.list {
		if _, known := was.at[d.place]; !known {
			r.Nodes = append(r.Nodes, Node{Name: d.name(), Mark: Extra, Problem: d.problem})
		}
	}
	return r
}

// rowsOf returns the rows of a run's steps by their places.
func rowsOf(t stategraph.Topology, events []trace.Event) map[place]int {
	rows := map[place]int{}
	for _, s := range trace.Fold("", t, events).Steps {
		p := place{strings.Join(s.Path, "/"), s.Node, s.Super}
		rows[p] = cmp.Or(rows[p], s.N)
	}
	return rows
}

func (p place) name() string {
	if p.path == "" {
		return p.node
	}
	return p.path + "/" + p.node
}

// log is the work of a run by place.
type log struct {
	at   map[place]*done
	list []*done // in the order of their starts
}

func collect(stable Stable, events []trace.Event) log {
	l := log{at: map[place]*done{}}
	for _, e := range events {
		if e.Kind == string(stategraph.RunStart) && len(e.Path) <= 1 {
			l.restart(e.Resumed)
		}
		if e.Node == "" || e.Kind == string(stategraph.Branch) {
			continue
		}
		path := e.Path
		if len(path) > 0 {
			path = path[1:]
		}
		d := l.place(place{strings.Join(path, "/"), e.Node, e.Step})
		switch e.Kind {
		case string(stategraph.NodeEnd):
			data, err := stable(path, e.Update)
			if err != nil { // of another version: compared unchanged
				data = e.Update
			}
			d.updates = append(d.updates, update{e.Task, data})
		case string(stategraph.NodeFailed):
			d.problem = cmp.Or(d.problem, e.Problem) // the others of the super-step fail because of the first
		}
	}
	for _, d := range l.list {
		slices.SortStableFunc(d.updates, func(a, b update) int {
			return cmp.Or(cmp.Compare(a.task, b.task), bytes.Compare(a.data, b.data))
		})
	}
	return l
}

// restart discards what failed, and everything else unless the run resumes.
func (l *log) restart(resumed bool) {
	if !resumed {
		*l = log{at: map[place]*done{}}
	}
	for _, d := range l.list {
		d.problem = ""
	}
}

func (l *log) place(p place) *done {
	d, known := l.at[p]
	if !known {
		d = &done{place: p}
		l.at[p], l.list = d, append(l.list, d)
	}
	return d
}

// firstDifference returns the first difference of the updates of one place.
func firstDifference(before, after []update) *Difference {
	for i := range max(len(before), len(after)) {
		prefix := ""
		if len(before) > 1 || len(after) > 1 {
			prefix = fmt.Sprintf("task %d", i+1)
		}
		switch {
		case i >= len(after):
			return &Difference{Path: prefix, Before: before[i].data}
		case i >= len(before):
			return &Difference{Path: prefix, After: after[i].data}
		}
		if d := descend(decoded(before[i].data), decoded(after[i].data)); d != nil {
			d.Path = strings.TrimPrefix(d.Path, ".")
			if prefix != "" && d.Path != "" {
				prefix += ": "
			}
			d.Path = prefix + d.Path
			return d
		}
	}
	return nil
}

// decoded decodes JSON. Text that is not JSON is returned unchanged.
func decoded(data json.RawMessage) any {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return string(data)
	}
	return v
}

// descend returns the innermost first difference of two values, or nil.
func descend(a, b any) *Difference {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return inObject(a, b)
		}
	case []any:
		if b, ok := b.([]any); ok {
			return inList(a, b)
		}
	}
	return &Difference{Before: encoded(a), After: encoded(b)}
}

func inObject(a, b map[string]any) *Difference {
	names := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		before, had := a[name]
		after, has := b[name]
		if d := member(before, had, after, has); d != nil {
			d.Path = "." + name + d.Path
			return d
		}
	}
	return nil
}

func inList(a, b []any) *Difference {
	at := func(list []any, i int) (any, bool) {
		if i >= len(list) {
			return nil, false
		}
		return list[i], true
	}
	for i := range max(len(a), len(b)) {
		before, had := at(a, i)
		after, has := at(b, i)
		if d := member(before, had, after, has); d != nil {
			d.Path = fmt.Sprintf("[%d]%s", i, d.Path)
			return d
		}
	}
	return nil
}

// member compares a member that either side may lack.
func member(before any, had bool, after any, has bool) *Difference {
	switch {
	case !has:
		return &Difference{Before: encoded(before)}
	case !had:
		return &Difference{After: encoded(after)}
	}
	return descend(before, after)
}

// encoded encodes a value decoded from JSON, which always succeeds.
func encoded(v any) json.RawMessage {
	data, _ := json.Marshal(v)
	return data
}
