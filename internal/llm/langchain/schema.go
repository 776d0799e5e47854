package langchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

var errNoChoice = errors.New("it holds no answer")

// decode reads JSON and says in few words when it is none.
func decode(body []byte, v any) error {
	if len(body) == 0 {
		return errors.New("it is empty")
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("broken JSON: %w", err)
	}
	return nil
}

// strictable reports whether a JSON schema meets what servers demand of a
// strict one: every object lists all its properties as required and allows no
// others.
func strictable(schema json.RawMessage) bool {
	var v any
	return json.Unmarshal(schema, &v) == nil && strict(v)
}

func strict(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !strict(e) })
	case map[string]any:
		if v["type"] == "object" && !closed(v) {
			return false
		}
		for _, e := range v {
			if !strict(e) {
				return false
			}
		}
	}
	return true
}

// closed reports whether an object's schema requires all that it names and
// nothing else.
func closed(object map[string]any) bool {
	properties, _ := object["properties"].(map[string]any)
	required, _ := object["required"].([]any)
	names := map[string]bool{}
	for _, r := range required {
		if s, ok := r.(string); ok {
			names[s] = true
		}
	}
	for name := range maps.Keys(properties) {
		if !names[name] {
			return false
		}
	}
	return object["additionalProperties"] == false
}
