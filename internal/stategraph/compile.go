package stategraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Graph is a compiled state graph. It is immutable and can run many times
// concurrently.
type Graph[S any] struct {
	compilation
	name     string
	schema   *state.Schema[S]
	nodes    []*node[S]
	index    map[string]int // of nodes, by name
	out      []exits[S]     // by node
	joins    []compiledJoin
	nested   bool // has subgraphs
	asks     bool // one of its nodes, or of its subgraphs' nodes, may interrupt
	topology Topology
}

// A Runnable is a compiled graph to those who run it and read its threads. It
// is an interface because the compiler generates the engine for S once more in
// each package that knows a type with a Graph[S] in it, however deep.
type Runnable[S any] interface {
	Name() string
	Topology() Topology
	Run(ctx context.Context, s S, opts ...RunOption) (S, error)
	Resume(ctx context.Context, thread string, opts ...RunOption) (S, error)
	Fork(ctx context.Context, from string, step int, to string, edit func(*S)) error
	History(ctx context.Context, thread string, limit int) ([]Checkpoint[S], error)
	StateAt(ctx context.Context, thread string, step int) (S, error)
	CheckpointAt(ctx context.Context, thread string, step int) (Checkpoint[S], error)
	EncodedAt(ctx context.Context, thread string, within []Visit, step int) (json.RawMessage, error)
	Questions(ctx context.Context, thread string) ([]Question, error)
	Answers(ctx context.Context, thread string) (map[string]json.RawMessage, error)
	Stable(path []string, update json.RawMessage) (json.RawMessage, error)
}

// exits lists the edges and branches that lead out of a node.
type exits[S any] struct {
	edges    []int
	joins    []int
	branches []*branch[S]
}

type compiledJoin struct {
	to   int
	from []int
}

// Name returns the name given to New.
func (g *Graph[S]) Name() string { return g.name }

// Compile freezes the graph. Its error joins all mistakes: duplicate or unknown
// names, nodes that can't be reached or can't reach the end, impossible edges,
// branches without cases, and a state or payload type that would not survive
// being stored as JSON. The builder can be extended and compiled again without
// affecting graphs compiled earlier.
func (b *Builder[S]) Compile(opts ...CompileOption) (*Graph[S], error) {
	g := &Graph[S]{
		compilation: compilation{codec: state.StandardCodec{}},
		name:        b.name, nodes: slices.Clone(b.nodes), index: map[string]int{}, out: make([]exits[S], len(b.nodes)),
	}
	for _, opt := range opts {
		opt(&g.compilation)
	}
	l := &linker[S]{Graph: g, problems: slices.Clone(b.problems)}
	l.link(b)
	g.topology = g.draw()
	if b.schema == nil {
		l.add("the graph has no schema")
	} else {
		g.schema = b.schema.Frozen()
		l.problems = append(l.problems, g.schema.Check()...)
	}
	g.checkPaths(&l.problems)
	if g.asks && g.store == nil && !g.inner {
		l.add("a node may interrupt, and there is no checkpointer to keep the run until it is answered")
	}
	if len(l.problems) > 0 {
		return nil, fmt.Errorf("graph %q: %w", b.name, errors.Join(l.problems...))
	}
	return g, nil
}

// linker resolves the names in a builder to the indexes of a graph and collects
// mistakes.
type linker[S any] struct {
	*Graph[S]
	problems
}

func (l *linker[S]) link(b *Builder[S]) {
	l.names(b.branches)
	for _, e := range b.edges {
		l.edge(e)
	}
	for _, j := range b.joins {
		l.join(j)
	}
	for _, br := range b.branches {
		l.branch(br)
	}
	for _, n := range l.nodes {
		l.nested = l.nested || n.nested()
		l.asks = l.asks || n.policy.interrupts
	}
}

// names indexes the nodes. Branches are drawn as nodes, so they share the
// namespace.
func (l *linker[S]) names(branches []*branch[S]) {
	for i, n := range l.nodes {
		if n.name == "" {
			l.add("a %s has no name", n.kind)
		} else if _, taken := l.index[n.name]; taken {
			l.add("node %q is declared twice", n.name)
		} else {
			l.index[n.name] = i
		}
	}
	taken := map[string]bool{}
	for _, b := range branches {
		if _, node := l.index[b.name]; node || taken[b.name] {
			l.add("branch %q has the name of another branch or node", b.name)
		}
		if b.name == "" {
			l.add("a branch from %q has no name", b.from)
		}
		taken[b.name] = true
	}
}

