package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
)

// TestEveryNodeHasPlainWords looks for the names of all graphs: no page shows a name made of
// the node's own.
func TestEveryNodeHasPlainWords(t *testing.T) {
	t.Parallel()
	var check func(graph string, topology stategraph.Topology, within string)
	check = func(graph string, topology stategraph.Topology, within string) {
		for _, n := range topology.Nodes {
			said := diagram.Plain(graph, within+n.Name)
			made := strings.ReplaceAll(n.Name, "_", " ")
			decides := n.Kind == stategraph.KindBranch || n.Kind == stategraph.KindStart || n.Kind == stategraph.KindEnd
			if strings.EqualFold(said.Done, made) && !decides || said.Later == "" || said.Now == "" || strings.Contains(said.Done, "_") {
				t.Errorf("%s of %s is called %+v", n.Name, graph, said)
			}
			if said.Later == said.Now && !decides {
				t.Errorf("%s of %s is called the same at work and before: %+v", n.Name, graph, said)
			}
			if n.Graph != nil {
				check(graph, *n.Graph, within+n.Name+"/")
			}
		}
	}
	for _, s := range shapes {
		topology, err := s.topology()
		noError(t, err)
		check(topology.Name, topology, "")
	}
}
