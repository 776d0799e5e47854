// Package draw renders the shape of a state graph as text.
package draw

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/stategraph"
)

// Mermaid returns a graph as a Mermaid flowchart: branches as diamonds with
// dashed, labelled edges to their cases, tasks slanted, subgraphs with double
// sides, joins as thick edges. The text is deterministic.
func Mermaid(t stategraph.Topology) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	ids := map[string]string{}
	for _, n := range t.Nodes {
		ids[n.Name] = identifier(n.Name, ids)
		fmt.Fprintf(&b, "    %s%s\n", ids[n.Name], shape(n))
	}
	for _, e := range t.Edges {
		fmt.Fprintf(&b, "    %s %s %s\n", ids[e.From], arrow(e), ids[e.To])
	}
	return b.String()
}

func shape(n stategraph.TopologyNode) string {
	name := quoted(n.Name)
	switch n.Kind {
	case stategraph.KindStart, stategraph.KindEnd:
		return "([" + name + "])"
	case stategraph.KindBranch:
		return "{" + name + "}"
	case stategraph.KindTask:
		return "[/" + name + "/]"
	case stategraph.KindSubgraph:
		return "[[" + name + "]]"
	}
	return "[" + name + "]"
}

func arrow(e stategraph.TopologyEdge) string {
	switch {
	case e.Conditional:
		return "-. " + quoted(e.Label) + " .->"
	case e.Join:
		return "==>"
	}
	return "-->"
}

// quoted quotes a label and replaces characters special to Mermaid by entities.
func quoted(s string) string {
	return `"` + strings.NewReplacer("&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(s) + `"`
}

// identifier turns a name into an unused Mermaid identifier. Reserved words such
// as "end" and names already used get underscores.
func identifier(name string, used map[string]string) string {
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, name)
	words := []string{"end", "graph", "subgraph", "flowchart", "style", "class", "click", "default", "direction", "linkStyle", "classDef"}
	if id == "" || slices.Contains(words, id) {
		id += "_"
	}
	for slices.Contains(slices.Collect(maps.Values(used)), id) {
		id += "_"
	}
	return id
}
