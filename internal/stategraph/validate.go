package stategraph

// checkWays notes the nodes that no way leads to, or from which none leads to
// the end. Of nodes that share a name it looks at the one that edges mean.
func (g *Graph[S]) checkWays(p *problems) {
	next, previous := map[string][]string{}, map[string][]string{}
	for _, e := range g.topology.Edges {
		next[e.From] = append(next[e.From], e.To)
		previous[e.To] = append(previous[e.To], e.From)
	}
	if len(g.nodes) == ends {
		p.add("the graph has no nodes")
		return
	}
	if len(next[Start]) == 0 {
		p.add("nothing leads out of the start")
		return
	}
	reached, ending := walk(Start, next), walk(End, previous)
	for _, n := range g.nodes[ends:] {
		switch {
		case g.places[n.name] != n.index:
		case !reached[n.name]:
			p.add("no way leads from the start to %q", n.name)
		case !ending[n.name]:
			p.add("no way leads from %q to the end", n.name)
		}
	}
}

// walk marks what can be reached from a node.
func walk(from string, ways map[string][]string) map[string]bool {
	seen := map[string]bool{from: true}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range ways[queue[0]] {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return seen
}
