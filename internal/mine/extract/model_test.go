package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
)

const curie = "Marie Curie, born in 1867, was a Polish and naturalised-French physicist and chemist who conducted pioneering research on radioactivity. " +
	"She was the first woman to win a Nobel Prize. Marie Curie won the Nobel Prize again in 1911. " +
	"Her husband, Pierre Curie, was a co-winner of her first Nobel Prize. " +
	"In 1906 Marie Curie became the first woman professor at the University of Paris."

type object = map[string]any

func node(id, label string, aliases ...string) object {
	return object{"id": id, "label": label, "aliases": append([]string{}, aliases...), "properties": []object{}}
}

func relation(source, sourceLabel, kind, target, targetLabel string) object {
	return object{
		"source_node_id": source, "source_node_label": sourceLabel, "type": kind,
		"target_node_id": target, "target_node_label": targetLabel, "properties": []object{},
	}
}

// curieGraph is a model's answer about the passage, with one relation twice.
var curieGraph = object{
	"nodes": []object{
		node("Marie Curie", "person"), node("Pierre Curie", "person"),
		node("Nobel Prize", "award"), node("University of Paris", "university"), node("radioactivity", "field of study"),
	},
	"relationships": []object{
		relation("Marie Curie", "person", "won", "Nobel Prize", "award"),
		relation("Marie Curie", "person", "WON", "Nobel Prize", "award"),
		relation("Marie Curie", "person", "professor", "University of Paris", "university"),
		relation("Pierre Curie", "person", "won", "Nobel Prize", "award"),
	},
}

var curieFacts = []extract.Fact{
	{"Marie Curie", "Person", "WON", "Nobel Prize", "Award"},
	{"Marie Curie", "Person", "WON", "Nobel Prize", "Award"},
	{"Marie Curie", "Person", "PROFESSOR", "University of Paris", "University"},
	{"Pierre Curie", "Person", "WON", "Nobel Prize", "Award"},
}

// chunkOf returns a chunk that does not begin where the document does.
func chunkOf(text string) domain.Chunk {
	const start = 40
	return domain.Chunk{
		ID: "c1", Document: "d1", Headings: []string{"Physicists", "Paris"}, Text: text,
		Span: domain.Span{Start: start, End: start + domain.Runes(text)},
	}
}

func requestOf(text string) extract.Request {
	return extract.Request{
		Document: domain.Document{Workspace: "default", ID: "d1"}, Title: "The Curies", Chunks: []domain.Chunk{chunkOf(text)}, Before: "It was a cold shed.",
	}
}

// modelOf returns an extractor that asks the server over HTTP.
func modelOf(t *testing.T, s *llmtest.Server, mode llm.Mode, change func(*extract.Params)) *extract.Model {
	t.Helper()
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: s.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	p := extract.Params{Chat: chat, Fitness: llm.NewFitness(chat, mode, nil), Prompts: prompts.New(nil, prompts.NewFences([]byte("test")), extract.Prompt())}
	if change != nil {
		change(&p)
	}
	return extract.New(p)
}

func mustExtract(t *testing.T, m extract.Extractor, text string) (domain.GraphDocument, []string) {
	t.Helper()
	r := mustRead(t, m, extract.Guide{}, text)
	warnings := r.Warnings
	for _, d := range r.Dropped {
		warnings = append(warnings, written(d))
	}
	return r.Graph, warnings
}

func mustRead(t *testing.T, m extract.Extractor, g extract.Guide, text string) extract.Result {
	t.Helper()
	q := requestOf(text)
	q.Guide = g
	r, err := extract.One(t.Context(), m, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// written returns a dropped item in a line.
func written(d domain.Dropped) string {
	return domain.OneLine(strings.Join([]string{
		string(d.Kind), d.Name, d.Type, d.Target, d.Property.Key, "(" + string(d.Code) + ")", d.Reason,
	}, " "))
}

// quoted returns the texts of spans.
func quoted(text string, spans []domain.Span) []string {
	var out []string
	for _, s := range spans {
		out = append(out, s.Shift(-40).Slice(text))
	}
	return out
}

// stated returns the relations of a graph as texts.
func stated(g domain.GraphDocument) []string {
	var out []string
	for _, r := range g.Relationships {
		out = append(out, g.Nodes[r.Source].Name+" "+r.Type+" "+g.Nodes[r.Target].Name)
	}
	return out
}

var threeRelations = []string{
	"Marie Curie WON Nobel Prize", "Marie Curie PROFESSOR University of Paris", "Pierre Curie WON Nobel Prize",
}

func TestCurieInEachMode(t *testing.T) {
	t.Parallel()
	for mode, answer := range map[llm.Mode]llmtest.Reply{
		llm.ModeTool:   llmtest.Call("knowledge_graph", curieGraph),
		llm.ModeSchema: llmtest.JSON(curieGraph),
		llm.ModePrompt: llmtest.Say("Here you are:\n```json\n" + llmtest.JSON(curieFacts).Text + "\n```"),
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, answer)
			g, warnings := mustExtract(t, modelOf(t, s, mode, nil), curie)
			if diff := cmp.Diff(threeRelations, stated(g)); diff != "" {
				t.Errorf("relations (-want +got):\n%s", diff)
			}
			if len(warnings) > 0 {
				t.Errorf("warnings %q", warnings)
			}
			won := quoted(curie, g.Relationships[0].Spans)
			if len(won) != 1 || won[0] != "Marie Curie won the Nobel Prize again in 1911." {
				t.Errorf("Marie WON is supported by %q", won)
			}
			if got := quoted(curie, g.Nodes[0].Spans); !cmp.Equal(got, []string{"Marie Curie", "Marie Curie", "Marie Curie"}) {
				t.Errorf("Marie Curie is named by %q", got)
			}
			if g.Relationships[0].Raw == "" || g.Nodes[0].Label != "Person" {
				t.Errorf("raw %q, label %q", g.Relationships[0].Raw, g.Nodes[0].Label)
			}
		})
	}
}

