package extract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
)

// TestWhatAChangeNeeds goes from one guide to another over a chunk in which
// Ann, a Person, GREETED Ben, a Robot.
func TestWhatAChangeNeeds(t *testing.T) {
	t.Parallel()
	x := modelOf(t, llmtest.New(t), llm.ModeTool, nil)
	const text = "Ann greeted Ben. The ferries were inspected in May."
	mined := extract.Mined{Graph: domain.GraphDocument{
		Nodes:         []domain.GraphNode{{Name: "Ann", Label: "Person", Properties: domain.Properties{{Key: "trade", Value: "smith"}}}, {Name: "Ben", Label: "Robot"}},
		Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "GREETED"}},
	}}
	schema := func(change func(*extract.Schema)) extract.Guide {
		s := extract.Schema{
			Strict: true, Labels: []extract.LabelRule{{Name: "Person", Description: "who is named"}, {Name: "Robot"}}, Types: []extract.TypeRule{{Name: "GREETED"}},
		}
		if change != nil {
			change(&s)
		}
		return extract.Guide{Schema: s}
	}
	label := func(l extract.LabelRule) extract.Guide {
		return schema(func(s *extract.Schema) { s.Labels = append(s.Labels, l) })
	}
	kind := func(k extract.TypeRule) extract.Guide {
		return schema(func(s *extract.Schema) { s.Types = append(s.Types, k) })
	}
	of := func(keys ...string) extract.Guide {
		return schema(func(s *extract.Schema) {
			for _, key := range keys {
				s.Labels[0].Properties = append(s.Labels[0].Properties, extract.PropertyRule{Key: key})
			}
		})
	}
	without := schema(func(s *extract.Schema) { s.Labels = s.Labels[:1] })
	free := extract.Guide{}
	for name, tt := range map[string]struct {
		from, to extract.Guide
		want     extract.Again
	}{
		"nothing":                      {schema(nil), schema(nil), extract.Again{}},
		"the first schema, which fits": {free, schema(nil), extract.Again{}},
		"a schema less":                {schema(nil), free, extract.Again{}},
		"advisory":                     {without, schema(func(s *extract.Schema) { s.Labels, s.Strict = s.Labels[:1], false }), extract.Again{}},
		"a label less":                 {schema(nil), without, extract.Again{extract.NeedGone, []string{"Robot"}}},
		"still a label less":           {without, schema(func(s *extract.Schema) { s.Labels = s.Labels[:1:1] }), extract.Again{}},
		"a type less": {schema(nil), schema(func(s *extract.Schema) { s.Types = []extract.TypeRule{{Name: "LEFT"}} }),
			extract.Again{extract.NeedGone, []string{"GREETED"}}},
		"a label that is said":     {schema(nil), label(extract.LabelRule{Name: "Boat", Synonyms: []string{"ferry"}}), extract.Again{extract.NeedWords, []string{"ferry"}}},
		"a label that is not said": {schema(nil), label(extract.LabelRule{Name: "Boat", Synonyms: []string{"ship"}}), extract.Again{}},
		"a type that is said":      {schema(nil), kind(extract.TypeRule{Name: "INSPECTED"}), extract.Again{extract.NeedWords, []string{"inspected"}}},
		"a type where any was free": {extract.Guide{Schema: extract.Schema{Labels: schema(nil).Schema.Labels, Strict: true}},
			kind(extract.TypeRule{Name: "INSPECTED"}), extract.Again{}},
		"a triple that is said": {schema(func(s *extract.Schema) { s.Triples = []extract.Triple{{"Robot", "GREETED", "Person"}} }),
			schema(func(s *extract.Schema) {
				s.Triples = []extract.Triple{{"Person", "GREETED", "Person"}, {"Robot", "GREETED", "Person"}}
			}),
			extract.Again{extract.NeedWords, []string{"greeted"}}},
		"a triple that allows what was dropped": {schema(func(s *extract.Schema) { s.Triples = []extract.Triple{{"Robot", "GREETED", "Person"}} }),
			schema(func(s *extract.Schema) {
				s.Triples = []extract.Triple{{"Robot", "GREETED", "Person"}, {"Person", "GREETED", "Robot"}}
			}),
			extract.Again{}},
		"a type that allows what was dropped": {schema(func(s *extract.Schema) { s.Types = []extract.TypeRule{{Name: "LEFT"}} }),
			schema(func(s *extract.Schema) { s.Types = []extract.TypeRule{{Name: "LEFT"}, {Name: "GREETED"}} }), extract.Again{}},
		"a property that allows what was dropped": {of("born"), of("born", "trade"), extract.Again{}},
		"one property allowed, one more":          {of("born"), of("born", "trade", "height"), extract.Again{extract.NeedMore, []string{"Person"}}},
		"one at most": {schema(nil), schema(func(s *extract.Schema) {
			s.Types = []extract.TypeRule{{Name: "GREETED", One: extract.AtMostOne}}
		}), extract.Again{}},
		"one value at most": {of("born"), schema(func(s *extract.Schema) {
			s.Labels = []extract.LabelRule{{Name: "Person", Description: "who is named", Properties: []extract.PropertyRule{{Key: "born", One: extract.AtMostOne}}}, {Name: "Robot"}}
		}), extract.Again{}},
		"a property": {schema(nil), schema(func(s *extract.Schema) {
			s.Types = []extract.TypeRule{{Name: "GREETED", Properties: []extract.PropertyRule{{Key: "year"}}}}
		}),
			extract.Again{extract.NeedMore, []string{"GREETED"}}},
		"a description": {schema(nil), schema(func(s *extract.Schema) {
			s.Labels = []extract.LabelRule{{Name: "Person", Description: "who speaks"}, {Name: "Robot"}}
		}), extract.Again{extract.NeedMore, []string{"Person"}}},
		"instructions":  {schema(nil), extract.Guide{Schema: schema(nil).Schema, Instructions: "Be brief."}, extract.Again{Need: extract.NeedTold}},
		"a mode":        {free, extract.Guide{Mode: llm.ModePrompt}, extract.Again{Need: extract.NeedTold}},
		"no mode":       {free, extract.Guide{Mode: llm.ModeAuto}, extract.Again{}},
		"a second pass": {free, extract.Guide{Gleaning: 1}, extract.Again{Need: extract.NeedTold}},
		"a pass less":   {extract.Guide{Gleaning: 1}, free, extract.Again{}},
	} {
		k := extract.Kept{Mined: mined, Guide: tt.from, Reader: x.Reader(tt.from)}
		if diff := cmp.Diff(tt.want, extract.Needs(x, tt.to, k, text)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if got := extract.Needs(extract.Local(nil, "builtin/1"), tt.to, extract.Kept{Mined: mined, Guide: tt.from, Reader: "builtin/1 schema/00000000"}, text); got.Need != extract.NoNeed {
			t.Errorf("%s: the built-in mode needs %+v", name, got)
		}
		k.Reader = "another extract/2"
		if got := extract.Needs(x, tt.to, k, text); got.Need != extract.NeedNew {
			t.Errorf("%s: read by another model, needs %+v", name, got)
		}
	}
}
