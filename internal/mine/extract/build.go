package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
)

// build ties what a model mined to the text of a chunk, which begins at start in
// the document's. It leaves out what the text does not name, and keeps the order of
// the rest. Spans are in the document's text.
func build(m mined, text passage, start int) Mined {
	b := builder{text: text, left: m.problems}
	for _, n := range m.nodes {
		b.addNode(n)
	}
	for _, r := range m.relations {
		b.addEnd(r.source, r.sourceLabel)
		b.addEnd(r.target, r.targetLabel)
	}
	b.mergeAliases()
	b.locate()
	for _, r := range m.relations {
		b.addRelation(r)
	}
	b.date()
	return Mined{b.graph(start), b.left}
}

// builder assembles a graph.
type builder struct {
	text     passage
	entities []*entity
	edges    []domain.GraphRelationship
	undated  []bool // edges whose dates the model was not asked for
	left     []domain.Dropped
}

// entity is a node in the making.
type entity struct {
	name, label string
	aliases     []string
	properties  domain.Properties
	mentions    mentions
	mergedInto  *entity // nil unless merged
	index       int     // in the graph; -1 if left out
}

// canonical returns the entity that e was merged into, or e.
func (e *entity) canonical() *entity {
	for e.mergedInto != nil {
		e = e.mergedInto
	}
	return e
}

// addNode adds a node, or merges it with the first of the same name unless
// their labels contradict each other.
func (b *builder) addNode(n minedNode) {
	if prose.Key(n.name) == "" {
		return
	}
	label := Label(n.label)
	e := b.lookup(n.name, label)
	if e == nil {
		e = &entity{name: n.name, label: label}
		b.entities = append(b.entities, e)
	}
	e.merge(entity{name: n.name, label: label, aliases: n.aliases, properties: n.properties})
}

// addEnd adds a relation's end that is not among the nodes. A node keeps its label, even if the relation gives another.
func (b *builder) addEnd(name, label string) {
	key := prose.Key(name)
	known := slices.ContainsFunc(b.entities, func(e *entity) bool {
		return prose.Key(e.name) == key && e.label != domain.UnknownLabel
	})
	if !known {
		b.addNode(minedNode{name: name, label: label})
	}
}

// lookup finds the entity of a name and label, or else one of the name where either label is unknown, or nil if there is
// none.
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

// merge adds o to e, which takes the more complete of the two names.
func (e *entity) merge(o entity) {
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
	e.properties = withProperties(e.properties, o.properties)
}

// moreComplete reports whether a has more words than b, or as many words and
// more letters.
func moreComplete(a, b string) bool {
	words, other := len(strings.Fields(prose.Key(a))), len(strings.Fields(prose.Key(b)))
	if words != other {
		return words > other
	}
	return utf8.RuneCountInString(prose.Key(a)) > utf8.RuneCountInString(prose.Key(b))
}

// mergeAliases merges an entity into the only one that has its name as an alias
// and a label that agrees.
func (b *builder) mergeAliases() {
	for _, e := range b.entities {
		var owners []*entity
		for _, o := range b.entities {
			agree := o.label == e.label || o.label == domain.UnknownLabel || e.label == domain.UnknownLabel
			if o != e && agree && o.mergedInto == nil && o.hasAlias(e.name) {
				owners = append(owners, o)
			}
		}
		if len(owners) == 1 {
			owners[0].merge(*e)
			e.mergedInto = owners[0]
		}
	}
}

func (e *entity) hasAlias(name string) bool {
	key := prose.Key(name)
	return slices.ContainsFunc(e.aliases, func(a string) bool { return prose.Key(a) == key })
}

// locate finds every entity in the text and numbers those that it names.
func (b *builder) locate() {
	next := 0
	for _, e := range b.entities {
		e.index = -1
		if e.mergedInto != nil {
			continue
		}
		e.mentions = b.text.find(e.name, e.label, e.aliases)
		if len(e.mentions.spans) == 0 {
			b.left = append(b.left, domain.Dropped{
				Kind: domain.DroppedEntity, Name: e.name, Label: e.label, Code: domain.DropUnnamed, Reason: "The text does not name it.",
			})
			continue
		}
		b.spell(e)
		e.index = next
		next++
	}
}

