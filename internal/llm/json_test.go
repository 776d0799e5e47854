package extract

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func any1(any) bool { return true }

func TestLenient(t *testing.T) {
	t.Parallel()
	one := []any{fields{{"head", "A"}, {"tail", "B"}}}
	for name, tt := range map[string]struct {
		text  string
		want  any
		whole bool
	}{
		"plain JSON":             {`[{"head":"A","tail":"B"}]`, one, true},
		"a code fence and words": {"Sure!\n```json\n[{\"head\":\"A\",\"tail\":\"B\"}]\n```\nDone.", one, true},
		"a thought before":       {"<think>maybe [\"X\"]?</think>[{\"head\":\"A\",\"tail\":\"B\"}]", one, true},
		"half a thought before":  {"maybe [\"X\"]?</think>\n[{\"head\":\"A\",\"tail\":\"B\"}]", one, true},
		"trailing commas":        {`[{"head":"A","tail":"B",},]`, one, true},
		"missing commas":         {"[{\"head\":\"A\"\n\"tail\":\"B\"}]", one, true},
		"single quotes":          {`[{'head':'A','tail':'B'}]`, one, true},
		"curly quotes":           {`[{“head”:“A”,“tail”:“B”}]`, one, true},
		"names without quotes":   {`[{head:"A", tail:"B"}]`, one, true},
		"comments":               {"[ // the list\n{\"head\":\"A\", // who\n\"tail\":\"B\"}]", one, true},
		"cut after an item":      {`[{"head":"A","tail":"B"},`, one, false},
		"cut within an item":     {`[{"head":"A","tail":"B"},{"head":"C","ta`, one, false},
		"cut within a text":      {`[{"head":"A","tail":"B"},{"head":"C`, one, false},
		"an object never closed": {`{"nodes":[{"id":"A"}],"relationships":[{"type":"X"},{"ty`, fields{{"nodes", []any{fields{{"id", "A"}}}}, {"relationships", []any{fields{{"type", "X"}}}}}, false},
		"an inner quote":         {`["the "old" town","b"]`, []any{`the "old" town`, "b"}, true},
		"an apostrophe":          {`['Curie's lab','b']`, []any{"Curie's lab", "b"}, true},
		"escapes":                {`["a\nb","\u00e9\ud83d\ude00","c\\d","\"e\"","\ud83d"]`, []any{"a b", "é😀", `c\d`, `"e"`, "\uFFFD"}, true},
		"a line break in a text": {"[\"a\nb\"]", []any{"a\nb"}, true},
		"bare words":             {`[1, true, null, None, -2.5]`, []any{"1", "true", "", "", "-2.5"}, true},
		"a wrong bracket":        {`[{"head":"A","tail":"B"]]`, one, true},
		"a list never closed":    {`{"nodes":["A","B"}`, fields{{"nodes", []any{"A", "B"}}}, true},
		"nothing in it":          {`[]`, []any{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, whole, err := lenient(tt.text, any1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(field{})); diff != "" || whole != tt.whole {
				t.Errorf("whole %t, want %t; value (-want +got):\n%s", whole, tt.whole, diff)
			}
		})
	}
}

func TestMine(t *testing.T) {
	t.Parallel()
	want := []minedRelation{{source: "A", sourceLabel: "X", kind: "R", target: "B", targetLabel: "Y"}}
	for name, text := range map[string]string{
		"structured":        `{"nodes":[],"relationships":[{"source_node_id":"A","source_node_label":"X","type":"R","target_node_id":"B","target_node_label":"Y","properties":[]}]}`,
		"flat list":         `[{"head":"A","head_type":"X","relation":"R","tail":"B","tail_type":"Y"}]`,
		"one item":          `{"head":"A","head_type":"X","relation":"R","tail":"B","tail_type":"Y"}`,
		"wrapped":           `{"result":[{"head":"A","head_type":"X","relation":"R","tail":"B","tail_type":"Y"}]}`,
		"other names":       `{"entities":[],"edges":[{"subject":"A","subject_type":"X","predicate":"R","object":"B","object_type":"Y"}]}`,
		"words in brackets": `I [the assistant] found {this}: [{"head":"A","head_type":"X","relation":"R","tail":"B","tail_type":"Y"}]`,
		"capitals":          `[{"Head":"A","Head_Type":"X","Relation":"R","Tail":"B","Tail_Type":"Y"}]`,
		"nested ends":       `{"relations":[{"source":{"id":"A"},"source_label":"X","type":"R","target":{"id":"B"},"target_label":"Y"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, whole, err := mine(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.relations, cmp.AllowUnexported(minedRelation{})); diff != "" || !whole {
				t.Errorf("whole %t, relations (-want +got):\n%s", whole, diff)
			}
		})
	}
}

func TestMineRejectsWhatIsNoGraph(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "I can't do that.", `{"error":"no"}`, `[1,2]`, "{", strings.Repeat("[{", 5000)} {
		if got, _, err := mine(text); err == nil {
			t.Errorf("mine(%.20q) = %+v", text, got)
		}
	}
}

func TestMineKeepsWholeItemsAndReportsTheRest(t *testing.T) {
	t.Parallel()
	got, _, err := mine(`{"nodes":["A",{"label":"X"},{"id":"B","properties":{"born":1867}}],"relationships":[{"type":"R","source_node_id":"A"},7]}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.nodes) != 2 || len(got.relations) != 0 || len(got.problems) != 3 {
		t.Errorf("%d nodes, %d relations, problems %+v", len(got.nodes), len(got.relations), got.problems)
	}
	if p := got.nodes[1].properties; len(p) != 1 || p[0].Key != "born" || p[0].Value != "1867" {
		t.Errorf("properties %v", p)
	}
}

func FuzzLenient(f *testing.F) {
	for _, seed := range []string{
		`[{"head":"A","tail":"B"}]`, "```json\n{\"nodes\":[{\"id\":'x'}],}\n```", `[{a:1,b:[2,{c:"\ud83d`, `{"nodes":[{"id":"A"`,
		`{:}`, `[,:]`, `{"a" "b"}`, `[[[[`, `{]`, `[}`, "{\"a\\", "<think>[", `["a"b"]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, _, err := lenient(text, any1)
		if err != nil {
			return
		}
		if utf8.ValidString(text) && !valid(v) {
			t.Errorf("lenient(%q) holds invalid UTF-8", text)
		}
	})
}

// FuzzLenientAgrees compares with encoding/json: valid JSON must be read right.
func FuzzLenientAgrees(f *testing.F) {
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
		v, whole, err := lenient(text, any1)
		list, _ := v.([]any)
		if err != nil || !whole || len(list) != len(items) {
			t.Fatalf("lenient(%q) = %v, %t, %v; want %q", text, v, whole, err, items)
		}
		for i := range items {
			if list[i] != items[i] {
				t.Errorf("lenient(%q)[%d] = %q, want %q", text, i, list[i], items[i])
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
	case fields:
		for _, m := range v {
			if !utf8.ValidString(m.name) || !valid(m.value) {
				return false
			}
		}
	}
	return true
}
