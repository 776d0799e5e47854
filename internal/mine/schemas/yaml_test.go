package schemas_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
)

func TestYAMLIsReadable(t *testing.T) {
	t.Parallel()
	text, err := schemas.Write(bells())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"    - name: Foundry\n", "synonyms: [Works, Company]\n", "    - {source: Foundry, type: CAST, target: Bell}\n", "gleaning: 1\n"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the file lacks %q:\n%s", line, text)
		}
	}
	if empty, err := schemas.Write(extract.Guide{}); err != nil || string(empty) != "{}\n" {
		t.Errorf("an empty schema is %q, %v", empty, err)
	}
}

func TestYAMLIsReadStrictly(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"schema:\n  labels:\n    - name: Bell\n      colour: red\n": "Line 4: the key colour is unknown here.",
		"schema:\n  lables: []\n":                                   "Line 2: the key lables is unknown here.",
		"instructions: a\ninstructions: b\n":                        "Line 2: the key instructions is listed twice.",
		"schema:\n  labels: 3\n":                                    `Line 2: the value "3" is not allowed here.`,
		"schema:\n  labels:\n    name: Bell\n":                      "Line 3: a group of keys is not allowed here.",
		"gleaning: [1]\n":                                           "Line 1: a list is not allowed here.",
		"schema: [\n":                                               "valid YAML",
		"a: 'b\n":                                                   "valid YAML",
		"instructions: a\n---\ninstructions: b\n":                   "more than one document",
		"schema:\n  types: [{name: CAST}]\n  triples: [{type: RANG}]\n":        "not among the types",
		"instructions: a\nnonsense: b\nmore: c\n":                              "Line 2: the key nonsense is unknown here. Line 3: the key more is unknown here.",
		"schema:\n  labels: [{name: Bell, properties: [{key: a, type: b}]}]\n": "value type",
	} {
		_, err := schemas.Read([]byte(text))
		wantKind(t, err, domain.Invalid, says)
	}
	_, err := schemas.Read(make([]byte, 2<<20))
	wantKind(t, err, domain.TooLarge, "1024 KiB")
	if g, err := schemas.Read(nil); err != nil || !g.Empty() {
		t.Errorf("an empty file: %+v, %v", g, err)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		bomb += string(rune('b'+i)) + ": &" + string(rune('b'+i)) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(rune('a'+i))+",", 9), ",") + "]\n"
	}
	if _, err := schemas.Read([]byte(bomb)); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a file of references to itself: %v", err)
	}
}

// TestYAMLComesBack writes and reads valid schemas with all kinds of words.
func TestYAMLComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		g := anyGuide(rt)
		text, err := schemas.Write(g)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := schemas.Read(text)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(g, got, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("-want +got\n%s\n%s", diff, text)
		}
		if changes := schemas.Diff(g, got); len(changes) != 0 {
			rt.Fatalf("what came back differs in %v", changes)
		}
	})
}

// words draws a text that YAML may take for something else.
func words(rt *rapid.T, what string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "yes", "null", "~", "3", "1e3", "a: b", "# no", "- x", "'", `"`, "[a]", "{a: b}", "*a", "&a", "!a", "%a", "|", ">", "\n", "a\n\n b \n", "\t", " a ", "ä 漢 🧵", "2024-01-01", "<<", "…"}),
		rapid.String(),
	).Draw(rt, what)
}

func anyGuide(rt *rapid.T) extract.Guide {
	var g extract.Guide
	labels := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Person", "Bell", "Größe", "No", "Null", "Yes Sir"}), 0, 6, rapid.ID).Draw(rt, "labels")
	types := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"CAST", "RANG", "NO", "IS_Ä"}), 0, 4, rapid.ID).Draw(rt, "types")
	properties := func() []extract.PropertyRule {
		var all []extract.PropertyRule
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "yes", "1"}), 0, 3, rapid.ID).Draw(rt, "keys") {
			all = append(all, extract.PropertyRule{
				Key: key, Description: words(rt, "description"), Type: rapid.SampledFrom(append(extract.ValueTypes(), "")).Draw(rt, "value"), Required: rapid.Bool().Draw(rt, "required"),
			})
		}
		return all
	}
	for i, name := range labels {
		rule := extract.LabelRule{Name: name, Description: words(rt, "description"), Properties: properties()}
		for i := range rule.Properties {
			rule.Properties[i].One = once(rt)
		}
		if rapid.Bool().Draw(rt, "has a synonym") {
			rule.Synonyms = []string{strings.Repeat("x", i+1) + " synonym"}
		}
		g.Schema.Labels = append(g.Schema.Labels, rule)
	}
	for _, name := range types {
		rule := extract.TypeRule{Name: name, Description: words(rt, "description"), Properties: properties(), One: once(rt)}
		rule.Synonyms = rapid.SliceOfN(rapid.SampledFrom([]string{"no", "is: cast", "rang, twice", "3"}), 0, 2).Draw(rt, "synonyms")
		g.Schema.Types = append(g.Schema.Types, rule)
	}
	if len(types) > 0 {
		triple := extract.Triple{Type: types[0]}
		if len(labels) > 0 {
			triple.Source = labels[0]
		}
		g.Schema.Triples = append(g.Schema.Triples, triple)
		g.Examples = []extract.Example{{Text: "x" + words(rt, "text"), Facts: []extract.Fact{{
			Head: "x" + words(rt, "head"), HeadType: triple.Source, Relation: types[0], Tail: "x" + words(rt, "tail"), TailType: triple.Source,
		}}}}
	}
	g.Schema.Strict = rapid.Bool().Draw(rt, "strict")
	g.Instructions, g.Descriptions.Label = words(rt, "instructions"), words(rt, "about labels")
	g.Mode = rapid.SampledFrom([]llm.Mode{"", llm.ModeTool, llm.ModePrompt}).Draw(rt, "mode")
	g.Gleaning = rapid.IntRange(0, 2).Draw(rt, "gleaning")
	return g
}

func once(rt *rapid.T) extract.Once {
	return rapid.SampledFrom([]extract.Once{extract.Unsaid, extract.AtMostOne, extract.Several}).Draw(rt, "one")
}
