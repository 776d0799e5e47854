package extract_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
)

func TestGuidesAreChecked(t *testing.T) {
	t.Parallel()
	labels := func(l ...extract.LabelRule) extract.Guide { return extract.Guide{Schema: extract.Schema{Labels: l}} }
	person := extract.LabelRule{Name: "Person"}
	won := []extract.TypeRule{{Name: "won"}}
	triple := func(source, kind, target string) extract.Guide {
		return extract.Guide{Schema: extract.Schema{Labels: []extract.LabelRule{person}, Types: won, Triples: []extract.Triple{{source, kind, target}}}}
	}
	property := func(p ...extract.PropertyRule) extract.Guide {
		return labels(extract.LabelRule{Name: "Person", Properties: p})
	}
	for names, g := range map[string]extract.Guide{
		"label 2":                           labels(person, extract.LabelRule{Name: " 7 "}),
		"Person is listed":                  labels(person, extract.LabelRule{Name: "person"}),
		"\"People\" stands for":             labels(person, extract.LabelRule{Name: "Crowd", Synonyms: []string{"people"}}, extract.LabelRule{Name: "People"}),
		"LOST, which is not":                triple("Person", "lost", "Person"),
		"starts at the label Award, which":  triple("award", "won", "Person"),
		"ends at the label Award, which":    triple("Person", "won", "award"),
		"Property 1 of Person has no key":   property(extract.PropertyRule{}),
		"property Born of Person is listed": property(extract.PropertyRule{Key: "born"}, extract.PropertyRule{Key: "Born"}),
		`value type "yeer". Use one of text, number, year, date, yes/no`: property(extract.PropertyRule{Key: "born", Type: "yeer"}),
		"Example 1 has no text": {Examples: []extract.Example{{}}},
		"Fact 1 of example 1 is (Robot) WON (Person)": {
			Schema:   extract.Schema{Labels: []extract.LabelRule{person}, Types: won},
			Examples: []extract.Example{{Text: "R2 won Ann.", Facts: []extract.Fact{{"R2", "robot", "won", "Ann", "person"}}}},
		},
		"only properties of labels": {Schema: extract.Schema{Types: []extract.TypeRule{{Name: "won", Properties: []extract.PropertyRule{{Key: "year", One: extract.AtMostOne}}}}}},
		"instructions":              {Instructions: strings.Repeat("x", 10_001)},
		`mode "guess"`:              {Mode: "guess"},
		"gleaning is 3":             {Gleaning: 3},
		"gleaning is -1":            {Gleaning: -1},
	} {
		if err := g.Validate(); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: error %v", names, err)
		}
	}
	if err := (extract.Guide{Schema: prizes, Mode: llm.ModeTool, Gleaning: 2}).Validate(); err != nil {
		t.Error(err)
	}
}

// TestGuidesOfOneHashReadAlike covers the spellings of an empty guide.
func TestGuidesOfOneHashReadAlike(t *testing.T) {
	t.Parallel()
	for _, g := range []extract.Guide{{}, {Mode: llm.ModeAuto}, {Schema: extract.Schema{Strict: true}}, {Examples: []extract.Example{}}} {
		if !g.Empty() || g.Hash() != "" {
			t.Errorf("%+v is not empty", g)
		}
	}
	x := extract.Local(nil, "builtin/9")
	if name := x.Reader(extract.Guide{}); name != "builtin/9" {
		t.Errorf("reader without a guide %q", name)
	}
	loose := prizes
	loose.Strict = false
	a, b := extract.Guide{Schema: prizes}, extract.Guide{Schema: loose}
	if x.Reader(a) == x.Reader(b) || !strings.HasPrefix(x.Reader(a), "builtin/9 schema/") {
		t.Errorf("readers %q and %q", x.Reader(a), x.Reader(b))
	}
	if told := a; x.Reader(a) != x.Reader(extract.Guide{Schema: told.Schema, Instructions: "Be brief."}) {
		t.Error("instructions, which only a model hears, change the reader of the built-in mode")
	}
}

// library is a schema with synonyms and properties of each type.
var library = extract.Schema{
	Labels: []extract.LabelRule{
		{Name: "Person"}, {Name: "Organisation", Synonyms: []string{"outfit"}}, {Name: "Place"},
		{Name: "Bridge", Properties: []extract.PropertyRule{
			{Key: "opened", Type: extract.Year}, {Key: "length", Type: extract.Number}, {Key: "closed", Type: extract.Date}, {Key: "toll", Type: extract.YesNo}, {Key: "note"},
		}},
	},
	Types: []extract.TypeRule{
		{Name: "DESIGNED", Synonyms: []string{"drew the plans of"}}, {Name: "FOUNDED"}, {Name: "BORN_IN"}, {Name: "LOCATED_IN"},
	},
	Triples: []extract.Triple{{"Person", "DESIGNED", "Bridge"}, {"Person", "BORN_IN", "Place"}},
	Strict:  true,
}

