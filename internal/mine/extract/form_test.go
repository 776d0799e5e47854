package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
