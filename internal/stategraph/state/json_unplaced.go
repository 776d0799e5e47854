package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// unplacedMember returns the path, such as "[2].name", of the first member of a JSON value that t has no place for, or ""
// if there is none.
func unplacedMember(data []byte, t reflect.Type) string {
	var loose any
	if json.Unmarshal(data, &loose) != nil {
		return ""
	}
	return unplaced(loose, t)
}

func unplaced(value any, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, reads := selfCoding(t); reads {
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
		if t.Kind() != reflect.Map && t.Kind() != reflect.Struct {
			return ""
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			within := memberType(t, name)
			if within == nil {
				return "." + name
			}
			if path := unplaced(v[name], within); path != "" {
				return "." + name + path
			}
		}
	}
	return ""
}

// memberType returns the type of a member of a map or struct; nil if t has no
// place for it.
func memberType(t reflect.Type, name string) reflect.Type {
	if t.Kind() == reflect.Map {
		return t.Elem()
	}
	for _, f := range reflect.VisibleFields(t) {
		if own, _ := member(f); f.IsExported() && strings.EqualFold(own, name) {
			return f.Type
		}
	}
	return nil
}
