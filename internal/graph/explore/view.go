package explore

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A View is a part of the graph with positions.
type View struct {
	Nodes  []Node
	Edges  []Edge
	Places []Place // of an overview
	In     []int   // the place of each node, in an overview
	Roads  []Road  // between places

	Loose     int             // entities left out because nothing connects them to others
	LooseLead domain.EntityID // the weightiest of them

	Turns []Turn // years in which relations begin or end, in order, regardless of the requested time

	Found     int // entities that belong here; Nodes has the weightiest
	Relations int // relations among Nodes; Edges has the best supported
}

// A Node is an entity in a view.
type Node struct {
	ID        domain.EntityID
	Name      string
	Label     string
	Documents int // that mention it
	Relations int // in the whole graph
	Depth     int // steps from the centre
	Point
}

// A Point is a position in a view, with y downwards.
type Point struct{ X, Y float64 }

// An Edge joins the relations between two nodes, given by index. Without a relation,
// passages mention the two together more often than by chance.
type Edge struct {
	A, B     int
	Kinds    []Kind // best supported first
	Evidence int    // passages for all kinds
}

// Weak reports whether e is not a relation.
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
	Tint    int // 1 to Tints, different from its neighbours
	Title   Point
	Outline []Point
}

// A Road joins two places, given by index: all that joins their members.
type Road struct {
	A        int  `json:"a"`
	B        int  `json:"b"`
	Facts    int  `json:"facts"`           // relations
	Mentions int  `json:"mentions"`        // pairs that are only mentioned together
	Under    bool `json:"under,omitempty"` // it would pass under a third place
}

// A Turn is a year in which relations begin or end.
type Turn struct{ Year, Begin, End int }

// turns counts the relations among members that begin or end in each year. What was done once ends in none.
func (m mask) turns(members []int32) []Turn {
	m.filter.AsOf = domain.Day{}
	in, at := make(map[int32]bool, len(members)), map[int]*Turn{}
	turn := func(d domain.Day) *Turn {
		if at[d.Year] == nil {
			at[d.Year] = &Turn{Year: d.Year}
		}
		return at[d.Year]
	}
	for _, n := range members {
		in[n] = true
	}
	for _, n := range members {
		for _, rel := range m.g.incident.of(n) {
			r := m.g.relations[rel]
			if r.source != n || !in[r.target] || len(r.periods) == 0 || !m.passes(r) {
				continue
			}
			for _, p := range r.periods {
				if p.From.Known() {
					turn(p.From).Begin++
				}
				if p.Until.Known() && p.Until != p.From && !domain.Done(r.kind) {
					turn(p.Until).End++
				}
			}
		}
	}
	return lists.Map(slices.Sorted(maps.Keys(at)), func(year int) Turn { return *at[year] })
}

// node returns an entity as a node.
func (g *Graph) node(n int32, depth int, at Point) Node {
	e := g.entities[n]
	return Node{
		ID: e.id, Name: e.name, Label: e.label, Documents: e.documents,
		Relations: e.relations, Depth: depth, Point: at,
	}
}

// edges returns the edges among members that pass, and how many relations they would contain without the limit. first
// selects edges that are kept in any case.
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

// A Filter narrows a graph. Empty fields let everything pass.
type Filter struct {
	Labels    []string
	Types     []string
	Documents map[domain.DocumentID]bool // only entities that these documents mention; nil means all
	Passages  []domain.ChunkID           // only entities that these mention, in place of Documents; nil means all
	Evidence  int                        // minimum of passages that state a relation
	Hide      []domain.EntityID
	AsOf      domain.Day // only relations that hold then, if known
	Together  bool       // with the lines between entities only mentioned together
}

// mask holds the entities and relations that pass a filter.
type mask struct {
	g        *Graph
	filter   Filter
	entities []bool
	chunks   []bool // those of the filter's documents; nil means all
}

func (g *Graph) mask(f Filter) mask {
	m := mask{g: g, filter: f, entities: make([]bool, len(g.entities))}
	m.choose()
	for i, e := range g.entities {
		m.entities[i] = (len(f.Labels) == 0 || slices.Contains(f.Labels, e.label)) && m.mentioned(int32(i))
	}
	for _, n := range g.indices(f.Hide) {
		m.entities[n] = false
	}
	return m
}

// choose marks the chunks of the filter.
func (m *mask) choose() {
	f := m.filter
	if f.Documents == nil && f.Passages == nil {
		return
	}
	m.chunks = make([]bool, len(m.g.of))
	if f.Passages != nil {
		for _, id := range f.Passages {
			if c, held := m.g.chunk[id]; held {
				m.chunks[c] = true
			}
		}
		return
	}
	for c, d := range m.g.of {
		m.chunks[c] = f.Documents[m.g.documents[d]]
	}
}

// members returns the entities that pass.
func (m mask) members() []int32 {
	var list []int32
	for n, passes := range m.entities {
		if passes {
			list = append(list, int32(n))
		}
	}
	return list
}

// mentioned reports whether a document of the filter mentions an entity.
func (m mask) mentioned(n int32) bool {
	return m.chunks == nil || slices.ContainsFunc(m.g.chunks.of(n), func(c int32) bool { return m.chunks[c] })
}

