package extract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Schema restricts the labels, types and properties of a graph. The zero
// Schema allows all.
type Schema struct {
	Labels []LabelRule `json:"labels,omitempty"` // any label when empty
	Types  []TypeRule  `json:"types,omitempty"`  // any type when empty

	// Strict drops what does not fit, with a warning. Otherwise the schema only
	// guides the model.
	Strict bool `json:"strict,omitempty"`
}

// LabelRule allows a label.
type LabelRule struct {
	Name       string         `json:"name"`
	Properties []PropertyRule `json:"properties,omitempty"`
}

// TypeRule allows a type of relation, between entities of the given labels.
type TypeRule struct {
	Name       string         `json:"name"`
	Source     string         `json:"source,omitempty"` // a label; any when empty
	Target     string         `json:"target,omitempty"`
	Properties []PropertyRule `json:"properties,omitempty"`
}

// PropertyRule declares a property.
type PropertyRule struct {
	Key         string `json:"key"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type,omitempty"` // of the value, for instance "year" or "number"
	Required    bool   `json:"required,omitempty"`
}

// Empty reports whether the schema restricts neither labels nor types.
func (s Schema) Empty() bool { return len(s.Labels) == 0 && len(s.Types) == 0 }

func (s Schema) labels() []string {
	var names []string
	for _, l := range s.Labels {
		names = append(names, Label(l.Name))
	}
	return unique(names)
}

func (s Schema) types() []string {
	var names []string
	for _, t := range s.Types {
		names = append(names, Type(t.Name))
	}
	return unique(names)
}

// triples describes the allowed combinations for the prompt.
func (s Schema) triples() []string {
	var out []string
	for _, t := range s.Types {
		if t.Source != "" || t.Target != "" {
			out = append(out, fmt.Sprintf("(%s) %s (%s)", orAny(t.Source), Type(t.Name), orAny(t.Target)))
		}
	}
	return out
}

func orAny(label string) string {
	if label == "" {
		return "any"
	}
	return Label(label)
}

// propertyKeys returns all declared keys.
func (s Schema) propertyKeys() []string {
	var keys []string
	for _, p := range s.declared() {
		keys = append(keys, p.Key)
	}
	return unique(keys)
}

// properties describes the declared properties for the prompt.
func (s Schema) properties() []string {
	var out []string
	for _, p := range s.declared() {
		line := fmt.Sprintf("%s of %s", p.Key, p.kind)
		if p.Description != "" {
			line += ": " + p.Description
		}
		if p.Type != "" {
			line += " (" + p.Type + ")"
		}
		if p.Required {
			line += ", required"
		}
		out = append(out, line)
	}
	return out
}

// declared is a property and the label or type that declares it.
type declared struct {
	kind string
	PropertyRule
}

func (s Schema) declared() []declared {
	var out []declared
	for _, l := range s.Labels {
		for _, p := range l.Properties {
			out = append(out, declared{Label(l.Name), p})
		}
	}
	for _, t := range s.Types {
		for _, p := range t.Properties {
			out = append(out, declared{Type(t.Name), p})
		}
	}
	return out
}

// fits reports whether the schema allows an example.
func (s Schema) fits(e Example) bool {
	return !slices.ContainsFunc(e.Facts, func(f Fact) bool {
		return !s.allowsLabel(f.HeadType) || !s.allowsLabel(f.TailType) || !s.allowsRelation(f.HeadType, f.Relation, f.TailType)
	})
}

func (s Schema) allowsLabel(label string) bool {
	return len(s.Labels) == 0 || slices.Contains(s.labels(), Label(label))
}

func (s Schema) allowsRelation(source, kind, target string) bool {
	if len(s.Types) == 0 {
		return true
	}
	return slices.ContainsFunc(s.Types, func(t TypeRule) bool {
		return Type(t.Name) == Type(kind) &&
			(t.Source == "" || Label(t.Source) == Label(source)) && (t.Target == "" || Label(t.Target) == Label(target))
	})
}

// enforce drops from m what a strict schema does not allow, with a warning for
// each. A relation without the label of an end takes it from the node.
func (s Schema) enforce(m mined) (mined, []string) {
	if !s.Strict || s.Empty() {
		return m, nil
	}
	out, warnings := mined{problems: m.problems}, []string(nil)
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	labels := map[string]string{}
	for _, n := range m.nodes {
		if !s.allowsLabel(n.label) {
			warn("The entity %q was left out: the schema does not know the label %s.", n.name, Label(n.label))
			continue
		}
		n.properties = s.checkProperties(n.name, Label(n.label), n.properties, warn)
		labels[n.name] = n.label
		out.nodes = append(out.nodes, n)
	}
	for _, r := range m.relations {
		r.sourceLabel, r.targetLabel = cmp.Or(r.sourceLabel, labels[r.source]), cmp.Or(r.targetLabel, labels[r.target])
		what := fmt.Sprintf("The relation %q %s %q was left out", r.source, Type(r.kind), r.target)
		switch {
		case !s.allowsLabel(r.sourceLabel) || !s.allowsLabel(r.targetLabel):
			warn("%s: the schema does not know the label of one of its ends.", what)
		case !slices.Contains(s.types(), Type(r.kind)) && len(s.Types) > 0:
			warn("%s: the schema does not know its type.", what)
		case !s.allowsRelation(r.sourceLabel, r.kind, r.targetLabel):
			warn("%s: the schema does not allow it from %s to %s.", what, Label(r.sourceLabel), Label(r.targetLabel))
		default:
			r.properties = s.checkProperties(r.source+" "+Type(r.kind)+" "+r.target, Type(r.kind), r.properties, warn)
			out.relations = append(out.relations, r)
		}
	}
	return out, warnings
}

// checkProperties drops the properties that kind, a label or type, does not
// declare, unless it declares none. It warns of those and of missing required
// ones.
func (s Schema) checkProperties(what, kind string, have domain.Properties, warn func(string, ...any)) domain.Properties {
	rules := slices.DeleteFunc(s.declared(), func(p declared) bool { return p.kind != kind })
	if len(rules) == 0 {
		return have
	}
	var kept domain.Properties
	for _, p := range have {
		if slices.ContainsFunc(rules, func(r declared) bool { return strings.EqualFold(r.Key, p.Key) }) {
			kept = append(kept, p)
			continue
		}
		warn("The property %s of %q was left out: the schema does not declare it for %s.", p.Key, what, kind)
	}
	for _, r := range rules {
		if r.Required && !slices.ContainsFunc(kept, func(p domain.Property) bool { return strings.EqualFold(r.Key, p.Key) }) {
			warn("%q lacks the property %s, which the schema requires of %s.", what, r.Key, kind)
		}
	}
	return kept
}

// unique drops duplicates and keeps the order.
func unique(s []string) []string {
	var out []string
	for _, v := range s {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