func TestIsolatedNodesAreKept(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("knowledge_graph", curieGraph))
	g, _ := mustExtract(t, modelOf(t, s, llm.ModeTool, nil), curie)
	last := g.Nodes[len(g.Nodes)-1]
	if last.Name != "radioactivity" || last.Label != "FieldOfStudy" {
		t.Errorf("last node is %+v", last)
	}
}

func TestNamesFoundByRuleAreKeptBesideTheModels(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("knowledge_graph", curieGraph))
	m := modelOf(t, s, llm.ModeTool, func(p *extract.Params) {
		p.Names = extract.Names{Reader: "rules/1", Find: func(_ string, c domain.Chunk) domain.GraphDocument {
			at := []domain.Span{{Start: c.Span.Start, End: c.Span.Start + 1}}
			return domain.GraphDocument{
				Nodes:         []domain.GraphNode{{Name: "the MARIE Curie", Label: "Unknown", Spans: at}, {Name: "Sorbonne", Label: "Organization", Spans: at}},
				Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "TAUGHT_AT", Spans: at}},
			}
		}}
	})
	alone, _ := mustExtract(t, modelOf(t, s, llm.ModeTool, nil), curie)
	r := mustRead(t, m, extract.Guide{}, curie)
	if diff := cmp.Diff(alone.Nodes, r.Graph.Nodes); diff != "" || len(r.Graph.Names) != 1 || r.Graph.Names[0].Name != "Sorbonne" {
		t.Errorf("names %+v, want the Sorbonne; nodes (-the model's +got)\n%s", r.Graph.Names, diff)
	}
	if diff := cmp.Diff(stated(alone), stated(r.Graph)); diff != "" {
		t.Errorf("relations (-the model's +got)\n%s", diff)
	}
	if len(r.Mined.Graph.Names) != 1 {
		t.Errorf("names %+v are kept for another schema", r.Mined.Graph.Names)
	}
	for _, strict := range []bool{false, true} { // applied later
		by := extract.Guide{Schema: extract.Schema{Labels: []extract.LabelRule{{Name: "Person"}}, Strict: strict}}.Conform(r.Mined)
		if wanted := !strict; (len(by.Graph.Names) == 1) != wanted || strings.Contains(fmt.Sprint(by.Dropped), "Sorbonne") {
			t.Errorf("strict %t: names %+v, dropped %v", strict, by.Graph.Names, by.Dropped)
		}
	}
	if got := m.Reader(extract.Guide{}); !strings.HasSuffix(got, " rules/1") {
		t.Errorf("reader %q does not name the rules", got)
	}
	strict := extract.Guide{Schema: extract.Schema{Labels: []extract.LabelRule{{Name: "Person"}}, Strict: true}}
	for _, d := range mustRead(t, m, strict, curie).Dropped {
		if d.Name == "Sorbonne" {
			t.Errorf("dropped: %s, want nothing of what the rules found under a strict schema", written(d))
		}
	}
}

func TestEachModeOnTheWire(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode   llm.Mode
		tools  []string
		schema string
	}{
		{llm.ModeTool, []string{"knowledge_graph"}, ""},
		{llm.ModeSchema, []string{}, "knowledge_graph"},
		{llm.ModePrompt, []string{}, ""},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", object{"nodes": []object{}, "relationships": []object{}}))
			s.On(llmtest.Any, llmtest.Say("[]"))
			mustExtract(t, modelOf(t, s, tt.mode, nil), curie)
			sent := s.Requests(llmtest.Any)
			if len(sent) != 1 {
				t.Fatalf("%d requests", len(sent))
			}
			if diff := cmp.Diff(tt.tools, sent[0].ToolNames(), cmpopts.EquateEmpty()); diff != "" || sent[0].Schema != tt.schema {
				t.Errorf("schema %q, tools (-want +got):\n%s", sent[0].Schema, diff)
			}
			var any any
			if tt.mode == llm.ModePrompt {
				for _, field := range []string{"tools", "tool_choice", "response_format"} {
					if sent[0].Field(field, &any) {
						t.Errorf("prompt mode sent %s", field)
					}
				}
			}
			for _, part := range []string{">The Curies</", ">Physicists > Paris</", ">It was a cold shed.</", curie} {
				if !strings.Contains(sent[0].Last(), part) {
					t.Errorf("the message lacks %q:\n%s", part, sent[0].Last())
				}
			}
		})
	}
}

