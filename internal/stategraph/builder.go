package stategraph

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// The names of the two ends of every graph.
const (
	Start = "start"
	End   = "end"
)

// Builder collects the nodes and edges of a graph over a state of type S.
// [Builder.Compile] reports all mistakes at once.
type Builder[S any] struct {
	name     string
	schema   *state.Schema[S]
	nodes    []*node[S] // start and end first, then in order of declaration
	edges    []plainEdge
	joins    []join
	branches []*branch[S]
	problems problems
}

// The kinds of node.
const (
	KindStart    = "start"
	KindNode     = "node"
	KindTask     = "task" // runs once per payload sent to it
	KindSubgraph = "subgraph"
	KindBranch   = "branch" // decides where to go after a node; writes nothing
	KindEnd      = "end"
)

// node is a named piece of work. Its index in the builder's list identifies it:
// updates are ordered by it, and sends refer to it.
type node[S any] struct {
	name     string
	kind     string
	index    int
	work     func(ctx *Context, input any) (state.Update[S], error) // input is a *S, or the payload of a task
	policy   policy
	reads    state.Fields[S]                                                      // nil if not declared
	writes   state.Fields[S]                                                      // nil if not declared
	payload  reflect.Type                                                         // of a task
	decode   func(state.Codec, []byte) (any, error)                               // decodes a task's payload
	topology *Topology                                                            // of a subgraph
	encoded  encoder                                                              // of a subgraph
	stable   func(path []string, update json.RawMessage) (json.RawMessage, error) // of a subgraph
}

// nested reports whether the node is a graph. Such a node takes no concurrency
// slot itself, and the errors of its nodes already carry their path.
func (n *node[S]) nested() bool { return n.topology != nil }

type plainEdge struct{ from, to string }

type join struct {
	to   string
	from []string
}

// Indexes of the start and the end in a builder's list of nodes.
const (
	startIndex = iota
	endIndex
	ends
)

// New returns an empty graph. Paths in events and errors begin with its name.
func New[S any](name string, sc *state.Schema[S]) *Builder[S] {
	return &Builder[S]{name: name, schema: sc, nodes: []*node[S]{
		{name: Start, kind: KindStart, index: startIndex},
		{name: End, kind: KindEnd, index: endIndex},
	}}
}

// Node adds a node that reads the state and returns what it changes. It runs
// once in each super-step that follows one in which an edge to it was taken. All
// nodes of a super-step share the state: f must not change what s points to.
func (b *Builder[S]) Node(name string, f func(ctx *Context, s S) (state.Update[S], error), opts ...NodeOption) {
	n := &node[S]{name: name, kind: KindNode}
	if f != nil {
		n.work = func(ctx *Context, input any) (state.Update[S], error) { return f(ctx, *input.(*S)) }
	}
	b.add(n, opts)
}

// Task adds a node that runs once for each payload a branch sends to it and sees
// only that payload. Payloads must survive a JSON round trip.
func Task[S, P any](b *Builder[S], name string, f func(ctx *Context, p P) (state.Update[S], error), opts ...NodeOption) Target[S, P] {
	n := &node[S]{name: name, kind: KindTask, payload: reflect.TypeFor[P](), decode: state.Decode[P]}
	if f != nil {
		n.work = func(ctx *Context, input any) (state.Update[S], error) { return f(ctx, input.(P)) }
	}
	return Target[S, P]{b.add(n, opts)}
}

// Edge makes to run in the super-step after from. Several edges into one node,
// taken in the same super-step, run it once; to wait for predecessors of
// different super-steps use [Builder.Join].
func (b *Builder[S]) Edge(from, to string) {
	b.edges = append(b.edges, plainEdge{from, to})
}

// Join makes to run once all nodes of from have run since the join was last
// taken. A run that has nothing left but a waiting join fails.
func (b *Builder[S]) Join(to string, from ...string) {
	b.joins = append(b.joins, join{to, from})
}

// Branch calls f each time after from ran to decide where to go next. f sees the
// state with the updates of the whole super-step merged. The cases name every
// target, including tasks that f sends to. A branch has a name because it is
// drawn as a node. From may be [Start].
func (b *Builder[S]) Branch(from, name string, f func(ctx *Context, s S) (Route[S], error), cases ...Case) {
	b.branches = append(b.branches, &branch[S]{name: name, from: from, decide: f, cases: cases})
}

// add appends a node and notes the mistakes visible in the node alone.
func (b *Builder[S]) add(n *node[S], opts []NodeOption) *node[S] {
	p := &n.policy
	for _, o := range opts {
		o(p)
	}
	if n.work == nil {
		b.problems.add("%s %q has no function", n.kind, n.name)
	}
	if p.limit != 0 && n.kind != KindSubgraph && !n.nested() {
		b.problems.add("%s %q has a recursion limit, which only subgraphs take", n.kind, n.name)
	}
	if p.timeout < 0 || p.limit < 0 || p.retry.Attempts < 0 || p.retry.Backoff < 0 || p.retry.MaxBackoff < 0 {
		b.problems.add("%s %q has a negative timeout, limit or retry", n.kind, n.name)
	}
	if n.payload != nil {
		if p.reads != nil {
			b.problems.add("%s %q declares what it reads, but sees only its payload", n.kind, n.name)
		}
		if err := state.SurvivesJSON(n.payload); err != nil {
			b.problems.add("the payload of task %q does not survive a JSON round trip: %w", n.name, err)
		}
	}
	n.reads, n.writes = b.declared(n, p.reads), b.declared(n, p.writes)
	n.index = len(b.nodes)
	b.nodes = append(b.nodes, n)
	return n
}

// problems collects the mistakes in a graph.
type problems []error

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Errorf(format, args...)) }
