package extract_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
)

// williams ends the passage about Marie Curie with somebody who has nothing to do
// with her.
const williams = curie + " Robin Williams died in 2014."

// TestAnIsolatedEntityIsOnlyInTheModesThatListEntities reads the passage from a
// recorded answer of each form. A relation that the answer repeats is there once, and
// every span marks the words of its item.
func TestAnIsolatedEntityIsOnlyInTheModesThatListEntities(t *testing.T) {
	t.Parallel()
	listed := object{
		"nodes": []object{
			node("Marie Curie", "Person"), node("Pierre Curie", "Person"), node("Nobel Prize", "Award"),
			node("University of Paris", "Organization"), node("Robin Williams", "Person"),
		},
		"relationships": curieGraph["relationships"],
	}
	four := []string{"Marie Curie", "Pierre Curie", "Nobel Prize", "University of Paris"}
	for mode, tt := range map[llm.Mode]struct {
		answer llmtest.Reply
		names  []string
	}{
		llm.ModeTool:   {llmtest.Call("knowledge_graph", listed), append(slices.Clone(four), "Robin Williams")},
		llm.ModeSchema: {llmtest.JSON(listed), append(slices.Clone(four), "Robin Williams")},
		llm.ModePrompt: {llmtest.JSON(curieFacts), four},
	} {
		s := llmtest.New(t)
		s.On(llmtest.Any, tt.answer)
		r := mustRead(t, modelOf(t, s, mode, nil), extract.Guide{}, williams)
		var names []string
		for _, n := range r.Graph.Nodes {
			names = append(names, n.Name)
			for _, words := range quoted(williams, n.Spans) {
				if words != n.Name {
					t.Errorf("%s: %s is marked at %q", mode, n.Name, words)
				}
			}
		}
		slices.Sort(names)
		want := slices.Sorted(slices.Values(tt.names))
		if diff := cmp.Diff(want, names); diff != "" || len(r.Dropped) > 0 {
			t.Errorf("%s: dropped %v, entities (-want +got):\n%s", mode, r.Dropped, diff)
		}
		if diff := cmp.Diff(threeRelations, stated(r.Graph)); diff != "" {
			t.Errorf("%s: relations (-want +got):\n%s", mode, diff)
		}
		if won := quoted(williams, r.Graph.Relationships[0].Spans); !slices.Equal(won, []string{"Marie Curie won the Nobel Prize again in 1911."}) {
			t.Errorf("%s: WON is marked at %q", mode, won)
		}
		narrow := extract.Guide{Schema: extract.Schema{Labels: []extract.LabelRule{{Name: "Person"}, {Name: "Award"}}, Strict: true}}.Conform(r.Mined)
		if got := stated(narrow.Graph); !slices.Equal(got, []string{"Marie Curie WON Nobel Prize", "Pierre Curie WON Nobel Prize"}) || len(narrow.Dropped) != 2 {
			t.Errorf("%s: a schema narrows it to %v, dropped %v", mode, got, narrow.Dropped)
		}
	}
}