func TestAutoChoosesByProbe(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script func(s *llmtest.Server)
		want   llm.Mode
	}{
		"tools work": {func(s *llmtest.Server) {
			s.On(llmtest.Tool("report_city"), llmtest.Call("report_city", object{"city": "Paris"}))
			s.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", curieGraph))
		}, llm.ModeTool},
		"only a schema works": {func(s *llmtest.Server) {
			s.On(llmtest.Tool("report_city"), llmtest.Fail(400, "tools are not supported"))
			s.On(llmtest.Schema("report_city"), llmtest.JSON(object{"city": "Paris"}))
			s.On(llmtest.Schema("knowledge_graph"), llmtest.JSON(curieGraph))
		}, llm.ModeSchema},
		"neither works": {func(s *llmtest.Server) {
			s.On(llmtest.Tool("report_city"), llmtest.Say("It is Paris."))
			s.On(llmtest.Schema("report_city"), llmtest.Say("It is Paris."))
			s.On(llmtest.Plain, llmtest.JSON(curieFacts))
		}, llm.ModePrompt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			tt.script(s)
			m := modelOf(t, s, llm.ModeAuto, nil)
			for range 2 {
				g, _ := mustExtract(t, m, curie)
				if diff := cmp.Diff(threeRelations, stated(g)); diff != "" {
					t.Errorf("relations (-want +got):\n%s", diff)
				}
			}
			var mode llm.Mode
			if err := m.Fitness.Ask(t.Context(), nil, func(found llm.Mode) error {
				mode = found
				return nil
			}); mode != tt.want || err != nil {
				t.Errorf("mode %q, %v; want %q", mode, err, tt.want)
			}
			if probes := s.Calls(llmtest.Tool("report_city")); probes != 1 {
				t.Errorf("the model was probed %d times", probes)
			}
		})
	}
}

// TestPeriodsStandInTheText: a relation has the dates that a model gives it where its sentences name them, and where no
// model was asked the only date of a sentence with no other relation.
func TestPeriodsStandInTheText(t *testing.T) {
	t.Parallel()
	const text = "Ann Holm led the Tarn Mill from 1890 until May 1902. Bo Lund has owned the mill since 1903, and Cy Berg met Ann Holm there. Bo Lund ran the Elm Works in 1921."
	dated := func(source, kind, target, from, until string) object {
		r := relation(source, "person", kind, target, "mill")
		r["valid_from"], r["valid_until"] = from, until
		return r
	}
	for name, c := range map[string]struct {
		mode   llm.Mode
		answer any
		want   []string
	}{
		"by a tool": {llm.ModeTool, object{
			"nodes": []object{node("Ann Holm", "person"), node("Bo Lund", "person"), node("Tarn Mill", "mill"), node("Elm Works", "mill")},
			"relationships": []object{
				dated("Ann Holm", "LED", "Tarn Mill", "1890", "1902-05"),
				dated("Ann Holm", "OWNED", "Tarn Mill", "1891", ""), dated("Ann Holm", "SOLD", "Tarn Mill", "long ago", ""), dated("Bo Lund", "RAN", "Elm Works", "", ""),
			},
		}, []string{"LED 1890..1902-05 1890 until May 1902"}},
		"in plain text": {llm.ModePrompt, []object{
			{"head": "Ann Holm", "head_type": "Person", "relation": "LED", "tail": "Tarn Mill", "tail_type": "Mill"},
			{"head": "Bo Lund", "head_type": "Person", "relation": "OWNS", "tail": "Ann Holm", "tail_type": "Mill"},
			{"head": "Cy Berg", "head_type": "Person", "relation": "MET", "tail": "Ann Holm", "tail_type": "Person"},
			{"head": "Bo Lund", "head_type": "Person", "relation": "RAN", "tail": "Elm Works", "tail_type": "Mill"},
		}, []string{"LED 1890..1902-05 1890 until May 1902", "RAN 1921 1921"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			reply := llmtest.JSON(c.answer)
			if c.mode == llm.ModeTool {
				reply = llmtest.Call("knowledge_graph", c.answer)
			}
			s.On(llmtest.Any, reply)
			graph, _ := mustExtract(t, modelOf(t, s, c.mode, nil), text)
			var got []string
			for _, r := range graph.Relationships {
				for _, p := range r.Periods {
					got = append(got, r.Type+" "+p.String()+" "+quoted(text, []domain.Span{p.At})[0])
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
