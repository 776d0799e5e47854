// Package resolve decides which names mean the same entity. Its functions are
// pure: they map the names of graph documents to entities, and read and store
// nothing.
package resolve

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// WithinDocument replaces short names of people by full ones within a document,
// and counts the replacements. A surname, or the last words of a name, is
// replaced if exactly one longer name in the document ends with it.
//
// graphs are the graph documents of the chunks in reading order, and key
// normalises a name. The result has the same length and order and shares no
// node with graphs. WithinDocument is idempotent.
func WithinDocument(graphs []domain.GraphDocument, key func(string) string) ([]domain.GraphDocument, int) {
	full := fullNames(graphs, key)
	out := make([]domain.GraphDocument, len(graphs))
	total := 0
	for i, g := range graphs {
		var n int
		out[i], n = rename(g, full, key)
		total += n
	}
	return out, total
}

// name is a distinct name of a document.
type name struct {
	words []string // of its key
	text  string
	label string
}

// fullNames maps the key of each short name to its full name.
func fullNames(graphs []domain.GraphDocument, key func(string) string) map[string]name {
	var names []name
	index := map[string]int{}
	for _, g := range graphs {
		for _, n := range slices.Concat(g.Nodes, g.Names) {
			k := key(n.Name)
			i, ok := index[k]
			if !ok {
				i = len(names)
				index[k] = i
				names = append(names, name{words: strings.Fields(k), text: n.Name, label: n.Label})
			}
			if names[i].label == domain.UnknownLabel {
				names[i].label = n.Label
			}
		}
	}
	full := map[string]name{}
	for _, short := range names {
		if long, ok := onlyLonger(short, names); ok {
			full[strings.Join(short.words, " ")] = long
		}
	}
	return full
}

// onlyLonger returns the only name that short abbreviates. Candidates that
// abbreviate each other count as one, the longest.
func onlyLonger(short name, names []name) (name, bool) {
	var found name
	for _, long := range names {
		if !abbreviates(short, long) {
			continue
		}
		switch {
		case found.words == nil || abbreviates(found, long):
			found = long
		case !abbreviates(long, found):
			return name{}, false
		}
	}
	return found, found.words != nil
}

// abbreviates reports whether short is the last words of long. Long must be a
// person, because "Bridge" does not abbreviate every bridge, and the labels must
// not contradict each other.
func abbreviates(short, long name) bool {
	if len(short.words) == 0 || len(short.words) >= len(long.words) || long.label != "Person" {
		return false
	}
	if short.label != domain.UnknownLabel && short.label != long.label {
		return false
	}
	return slices.Equal(short.words, long.words[len(long.words)-len(short.words):])
}

// rename replaces short names in a graph document and merges the nodes that become equal. It counts the replacements. A
// name found by rule is dropped if it becomes that of a node, which leads to the chunk as well.
func rename(g domain.GraphDocument, full map[string]name, key func(string) string) (domain.GraphDocument, int) {
	// An empty list stays empty, not nil: a graph without renamed entities equals its original.
	out := domain.GraphDocument{Nodes: slices.Clone(g.Nodes)[:0], Relationships: slices.Clone(g.Relationships)[:0]}
	renamed := 0
	newIndex := make([]int, len(g.Nodes))
	byIdentity := map[string]int{}
	for i, n := range g.Nodes {
		n = clone(n)
		if long, ok := full[key(n.Name)]; ok {
			n.Aliases = append(n.Aliases, n.Name)
			n.Name, n.Label = long.text, long.label
			renamed++
		}
		identity := n.Label + "\x00" + key(n.Name)
		j, ok := byIdentity[identity]
		if !ok {
			j = len(out.Nodes)
			byIdentity[identity] = j
			out.Nodes = append(out.Nodes, n)
		} else {
			out.Nodes[j] = merge(out.Nodes[j], n)
		}
		newIndex[i] = j
	}
	for _, r := range g.Relationships {
		r.Source, r.Target = newIndex[r.Source], newIndex[r.Target]
		if r.Source != r.Target {
			r.Spans = slices.Clone(r.Spans)
			out.Relationships = append(out.Relationships, r)
		}
	}
	for _, n := range g.Names {
		n = clone(n)
		if long, ok := full[key(n.Name)]; ok {
			n.Aliases = append(n.Aliases, n.Name)
			n.Name, n.Label = long.text, long.label
			renamed++
		}
		has := func(o domain.GraphNode) bool { return key(o.Name) == key(n.Name) }
		if !slices.ContainsFunc(out.Nodes, has) && !slices.ContainsFunc(out.Names, has) {
			out.Names = append(out.Names, n)
		}
	}
	return out, renamed
}

func clone(n domain.GraphNode) domain.GraphNode {
	n.Aliases, n.Properties, n.Spans = slices.Clone(n.Aliases), slices.Clone(n.Properties), slices.Clone(n.Spans)
	return n
}

// merge adds to a the aliases, properties and spans of b that it lacks.
func merge(a, b domain.GraphNode) domain.GraphNode {
	for _, alias := range append(b.Aliases, b.Name) {
		if alias != a.Name && !slices.Contains(a.Aliases, alias) {
			a.Aliases = append(a.Aliases, alias)
		}
	}
	for _, p := range b.Properties {
		a.Properties = lists.AppendOnce(a.Properties, p)
	}
	a.Spans = append(a.Spans, b.Spans...)
	slices.SortFunc(a.Spans, func(x, y domain.Span) int { return x.Start - y.Start })
	a.Spans = slices.Compact(a.Spans)
	return a
}
