package stategraph_test

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Writing an undeclared field is an error.
func ExampleWrites() {
	b := stategraph.New("answer", schema)
	b.Node("retrieve", func(_ *stategraph.Context, s State) (Update, error) {
		return state.Merge(found.Add("on "+s.Question), loops.Add(1)), nil
	}, stategraph.Reads(question), stategraph.Writes(found))
	b.Edge(stategraph.Start, "retrieve")
	b.Edge("retrieve", stategraph.End)
	g := compile(b)
	node := g.Topology().Nodes[1]
	fmt.Println(node.Name, "reads", node.Reads, "and writes", node.Writes)
	_, err := g.Run(context.Background(), State{Question: "bells"})
	fmt.Println(err)
	// Output:
	// retrieve reads [question] and writes [found]
	// answer/retrieve (step 1): wrote "loops", which is not among its declared fields: found
}
