// Package draw writes the shape of a state graph as text.
package draw

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/stategraph"
)

// Mermaid draws a graph as a Mermaid flowchart: branches as diamonds with
// dashed, labelled edges to their cases, tasks slanted, subgraphs with double
// sides, joins as thick edges. The same graph gives the same text.
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

// quoted is a text as Mermaid takes it: characters that have a meaning in its
// labels become entities.
func quoted(s string) string {
	return `"` + strings.NewReplacer("&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(s) + `"`
}

// identifier makes a name into one that Mermaid takes and that is not in use.
// Words of its language, such as "end", get an underscore like all names that
// had to be changed.
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
