package extract

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

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
