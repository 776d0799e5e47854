package llm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// functionTag is a call as some chat templates write it.
var functionTag = regexp.MustCompile(`(?s)^\s*<function=([A-Za-z0-9_.-]+)>(.*?)(?:</function>)?\s*$`)

// CallsIn returns the calls of tools that a text consists of: some models write calls
// as text, and some servers leave them there. A text that holds anything else has
// none.
func CallsIn(text string, tools []Tool) []*ToolCall {
	offered := func(name string) bool { return slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == name }) }
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(decodeStrings(unfenced(text))), "[TOOL_CALLS]"))
	if at := functionTag.FindStringSubmatch(text); at != nil {
		if !offered(at[1]) {
			return nil
		}
		return []*ToolCall{{Name: at[1], Arguments: strings.TrimSpace(at[2])}}
	}
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	list, several := v.([]any)
	if !several {
		list = []any{v}
	}
	var calls []*ToolCall
	for _, item := range list {
		name, arguments, ok := callIn(item)
		if !ok || !offered(name) {
			return nil
		}
		calls = append(calls, &ToolCall{Name: name, Arguments: arguments})
	}
	return calls
}

// callIn returns the call that a JSON value is.
func callIn(v any) (name, arguments string, ok bool) {
	o, _ := v.(map[string]any)
	if nested, is := o["function"].(map[string]any); is {
		o = nested
	}
	for _, key := range []string{"name", "function", "tool", "tool_name"} {
		if name, ok = o[key].(string); ok {
			break
		}
	}
	if !ok && len(o) == 1 { // {"chart": {...}}
		for key, value := range o {
			o, name = map[string]any{"arguments": value}, key
		}
	}
	for _, key := range []string{"arguments", "parameters", "args", "input", "tool_input"} {
		switch a := o[key].(type) {
		case string:
			return name, a, name != ""
		case map[string]any:
			b, err := json.Marshal(a)
			return name, string(b), name != "" && err == nil
		}
	}
	return "", "", false
}