// spell takes the spelling of the name and the aliases from the text. It drops
// aliases that the text does not have.
func (b *builder) spell(e *entity) {
	key := prose.Key(e.name)
	var aliases []string
	for _, s := range e.mentions.spans {
		form := b.text.slice(s)
		switch {
		case prose.Key(form) != key:
			aliases = append(aliases, form)
		case e.mentions.exact:
			e.name, e.mentions.exact = form, false // the first mention has the spelling
		}
	}
	e.aliases = unique(aliases)
}

// addRelation adds a relation between entities that the text names, or merges
// it with an equal one.
func (b *builder) addRelation(r minedRelation) {
	source, target := b.resolve(r.source, r.sourceLabel), b.resolve(r.target, r.targetLabel)
	kind := Type(r.kind)
	left := domain.Dropped{Kind: domain.DroppedRelation, Name: r.source, Type: kind, Target: r.target}
	if source == nil || target == nil || source.index < 0 || target.index < 0 {
		left.Code, left.Reason = domain.DropUnnamed, "The text does not name both ends."
		b.left = append(b.left, left)
		return
	}
	if source == target {
		left.Code, left.Reason = domain.DropLoop, "Both ends are the same."
		b.left = append(b.left, left)
		return
	}
	at := slices.IndexFunc(b.edges, func(e domain.GraphRelationship) bool {
		return e.Source == source.index && e.Target == target.index && e.Type == kind
	})
	if at >= 0 {
		e := &b.edges[at]
		e.Properties = withProperties(e.Properties, r.properties)
		e.Periods = b.text.periods(r, e.Spans, e.Periods)
		return
	}
	spans := b.text.sentencesWith(source.mentions.spans, target.mentions.spans)
	b.edges = append(b.edges, domain.GraphRelationship{
		Source: source.index, Target: target.index, Type: kind, Raw: r.kind, Properties: r.properties, Spans: spans, Periods: b.text.periods(r, spans, nil),
	})
	b.undated = append(b.undated, !r.dated)
}

// resolve returns the entity that a relation calls name, or nil.
func (b *builder) resolve(name, label string) *entity {
	label = Label(label)
	key := prose.Key(name)
	var loose *entity
	for _, e := range b.entities {
		f := e.canonical()
		if prose.Key(e.name) != key && !e.hasAlias(name) && !f.hasAlias(name) {
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

// graph returns the result, with spans moved by offset into the document.
func (b *builder) graph(offset int) domain.GraphDocument {
	g := domain.GraphDocument{Nodes: []domain.GraphNode{}, Relationships: []domain.GraphRelationship{}}
	for _, e := range b.entities {
		if e.mergedInto == nil && e.index >= 0 {
			g.Nodes = append(g.Nodes, domain.GraphNode{
				Name: e.name, Label: e.label, Aliases: e.aliases, Properties: e.properties, Spans: shift(e.mentions.spans, offset),
			})
		}
	}
	for _, e := range b.edges {
		e.Spans = shift(e.Spans, offset)
		for i := range e.Periods {
			e.Periods[i].At = e.Periods[i].At.Shift(offset)
		}
		g.Relationships = append(g.Relationships, e)
	}
	return g
}

func shift(spans []domain.Span, by int) []domain.Span {
	return lists.Map(spans, func(s domain.Span) domain.Span { return s.Shift(by) })
}

// union adds to spans the ones of more that overlap none of them, sorted.
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

// WithNames adds to a graph's names the nodes that it does not name yet, by name or alias,
// in another number, or by the last name of a person.
func WithNames(g domain.GraphDocument, more []domain.GraphNode) domain.GraphDocument {
	known := map[string]bool{}
	for _, n := range g.Nodes {
		for _, name := range append([]string{n.Name}, n.Aliases...) {
			known[prose.Key(name)], known[stems(name)] = true, true
		}
		if words := strings.Fields(prose.Key(n.Name)); n.Label == "Person" && len(words) > 1 {
			known[words[len(words)-1]] = true
		}
	}
	for _, n := range more {
		if !known[prose.Key(n.Name)] && !known[stems(n.Name)] && !slices.ContainsFunc(n.Aliases, func(a string) bool { return known[prose.Key(a)] }) {
			g.Names = append(g.Names, n)
		}
	}
	return g
}

// stems returns the stems of a name's words.
func stems(name string) string {
	words := strings.Fields(prose.Key(name))
	for i := range words {
		words[i] = prose.Stem(words[i])
	}
	return strings.Join(words, " ")
}
