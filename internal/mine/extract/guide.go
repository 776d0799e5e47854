package extract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Guide is how a person wants a document to be read. The zero Guide leaves
// everything to the extractor.
type Guide struct {
	Schema       Schema       `json:"schema,omitzero" yaml:"schema,omitempty"`
	Instructions string       `json:"instructions,omitempty" yaml:"instructions,omitempty"` // added to the prompt
	Examples     []Example    `json:"examples,omitempty" yaml:"examples,omitempty"`         // replace the built-in ones
	Descriptions Descriptions `json:"descriptions,omitzero" yaml:"descriptions,omitempty"`  // of the answer's fields; empty ones mean the built-in ones
	Mode         llm.Mode     `json:"mode,omitempty" yaml:"mode,omitempty"`                 // how a model is asked; "" and auto mean as in the settings
	Prompt       string       `json:"-" yaml:"-"`                                           // the prompt's text, which is not part of a schema; "" for the built-in one
	Gleaning     int          `json:"gleaning,omitempty" yaml:"gleaning,omitempty"`         // passes that ask a model for missed items
	Fields       []FieldRule  `json:"fields,omitempty" yaml:"fields,omitempty"`             // that documents are asked for as a whole
}

// MaxGleaning is the greatest number of passes that ask what was missed.
const MaxGleaning = 2

// Example is a passage with the relations that it states.
type Example struct {
	Text  string `json:"text" yaml:"text"`
	Facts []Fact `json:"facts" yaml:"facts"`
}

// Fact is a relation in the form of the prompt mode.
type Fact struct {
	Head     string `json:"head" yaml:"head"`
	HeadType string `json:"head_type" yaml:"head_type"`
	Relation string `json:"relation" yaml:"relation"`
	Tail     string `json:"tail" yaml:"tail"`
	TailType string `json:"tail_type" yaml:"tail_type"`
}

// Descriptions describe the fields of a model's answer.
type Descriptions struct {
	ID         string `json:"id,omitempty" yaml:"id,omitempty"`
	Label      string `json:"label,omitempty" yaml:"label,omitempty"`
	Aliases    string `json:"aliases,omitempty" yaml:"aliases,omitempty"`
	Type       string `json:"type,omitempty" yaml:"type,omitempty"`
	Properties string `json:"properties,omitempty" yaml:"properties,omitempty"`
}

// or returns d with its empty fields from o.
func (d Descriptions) or(o Descriptions) Descriptions {
	return Descriptions{
		ID: cmp.Or(d.ID, o.ID), Label: cmp.Or(d.Label, o.Label), Aliases: cmp.Or(d.Aliases, o.Aliases),
		Type: cmp.Or(d.Type, o.Type), Properties: cmp.Or(d.Properties, o.Properties),
	}
}

// Empty reports whether g asks for nothing in particular.
func (g Guide) Empty() bool { return g.Hash() == "" }

// Hash identifies what g asks for: guides of one hash read alike. It is "" for
// an empty guide.
func (g Guide) Hash() string {
	if g.Mode == llm.ModeAuto {
		g.Mode = ""
	}
	if g.Schema.Empty() {
		g.Schema = Schema{}
	}
	b, err := json.Marshal(g)
	if err != nil {
		panic(err) // it contains only texts, numbers and lists of them
	}
	if string(b) == "{}" {
		return ""
	}
	return domain.Hash(b)
}

// guideMark precedes the hash of the guide in the name of a reader.
const guideMark = " schema/"

// name adds what the guide asks of chunks to the name of a reader.
func (g Guide) name(reader string) string {
	g.Fields = nil
	if hash := g.Hash(); hash != "" {
		return reader + guideMark + hash[:8]
	}
	return reader
}

// The longest lists and texts of a guide, which every prompt repeats.
const (
	maxRules = 200
	maxText  = 10_000
)

// Validate returns an Invalid error that names the first field in the way.
func (g Guide) Validate() error {
	if err := g.Schema.validate(); err != nil {
		return err
	}
	for i, e := range g.Examples {
		if err := g.Schema.validateExample(i+1, e); err != nil {
			return err
		}
	}
	switch {
	case len(g.Instructions) > maxText:
		return domain.Errorf(domain.Invalid, "The instructions have %d characters: shorten them to %d.", len(g.Instructions), maxText)
	case !slices.Contains([]llm.Mode{"", llm.ModeAuto, llm.ModeTool, llm.ModeSchema, llm.ModePrompt}, g.Mode):
		return domain.Errorf(domain.Invalid, "The mode %q is unknown: use auto, tool, schema or prompt.", g.Mode)
	case g.Gleaning < 0 || g.Gleaning > MaxGleaning:
		return domain.Errorf(domain.Invalid, "The gleaning is %d: use a number of passes from 0 to %d.", g.Gleaning, MaxGleaning)
	}
	return validateFields(g.Fields)
}

