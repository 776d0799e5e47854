package extract

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose/stated"
)

// FieldRule asks every document for a field of its own. The values of a field that the workspace has already are of its kind.
type FieldRule struct {
	Name        string   `json:"name" yaml:"name"`
	Type        string   `json:"type,omitempty" yaml:"type,omitempty"` // text, number, date, yes/no, choice or list; "" means text
	Choices     []string `json:"choices,omitempty" yaml:"choices,omitempty"`
	Description string   `json:"description,omitempty" yaml:"description,omitempty"`
	Synonyms    []string `json:"synonyms,omitempty" yaml:"synonyms,omitempty"` // other names for it in lines of a text
}

// MaxFields is the greatest number of fields of a schema, which one call of a model is asked for.
const MaxFields = 30

// Field returns the field that the rule asks for, as the workspace may define it.
func (r FieldRule) Field() domain.Field {
	f := domain.Field{Name: r.Name, Kind: domain.FieldKind(strings.ReplaceAll(r.Type, "/", "")), Choices: r.Choices, InList: true}
	if r.Type == "" {
		f.Kind = domain.FieldText
	}
	return f
}

// Of returns the field of a workspace that the rule asks for, if it has one. The error is Invalid if that one has other values.
func (r FieldRule) Of(fields []domain.Field) (f domain.Field, found bool, err error) {
	at := slices.IndexFunc(fields, func(f domain.Field) bool { return strings.EqualFold(f.Name, domain.OneLine(r.Name)) })
	if at < 0 {
		return r.Field(), false, nil
	}
	f = fields[at]
	if f.Kind != r.Field().Kind {
		return f, true, domain.Errorf(domain.Invalid, "The field %s of this library is of the kind %s. Use that type in the schema too, or choose another name.", f.Name, f.Kind)
	}
	for _, c := range r.Choices {
		if !slices.ContainsFunc(f.Choices, func(o string) bool { return strings.EqualFold(o, domain.OneLine(c)) }) {
			return f, true, domain.Errorf(domain.Invalid, "The field %s of this library has no choice %s. Add it to the field first, or leave it out of the schema.", f.Name, c)
		}
	}
	return f, true, nil
}

// In returns the values of the rule's field, as Of says it, in the first line that states one, and the span of the line.
func (r FieldRule) In(lines stated.Lines, f domain.Field) ([]string, domain.Span) {
	return lines.Find(f, append([]string{r.Name}, r.Synonyms...)...)
}

func validateFields(rules []FieldRule) error {
	if len(rules) > MaxFields {
		return domain.Errorf(domain.Invalid, "The schema asks for %d fields, but at most %d can be asked for in one call.", len(rules), MaxFields)
	}
	seen := map[string]bool{}
	for _, r := range rules {
		f := r.Field()
		if err := f.Check(); err != nil {
			return domain.Because(domain.Invalid, err, "%s", domain.InWords(err))
		}
		key := strings.ToLower(f.Name)
		if seen[key] {
			return domain.Errorf(domain.Invalid, "The field %s is listed twice. Remove one.", f.Name)
		}
		if seen[key] = true; len(r.Description) > maxText || len(r.Synonyms) > domain.MaxFieldItems {
			return domain.Errorf(domain.Invalid, "The field %s has a description or a list of other names that is too long. Shorten it.", f.Name)
		}
	}
	return nil
}

// end returns the name of a relation's end, which some models nest in an object.
func end(o llm.Object, names []string) string {
	v, _ := o.Find(names...)
	if nested, ok := v.(llm.Object); ok {
		return nested.Text(nameKeys...)
	}
	return llm.Scalar(v)
}

// properties returns the properties of a node or relation, which models write as a
// list of keys and values or as an object.
func properties(o llm.Object) domain.Properties {
	v, _ := o.Find("properties")
	var out domain.Properties
	add := func(key, value string) {
		if key != "" && value != "" {
			out = append(out, domain.Property{Key: key, Value: value})
		}
	}
	switch v := v.(type) {
	case llm.Object:
		for _, m := range v {
			add(m.Name, llm.Scalar(m.Value))
		}
	case []any:
		for _, item := range v {
			if p, ok := item.(llm.Object); ok {
				add(p.Text("key", "name"), p.Text("value"))
			}
		}
	}
	return out
}
