package extract

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// build ties what a model mined to the text of the chunk. What the text does
// not name is left out with a warning; the rest is in the order mined, with
// spans in the document's text.
func build(m mined, c domain.Chunk) (domain.GraphDocument, []string) {
	b := builder{text: newPassage(c.Text), warnings: m.problems}
	for _, n := range m.nodes {
		b.add(n)
	}
	for _, r := range m.relations {
		b.addEnd(r.source, r.sourceLabel)
		b.addEnd(r.target, r.targetLabel)
	}
	b.mergeAliases()
	b.ground()
	for _, r := range m.relations {
		b.relate(r)
	}
	return b.graph(c.Span.Start), b.warnings
}

// builder gathers a graph.
type builder struct {
	text     passage
	entities []*entity
	edges    []domain.GraphRelationship
	warnings []string
}

// entity is a node in the making.
type entity struct {
	name, label string
	aliases     []string
	properties  domain.Properties
	place       found
	into        *entity // the entity that this one turned out to be
	index       int     // in the graph, -1 when left out
}

// final is what e turned out to be.
func (e *entity) final() *entity {
	for e.into != nil {
		e = e.into
	}
	return e
}

func (b *builder) warn(format string, args ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
}

// add takes a node; one that bears the same name joins the first, unless both
// have a label and they differ.
func (b *builder) add(n minedNode) {
	if prose.Key(n.name) == "" {
		return
	}
	label := Label(n.label)
	e := b.lookup(n.name, label)
	if e == nil {
		e = &entity{name: n.name, label: label}
		b.entities = append(b.entities, e)
	}
	e.join(entity{name: n.name, label: label, aliases: n.aliases, properties: n.properties})
}

// addEnd takes an end of a relation that was not listed as a node. One that was
// keeps its label, whatever the relation says.
func (b *builder) addEnd(name, label string) {
	key := prose.Key(name)
	known := slices.ContainsFunc(b.entities, func(e *entity) bool {
		return prose.Key(e.name) == key && e.label != domain.UnknownLabel
	})
	if !known {
		b.add(minedNode{name: name, label: label})
	}
}

// lookup finds the entity of a name: of the same label best, else where either
// label is unknown.
func (b *builder) lookup(name, label string) *entity {
	key := prose.Key(name)
	var loose *entity
	for _, e := range b.entities {
		if prose.Key(e.name) != key {
			continue
		}
		if e.label == label {
			return e
		}
		if loose == nil && (e.label == domain.UnknownLabel || label == domain.UnknownLabel) {
			loose = e
		}
	}
	return loose
}

// join adds what is known of o to e; the more complete name stands.
func (e *entity) join(o entity) {
	if e.label == domain.UnknownLabel {
		e.label = o.label
	}
	if moreComplete(o.name, e.name) {
		e.aliases = append(e.aliases, e.name)
		e.name = o.name
	} else if o.name != e.name {
		e.aliases = append(e.aliases, o.name)
	}
	e.aliases = unique(append(e.aliases, o.aliases...))
	for _, p := range o.properties {
		if !slices.Contains(e.properties, p) {
			e.properties = append(e.properties, p)
		}
	}
}

// moreComplete reports whether a has more words than b, or as many and more
// letters.
func moreComplete(a, b string) bool {
	words, other := len(strings.Fields(prose.Key(a))), len(strings.Fields(prose.Key(b)))
	if words != other {
		return words > other
	}
	return utf8.RuneCountInString(prose.Key(a)) > utf8.RuneCountInString(prose.Key(b))
}

// mergeAliases joins an entity to the one entity that has its name as an
// alias, if there is exactly one and their labels agree.
func (b *builder) mergeAliases() {
	for _, e := range b.entities {
		var owners []*entity
		for _, o := range b.entities {
			agree := o.label == e.label || o.label == domain.UnknownLabel || e.label == domain.UnknownLabel
			if o != e && agree && o.into == nil && o.goesBy(e.name) {
				owners = append(owners, o)
			}
		}
		if len(owners) == 1 {
			owners[0].join(*e)
			e.into = owners[0]
		}
	}
}

