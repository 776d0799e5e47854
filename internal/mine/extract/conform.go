package extract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
)

// Mined holds the findings in a chunk before a guide's schema is applied.
type Mined struct {
	Graph domain.GraphDocument `json:"graph"`
	Left  []domain.Dropped     `json:"left,omitempty"` // items that no schema restores: the text does not name them
}

// Conform applies the guide's schema to the results of mining. It maps labels and types to the allowed ones by name, by
// synonym, and by a small table of obvious kinds. A strict schema drops what does not fit. No model is called, and the
// same Mined and schema give the same Result.
func (g Guide) Conform(m Mined) Result {
	r := Result{Mined: m, Dropped: slices.Clone(m.Left)}
	if g.Schema.Empty() {
		r.Graph = m.Graph
		return r
	}
	c := conformer{schema: g.Schema, Result: r, place: make([]int, len(m.Graph.Nodes))}
	c.Graph = domain.GraphDocument{Nodes: []domain.GraphNode{}, Relationships: []domain.GraphRelationship{}}
	if !g.Schema.Strict {
		c.Graph.Names = m.Graph.Names
	}
	for i, n := range m.Graph.Nodes {
		c.place[i] = c.node(n)
	}
	for _, e := range m.Graph.Relationships {
		c.relation(m.Graph.Nodes[e.Source], m.Graph.Nodes[e.Target], e)
	}
	for _, n := range c.Graph.Nodes {
		c.require(n.Name, n.Label, n.Properties)
	}
	for _, e := range c.Graph.Relationships {
		c.require(c.Graph.Nodes[e.Source].Name+" "+e.Type+" "+c.Graph.Nodes[e.Target].Name, e.Type, e.Properties)
	}
	return c.Result
}

// conformer makes the graph of a schema.
type conformer struct {
	schema Schema
	Result
	place []int // of each mined node in the graph; -1 if dropped
}

func (c *conformer) drop(d domain.Dropped, code domain.DropCode, format string, args ...any) {
	d.Code, d.Reason = code, fmt.Sprintf(format, args...)
	c.Dropped = append(c.Dropped, d)
}

// node adds a node, or merges it with one of the same name and label, and
// returns its place.
func (c *conformer) node(n domain.GraphNode) int {
	label, ok := c.schema.label(n.Label)
	if !ok && c.schema.Strict {
		d := domain.Dropped{Kind: domain.DroppedEntity, Name: n.Name, Label: n.Label, Spans: n.Spans}
		if n.Label == domain.UnknownLabel {
			c.drop(d, domain.DropLabel, "It has no label, and the schema asks for one.")
		} else {
			c.drop(d, domain.DropLabel, "The schema has no label %s.", n.Label)
		}
		return -1
	}
	n.Label = label
	n.Properties = c.properties(domain.Dropped{Name: n.Name, Label: label, Spans: n.Spans}, label, n.Properties)
	at := slices.IndexFunc(c.Graph.Nodes, func(o domain.GraphNode) bool {
		return o.Label == label && prose.Key(o.Name) == prose.Key(n.Name)
	})
	if at < 0 {
		c.Graph.Nodes = append(c.Graph.Nodes, n)
		return len(c.Graph.Nodes) - 1
	}
	o := &c.Graph.Nodes[at]
	o.Aliases = unique(slices.Concat(o.Aliases, n.Aliases))
	o.Properties = withProperties(o.Properties, n.Properties)
	o.Spans = union(o.Spans, n.Spans)
	return at
}

// relation adds a relation, or merges it with an equal one.
func (c *conformer) relation(from, to domain.GraphNode, e domain.GraphRelationship) {
	mined := domain.Dropped{Kind: domain.DroppedRelation, Name: from.Name, Type: e.Type, Target: to.Name, Spans: e.Spans}
	source, target := c.place[e.Source], c.place[e.Target]
	switch {
	case source < 0:
		c.drop(mined, domain.DropEnd, "Its end %s was dropped.", from.Name)
		return
	case target < 0:
		c.drop(mined, domain.DropEnd, "Its end %s was dropped.", to.Name)
		return
	case source == target:
		c.drop(mined, domain.DropLoop, "Both ends are the same.")
		return
	}
	a, b := c.Graph.Nodes[source].Label, c.Graph.Nodes[target].Label
	kind, joins, turned := c.schema.kind(a, e.Type, b)
	switch {
	case joins:
	case !c.schema.Strict:
		kind, turned = e.Type, false
	case kind == "":
		c.drop(mined, domain.DropType, "The schema has no type %s.", e.Type)
		return
	default:
		if turned {
			a, b = b, a
		}
		mined.Lacks = [3]string{a, kind, b}
		c.drop(mined, domain.DropTriple, "The schema has no triple %s.", Triple{a, kind, b})
		return
	}
	if e.Type = kind; turned {
		source, target = target, source
	}
	e.Source, e.Target = source, target
	mined.Type = kind
	e.Properties = c.properties(mined, kind, e.Properties)
	at := slices.IndexFunc(c.Graph.Relationships, func(o domain.GraphRelationship) bool {
		return o.Source == source && o.Target == target && o.Type == kind
	})
	if at < 0 {
		c.Graph.Relationships = append(c.Graph.Relationships, e)
		return
	}
	o := &c.Graph.Relationships[at]
	o.Properties = withProperties(o.Properties, e.Properties)
	o.Spans = union(o.Spans, e.Spans)
	o.Periods = append(slices.Clip(o.Periods), e.Periods...)
}

// properties returns the properties that fit, under their declared keys. of is
// the item that has them.
func (c *conformer) properties(of domain.Dropped, kind string, have domain.Properties) domain.Properties {
	rules := c.schema.rules(kind)
	if len(rules) == 0 {
		return have
	}
	var kept domain.Properties
	for _, p := range have {
		at := slices.IndexFunc(rules, func(r declared) bool { return strings.EqualFold(r.Key, p.Key) })
		of.Kind, of.Property = domain.DroppedProperty, p
		switch {
		case at < 0 && c.schema.Strict && p.Key != domain.ConfidenceKey:
			c.drop(of, domain.DropProperty, "The schema declares no property %s for %s.", p.Key, kind)
		case at >= 0 && c.schema.Strict && !fitsType(p.Value, rules[at].Type):
			c.drop(of, domain.DropValue, "%q is not of the type %s, which the schema requires of %s.", p.Value, rules[at].Type, rules[at].Key)
		default:
			if at >= 0 {
				p.Key = rules[at].Key
			}
			kept = append(kept, p)
		}
	}
	return kept
}

// require warns of required properties that are missing.
func (c *conformer) require(what, kind string, have domain.Properties) {
	for _, r := range c.schema.rules(kind) {
		if r.Required && !slices.ContainsFunc(have, func(p domain.Property) bool { return p.Key == r.Key }) {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%q lacks the property %s, which the schema requires of %s.", what, r.Key, kind))
		}
	}
}

// rules returns the properties declared for a label or type.
func (s Schema) rules(of string) []declared {
	return slices.DeleteFunc(s.declared(), func(p declared) bool { return p.of != of })
}

func withProperties(have, more domain.Properties) domain.Properties {
	out := slices.Clone(have)
	for _, p := range more {
		out = lists.AppendOnce(out, p)
	}
	return out
}