func TestLabelsAndTypesAreMapped(t *testing.T) {
	t.Parallel()
	n := func(name, label string) domain.GraphNode { return domain.GraphNode{Name: name, Label: label} }
	for name, tt := range map[string]struct {
		source, kind, target, want string
	}{
		"by name":                            {"Person", "DESIGNED", "Bridge", "(Person) DESIGNED (Bridge)"},
		"by inflection":                      {"Persons", "WAS_FOUNDING", "Organizations", "(Person) FOUNDED (Organisation)"},
		"of a synonym, between other labels": {"Person", "DREW_PLANS_OF", "Outfits", "-"},
		"by synonym of the type":             {"Person", "DRAWS_PLANS_OF", "Bridge", "(Person) DESIGNED (Bridge)"},
		"by the label's head":                {"Physicist", "FOUNDED", "LittleOutfit", "(Person) FOUNDED (Organisation)"},
		"by obvious kinds":                   {"Engineer", "ESTABLISHED", "University", "(Person) FOUNDED (Organisation)"},
		"turned round":                       {"Bridge", "WAS_DESIGNED_BY", "Architect", "(Person) DESIGNED (Bridge)"},
		"not by a part":                      {"Person", "FOUNDED_ON", "Organisation", "-"},
		"between other labels":               {"Person", "BORN_IN", "Organisation", "-"},
		"of no known kind":                   {"Mood", "FOUNDED", "Person", "-"},
		"without a label":                    {domain.UnknownLabel, "FOUNDED", "Person", "-"},
	} {
		r := extract.Guide{Schema: library}.Conform(extract.Mined{Graph: domain.GraphDocument{
			Nodes: []domain.GraphNode{n("A", tt.source), n("B", tt.target)}, Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: tt.kind}},
		}})
		got := "-"
		for _, e := range r.Graph.Relationships {
			got = extract.Triple{r.Graph.Nodes[e.Source].Label, e.Type, r.Graph.Nodes[e.Target].Label}.String()
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s; dropped %+v", name, got, tt.want, r.Dropped)
		}
		advisory := library
		advisory.Strict = false
		r = extract.Guide{Schema: advisory}.Conform(r.Mined)
		if len(r.Graph.Nodes) != 2 || len(r.Graph.Relationships) != 1 || len(r.Dropped) != 0 {
			t.Errorf("%s: advisory keeps %+v, drops %+v", name, r.Graph, r.Dropped)
		}
	}
}

func TestValuesAreChecked(t *testing.T) {
	t.Parallel()
	var all domain.Properties
	for _, v := range []struct{ key, good, bad string }{
		{"Opened", "1911|44 BC|−300", "May 1911|about 1911|"},
		{"length", "1,204.5|12 000|-3|40%", "12 km|many"},
		{"closed", "7 May 1911|May 7, 1911|1911-05-07|1911|7.5.1911|May 1911", "the spring|soon"},
		{"toll", "Yes|false", "sometimes"},
		{"note", "anything at all", ""},
	} {
		for good := range strings.SplitSeq(v.good, "|") {
			all = append(all, domain.Property{Key: v.key, Value: good})
		}
		for bad := range strings.SplitSeq(v.bad, "|") {
			all = append(all, domain.Property{Key: v.key, Value: bad})
		}
	}
	r := extract.Guide{Schema: library}.Conform(extract.Mined{Graph: domain.GraphDocument{Nodes: []domain.GraphNode{{Name: "A", Label: "Bridge", Properties: all}}}})
	var got []string
	for _, d := range r.Dropped {
		if d.Code != domain.DropValue || d.Name != "A" {
			t.Errorf("%+v", d)
		}
		got = append(got, d.Property.Value)
	}
	want := []string{"May 1911", "about 1911", "", "12 km", "many", "the spring", "soon", "sometimes"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	if p := r.Graph.Nodes[0].Properties[0]; p.Key != "opened" || p.Value != "1911" {
		t.Errorf("first property %+v", p)
	}
}

// TestWhatBecomesTheSameIsOne merges entities and relations that a schema maps
// to one label and type.
func TestWhatBecomesTheSameIsOne(t *testing.T) {
	t.Parallel()
	at := func(start int) []domain.Span { return []domain.Span{{Start: start, End: start + 3}} }
	r := extract.Guide{Schema: library}.Conform(extract.Mined{Graph: domain.GraphDocument{
		Nodes: []domain.GraphNode{
			{Name: "Ann", Label: "Architect", Spans: at(9), Aliases: []string{"A."}}, {Name: "ann", Label: "Painter", Spans: at(0)}, {Name: "Tamar", Label: "Bridge", Spans: at(20)},
		},
		Relationships: []domain.GraphRelationship{
			{Source: 0, Target: 2, Type: "DESIGNED", Spans: at(5)}, {Source: 2, Target: 1, Type: "DESIGNED_BY", Spans: at(1)}, {Source: 0, Target: 1, Type: "FOUNDED"},
		},
	}})
	want := domain.GraphDocument{
		Nodes: []domain.GraphNode{
			{Name: "Ann", Label: "Person", Aliases: []string{"A."}, Spans: []domain.Span{{Start: 0, End: 3}, {Start: 9, End: 12}}}, {Name: "Tamar", Label: "Bridge", Spans: at(20)},
		},
		Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "DESIGNED", Spans: []domain.Span{{Start: 1, End: 4}, {Start: 5, End: 8}}}},
	}
	if diff := cmp.Diff(want, r.Graph); diff != "" {
		t.Errorf("graph (-want +got):\n%s", diff)
	}
	if len(r.Dropped) != 1 || r.Dropped[0].Code != domain.DropLoop {
		t.Errorf("dropped %+v", r.Dropped)
	}
}

