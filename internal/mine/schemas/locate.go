package schemas

import (
	"slices"

	"github.com/clewhq/clew/internal/mine/extract"
)

// A Part is a part of a schema, as its form and its differences name it.
type Part string

// The parts of a schema.
const (
	Labels       Part = "label"
	Types        Part = "type"
	Triples      Part = "triple"
	Properties   Part = "property"
	Fields       Part = "field"
	Examples     Part = "example"
	Instructions Part = "instructions"
	Settings     Part = "setting"
)

// A Place is the place of an element in a schema.
type Place struct {
	Part  Part
	Index int // of the item in its list; 0 if there is none
}

// A Property is a property with the label or type that declares it.
type Property struct {
	Of   string
	Rule extract.PropertyRule
}

// PropertiesOf lists the properties of a schema: of its labels, then of its
// types.
func PropertiesOf(s extract.Schema) []Property {
	var all []Property
	for _, l := range s.Labels {
		for _, p := range l.Properties {
			all = append(all, Property{l.Name, p})
		}
	}
	for _, t := range s.Types {
		for _, p := range t.Properties {
			all = append(all, Property{t.Name, p})
		}
	}
	return all
}

// WithProperties returns a copy of a schema that declares exactly the given properties, and the index of the first one
// whose label or type the schema lacks, or -1 if all have their place. Where a label and a type have the same words, the
// spelling tells them apart.
func WithProperties(s extract.Schema, properties []Property) (extract.Schema, int) {
	s = bare(s)
	stray := -1
	for i, p := range properties {
		t := slices.IndexFunc(s.Types, func(t extract.TypeRule) bool { return extract.Type(t.Name) == extract.Type(p.Of) && t.Name != "" })
		l := slices.IndexFunc(s.Labels, func(l extract.LabelRule) bool { return extract.Label(l.Name) == extract.Label(p.Of) && l.Name != "" })
		switch {
		case t >= 0 && (l < 0 || s.Types[t].Name == p.Of):
			s.Types[t].Properties = append(s.Types[t].Properties, p.Rule)
		case l >= 0:
			s.Labels[l].Properties = append(s.Labels[l].Properties, p.Rule)
		case stray < 0:
			stray = i
		}
	}
	return s, stray
}

// bare returns a copy of a schema without properties.
func bare(s extract.Schema) extract.Schema {
	s.Labels, s.Types = slices.Clone(s.Labels), slices.Clone(s.Types)
	for i := range s.Labels {
		s.Labels[i].Properties = nil
	}
	for i := range s.Types {
		s.Types[i].Properties = nil
	}
	return s
}

// Check returns the error that makes a guide invalid, and its place: it builds the guide up item by item until one does
// not fit.
func Check(g extract.Guide) (Place, error) {
	whole := bare(g.Schema)
	var made extract.Guide
	made.Schema.Strict = g.Schema.Strict
	steps := []struct {
		part Part
		n    int
		add  func(i int)
	}{
		{Labels, len(whole.Labels), func(i int) { made.Schema.Labels = whole.Labels[:i+1] }},
		{Types, len(whole.Types), func(i int) { made.Schema.Types = whole.Types[:i+1] }},
		{Triples, len(whole.Triples), func(i int) { made.Schema.Triples = whole.Triples[:i+1] }},
		{Properties, len(PropertiesOf(g.Schema)), func(i int) { made.Schema, _ = WithProperties(whole, PropertiesOf(g.Schema)[:i+1]) }},
		{Fields, len(g.Fields), func(i int) { made.Fields = g.Fields[:i+1] }},
		{Examples, len(g.Examples), func(i int) { made.Examples = g.Examples[:i+1] }},
		{Instructions, 1, func(int) { made.Instructions = g.Instructions }},
		{Settings, 1, func(int) { made = g }},
	}
	for _, step := range steps {
		for i := range step.n {
			step.add(i)
			if err := made.Validate(); err != nil {
				return Place{step.part, i}, err
			}
		}
	}
	return Place{}, nil
}
