package stategraph

import (
	"errors"
	"fmt"
	"reflect"
)

// dataProblems lists what of the graph's data would not survive being stored,
// and what is wrong with how nodes are to be run.
func (b *Builder[S]) dataProblems() []error {
	var errs []error
	if err := survives(reflect.TypeFor[S]()); err != nil {
		errs = append(errs, fmt.Errorf("the state does not survive a JSON round trip: %w", err))
	}
	for _, n := range b.nodes {
		if n.payload != nil {
			if err := survives(n.payload); err != nil {
				errs = append(errs, fmt.Errorf("the payload of task %q does not survive a JSON round trip: %w", n.name, err))
			}
		}
		p := n.policy
		if p.timeout < 0 || p.limit < 0 || p.retry.Attempts < 0 || p.retry.Backoff < 0 || p.retry.MaxBackoff < 0 {
			errs = append(errs, fmt.Errorf("node %q has a negative timeout, limit or retry", n.name))
		}
	}
	return errs
}

// wayProblems lists the nodes that no way leads to, or from which none leads
// to the end. Of nodes that share a name it looks at the one that edges mean.
func (g *Graph[S]) wayProblems(places map[string]int) []error {
	if len(g.nodes) == ends {
		return []error{errors.New("the graph has no nodes")}
	}
	next, previous := g.ways()
	reached, ending := walk(startIndex, next), walk(endIndex, previous)
	if len(next[startIndex]) == 0 {
		return []error{errors.New("nothing leads out of the start")}
	}
	var errs []error
	for i, n := range g.nodes[ends:] {
		switch i += ends; {
		case places[n.name] != i:
		case !reached[i]:
			errs = append(errs, fmt.Errorf("no way leads from the start to %q", n.name))
		case !ending[i]:
			errs = append(errs, fmt.Errorf("no way leads from %q to the end", n.name))
		}
	}
	return errs
}

// ways lists, for each node, those it may lead to and those it may be reached
// from.
func (g *Graph[S]) ways() (next, previous [][]int) {
	next, previous = make([][]int, len(g.nodes)), make([][]int, len(g.nodes))
	link := func(from, to int) {
		next[from] = append(next[from], to)
		previous[to] = append(previous[to], from)
	}
	for from, out := range g.out {
		for _, to := range out.edges {
			link(from, to)
		}
		for _, a := range out.joins {
			link(from, g.joins[a.join].to)
		}
		for _, b := range out.branches {
			for _, to := range b.targets {
				link(from, to)
			}
		}
	}
	return next, previous
}

// walk marks what can be reached from a node.
func walk(from int, ways [][]int) []bool {
	seen := make([]bool, len(ways))
	seen[from] = true
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range ways[queue[0]] {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return seen
}