func (s Schema) validate() error {
	names := map[string]string{} // of labels, by their synonyms
	for i, l := range s.Labels {
		if err := claim(names, fmt.Sprintf("label %d", i+1), "label", l.Name, Label, l.Synonyms); err != nil {
			return err
		}
		if err := validateProperties(Label(l.Name), l.Properties); err != nil {
			return err
		}
	}
	names = map[string]string{}
	for i, t := range s.Types {
		if err := claim(names, fmt.Sprintf("type %d", i+1), "type", t.Name, Type, nil); err != nil {
			return err
		}
		if err := validateProperties(Type(t.Name), t.Properties); err != nil {
			return err
		}
		if at := slices.IndexFunc(t.Properties, func(p PropertyRule) bool { return p.One != Unsaid }); at >= 0 {
			return domain.Errorf(domain.Invalid, "The property %s belongs to the type %s, but only properties of labels can have a cardinality (one).", t.Properties[at].Key, Type(t.Name))
		}
	}
	for _, t := range s.Triples {
		switch {
		case !slices.Contains(s.types(), Type(t.Type)):
			return domain.Errorf(domain.Invalid, "The triple %s has the type %s, which is not among the types. Add it there.", t, Type(t.Type))
		case !s.hasLabel(t.Source):
			return domain.Errorf(domain.Invalid, "The triple %s starts at the label %s, which is not among the labels. Add it there.", t, Label(t.Source))
		case !s.hasLabel(t.Target):
			return domain.Errorf(domain.Invalid, "The triple %s ends at the label %s, which is not among the labels. Add it there.", t, Label(t.Target))
		}
	}
	if n := max(len(s.Labels), len(s.Types), len(s.Triples)); n > maxRules {
		return domain.Errorf(domain.Invalid, "The schema has a list of %d, but at most %d labels, types or triples can be sent to a model with every passage.", n, maxRules)
	}
	return nil
}

// claim registers a label or type under its name and synonyms, and refuses a word that is registered for another one. A
// word may belong to several types that their triples distinguish.
func claim(names map[string]string, place, what, name string, form func(string) string, synonyms []string) error {
	if !strings.ContainsFunc(name, isLetter) {
		return domain.Errorf(domain.Invalid, "The name of %s is %q, but needs a letter.", place, name)
	}
	for _, word := range append([]string{name}, synonyms...) {
		key := fold(word)
		other, taken := names[key]
		switch {
		case taken && other == form(name) && word == name:
			return domain.Errorf(domain.Invalid, "The %s %s is listed twice. Remove one.", what, form(name))
		case taken && other != form(name):
			return domain.Errorf(domain.Invalid, "%q stands for the %s %s and for %s. Remove it from one of them.", word, what, other, form(name))
		}
		names[key] = form(name)
	}
	return nil
}

func validateProperties(of string, rules []PropertyRule) error {
	seen := map[string]bool{}
	for i, p := range rules {
		key := strings.ToLower(strings.TrimSpace(p.Key))
		switch {
		case key == "":
			return domain.Errorf(domain.Invalid, "Property %d of %s has no key.", i+1, of)
		case seen[key]:
			return domain.Errorf(domain.Invalid, "The property %s of %s is listed twice. Remove one.", p.Key, of)
		case p.Type != "" && !slices.Contains(ValueTypes(), p.Type):
			return domain.Errorf(domain.Invalid, "The property %s of %s has the value type %q. Use one of %s.", p.Key, of, p.Type, strings.Join(ValueTypes(), ", "))
		}
		seen[key] = true
	}
	return nil
}

func (s Schema) validateExample(number int, e Example) error {
	if strings.TrimSpace(e.Text) == "" {
		return domain.Errorf(domain.Invalid, "Example %d has no text.", number)
	}
	for i, f := range e.Facts {
		switch {
		case f.Head == "" || f.Relation == "" || f.Tail == "":
			return domain.Errorf(domain.Invalid, "Fact %d of example %d needs a head, a relation and a tail.", i+1, number)
		case !s.hasLabel(f.HeadType) || !s.hasLabel(f.TailType) || !s.allows(f.HeadType, f.Relation, f.TailType):
			return domain.Errorf(domain.Invalid, "Fact %d of example %d is (%s) %s (%s), which the schema does not allow. Change one of the two.",
				i+1, number, Label(f.HeadType), Type(f.Relation), Label(f.TailType))
		}
	}
	return nil
}