func (e *entity) goesBy(name string) bool {
	key := prose.Key(name)
	return slices.ContainsFunc(e.aliases, func(a string) bool { return prose.Key(a) == key })
}

// ground finds every entity in the text and gives it its index; one that the
// text does not name gets none.
func (b *builder) ground() {
	next := 0
	for _, e := range b.entities {
		e.index = -1
		if e.into != nil {
			continue
		}
		e.place = b.text.ground(e.name, e.label, e.aliases)
		if len(e.place.spans) == 0 {
			b.warn("The entity %q was left out: the text does not name it.", e.name)
			continue
		}
		b.spell(e)
		e.index = next
		next++
	}
}

// spell writes the entity's name and aliases as the text does. Aliases that
// the text does not have are dropped.
func (b *builder) spell(e *entity) {
	key := prose.Key(e.name)
	var aliases []string
	for _, s := range e.place.spans {
		form := b.text.slice(s)
		switch {
		case prose.Key(form) != key:
			aliases = append(aliases, form)
		case e.place.exact:
			e.name, e.place.exact = form, false // the first place gives the spelling
		}
	}
	e.aliases = unique(aliases)
}

// relate adds a relation between entities that the text names. The same
// relation mined twice is one.
func (b *builder) relate(r minedRelation) {
	source, target := b.resolve(r.source, r.sourceLabel), b.resolve(r.target, r.targetLabel)
	if source == nil || target == nil || source.index < 0 || target.index < 0 {
		b.warn("The relation %q %s %q was left out: the text does not name both ends.", r.source, Type(r.kind), r.target)
		return
	}
	if source == target {
		b.warn("The relation %q %s %q was left out: both ends are the same.", r.source, Type(r.kind), r.target)
		return
	}
	kind := Type(r.kind)
	at := slices.IndexFunc(b.edges, func(e domain.GraphRelationship) bool {
		return e.Source == source.index && e.Target == target.index && e.Type == kind
	})
	if at >= 0 {
		e := &b.edges[at]
		for _, p := range r.properties {
			if !slices.Contains(e.Properties, p) {
				e.Properties = append(e.Properties, p)
			}
		}
		return
	}
	b.edges = append(b.edges, domain.GraphRelationship{
		Source: source.index, Target: target.index, Type: kind, Raw: r.kind, Properties: r.properties,
		Spans: b.text.sentencesWith(source.place.spans, target.place.spans),
	})
}

// resolve is the entity that a relation means by a name.
func (b *builder) resolve(name, label string) *entity {
	label = Label(label)
	key := prose.Key(name)
	var loose *entity
	for _, e := range b.entities {
		f := e.final()
		if prose.Key(e.name) != key && !e.goesBy(name) && !f.goesBy(name) {
			continue
		}
		if f.label == label || e.label == label {
			return f
		}
		if loose == nil {
			loose = f
		}
	}
	return loose
}

// graph is the result, with spans moved into the document.
func (b *builder) graph(offset int) domain.GraphDocument {
	g := domain.GraphDocument{Nodes: []domain.GraphNode{}, Relationships: []domain.GraphRelationship{}}
	for _, e := range b.entities {
		if e.into == nil && e.index >= 0 {
			g.Nodes = append(g.Nodes, domain.GraphNode{
				Name: e.name, Label: e.label, Aliases: e.aliases, Properties: e.properties, Spans: shift(e.place.spans, offset),
			})
		}
	}
	for _, e := range b.edges {
		e.Spans = shift(e.Spans, offset)
		g.Relationships = append(g.Relationships, e)
	}
	return g
}

func shift(spans []domain.Span, by int) []domain.Span {
	out := make([]domain.Span, len(spans))
	for i, s := range spans {
		out[i] = s.Shift(by)
	}
	return out
}

// union adds the spans of more that overlap none of spans, in order of place.
func union(spans, more []domain.Span) []domain.Span {
	out := slices.Clone(spans)
	for _, s := range more {
		if !anyWithin(s, out) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b domain.Span) int { return a.Start - b.Start })
	return out
}
