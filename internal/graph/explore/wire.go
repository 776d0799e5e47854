package explore

import "math"

// Columns are a view as scripts read it, in columns, which compress well: the
// values of a node or edge stand at its index. Labels and types are indices of
// their lists.
type Columns struct {
	Labels []string      `json:"labels"`
	Types  []string      `json:"types"`
	Nodes  NodeColumns   `json:"nodes"`
	Edges  EdgeColumns   `json:"edges"`
	Places []PlaceColumn `json:"places,omitempty"`
	In     []int         `json:"in,omitempty"`    // the place of each node
	Roads  []RoadColumn  `json:"roads,omitempty"` // between places
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

// RoadColumn is a road of a view.
type RoadColumn struct {
	A        int  `json:"a"`
	B        int  `json:"b"`
	Facts    int  `json:"facts"`
	Mentions int  `json:"mentions"`
	Under    bool `json:"under,omitempty"`
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
	out.In = v.In
	for _, r := range v.Roads {
		out.Roads = append(out.Roads, RoadColumn(r))
	}
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
