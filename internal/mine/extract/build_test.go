package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

func chunkAt(start int, text string) domain.Chunk {
	return domain.Chunk{Text: text, Span: domain.Span{Start: start, End: start + domain.Runes(text)}}
}

// tied builds what was mined from a chunk.
func tied(m mined, c domain.Chunk) Mined { return build(m, newPassage(c.Text), c.Span.Start) }

func TestFind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, entity, label string
		aliases             []string
		want                []string
	}{
		"as written":            {"Ada Lovelace wrote. Ada Lovelace died.", "Ada Lovelace", "Person", nil, []string{"Ada Lovelace", "Ada Lovelace"}},
		"another case":          {"The RIVER TAMAR is long.", "River Tamar", "River", nil, []string{"RIVER TAMAR"}},
		"accents":               {"Anders Ångström measured.", "Anders Angstrom", "Person", nil, []string{"Anders Ångström"}},
		"a possessive":          {"Curie's lab was cold.", "Curie", "Person", nil, []string{"Curie"}},
		"no part of a word":     {"Parishes are old.", "Paris", "City", nil, nil},
		"with an article":       {"Beatles fans came.", "The Beatles", "Band", nil, []string{"Beatles"}},
		"by aliases":            {"Ms Lovelace wrote to the Countess.", "Ada Lovelace", "Person", []string{"Lovelace", "the Countess"}, []string{"Lovelace", "the Countess"}},
		"by a surname":          {"Then Lovelace wrote.", "Ada Lovelace", "Person", nil, []string{"Lovelace"}},
		"not by any word":       {"He lived in Paris.", "University of Paris", "University", nil, nil},
		"by most of it":         {"The Royal Navy sailed.", "British Royal Navy", "Organization", nil, []string{"Royal Navy"}},
		"not in small letters":  {"He was frank about it.", "Anne Frank", "Person", nil, nil},
		"by initials":           {"The WHO said so, and W.H.O. again.", "World Health Organization", "Organization", nil, []string{"WHO", "W.H.O."}},
		"by main initials":      {"Police called the FBI.", "Federal Bureau of Investigation", "Organization", nil, []string{"FBI"}},
		"misspelt":              {"Skłodovska was born there.", "Skłodowska", "Person", nil, []string{"Skłodovska"}},
		"not another year":      {"The 1912 exhibition closed.", "1911 exhibition", "Event", nil, nil},
		"short names exactly":   {"Rom fell.", "Rome", "City", nil, nil},
		"a script without case": {"居里夫人发现了镭。", "镭", "Element", nil, []string{"镭"}},
		"emoji before it":       {"👩🏽‍🔬 Marie Curie 🎉", "Marie Curie", "Person", nil, []string{"Marie Curie"}},
		"nothing":               {"", "Rome", "City", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPassage(tt.text)
			var got []string
			for _, s := range p.find(tt.entity, tt.label, tt.aliases).spans {
				got = append(got, p.slice(s))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFormsOfOneNameAreMerged(t *testing.T) {
	t.Parallel()
	text := "Marie Curie was born in Warsaw. Curie moved to Paris. MARIE CURIE won."
	m := tied(mined{
		nodes: []minedNode{
			{name: "Curie", label: "person"},
			{name: "marie curie", label: "Person", aliases: []string{"Curie", "Madame Curie"}, properties: domain.Properties{{Key: "born", Value: "1867"}}},
			{name: "Marie Curie"}, {name: "Warsaw", label: "city"}, {name: "", label: "city"},
		},
		relations: []minedRelation{
			{source: "Curie", sourceLabel: "Person", kind: "moved to", target: "Paris", targetLabel: "City"},
			{source: "Marie Curie", sourceLabel: "Scientist", kind: "born in", target: "Warsaw", targetLabel: "Town"},
		},
	}, chunkAt(100, text))
	want := domain.GraphDocument{
		Nodes: []domain.GraphNode{
			{Name: "Marie Curie", Label: "Person", Aliases: []string{"Curie"}, Properties: domain.Properties{{Key: "born", Value: "1867"}},
				Spans: []domain.Span{{Start: 100, End: 111}, {Start: 132, End: 137}, {Start: 154, End: 165}}},
			{Name: "Warsaw", Label: "City", Spans: []domain.Span{{Start: 124, End: 130}}},
			{Name: "Paris", Label: "City", Spans: []domain.Span{{Start: 147, End: 152}}},
		},
		Relationships: []domain.GraphRelationship{
			{Source: 0, Target: 2, Type: "MOVED_TO", Raw: "moved to", Spans: []domain.Span{{Start: 132, End: 153}}},
			{Source: 0, Target: 1, Type: "BORN_IN", Raw: "born in", Spans: []domain.Span{{Start: 100, End: 131}}},
		},
	}
	if diff := cmp.Diff(want, m.Graph); diff != "" || len(m.Left) > 0 {
		t.Errorf("left out %+v, graph (-want +got):\n%s", m.Left, diff)
	}
}

func TestAnAmbiguousAliasMergesNothing(t *testing.T) {
	t.Parallel()
	g := tied(mined{nodes: []minedNode{
		{name: "Marie Curie", label: "Person", aliases: []string{"Curie"}},
		{name: "Pierre Curie", label: "Person", aliases: []string{"Curie"}},
		{name: "Curie", label: "Person"},
	}}, chunkAt(0, "Marie Curie and Pierre Curie met; Curie smiled.")).Graph
	if len(g.Nodes) != 3 {
		t.Errorf("%+v", g.Nodes)
	}
}

func TestEqualNamesOfTwoLabelsStayApart(t *testing.T) {
	t.Parallel()
	g := tied(mined{
		nodes:     []minedNode{{name: "Mercury", label: "Planet"}, {name: "Mercury", label: "Element"}},
		relations: []minedRelation{{source: "Mercury", sourceLabel: "Element", kind: "NAMED_AFTER", target: "Mercury", targetLabel: "Planet"}},
	}, chunkAt(0, "Mercury is named after Mercury.")).Graph
	if len(g.Nodes) != 2 || len(g.Relationships) != 1 || g.Relationships[0].Source != 1 || g.Relationships[0].Target != 0 {
		t.Errorf("%+v", g)
	}
}

func TestARelationAcrossSentences(t *testing.T) {
	t.Parallel()
	text := "Ada Brandt was tired. She closed the yard. Nordlicht was sold. Ada Brandt left."
	g := tied(mined{relations: []minedRelation{{source: "Ada Brandt", sourceLabel: "Person", kind: "sold", target: "Nordlicht", targetLabel: "Company"}}}, chunkAt(0, text)).Graph
	var got []string
	for _, s := range g.Relationships[0].Spans {
		got = append(got, s.Slice(text))
	}
	if diff := cmp.Diff([]string{"Nordlicht was sold.", "Ada Brandt left."}, got); diff != "" {
		t.Errorf("support (-want +got):\n%s", diff)
	}
}

// Whatever a model answers, indices are valid and every item has spans within
// the chunk that hold its text.
func TestEveryItemIsTiedToTheText(t *testing.T) {
	t.Parallel()
	vocabulary := rapid.SampledFrom([]string{"Ada", "Brandt", "of", "the", "Paris", "Åse", "É", "東京", "👩🏽‍🔬", "won", "U.S.", "Ada-Ada", "x", "Curie's", "."})
	phrase := rapid.Custom(func(t *rapid.T) string {
		s := ""
		for _, w := range rapid.SliceOfN(vocabulary, 0, 4).Draw(t, "words") {
			s += w + " "
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, s := range rapid.SliceOfN(phrase, 0, 8).Draw(t, "text") {
			text += s
		}
		var m mined
		for range rapid.IntRange(0, 5).Draw(t, "nodes") {
			m.nodes = append(m.nodes, minedNode{name: phrase.Draw(t, "name"), label: phrase.Draw(t, "label"), aliases: []string{phrase.Draw(t, "alias")}})
		}
		for range rapid.IntRange(0, 5).Draw(t, "relations") {
			m.relations = append(m.relations, minedRelation{source: phrase.Draw(t, "source"), kind: "R", target: phrase.Draw(t, "target")})
		}
		c := chunkAt(7, text)
		g := tied(m, c).Graph
		check := func(what string, spans []domain.Span) {
			if len(spans) == 0 {
				t.Fatalf("%s has no support", what)
			}
			for i, s := range spans {
				if s.Empty() || !c.Span.Contains(s) || i > 0 && s.Start < spans[i-1].End {
					t.Fatalf("%s has spans %v in %v", what, spans, c.Span)
				}
			}
		}
		for _, n := range g.Nodes {
			check(n.Name, n.Spans)
		}
		for _, r := range g.Relationships {
			if r.Source == r.Target || r.Source >= len(g.Nodes) || r.Target >= len(g.Nodes) {
				t.Fatalf("relation %+v of %d nodes", r, len(g.Nodes))
			}
			check(r.Type, r.Spans)
		}
	})
}

func TestLabelAndType(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][2]string{
		"person": {"Person", "PERSON"}, "PERSON": {"Person", "PERSON"}, "research institute": {"ResearchInstitute", "RESEARCH_INSTITUTE"},
		"worksFor": {"WorksFor", "WORKS_FOR"}, "WORKS_FOR": {"WorksFor", "WORKS_FOR"}, "NGO": {"NGO", "NGO"},
		"co-founder of": {"CoFounderOf", "CO_FOUNDER_OF"}, "人物": {"人物", "人物"}, "är född i": {"ÄrFöddI", "ÄR_FÖDD_I"},
		"": {domain.UnknownLabel, "RELATED_TO"}, "42": {domain.UnknownLabel, "RELATED_TO"}, "?!": {domain.UnknownLabel, "RELATED_TO"},
	} {
		if got := [2]string{Label(raw), Type(raw)}; got != want {
			t.Errorf("%q gives %q, want %q", raw, got, want)
		}
	}
}
