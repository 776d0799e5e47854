package stategraph

import (
	"fmt"
	"github.com/clewhq/clew/internal/stategraph/state"
	"reflect"

	"github.com/clewhq/clew/internal/stategraph/jsontype"
)

// The names of the two ends of every graph.
const (
	Start = "start"
	End   = "end"
)

// Builder collects the nodes and edges of a graph over a state of type S.
// Mistakes don't show until [Builder.Compile], which reports all of them.
type Builder[S any] struct {
	name     string
	schema   *state.Schema[S]
	nodes    []*node[S] // start and end first, then as declared
	edges    []plainEdge
	joins    []join
	branches []*branch[S]
	problems problems
}

// The kinds of node.
const (
	KindStart    = "start"
	KindNode     = "node"
	KindTask     = "task" // runs once for each payload sent to it
	KindSubgraph = "subgraph"
	KindBranch   = "branch" // decides; runs after its node and writes nothing
	KindEnd      = "end"
)

// node is a named piece of work. Its place in the builder's list is its
// identity: it orders updates, and sends refer to it.
type node[S any] struct {
	name     string
	kind     string
	index    int
	work     func(ctx *Context, input any) (state.Update[S], error) // input is a *S, or the payload of a task
	policy   policy
	reads    state.Fields[S]                        // nil: not declared
	writes   state.Fields[S]                        // nil: not declared
	payload  reflect.Type                           // of a task
	decode   func(state.Codec, []byte) (any, error) // of a task: its payload
	topology *Topology                              // of a subgraph
}

// nested reports whether the node is a graph itself: it holds no slot while its
// nodes do, and their errors say where they come from.
func (n *node[S]) nested() bool { return n.topology != nil }

type plainEdge struct{ from, to string }

type join struct {
	to   string
	from []string
}

// The places of the two ends in a builder's list of nodes.
const (
	startIndex = iota
	endIndex
	ends
)

// New is an empty graph. The name begins the path of its events and errors.
func New[S any](name string, sc *state.Schema[S]) *Builder[S] {
	return &Builder[S]{name: name, schema: sc, nodes: []*node[S]{
		{name: Start, kind: KindStart, index: startIndex},
		{name: End, kind: KindEnd, index: endIndex},
	}}
}

// Node adds a node that reads the state and returns what it changes. It runs
// once in each super-step after one in which an edge to it was taken. The
// state it gets is shared with all others of its super-step: it must not
// change what s points to.
func (b *Builder[S]) Node(name string, f func(ctx *Context, s S) (state.Update[S], error), opts ...NodeOption) {
	n := &node[S]{name: name, kind: KindNode}
	if f != nil {
		n.work = func(ctx *Context, input any) (state.Update[S], error) { return f(ctx, *input.(*S)) }
	}
	b.add(n, opts)
}

// Task adds a node that runs once for each payload that a branch sends to it,
// and sees that payload alone. Payloads are JSON-able data.
func Task[S, P any](b *Builder[S], name string, f func(ctx *Context, p P) (state.Update[S], error), opts ...NodeOption) Target[S, P] {
	n := &node[S]{name: name, kind: KindTask, payload: reflect.TypeFor[P](), decode: state.Decode[P]}
	if f != nil {
		n.work = func(ctx *Context, input any) (state.Update[S], error) { return f(ctx, input.(P)) }
	}
	return Target[S, P]{b.add(n, opts)}
}

// Edge has to run in the super-step after one in which from ran. Several
// edges to one node, taken in the same super-step, run it once; a node that
// is to wait for predecessors of different super-steps needs a [Builder.Join].
func (b *Builder[S]) Edge(from, to string) {
	b.edges = append(b.edges, plainEdge{from, to})
}

// Join has to run once all nodes of from have run since it last did. A run
// with nothing left to do but a join that still waits is an error.
func (b *Builder[S]) Join(to string, from ...string) {
	b.joins = append(b.joins, join{to, from})
}

// Branch has f decide, each time after from ran, where to go next. It sees the
// state with the updates of the whole super-step merged. The cases name all
// places it may go to; a task that it sends to is one of them. The name is the
// branch's own, drawn as a diamond. From may be [Start].
func (b *Builder[S]) Branch(from, name string, f func(ctx *Context, s S) (Route[S], error), cases ...Case) {
	b.branches = append(b.branches, &branch[S]{name: name, from: from, decide: f, cases: cases})
}

// add takes a node in, and notes what is wrong with it by itself.
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
			b.problems.add("%s %q declares what it reads, and sees its payload alone", n.kind, n.name)
		}
		if err := jsontype.Survives(n.payload); err != nil {
			b.problems.add("the payload of task %q does not survive a JSON round trip: %w", n.name, err)
		}
	}
	n.reads, n.writes = b.declared(n, p.reads), b.declared(n, p.writes)
	n.index = len(b.nodes)
	b.nodes = append(b.nodes, n)
	return n
}

// problems collects what is wrong with a graph.
type problems []error

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Errorf(format, args...)) }