func TestTheGuideIsTold(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("[]"))
	told := prizes
	told.Labels = []extract.LabelRule{{Name: "Person", Description: "someone\nnamed", Synonyms: []string{"scientist"}}, {Name: "Award"}, {Name: "University"}}
	mustRead(t, modelOf(t, s, llm.ModePrompt, nil), extract.Guide{
		Schema: told, Instructions: "A prize is no person.", Mode: llm.ModeTool, Descriptions: extract.Descriptions{Label: "Its kind."},
		Examples: []extract.Example{{Text: "Ann won gold.", Facts: []extract.Fact{{"Ann", "Person", "WON", "gold", "Award"}}}},
	}, curie)
	sent := s.Requests(llmtest.Any)[0]
	for _, part := range []string{"Person: someone named; also for: scientist.", "A prize is no person.", "Ann won gold."} {
		if !strings.Contains(sent.Messages[0].Text, part) {
			t.Errorf("the prompt lacks %q:\n%s", part, sent.Messages[0].Text)
		}
	}
	if len(sent.Tools) != 1 || !strings.Contains(string(sent.Tools[0].Parameters), "Its kind.") {
		t.Errorf("tools %+v", sent.Tools)
	}
}

func TestGleaningAddsWhatWasMissed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		passes, calls int
		want          []string
	}{
		{0, 1, threeRelations},
		{1, 2, append(threeRelations[:3:3], "Pierre Curie MARRIED Marie Curie")},
		{2, 3, append(threeRelations[:3:3], "Pierre Curie MARRIED Marie Curie")},
	} {
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.Call("knowledge_graph", curieGraph), llmtest.Call("knowledge_graph", object{
			"nodes":         []object{node("Pierre Curie", "person")},
			"relationships": []object{relation("Pierre Curie", "person", "married", "Marie Curie", "person"), relation("Marie Curie", "person", "won", "Nobel Prize", "award")},
		}), llmtest.Say("I found nothing else."))
		r := mustRead(t, modelOf(t, s, llm.ModeTool, nil), extract.Guide{Gleaning: tt.passes}, curie)
		if diff := cmp.Diff(tt.want, stated(r.Graph)); diff != "" || len(r.Graph.Nodes) != 5 || len(r.Dropped) != 0 {
			t.Errorf("%d passes: %d entities, dropped %v, relations (-want +got):\n%s", tt.passes, len(r.Graph.Nodes), r.Dropped, diff)
		}
		sent := s.Requests(llmtest.Any)
		if len(sent) != tt.calls {
			t.Fatalf("%d passes: %d calls", tt.passes, len(sent))
		}
		if last := sent[len(sent)-1]; tt.passes > 0 && (!strings.Contains(last.Last(), "may be missing") || len(last.Messages) != 2*tt.calls) {
			t.Errorf("%d passes: the last request has %d messages, the last %q", tt.passes, len(last.Messages), last.Last())
		}
	}
}
