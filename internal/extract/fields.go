package extract

import (
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// find returns the member with the first of the names that occurs, ignoring
// case.
func (f fields) find(names []string) (any, bool) {
	for _, name := range names {
		for _, m := range f {
			if strings.EqualFold(m.name, name) {
				return m.value, true
			}
		}
	}
	return nil, false
}

func (f fields) has(names []string) bool {
	_, ok := f.find(names)
	return ok
}

// text returns a member as text, "" when there is none.
func (f fields) text(names []string) string {
	v, _ := f.find(names)
	return scalar(v)
}

// end returns the name of a relation's end, which some models nest in an object.
func (f fields) end(names []string) string {
	v, _ := f.find(names)
	if nested, ok := v.(fields); ok {
		return nested.text(nameKeys)
	}
	return scalar(v)
}

// list returns the items of a member; a single value is a list of one.
func (f fields) list(names []string) []any {
	v, ok := f.find(names)
	if items, isList := v.([]any); isList {
		return items
	}
	if !ok || v == "" {
		return nil
	}
	return []any{v}
}

// numbers returns the whole numbers of a member, as far as they are ones.
func (f fields) numbers(names []string) []int {
	var out []int
	for _, item := range f.list(names) {
		for _, word := range strings.FieldsFunc(scalar(item), func(r rune) bool { return r == ',' || r == ' ' }) {
			if n, err := strconv.Atoi(word); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// properties returns the properties of a node or relation, which models write
// as a list of keys and values or as an object.
func (f fields) properties() domain.Properties {
	v, _ := f.find([]string{"properties"})
	var out domain.Properties
	add := func(key, value string) {
		if key != "" && value != "" {
			out = append(out, domain.Property{Key: key, Value: value})
		}
	}
	switch v := v.(type) {
	case fields:
		for _, m := range v {
			add(m.name, scalar(m.value))
		}
	case []any:
		for _, item := range v {
			if p, ok := item.(fields); ok {
				add(p.text([]string{"key", "name"}), p.text([]string{"value"}))
			}
		}
	}
	return out
}

// scalar returns a value as text: a list of texts is joined, an object is "".
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return strings.Join(strings.Fields(v), " ")
	case []any:
		var parts []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}
