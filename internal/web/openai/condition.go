package openai

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// condition is Dify's filter on the documents that are searched.
type condition struct {
	Operator   string `json:"logical_operator"`
	Conditions []struct {
		Name     fields `json:"name"`
		Operator string `json:"comparison_operator"`
		Value    any    `json:"value"`
	} `json:"conditions"`
}

// fields is a name, or a list of names.
type fields []string

// UnmarshalJSON implements json.Unmarshaler.
func (f *fields) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err == nil {
		*f = fields{name}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(f))
}

// fieldTerms are the kinds of term of the fields that must be something. The field date has its own.
var fieldTerms = map[string]string{"name": "doc", "language": "lang", "collection": "tag", "author": "author", "source": "source"}

// maxConditions is the most conditions of a request.
const maxConditions = 20

// within returns the search terms with the meaning of a condition. Terms of one kind widen a search and those of
// several narrow it, so that other combinations are refused.
func (c condition) within() ([]string, error) {
	if len(c.Conditions) > maxConditions {
		return nil, domain.Errorf(domain.Invalid, "There are %d conditions; at most %d can be given.", len(c.Conditions), maxConditions)
	}
	either := c.Operator == "or"
	if !either && c.Operator != "" && c.Operator != "and" {
		return nil, domain.Errorf(domain.Invalid, "logical_operator is %q, but should be and, or or.", c.Operator)
	}
	var terms, kinds []string
	for _, one := range c.Conditions {
		if len(one.Name) != 1 {
			return nil, domain.Errorf(domain.Unsupported, "A condition must have one name.")
		}
		value, _ := one.Value.(string)
		kind, term, err := termOf(one.Name[0], one.Operator, value)
		if err != nil {
			return nil, err
		}
		same := slices.Contains(kinds, kind)
		if len(kinds) > 0 && (same != either || either && kind != kinds[0] || either && (kind == "from" || kind == "to")) {
			return nil, domain.Errorf(domain.Unsupported, "Conditions on one field can be joined by or, and those on several by and; others are not supported.")
		}
		terms, kinds = append(terms, term), append(kinds, kind)
	}
	return terms, nil
}

// termOf returns the term of one condition, and its kind.
func termOf(field, operator, value string) (kind, term string, err error) {
	if field == "date" {
		return dateTerm(operator, value)
	}
	kind, known := fieldTerms[field]
	switch {
	case !known:
		return "", "", domain.Errorf(domain.Unsupported, "Conditions can't use the field %q. Use name, date, language, collection, author or source.", field)
	case operator != "is" && operator != "=":
		return "", "", domain.Errorf(domain.Unsupported, "A condition on %s can't be %q: take is.", field, operator)
	case value == "":
		return "", "", domain.Errorf(domain.Invalid, "The condition on %s needs a text as value.", field)
	}
	return kind, kind + ":" + value, nil
}

// dateTerm returns the term of a condition on the day on which documents were added.
func dateTerm(operator, value string) (kind, term string, err error) {
	day, err := time.Parse(time.DateOnly, value)
	if err != nil {
		return "", "", domain.Errorf(domain.Invalid, "The condition on date has the value %q, but needs a day such as 2024-01-31.", value)
	}
	shift := 0
	switch operator {
	case "after", ">":
		kind, shift = "from", 1
	case "≥", ">=":
		kind = "from"
	case "before", "<":
		kind, shift = "to", -1
	case "≤", "<=":
		kind = "to"
	default:
		return "", "", domain.Errorf(domain.Unsupported, "A condition on date can't be %q: take before, after, ≤ or ≥.", operator)
	}
	return kind, kind + ":" + day.AddDate(0, 0, shift).Format(time.DateOnly), nil
}
