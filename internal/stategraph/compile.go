package stategraph

import (
	"errors"
	"fmt"
	"slices"
)

// Graph is a compiled state graph. It does not change any more and may be run
// many times at once.
type Graph[S any] struct {
	name   string
	fields []*field[S]
	nodes  []*node[S]
	out    []exits[S] // by node
	joins  []compiledJoin
	nested bool // it has subgraphs
	places map[string]int
	schema *Schema[S]
	store  Checkpointer // nil: nothing is kept
	codec  Codec
	asks   bool // a node of it or of its subgraphs may interrupt

	topology Topology
}

// exits is where a node leads.
type exits[S any] struct {
	edges    []int
	joins    []arrival
	branches []*branch[S]
}

// arrival is the part of a node in a join.
type arrival struct{ join, slot int }

type compiledJoin struct {
	to   int
	from []int
}

// Name is the name given to New.
func (g *Graph[S]) Name() string { return g.name }

// Compile freezes the graph. Its error joins every mistake there is: names
// that are taken or unknown, nodes that can't be reached or can't reach the
// end, edges that make no sense, branches without cases, and a state, or a
// payload of a task, that would not survive being stored as JSON. The builder
// may be added to and compiled again; graphs compiled earlier stay as they are.
func (b *Builder[S]) Compile(opts ...CompileOption) (*Graph[S], error) {
	o := compilation{codec: standardCodec{}}
	for _, opt := range opts {
		opt(&o)
	}
	l := b.link()
	g, errs := l.g, append(slices.Clone(b.problems), l.errs...)
	if b.schema == nil {
		errs = append(errs, errors.New("the graph has no schema"))
	} else {
		errs = append(errs, b.schema.problems()...)
		g.fields = slices.Clone(b.schema.fields)
	}
	errs = append(errs, b.dataProblems()...)
	errs = append(errs, g.wayProblems(l.places)...)
	if g.asks && o.store == nil && !o.nested {
		errs = append(errs, errors.New("a node may interrupt, and there is no checkpointer to keep the run until it is answered"))
	}
	g.store, g.codec, g.schema, g.places = o.store, o.codec, b.schema, l.places
	if len(errs) > 0 {
		return nil, fmt.Errorf("graph %q: %w", b.name, errors.Join(errs...))
	}
	g.topology = g.draw()
	return g, nil
}

// link resolves names to places.
func (b *Builder[S]) link() *linker[S] {
	g := &Graph[S]{name: b.name, nodes: slices.Clone(b.nodes), out: make([]exits[S], len(b.nodes))}
	l := &linker[S]{g: g, places: map[string]int{}}
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
	for _, n := range g.nodes {
		g.nested = g.nested || n.nested
		g.asks = g.asks || n.policy.interrupts
	}
	return l
}

// linker turns the names of a builder into the indexes of a graph and collects
// what is wrong with them.
type linker[S any] struct {
	g      *Graph[S]
	places map[string]int
	errs   []error
}

func (l *linker[S]) problem(format string, args ...any) {
	l.errs = append(l.errs, fmt.Errorf(format, args...))
}

// names gives every node its place. Branches are drawn as nodes and share
// their names.
func (l *linker[S]) names(branches []*branch[S]) {
	for i, n := range l.g.nodes {
		if n.name == "" {
			l.problem("a %s has no name", n.kind)
		} else if _, taken := l.places[n.name]; taken {
			l.problem("node %q is declared twice", n.name)
		} else {
			l.places[n.name] = i
		}
	}
	taken := map[string]bool{}
	for _, b := range branches {
		if _, node := l.places[b.name]; node || taken[b.name] {
			l.problem("branch %q has the name of another branch or node", b.name)
		}
		if b.name == "" {
			l.problem("a branch from %q has no name", b.from)
		}
		taken[b.name] = true
	}
}

// from is the place of a node that something leads out of.
func (l *linker[S]) from(name, what string) (int, bool) {
	i, known := l.places[name]
	switch {
	case !known:
		l.problem("%s from %q: there is no such node", what, name)
	case i == endIndex:
		l.problem("%s leads out of the end", what)
		return 0, false
	}
	return i, known
}

// to is the place of a node that something leads to.
func (l *linker[S]) to(name, what string) (int, bool) {
	i, known := l.places[name]
	switch {
	case !known:
		l.problem("%s to %q: there is no such node", what, name)
	case i == startIndex:
		l.problem("%s leads into the start", what)
		return 0, false
	}
	return i, known
}

// toNode is the place of a node that is reached without a payload.
func (l *linker[S]) toNode(name, what string) (int, bool) {
	i, ok := l.to(name, what)
	if ok && l.g.nodes[i].kind == KindTask {
		l.problem("%s to %q: a task is reached by sends alone", what, name)
		return 0, false
	}
	return i, ok
}

func (l *linker[S]) edge(e plainEdge) {
	from, okFrom := l.from(e.from, "an edge")
	to, okTo := l.toNode(e.to, "an edge")
	if !okFrom || !okTo {
		return
	}
	exits := &l.g.out[from]
	if slices.Contains(exits.edges, to) {
		l.problem("the edge from %q to %q is declared twice", e.from, e.to)
		return
	}
	exits.edges = append(exits.edges, to)
}

func (l *linker[S]) join(j join) {
	what := fmt.Sprintf("a join into %q", j.to)
	to, ok := l.toNode(j.to, "a join")
	if to == endIndex && ok {
		l.problem("a join leads to the end, which waits for everything as it is")
	}
	if len(j.from) < 2 {
		l.problem("%s waits for %d nodes; it takes two to join", what, len(j.from))
	}
	c := compiledJoin{to: to}
	for _, name := range j.from {
		i, known := l.from(name, what)
		switch {
		case known && i == startIndex:
			l.problem("%s waits for the start", what)
		case known && slices.Contains(c.from, i):
			l.problem("%s waits for %q twice", what, name)
		case known:
			l.g.out[i].joins = append(l.g.out[i].joins, arrival{len(l.g.joins), len(c.from)})
			c.from = append(c.from, i)
		}
	}
	l.g.joins = append(l.g.joins, c)
}

func (l *linker[S]) branch(b *branch[S]) {
	what := fmt.Sprintf("branch %q", b.name)
	from, ok := l.from(b.from, what)
	if b.decide == nil {
		l.problem("%s has no function", what)
	}
	if len(b.cases) == 0 {
		l.problem("%s has no cases", what)
	}
	linked := *b
	linked.cases, linked.targets = slices.Clone(b.cases), make([]int, len(b.cases))
	for i, c := range b.cases {
		linked.targets[i] = l.branchCase(b, i, c, what)
	}
	if ok {
		l.g.out[from].branches = append(l.g.out[from].branches, &linked)
	}
}

// branchCase is the place of a case's target.
func (l *linker[S]) branchCase(b *branch[S], i int, c Case, what string) int {
	if c.Label == "" {
		l.problem("%s: the case to %q has no label", what, c.Target)
	}
	if b.labelled(c.Label) < i {
		l.problem("%s: two cases are labelled %q", what, c.Label)
	}
	if c.Label == otherwise {
		to, _ := l.toNode(c.Target, what+" otherwise leads")
		return to
	}
	to, _ := l.to(c.Target, what)
	return to
}
