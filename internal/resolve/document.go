// Package resolve decides which mentions mean the same entity. Its functions
// are pure.
package resolve

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// WithinDocument gives every entity of one document one name, the most
// complete one: a person's bare surname, or a name without its first words,
// takes the longer form, provided that exactly one longer form in the document
// fits. The graph documents are those of the document's chunks in reading
// order; the result has the same length and order, shares no node with the
// input, and applying the function again changes nothing. key is the normal
// form of a name. It also counts the names that took a longer form.
func WithinDocument(graphs []domain.GraphDocument, key func(string) string) ([]domain.GraphDocument, int) {
	longer := fullNames(graphs, key)
	out := make([]domain.GraphDocument, len(graphs))
	changed := 0
	for i, g := range graphs {
		var n int
		out[i], n = rename(g, longer, key)
		changed += n
	}
	return out, changed
}

// name is one distinct name of a document with what is known of it.
type name struct {
	words []string // of its key
	text  string
	label string
}

// fullNames maps the key of each short name to the name that stands for it.
func fullNames(graphs []domain.GraphDocument, key func(string) string) map[string]name {
	var names []name
	seen := map[string]int{}
	for _, g := range graphs {
		for _, n := range g.Nodes {
			k := key(n.Name)
			at, ok := seen[k]
			if !ok {
				at = len(names)
				seen[k] = at
				names = append(names, name{words: strings.Fields(k), text: n.Name, label: n.Label})
			}
			if names[at].label == domain.UnknownLabel {
				names[at].label = n.Label
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

// onlyLonger finds the one name that short abbreviates. Several candidates of
// which one abbreviates into the other count as one, the longest.
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

// abbreviates reports whether short is a shorter way to write long: the last
// words of a person's name. Kinds must not contradict each other, and the long
// name must be known to be a person: "Bridge" is not short for every bridge.
func abbreviates(short, long name) bool {
	if len(short.words) == 0 || len(short.words) >= len(long.words) || long.label != "Person" {
		return false
	}
	if short.label != domain.UnknownLabel && short.label != long.label {
		return false
	}
	return slices.Equal(short.words, long.words[len(long.words)-len(short.words):])
}

// rename replaces short names in one graph document, merging nodes that become
// the same. It counts the nodes that changed.
func rename(g domain.GraphDocument, longer map[string]name, key func(string) string) (domain.GraphDocument, int) {
	var out domain.GraphDocument
	changed := 0
	place := make([]int, len(g.Nodes))
	byKey := map[string]int{}
	for i, n := range g.Nodes {
		n = clone(n)
		if long, ok := longer[key(n.Name)]; ok {
			n.Aliases = append(n.Aliases, n.Name)
			n.Name, n.Label = long.text, long.label
			changed++
		}
		identity := n.Label + "\x00" + key(n.Name)
		at, ok := byKey[identity]
		if !ok {
			at = len(out.Nodes)
			byKey[identity] = at
			out.Nodes = append(out.Nodes, n)
		} else {
			out.Nodes[at] = merge(out.Nodes[at], n)
		}
		place[i] = at
	}
	for _, r := range g.Relationships {
		r.Source, r.Target = place[r.Source], place[r.Target]
		if r.Source != r.Target {
			r.Spans = slices.Clone(r.Spans)
			out.Relationships = append(out.Relationships, r)
		}
	}
	return out, changed
}

func clone(n domain.GraphNode) domain.GraphNode {
	n.Aliases, n.Properties, n.Spans = slices.Clone(n.Aliases), slices.Clone(n.Properties), slices.Clone(n.Spans)
	return n
}

// merge joins two nodes of one entity: all aliases but the name itself, all
// properties, all spans, each once.
func merge(a, b domain.GraphNode) domain.GraphNode {
	for _, alias := range append(b.Aliases, b.Name) {
		if alias != a.Name && !slices.Contains(a.Aliases, alias) {
			a.Aliases = append(a.Aliases, alias)
		}
	}
	for _, p := range b.Properties {
		if !slices.Contains(a.Properties, p) {
			a.Properties = append(a.Properties, p)
		}
	}
	a.Spans = append(a.Spans, b.Spans...)
	slices.SortFunc(a.Spans, func(x, y domain.Span) int { return x.Start - y.Start })
	a.Spans = slices.Compact(a.Spans)
	return a
}
