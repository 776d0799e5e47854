package extract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// Schema defines the labels, types and properties of a graph. The zero Schema allows all.
type Schema struct {
	Labels []LabelRule `json:"labels,omitempty" yaml:"labels,omitempty"` // empty allows any label
	Types  []TypeRule  `json:"types,omitempty" yaml:"types,omitempty"`   // empty allows any type

	// Triples limit the labels that a type connects. A type without a triple connects any labels.
	Triples []Triple `json:"triples,omitempty" yaml:"triples,omitempty"`

	// Strict drops items that do not fit. If it is not set, they are kept unchanged.
	Strict bool `json:"strict,omitempty" yaml:"strict,omitempty"`
}

// LabelRule allows a label.
type LabelRule struct {
	Name        string         `json:"name" yaml:"name"`
	Description string         `json:"description,omitempty" yaml:"description,omitempty"`
	Synonyms    []string       `json:"synonyms,omitempty" yaml:"synonyms,omitempty"` // labels that count as this one
	Properties  []PropertyRule `json:"properties,omitempty" yaml:"properties,omitempty"`
}

// TypeRule allows a type of relation.
type TypeRule struct {
	Name        string         `json:"name" yaml:"name"`
	Description string         `json:"description,omitempty" yaml:"description,omitempty"`
	Synonyms    []string       `json:"synonyms,omitempty" yaml:"synonyms,omitempty"` // types that count as this one
	One         Once           `json:"one,omitempty" yaml:"one,omitempty"`           // whether two values are a contradiction
	Properties  []PropertyRule `json:"properties,omitempty" yaml:"properties,omitempty"`
}

// Triple allows a type between two labels. An empty label stands for any.
type Triple struct {
	Source string `json:"source,omitempty" yaml:"source,omitempty"`
	Type   string `json:"type" yaml:"type"`
	Target string `json:"target,omitempty" yaml:"target,omitempty"`
}

// String writes the triple as prompts do.
func (t Triple) String() string {
	return fmt.Sprintf("(%s) %s (%s)", orAny(t.Source), Type(t.Type), orAny(t.Target))
}

func orAny(label string) string {
	if label == "" {
		return "any"
	}
	return Label(label)
}

// PropertyRule declares a property of a label or type. Where one is declared,
// strict drops the others.
type PropertyRule struct {
	Key         string `json:"key" yaml:"key"`
	Description string `json:"description,omitempty" yaml:"description,omitempty"`
	Type        string `json:"type,omitempty" yaml:"type,omitempty"` // of the value, one of ValueTypes; "" means text
	Required    bool   `json:"required,omitempty" yaml:"required,omitempty"`
	One         Once   `json:"one,omitempty" yaml:"one,omitempty"` // whether two values are a contradiction
}

// Empty reports whether the schema defines no labels and no types.
func (s Schema) Empty() bool { return len(s.Labels) == 0 && len(s.Types) == 0 }

func (s Schema) labels() []string {
	return unique(lists.Map(s.Labels, func(l LabelRule) string { return Label(l.Name) }))
}

func (s Schema) types() []string {
	return unique(lists.Map(s.Types, func(t TypeRule) string { return Type(t.Name) }))
}

// triples describes the allowed combinations for the prompt.
func (s Schema) triples() []string {
	var out []string
	for _, t := range s.Triples {
		out = append(out, t.String())
	}
	return out
}

// meanings describes labels and types for the prompt.
func (s Schema) meanings() []string {
	var out []string
	add := func(name, description string, synonyms []string) {
		line := domain.OneLine(description)
		if len(synonyms) > 0 {
			if line != "" {
				line += "; "
			}
			line += "also for: " + strings.Join(synonyms, ", ")
		}
		if line != "" {
			out = append(out, name+": "+line)
		}
	}
	for _, l := range s.Labels {
		add(Label(l.Name), l.Description, l.Synonyms)
	}
	for _, t := range s.Types {
		add(Type(t.Name), t.Description, t.Synonyms)
	}
	return out
}

// propertyKeys returns all declared keys.
func (s Schema) propertyKeys() []string {
	return unique(lists.Map(s.declared(), func(p declared) string { return p.Key }))
}

// properties describes the declared properties for the prompt.
func (s Schema) properties() []string {
	var out []string
	for _, p := range s.declared() {
		line := fmt.Sprintf("%s of %s", p.Key, p.of)
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
	of string
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
		return !s.hasLabel(f.HeadType) || !s.hasLabel(f.TailType) || !s.allows(f.HeadType, f.Relation, f.TailType)
	})
}

// hasLabel reports whether a label is allowed; an empty one stands for any.
func (s Schema) hasLabel(label string) bool {
	return len(s.Labels) == 0 || label == "" || slices.Contains(s.labels(), Label(label))
}

// allows reports whether a type is allowed between two labels.
func (s Schema) allows(source, kind, target string) bool {
	if len(s.Types) == 0 {
		return true
	}
	return slices.Contains(s.types(), Type(kind)) && s.joins(source, kind, target)
}

// joins reports whether the triples let a type connect two labels.
func (s Schema) joins(source, kind, target string) bool {
	limited := false
	for _, t := range s.Triples {
		if Type(t.Type) != Type(kind) {
			continue
		}
		limited = true
		if (t.Source == "" || Label(t.Source) == Label(source)) && (t.Target == "" || Label(t.Target) == Label(target)) {
			return true
		}
	}
	return !limited
}

// unique drops duplicates and keeps the order.
func unique(s []string) []string {
	var out []string
	for _, v := range s {
		out = lists.AppendOnce(out, v)
	}
	return out
}
