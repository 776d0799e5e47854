package stategraph

import (
	"encoding/json"
	"fmt"
)

// Stable returns the update of a node, as in an event, without what differs
// between runs that do the same: members of the state's types with the tag
// `volatile:"true"`. path leads to the subgraph whose node it is, outermost first.
func (g *Graph[S]) Stable(path []string, update json.RawMessage) (json.RawMessage, error) {
	if len(path) == 0 {
		return g.schema.Stable(update)
	}
	i, known := g.index[path[0]]
	if !known || !g.nodes[i].nested() {
		return nil, fmt.Errorf("graph %q has no subgraph %q", g.name, path[0])
	}
	return g.nodes[i].stable(path[1:], update)
}
