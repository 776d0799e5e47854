package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
)

func TestWindows(t *testing.T) {
	t.Parallel()
	chunks := func(tokens ...int) []domain.Chunk {
		var list []domain.Chunk
		for i, n := range tokens {
			list = append(list, domain.Chunk{Ordinal: i, Tokens: n})
		}
		return list
	}
	apart := chunks(100, 100, 100)
	apart[2].Ordinal = 7
	for _, tt := range []struct {
		name   string
		chunks []domain.Chunk
		limit  int
		want   []int
	}{
		{"none", nil, 1200, nil},
		{"all fit", chunks(300, 300, 600), 1200, []int{3}},
		{"one too many", chunks(300, 300, 601), 1200, []int{2, 1}},
		{"half a window more", chunks(600, 600, 600), 1200, []int{3}},
		{"a small remainder", chunks(600, 600, 200, 200), 1200, []int{4}},
		{"a remainder of its own", chunks(600, 600, 300, 301), 1200, []int{2, 2}},
		{"more than a remainder", chunks(600, 600, 200, 900), 1200, []int{2, 2}},
		{"larger than a window", chunks(2000, 100, 2000), 1200, []int{1, 1, 1}},
		{"alone", chunks(10, 10), 0, []int{1, 1}},
		{"not neighbours", apart, 1200, []int{2, 1}},
		{"very short ones", chunks(make([]int, 50)...), 1200, []int{24, 24, 2}},
	} {
		var got []int
		for _, w := range extract.Windows(tt.chunks, tt.limit) {
			got = append(got, len(w))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

// shed is three neighbouring passages. The first names Marie Curie in full, the
// second by her surname.
var shed = []string{
	"Marie Curie taught at the Sorbonne. Marie Curie won the Nobel Prize.",
	"Curie met Paul Langevin in Paris.",
	"Paul Langevin wrote about magnetism in Paris.",
}

func shedChunks() []domain.Chunk {
	var chunks []domain.Chunk
	start := 0
	for i, text := range shed {
		end := start + domain.Runes(text)
		chunks = append(chunks, domain.Chunk{
			ID: domain.ChunkID(fmt.Sprintf("c%d", i)), Document: "d1", Ordinal: i, Text: text, Span: domain.Span{Start: start, End: end}, Headings: []string{"Part " + fmt.Sprint(i+1)},
		})
		start = end + 2
	}
	return chunks
}

// rows writes graphs by their names and relations.
func rows(found []extract.Result) (out []string) {
	for _, f := range found {
		var names, facts []string
		for _, n := range f.Graph.Nodes {
			names = append(names, n.Name)
		}
		for _, r := range f.Graph.Relationships {
			facts = append(facts, f.Graph.Nodes[r.Source].Name+" "+r.Type+" "+f.Graph.Nodes[r.Target].Name)
		}
		out = append(out, strings.Join(names, ", ")+" | "+strings.Join(facts, ", "))
	}
	return out
}

func minedIn(id, label string, passages ...int) object {
	return object{"id": id, "label": label, "passages": passages, "aliases": []string{}, "properties": []object{}}
}

func statedIn(source, kind, target string, passage any) object {
	return object{"source_node_id": source, "target_node_id": target, "type": kind, "passage": passage, "properties": []object{}}
}

func TestItemsOfAWindowComeBackToTheirChunks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer object
		want   []string
	}{
		{
			"by their numbers",
			object{
				"nodes":         []object{minedIn("Marie Curie", "Person", 1, 2), minedIn("Sorbonne", "University", 1), minedIn("Paul Langevin", "Person", 2, 3), minedIn("Paris", "City", 2)},
				"relationships": []object{statedIn("Marie Curie", "TAUGHT_AT", "Sorbonne", 1), statedIn("Marie Curie", "MET", "Paul Langevin", 2)},
			},
			[]string{"Marie Curie, Sorbonne | Marie Curie TAUGHT_AT Sorbonne", "Marie Curie, Paul Langevin, Paris | Marie Curie MET Paul Langevin", "Paul Langevin, Paris | "},
		},
		{
			"by their names, where a number is missing or wrong",
			object{
				"nodes":         []object{minedIn("Sorbonne", "University"), minedIn("Paul Langevin", "Person", 9)},
				"relationships": []object{statedIn("Marie Curie", "TAUGHT_AT", "Sorbonne", 0), statedIn("Paul Langevin", "WROTE_IN", "Paris", "")},
			},
			[]string{"Sorbonne, Marie Curie | Marie Curie TAUGHT_AT Sorbonne", "Paul Langevin, Paris | Paul Langevin WROTE_IN Paris", "Paul Langevin | "},
		},
		{
			"with the ends that a relation alone names",
			object{"nodes": []object{minedIn("Marie Curie", "Person", 1)}, "relationships": []object{statedIn("Marie Curie", "MET", "Paul Langevin", 2)}},
			[]string{"Marie Curie | ", "Marie Curie, Paul Langevin | Marie Curie MET Paul Langevin", " | "},
		},
	} {
		s := llmtest.New(t)
		s.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", tt.answer))
		m := modelOf(t, s, llm.ModeTool, nil)
		found, err := m.Extract(t.Context(), extract.Request{Document: domain.Document{Workspace: "default", ID: "d1"}, Title: "The shed", Chunks: shedChunks()})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, rows(found)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
		for i, f := range found {
			c := shedChunks()[i]
			for _, n := range f.Graph.Nodes {
				for _, span := range n.Spans {
					if said := span.Shift(-c.Span.Start).Slice(c.Text); !strings.Contains(n.Name, said) {
						t.Errorf("%s: %s is said to be named by %q in %s", tt.name, n.Name, said, c.ID)
					}
				}
			}
			if len(f.Dropped) > 0 {
				t.Errorf("%s: %s drops %+v", tt.name, c.ID, f.Dropped)
			}
		}
		sent := s.Requests(llmtest.Any)
		if len(sent) != 1 || found[0].Cost.Calls != 1 || found[1].Cost.Calls != 0 {
			t.Errorf("%s: %d calls, costs %+v and %+v; want one call, counted once", tt.name, len(sent), found[0].Cost, found[1].Cost)
		}
		for n, text := range shed {
			if last := sent[0].Last(); !strings.Contains(last, text) || !strings.Contains(last, fmt.Sprintf("Passage %d, under", n+1)) {
				t.Errorf("%s: passage %d is missing, or its number or heading:\n%s", tt.name, n+1, last)
			}
		}
	}
}

func TestAnswerAboutAWindowThatIsCutOffIsAnError(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", `{"nodes": [{"id": "Marie Curie", "label": "Person", "passages": [1]}, {"id": "Sorb`))
	m := modelOf(t, s, llm.ModeTool, nil)
	r := extract.Request{Document: domain.Document{Workspace: "default", ID: "d1"}, Chunks: shedChunks()}
	found, err := m.Extract(t.Context(), r)
	if err == nil || !strings.Contains(err.Error(), "cut off") || len(found) != 1 || found[0].Cost.Calls != 1 {
		t.Errorf("error %v, results %+v: want that the answer was cut off, and what it cost", err, found)
	}
	r.Chunks = r.Chunks[:1]
	if found, err := m.Extract(t.Context(), r); err != nil || len(found[0].Graph.Nodes) != 1 || len(found[0].Warnings) != 1 {
		t.Errorf("of one chunk: %+v, error %v; want what it had listed before, and a warning", found, err)
	}
}