// passes reports whether a relation and both its ends match the filters. With a filter of documents, one of their
// passages must mention both ends.
func (m mask) passes(r relation) bool {
	f := m.filter
	return m.entities[r.source] && m.entities[r.target] && r.evidence >= f.Evidence && domain.Holds(r.kind, r.periods, f.AsOf) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, r.kind)) && (m.chunks == nil || m.together(r.source, r.target))
}

func (m mask) together(a, b int32) bool {
	of, other := m.g.chunks.of(a), m.g.chunks.of(b)
	for i, j := 0, 0; i < len(of) && j < len(other); {
		switch {
		case of[i] < other[j]:
			i++
		case of[i] > other[j]:
			j++
		case m.chunks[of[i]]:
			return true
		default:
			i++
			j++
		}
	}
	return false
}

// neighbours calls f with each relation of n that passes and its other end.
func (m mask) neighbours(n int32, f func(r relation, other int32)) {
	for _, at := range m.g.incident.of(n) {
		if r := m.g.relations[at]; m.passes(r) && r.source != r.target {
			f(r, r.other(n))
		}
	}
}

// Columns are a view in the form that scripts read: in columns, which compress well. The values of a node or edge are
// at its index. Labels and types are indices into their lists.
type Columns struct {
	Labels []string      `json:"labels"`
	Types  []string      `json:"types"`
	Nodes  NodeColumns   `json:"nodes"`
	Edges  EdgeColumns   `json:"edges"`
	Places []PlaceColumn `json:"places,omitempty"`
	In     []int         `json:"in,omitempty"`    // the place of each node
	Roads  []Road        `json:"roads,omitempty"` // between places
}

// NodeColumns are the nodes of a view.
type NodeColumns struct {
	ID        []string `json:"id"`
	Name      []string `json:"name"`
	Label     []int    `json:"label"`
	X         []int    `json:"x"`
	Y         []int    `json:"y"`
	Weight    []int    `json:"weight"` // relations
	Depth     []int    `json:"depth"`
	Documents []int    `json:"documents"`
}

// EdgeColumns are the edges of a view. They give ends as indices of nodes. Only the best
// supported type of an edge is named, and how many more there are; a weak edge has the
// type -1.
type EdgeColumns struct {
	From     []int `json:"from"`
	To       []int `json:"to"`
	Type     []int `json:"type"`
	More     []int `json:"more"`
	Evidence []int `json:"evidence"`
}

// PlaceColumn is a place of a view.
type PlaceColumn struct {
	Lead    string   `json:"lead"`
	Names   []string `json:"names"`
	Members int      `json:"members"`
	Tint    int      `json:"tint"`
	Title   [2]int   `json:"title"`
	Outline [][2]int `json:"outline"`
}

// Columns returns v in columns.
func (v View) Columns() Columns {
	n, m := len(v.Nodes), len(v.Edges)
	out := Columns{Nodes: newNodeColumns(n), Edges: newEdgeColumns(m)}
	labels, types := newTable(), newTable()
	for _, n := range v.Nodes {
		c := &out.Nodes
		c.ID, c.Name, c.Label = append(c.ID, string(n.ID)), append(c.Name, n.Name), append(c.Label, labels.index(n.Label))
		c.X, c.Y = append(c.X, round(n.X)), append(c.Y, round(n.Y))
		c.Weight, c.Depth, c.Documents = append(c.Weight, n.Relations), append(c.Depth, n.Depth), append(c.Documents, n.Documents)
	}
	for _, e := range v.Edges {
		c := &out.Edges
		from, to, kind := e.A, e.B, -1
		if len(e.Kinds) > 0 {
			kind = types.index(e.Kinds[0].Type)
			if e.Kinds[0].Back {
				from, to = to, from
			}
		}
		c.From, c.To, c.Type = append(c.From, from), append(c.To, to), append(c.Type, kind)
		c.More, c.Evidence = append(c.More, max(0, len(e.Kinds)-1)), append(c.Evidence, e.Evidence)
	}
	for _, p := range v.Places {
		c := PlaceColumn{Lead: string(p.Lead), Names: p.Names, Members: p.Members, Tint: p.Tint, Title: rounded(p.Title)}
		for _, at := range p.Outline {
			c.Outline = append(c.Outline, rounded(at))
		}
		out.Places = append(out.Places, c)
	}
	out.In, out.Roads = v.In, v.Roads
	out.Labels, out.Types = labels.list, types.list
	return out
}

func newNodeColumns(n int) NodeColumns {
	numbers := func() []int { return make([]int, 0, n) }
	return NodeColumns{make([]string, 0, n), make([]string, 0, n), numbers(), numbers(), numbers(), numbers(), numbers(), numbers()}
}

func newEdgeColumns(n int) EdgeColumns {
	numbers := func() []int { return make([]int, 0, n) }
	return EdgeColumns{numbers(), numbers(), numbers(), numbers(), numbers()}
}

func rounded(p Point) [2]int { return [2]int{round(p.X), round(p.Y)} }

func round(x float64) int { return int(math.Round(x)) }

// table numbers strings in the order in which they occur.
type table struct {
	list []string
	at   map[string]int
}

func newTable() table { return table{list: []string{}, at: map[string]int{}} }

func (t *table) index(s string) int {
	i, known := t.at[s]
	if !known {
		i = len(t.list)
		t.at[s] = i
		t.list = append(t.list, s)
	}
	return i
}
