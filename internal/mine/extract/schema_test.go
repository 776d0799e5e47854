package extract_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
)

var prizes = extract.Schema{
	Labels: []extract.LabelRule{
		{Name: "person", Properties: []extract.PropertyRule{{Key: "born", Type: "year", Required: true}}},
		{Name: "Award"}, {Name: "University"},
	},
	Types: []extract.TypeRule{
		{Name: "won"},
		{Name: "professor at"},
	},
	Triples: []extract.Triple{{"Person", "won", "Award"}, {"Person", "professor at", "University"}},
	Strict:  true,
}

func TestStrictSchemaDropsAndReports(t *testing.T) {
	t.Parallel()
	marie := node("Marie Curie", "Person")
	marie["properties"] = []object{{"key": "born", "value": "1867"}, {"key": "mood", "value": "good"}}
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("knowledge_graph", object{
		"nodes": []object{marie, node("Pierre Curie", "Person"), node("Nobel Prize", "Award"), node("radioactivity", "Field"), node("University of Paris", "University")},
		"relationships": []object{
			relation("Marie Curie", "Person", "WON", "Nobel Prize", "Award"),
			relation("Nobel Prize", "Award", "WON", "Marie Curie", "Person"),
			relation("Marie Curie", "Person", "STUDIED", "radioactivity", "Field"),
			relation("Marie Curie", "Person", "LOVED", "Pierre Curie", "Person"),
			relation("Marie Curie", "Person", "professor at", "University of Paris", "University"),
		},
	}))
	r := mustRead(t, modelOf(t, s, llm.ModeTool, nil), extract.Guide{Schema: prizes}, curie)
	g := r.Graph
	if diff := cmp.Diff([]string{"Marie Curie WON Nobel Prize", "Marie Curie PROFESSOR_AT University of Paris"}, stated(g)); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}
	want := []string{
		"property Marie Curie mood (property) The schema declares no property mood for Person.",
		"entity radioactivity (label) The schema has no label Field.",
		"relation Nobel Prize WON Marie Curie (triple) The schema has no triple (Award) WON (Person).",
		"relation Marie Curie STUDIED radioactivity (end) Its end radioactivity was dropped.",
		"relation Marie Curie LOVED Pierre Curie (type) The schema has no type LOVED.",
	}
	var got []string
	for _, d := range r.Dropped {
		got = append(got, written(d))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	if spans := quoted(curie, r.Dropped[1].Spans); !cmp.Equal(spans, []string{"radioactivity"}) {
		t.Errorf("the dropped entity is at %q", spans)
	}
	lacks := []string{`"Pierre Curie" lacks the property born, which the schema requires of Person.`}
	if diff := cmp.Diff(lacks, r.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if p := g.Nodes[0].Properties; len(p) != 1 || p[0].Value != "1867" {
		t.Errorf("properties %v", p)
	}
}

func TestLooseSchemaOnlyGuides(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("knowledge_graph", curieGraph))
	loose := prizes
	loose.Strict = false
	r := mustRead(t, modelOf(t, s, llm.ModeTool, nil), extract.Guide{Schema: loose}, curie)
	if len(r.Graph.Nodes) != 5 || len(r.Dropped) != 0 {
		t.Errorf("%d nodes, dropped %+v", len(r.Graph.Nodes), r.Dropped)
	}
	if system := s.Requests(llmtest.Any)[0].Messages[0].Text; !strings.Contains(system, "if one fits is one of: Person") || strings.Contains(system, "allowed") {
		t.Errorf("the prompt of a loose schema:\n%s", system)
	}
}

func TestSchemaIsInThePrompt(t *testing.T) {
	t.Parallel()
	for _, mode := range []llm.Mode{llm.ModeTool, llm.ModePrompt} {
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.Say("[]"))
		mustRead(t, modelOf(t, s, mode, nil), extract.Guide{Schema: prizes}, curie)
		sent := s.Requests(llmtest.Any)[0]
		system := sent.Messages[0].Text
		for _, part := range []string{"Person, Award, University", "WON, PROFESSOR_AT", "(Person) WON (Award)"} {
			if !strings.Contains(system, part) {
				t.Errorf("mode %s: the prompt lacks %q:\n%s", mode, part, system)
			}
		}
		if strings.Contains(system, "Tamar") {
			t.Errorf("mode %s: an example outside the schema was shown", mode)
		}
		if mode == llm.ModeTool {
			checkEnums(t, sent.Tools[0].Parameters)
		}
	}
}

func checkEnums(t *testing.T, raw json.RawMessage) {
	t.Helper()
	type text struct {
		Description string   `json:"description"`
		Enum        []string `json:"enum"`
	}
	var schema struct {
		Properties struct {
			Nodes struct {
				Items struct {
					Properties struct{ Label text }
				}
			}
			Relationships struct {
				Items struct {
					Properties struct{ Type text }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	label, kind := schema.Properties.Nodes.Items.Properties.Label, schema.Properties.Relationships.Items.Properties.Type
	if !cmp.Equal(label.Enum, []string{"Person", "Award", "University"}) || !strings.Contains(label.Description, "Person, Award") {
		t.Errorf("label %+v", label)
	}
	if !cmp.Equal(kind.Enum, []string{"WON", "PROFESSOR_AT"}) {
		t.Errorf("type %+v", kind)
	}
}

func TestExamplesAreShownWithoutASchema(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("[]"))
	mustExtract(t, modelOf(t, s, llm.ModePrompt, nil), curie)
	if system := s.Requests(llmtest.Any)[0].Messages[0].Text; !strings.Contains(system, `"head":"Tamar Bridge"`) {
		t.Errorf("no example in the prompt:\n%s", system)
	}
}
