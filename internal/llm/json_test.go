package llm

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func any1(any) bool { return true }

func TestReadJSON(t *testing.T) {
	t.Parallel()
	one := []any{Object{{"head", "A"}, {"tail", "B"}}}
	for name, tt := range map[string]struct {
		text  string
		want  any
		whole bool
	}{
		"plain JSON":             {`[{"head":"A","tail":"B"}]`, one, true},
		"a code fence and words": {"Sure!\n```json\n[{\"head\":\"A\",\"tail\":\"B\"}]\n```\nDone.", one, true},
		"trailing commas":        {`[{"head":"A","tail":"B",},]`, one, true},
		"missing commas":         {"[{\"head\":\"A\"\n\"tail\":\"B\"}]", one, true},
		"single quotes":          {`[{'head':'A','tail':'B'}]`, one, true},
		"curly quotes":           {`[{“head”:“A”,“tail”:“B”}]`, one, true},
		"names without quotes":   {`[{head:"A", tail:"B"}]`, one, true},
		"comments":               {"[ // the list\n{\"head\":\"A\", // who\n\"tail\":\"B\"}]", one, true},
		"cut after an item":      {`[{"head":"A","tail":"B"},`, one, false},
		"cut within an item":     {`[{"head":"A","tail":"B"},{"head":"C","ta`, one, false},
		"cut within a text":      {`[{"head":"A","tail":"B"},{"head":"C`, one, false},
		"an object never closed": {`{"nodes":[{"id":"A"}],"relationships":[{"type":"X"},{"ty`, Object{{"nodes", []any{Object{{"id", "A"}}}}, {"relationships", []any{Object{{"type", "X"}}}}}, false},
		"an inner quote":         {`["the "old" town","b"]`, []any{`the "old" town`, "b"}, true},
		"an apostrophe":          {`['Curie's lab','b']`, []any{"Curie's lab", "b"}, true},
		"escapes":                {`["a\nb","\u00e9\ud83d\ude00","c\\d","\"e\"","\ud83d"]`, []any{"a b", "é😀", `c\d`, `"e"`, "\uFFFD"}, true},
		"a line break in a text": {"[\"a\nb\"]", []any{"a\nb"}, true},
		"bare words":             {`[1, true, null, None, -2.5]`, []any{"1", "true", "", "", "-2.5"}, true},
		"a wrong bracket":        {`[{"head":"A","tail":"B"]]`, one, true},
		"a list never closed":    {`{"nodes":["A","B"}`, Object{{"nodes", []any{"A", "B"}}}, true},
		"nothing in it":          {`[]`, []any{}, true},
		"JSON in a string":       {`"[{\"head\": \"A\", \"tail\": \"B\"}]"`, one, true},
		"twice in a string":      {`"\"[{\\\"head\\\": \\\"A\\\", \\\"tail\\\": \\\"B\\\"}]\""`, one, true},
		"fenced in a string":     {`"` + "```json\\n[{\\\"head\\\": \\\"A\\\", \\\"tail\\\": \\\"B\\\"}]\\n```" + `"`, one, true},
		"a member in a string":   {`{"nodes":"[{\"id\":\"A\"}]"}`, Object{{"nodes", []any{Object{{"id", "A"}}}}}, true},
		"a list in a text":       {`["[1] and {b}"]`, []any{"[1] and {b}"}, true},
		"of Python":              {`{'a': None, 'b': True, 'c': ['x']}`, Object{{"a", ""}, {"b", "True"}, {"c", []any{"x"}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, whole, err := ReadJSON(tt.text, any1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || whole != tt.whole {
				t.Errorf("whole %t, want %t; value (-want +got):\n%s", whole, tt.whole, diff)
			}
		})
	}
}

func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		`[{"head":"A","tail":"B"}]`, "```json\n{\"nodes\":[{\"id\":'x'}],}\n```", `[{a:1,b:[2,{c:"\ud83d`, `{"nodes":[{"id":"A"`,
		`{:}`, `[,:]`, `{"a" "b"}`, `[[[[`, `{]`, `[}`, "{\"a\\", "<think>[", `["a"b"]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, _, err := ReadJSON(text, any1)
		if err != nil {
			return
		}
		if utf8.ValidString(text) && !valid(v) {
			t.Errorf("ReadJSON(%q) holds invalid UTF-8", text)
		}
	})
}

// FuzzReadJSONAgrees compares with encoding/json: valid JSON must be read right.
func FuzzReadJSONAgrees(f *testing.F) {
	f.Add(`["a","b\n",{"c":"d"}]`)
	f.Add(`[[],{},"\\\""]`)
	f.Fuzz(func(t *testing.T, text string) {
		var items []string
		if json.Unmarshal([]byte(text), &items) != nil || !strings.HasPrefix(text, "[") {
			return
		}
		for _, s := range items {
			// Blanks are tidied, and a text may hold what looks like JSON's own signs.
			if strings.ContainsAny(s, "\"'`“”\\/,:}]=<\uFFFD") || strings.TrimSpace(s) != s || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
				return
			}
		}
		if strings.Contains(text, "null") {
			return
		}
		v, whole, err := ReadJSON(text, any1)
		list, _ := v.([]any)
		if err != nil || !whole || len(list) != len(items) {
			t.Fatalf("ReadJSON(%q) = %v, %t, %v; want %q", text, v, whole, err, items)
		}
		for i := range items {
			if list[i] != items[i] {
				t.Errorf("ReadJSON(%q)[%d] = %q, want %q", text, i, list[i], items[i])
			}
		}
	})
}

func valid(v any) bool {
	switch v := v.(type) {
	case string:
		return utf8.ValidString(v)
	case []any:
		for _, item := range v {
			if !valid(item) {
				return false
			}
		}
	case Object:
		for _, m := range v {
			if !utf8.ValidString(m.Name) || !valid(m.Value) {
				return false
			}
		}
	}
	return true
}
