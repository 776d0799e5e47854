package projection_test

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// TestNamesByRuleAreUnlisted lists an entity as long as something but a rule names it.
func TestNamesByRuleAreUnlisted(t *testing.T) {
	t.Parallel()
	for _, links := range []int{1, 64} { // with a tally, and read again
		b := newBench(t, t.TempDir())
		defer b.close()
		b.KeepTallies(links)
		put := func(id domain.DocumentID, words string, names ...string) {
			_, d := text(id, "", words)
			for _, n := range names {
				d.graphs[0].Names = append(d.graphs[0].Names, domain.GraphNode{Name: n, Label: "Person", Spans: []domain.Span{{Start: 0, End: 2}}})
			}
			b.ledger.put(id, d)
			b.apply()
		}
		shown := func(what string, listed, unlisted []string) {
			t.Helper()
			var got [2][]string
			a, err := b.graph.Adjacency(t.Context(), ws)
			b.check(err)
			for _, e := range a.Entities {
				at := 0
				if e.Unlisted {
					at = 1
				}
				got[at] = append(got[at], e.Label+" "+e.Name)
			}
			stats, err := b.graph.Stats(t.Context(), ws)
			b.check(err)
			if d := diff([2][]string{listed, unlisted}, got); d != "" || stats.Entities != len(listed) {
				t.Errorf("%d links, %s, %d counted (-want +got):\n%s", links, what, stats.Entities, d)
			}
		}
		put("d1", "[Person:Ann Lee] came.", "Oslo")
		shown("a name by rule", []string{"Person Ann Lee"}, []string{"Entity Oslo"})
		put("d2", "[Place:Oslo] is far.", "Ann Lee")
		shown("another document names it", []string{"Person Ann Lee", "Place Oslo"}, nil)
		e, ok := b.entity("Place", "oslo")
		if links := len(e.Links); !ok || links != 2 {
			t.Errorf("the entity has %d links, want those of both documents", links)
		}
		b.ledger.delete("d2")
		b.apply()
		shown("that document is gone", []string{"Person Ann Lee"}, []string{"Entity Oslo"})
		put("d3", "[Entity:Oslo] is near.")
		shown("named without a label", []string{"Person Ann Lee", "Entity Oslo"}, nil)
		b.ledger.delete("d3")
		b.apply()
		shown("gone again", []string{"Person Ann Lee"}, []string{"Entity Oslo"})
		b.ledger.delete("d1")
		b.apply()
		shown("all gone", nil, nil)
	}
}
