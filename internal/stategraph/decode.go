package stategraph

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// decodeAs decodes data as a V, strictly. Its error begins with the path from
// the value to what went wrong, so that callers put the value's own name in
// front.
func decodeAs[V any](c Codec, data []byte) (any, error) {
	var v V
	err := decodeInto(c, data, &v)
	return v, err
}

func decodeInto[V any](c Codec, data []byte, v *V) error {
	err := c.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	var loose any
	if json.Unmarshal(data, &loose) == nil {
		if path := unplaced(loose, reflect.TypeFor[V]()); path != "" {
			return fmt.Errorf("%s: unknown field", path)
		}
	}
	return fmt.Errorf(": %w", err)
}

// unplaced is the path, for instance "[2].name", of the first member of a
// decoded JSON value for which t has no place; "" when there is none.
func unplaced(value any, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, reads := codec(t); reads {
		return ""
	}
	switch v := value.(type) {
	case []any:
		if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
			return ""
		}
		for i, element := range v {
			if path := unplaced(element, t.Elem()); path != "" {
				return fmt.Sprintf("[%d]%s", i, path)
			}
		}
	case map[string]any:
		return unplacedMember(v, t)
	}
	return ""
}

func unplacedMember(members map[string]any, t reflect.Type) string {
	for _, name := range sortedKeys(members) {
		var within reflect.Type
		switch {
		case t.Kind() == reflect.Map:
			within = t.Elem()
		case t.Kind() == reflect.Struct:
			f, ok := memberField(t, name)
			if !ok {
				return "." + name
			}
			within = f.Type
		default:
			return ""
		}
		if path := unplaced(members[name], within); path != "" {
			return "." + name + path
		}
	}
	return ""
}

// memberField is the struct field that encoding/json decodes a member into.
func memberField(t reflect.Type, member string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		if f.IsExported() && strings.EqualFold(name, member) {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