// from resolves the node that an edge, join or branch leads out of.
func (l *linker[S]) from(what, name string) (int, bool) {
	i, known := l.index[name]
	if !known {
		l.add("%s from %q: there is no such node", what, name)
	} else if i == endIndex {
		l.add("%s leads out of the end", what)
	}
	return i, known && i != endIndex
}

// to resolves the node that an edge, join or branch leads to. Only tasks take
// sends, and nothing else reaches them.
func (l *linker[S]) to(what, name string, sent bool) (int, bool) {
	i, known := l.index[name]
	switch {
	case !known:
		l.add("%s to %q: there is no such node", what, name)
	case i == startIndex:
		l.add("%s leads into the start", what)
	case l.nodes[i].kind == KindTask && !sent:
		l.add("%s to %q: a task is reached by sends alone", what, name)
	default:
		return i, true
	}
	return i, false
}

func (l *linker[S]) edge(e plainEdge) {
	from, okFrom := l.from("an edge", e.from)
	to, okTo := l.to("an edge", e.to, false)
	if !okFrom || !okTo {
		return
	}
	exits := &l.out[from]
	if slices.Contains(exits.edges, to) {
		l.add("the edge from %q to %q is declared twice", e.from, e.to)
		return
	}
	exits.edges = append(exits.edges, to)
}

func (l *linker[S]) join(j join) {
	what := fmt.Sprintf("a join into %q", j.to)
	to, ok := l.to("a join", j.to, false)
	if to == endIndex && ok {
		l.add("a join leads to the end, which waits for everything anyway")
	}
	if len(j.from) < 2 {
		l.add("%s waits for %d nodes; it takes two to join", what, len(j.from))
	}
	c := compiledJoin{to: to}
	for _, name := range j.from {
		i, known := l.from(what, name)
		switch {
		case known && i == startIndex:
			l.add("%s waits for the start", what)
		case known && slices.Contains(c.from, i):
			l.add("%s waits for %q twice", what, name)
		case known:
			l.out[i].joins = append(l.out[i].joins, len(l.joins))
			c.from = append(c.from, i)
		}
	}
	if slices.ContainsFunc(l.joins, func(o compiledJoin) bool { return o.to == c.to && slices.Equal(o.from, c.from) }) {
		l.add("%s of the same nodes is declared twice", what)
	}
	l.joins = append(l.joins, c)
}

func (l *linker[S]) branch(b *branch[S]) {
	what := fmt.Sprintf("branch %q", b.name)
	from, ok := l.from(what, b.from)
	if b.decide == nil {
		l.add("%s has no function", what)
	}
	if len(b.cases) == 0 {
		l.add("%s has no cases", what)
	}
	linked := *b
	linked.cases, linked.targets = slices.Clone(b.cases), make([]int, len(b.cases))
	for i, c := range b.cases {
		if c.Label == "" {
			l.add("%s: the case to %q has no label", what, c.Target)
		}
		if b.labelled(c.Label) < i {
			l.add("%s: two cases are labelled %q", what, c.Label)
		}
		leads := what
		if c.Label == otherwise {
			leads += " otherwise leads"
		}
		linked.targets[i], _ = l.to(leads, c.Target, c.Label != otherwise)
	}
	if ok {
		l.out[from].branches = append(l.out[from].branches, &linked)
	}
}

// checkPaths records the nodes that can't be reached from the start or can't reach the end. Of nodes that share a name it
// looks at the one that edges mean.
func (g *Graph[S]) checkPaths(p *problems) {
	next, previous := map[string][]string{}, map[string][]string{}
	for _, e := range g.topology.Edges {
		next[e.From] = append(next[e.From], e.To)
		previous[e.To] = append(previous[e.To], e.From)
	}
	if len(g.nodes) == ends {
		p.add("the graph has no nodes")
		return
	}
	if len(next[Start]) == 0 {
		p.add("nothing leads out of the start")
		return
	}
	reached, ending := reachable(Start, next), reachable(End, previous)
	for _, n := range g.nodes[ends:] {
		switch {
		case g.index[n.name] != n.index:
		case !reached[n.name]:
			p.add("no path leads from the start to %q", n.name)
		case !ending[n.name]:
			p.add("no path leads from %q to the end", n.name)
		}
	}
}

func reachable(from string, edges map[string][]string) map[string]bool {
	seen := map[string]bool{from: true}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range edges[queue[0]] {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return seen
}
