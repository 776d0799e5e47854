package draw_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/draw"
	"github.com/clewhq/clew/internal/stategraph/state"
)

func TestMermaidDrawsEveryKind(t *testing.T) {
	t.Parallel()
	drawn := stategraph.Topology{
		Nodes: []stategraph.TopologyNode{
			{Name: "start", Kind: stategraph.KindStart}, {Name: "grade documents", Kind: stategraph.KindNode},
			{Name: "decide", Kind: stategraph.KindBranch}, {Name: "end.", Kind: stategraph.KindNode}, {Name: "rate", Kind: stategraph.KindTask},
			{Name: "subgraph", Kind: stategraph.KindSubgraph}, {Name: "end", Kind: stategraph.KindEnd},
		},
		Edges: []stategraph.TopologyEdge{
			{From: "start", To: "grade documents"}, {From: "grade documents", To: "decide"},
			{From: "decide", To: "subgraph", Label: "relevant", Conditional: true},
			{From: "decide", To: "end", Label: `"quoted" & <odd>`, Conditional: true},
			{From: "decide", To: "rate", Label: "each", Conditional: true, Send: true},
			{From: "rate", To: "end.", Join: true}, {From: "subgraph", To: "end.", Join: true}, {From: "end.", To: "end"},
		},
	}
	want := strings.Join([]string{
		`flowchart TD`,
		`    start(["start"])`,
		`    grade_documents["grade documents"]`,
		`    decide{"decide"}`,
		`    end_["end."]`,
		`    rate[/"rate"/]`,
		`    subgraph_[["subgraph"]]`,
		`    end__(["end"])`,
		`    start --> grade_documents`,
		`    grade_documents --> decide`,
		`    decide -. "relevant" .-> subgraph_`,
		`    decide -. "#quot;quoted#quot; #amp; #lt;odd#gt;" .-> end__`,
		`    decide -. "each" .-> rate`,
		`    rate ==> end_`,
		`    subgraph_ ==> end_`,
		`    end_ --> end__`,
		``,
	}, "\n")
	if diff := cmp.Diff(want, draw.Mermaid(drawn)); diff != "" {
		t.Errorf("Mermaid (-want +got):\n%s", diff)
	}
}

type values struct {
	Found bool `json:"found"`
}

func ExampleMermaid() {
	b := stategraph.New("answer", state.NewSchema[values](1))
	b.Node("retrieve", func(*stategraph.Context, values) (state.Update[values], error) {
		return state.Update[values]{}, nil
	})
	b.Edge(stategraph.Start, "retrieve")
	b.Branch("retrieve", "decide", func(*stategraph.Context, values) (stategraph.Route[values], error) {
		return stategraph.Choose[values]("found"), nil
	}, stategraph.Case{Label: "found", Target: stategraph.End}, stategraph.Case{Label: "nothing", Target: "retrieve"})
	g, err := b.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(draw.Mermaid(g.Topology()))
	// Output:
	// flowchart TD
	//     start(["start"])
	//     retrieve["retrieve"]
	//     decide{"decide"}
	//     end_(["end"])
	//     start --> retrieve
	//     retrieve --> decide
	//     decide -. "found" .-> end_
	//     decide -. "nothing" .-> retrieve
}
