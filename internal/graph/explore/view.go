package explore

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// A View is a part of the graph with positions.
type View struct {
	Nodes  []Node
	Edges  []Edge
	Places []Place // of an overview
	In     []int   // the place of each node, in an overview
	Roads  []Road  // between places

	Loose     int             // entities left out because nothing joins them to others
	LooseLead domain.EntityID // the weightiest of them

	Found     int // entities that belong here, of which Nodes has the weightiest
	Relations int // relations among Nodes, of which Edges has the best supported
}

// A Node is an entity in a view.
type Node struct {
	ID        domain.EntityID
	Name      string
	Label     string
	Passages  int // that mention it
	Documents int // that mention it
	Relations int // of it in the whole graph
	Depth     int // steps from the centre
	Point
}

// A Point is a position in a view, with y downwards.
type Point struct{ X, Y float64 }

// An Edge joins the relations between two nodes, given by index. Without a relation,
// passages mention the two together more often than by chance.
type Edge struct {
	A, B     int
	Kinds    []Kind // the best supported first
	Evidence int    // passages, over all kinds
}

// Weak reports whether e stands for no relation.
func (e Edge) Weak() bool { return len(e.Kinds) == 0 }

// A Kind is one relation of an edge.
type Kind struct {
	Type     string
	Back     bool // from B to A
	Evidence int  // passages that state it
}

// A Place is a community, drawn as a region: a closed curve around the members that are
// drawn.
type Place struct {
	Lead    domain.EntityID // the weightiest member; names the place
	Names   []string        // of the weightiest members
	Members int
	Facts   int // relations among the members
	Tint    int // 1 to Tints, another one than its neighbours have
	Title   Point
	Outline []Point
}

// A Road joins two places, given by index: all that joins their members.
type Road struct {
	A, B     int
	Facts    int  // relations
	Mentions int  // pairs that are only mentioned together
	Under    bool // it would pass under a third place
}

// node returns an entity as a node.
func (g *Graph) node(n int32, depth int, at Point) Node {
	e := g.entities[n]
	return Node{
		ID: e.id, Name: e.name, Label: e.label, Passages: len(g.chunks.of(n)), Documents: e.documents,
		Relations: len(g.incident.of(n)), Depth: depth, Point: at,
	}
}

// edges returns the edges among members that pass, and how many relations they
// would hold without the limit. first says which edges are kept in any case.
func (m mask) edges(members []int32, limit int, first func(a, b int32) bool) ([]Edge, int) {
	index := make(map[int32]int, len(members))
	for i, n := range members {
		index[n] = i
	}
	at := map[[2]int]int{}
	var edges []Edge
	all := 0
	for i, n := range members {
		for _, rel := range m.g.incident.of(n) {
			r := m.g.relations[rel]
			j, inside := index[r.target]
			if r.source != n || !inside || i == j || !m.passes(r) {
				continue
			}
			all++
			pair := [2]int{min(i, j), max(i, j)}
			k, known := at[pair]
			if !known {
				k = len(edges)
				at[pair] = k
				edges = append(edges, Edge{A: pair[0], B: pair[1]})
			}
			edges[k].Kinds = append(edges[k].Kinds, Kind{Type: r.kind, Back: i > j, Evidence: r.evidence})
			edges[k].Evidence += r.evidence
		}
	}
	kept := func(e Edge) bool { return first != nil && first(members[e.A], members[e.B]) }
	if limit > 0 && len(edges) > limit {
		slices.SortStableFunc(edges, func(x, y Edge) int {
			if a, b := kept(x), kept(y); a != b {
				return either(a, -1, 1)
			}
			return cmp.Compare(y.Evidence, x.Evidence)
		})
		edges = edges[:limit]
	}
	if m.filter.Together {
		edges = append(edges, m.ties(index, maxTies)...)
	}
	slices.SortFunc(edges, byEnds)
	for i := range edges {
		slices.SortStableFunc(edges[i].Kinds, func(x, y Kind) int {
			return cmp.Or(cmp.Compare(y.Evidence, x.Evidence), cmp.Compare(x.Type, y.Type))
		})
	}
	return edges, all
}

func byEnds(x, y Edge) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }

func either[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

// Counts returns how many nodes have each label, and how many relations each
// type, the most frequent first.
func (v View) Counts() (labels, types []Count) {
	byLabel, byType := map[string]int{}, map[string]int{}
	for _, n := range v.Nodes {
		byLabel[n.Label]++
	}
	for _, e := range v.Edges {
		for _, k := range e.Kinds {
			byType[k.Type]++
		}
	}
	return counts(byLabel), counts(byType)
}

// Counts returns how many entities have each label, and how many relations each
// type, the most frequent first.
func (g *Graph) Counts() (labels, types []Count) {
	byLabel, byType := map[string]int{}, map[string]int{}
	for _, e := range g.entities {
		byLabel[e.label]++
	}
	for _, r := range g.relations {
		byType[r.kind]++
	}
	return counts(byLabel), counts(byType)
}

// A Count is how often a name occurs.
type Count struct {
	Name string
	N    int
}

func counts(of map[string]int) []Count {
	out := make([]Count, 0, len(of))
	for name, n := range of {
		out = append(out, Count{name, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	return out
}
