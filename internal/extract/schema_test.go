package extract_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/extract"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

var prizes = extract.Schema{
	Labels: []extract.LabelRule{
		{Name: "person", Properties: []extract.PropertyRule{{Key: "born", Type: "year", Required: true}}},
		{Name: "Award"}, {Name: "University"},
	},
	Types: []extract.TypeRule{
		{Name: "won", Source: "Person", Target: "Award"},
		{Name: "professor at", Source: "Person", Target: "University"},
	},
	Strict: true,
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
	g, warnings := mustExtract(t, modelOf(t, s, llm.ModeTool, func(p *extract.Params) { p.Schema = prizes }), curie)
	if diff := cmp.Diff([]string{"Marie Curie WON Nobel Prize", "Marie Curie PROFESSOR_AT University of Paris"}, stated(g)); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}
	want := []string{
		`The property mood of "Marie Curie" was left out: the schema does not declare it for Person.`,
		`"Pierre Curie" lacks the property born, which the schema requires of Person.`,
		`The entity "radioactivity" was left out: the schema does not know the label Field.`,
		`The relation "Nobel Prize" WON "Marie Curie" was left out: the schema does not allow it from Award to Person.`,
		`The relation "Marie Curie" STUDIED "radioactivity" was left out: the schema does not know the label of one of its ends.`,
		`The relation "Marie Curie" LOVED "Pierre Curie" was left out: the schema does not know its type.`,
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
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
	g, warnings := mustExtract(t, modelOf(t, s, llm.ModeTool, func(p *extract.Params) { p.Schema = loose }), curie)
	if len(g.Nodes) != 5 || len(warnings) != 0 {
		t.Errorf("%d nodes, %q", len(g.Nodes), warnings)
	}
}

func TestSchemaIsInThePrompt(t *testing.T) {
	t.Parallel()
	for _, mode := range []llm.Mode{llm.ModeTool, llm.ModePrompt} {
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.Say("[]"))
		mustExtract(t, modelOf(t, s, mode, func(p *extract.Params) { p.Schema = prizes }), curie)
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
