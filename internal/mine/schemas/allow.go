package schemas

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
)

// Allow returns a schema that does not drop an item for the reason for which it was dropped, and describes what it
// allows. The description is "" for an item that no schema brings back, that comes back with another one, or that the
// schema allows already.
func Allow(g extract.Guide, d domain.Dropped) (extract.Guide, string) {
	switch {
	case d.Code == domain.DropLabel && d.Label != domain.UnknownLabel && d.Label != "":
		return allowLabel(g, d.Label)
	case d.Code == domain.DropType && d.Type != "":
		return allowType(g, d.Type)
	case d.Code == domain.DropTriple && d.Lacks != [3]string{}:
		return allowTriple(g, extract.Triple{Source: d.Lacks[0], Type: d.Lacks[1], Target: d.Lacks[2]})
	case d.Code == domain.DropProperty || d.Code == domain.DropValue:
		return allowProperty(g, d.Label+d.Type, d.Property.Key, d.Code == domain.DropValue)
	}
	return g, ""
}

func allowLabel(g extract.Guide, name string) (extract.Guide, string) {
	for _, l := range g.Schema.Labels {
		if extract.Label(l.Name) == extract.Label(name) {
			return g, ""
		}
	}
	g.Schema.Labels = append(slices.Clip(g.Schema.Labels), extract.LabelRule{Name: name})
	return g, "the label " + name
}

func allowType(g extract.Guide, name string) (extract.Guide, string) {
	if hasType(g, name) {
		return g, ""
	}
	g.Schema.Types = append(slices.Clip(g.Schema.Types), extract.TypeRule{Name: name})
	return g, "the type " + name
}

func hasType(g extract.Guide, name string) bool {
	return slices.ContainsFunc(g.Schema.Types, func(t extract.TypeRule) bool { return extract.Type(t.Name) == extract.Type(name) })
}

func allowTriple(g extract.Guide, t extract.Triple) (extract.Guide, string) {
	if !hasType(g, t.Type) || slices.ContainsFunc(g.Schema.Triples, func(o extract.Triple) bool { return o.String() == t.String() }) {
		return g, ""
	}
	g.Schema.Triples = append(slices.Clip(g.Schema.Triples), t)
	return g, "the triple " + t.String()
}

// allowProperty declares a property, or lets one have any value.
func allowProperty(g extract.Guide, of, key string, anyValue bool) (extract.Guide, string) {
	all := PropertiesOf(g.Schema)
	at := slices.IndexFunc(all, func(p Property) bool {
		return extract.Type(p.Of) == extract.Type(of) && strings.EqualFold(p.Rule.Key, key)
	})
	said := fmt.Sprintf("the property %s of %s", key, of)
	switch {
	case key == "" || (at >= 0) != anyValue:
		return g, ""
	case anyValue && (all[at].Rule.Type == "" || all[at].Rule.Type == extract.Text):
		return g, ""
	case anyValue:
		all[at].Rule.Type = ""
		said = fmt.Sprintf("any value of the property %s of %s", key, of)
	default:
		all = append(all, Property{of, extract.PropertyRule{Key: key}})
	}
	allowed, stray := WithProperties(g.Schema, all)
	if stray >= 0 {
		return g, ""
	}
	g.Schema = allowed
	return g, said
}
