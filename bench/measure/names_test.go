package measure

import (
	"path/filepath"
	"testing"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
)

// TestNamesByRuleAreNotShown compares what the graph shows of the labelled passages with
// the labels. A model is simulated: it lists three in four of the labelled entities. What
// rules find beside them may be right, but a part of it is not, and none of it is shown.
func TestNamesByRuleAreNotShown(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"passages-tuned", "passages-held", "passages-held-2"} {
		passages, err := LoadLabelled(filepath.Join("testdata", "extraction", folder), filepath.Join("..", "..", "..", "shared", "data", "multihop"))
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]domain.GraphDocument{}
		for _, p := range passages {
			var g domain.GraphDocument
			for i, e := range p.Entities {
				if i%4 < 3 && !e.Optional {
					g.Nodes = append(g.Nodes, domain.GraphNode{Name: e.Name, Label: e.Labels[0], Aliases: e.Aliases})
				}
			}
			listed[p.Text] = g
		}
		score := func(of func(domain.GraphDocument) domain.GraphDocument) ExtractionScore {
			rules := new(builtin.Miner)
			s, err := Extraction(t.Context(), extract.Local(func(title string, c domain.Chunk) domain.GraphDocument {
				return of(extract.WithNames(listed[c.Text], rules.Mine(title, c).Nodes))
			}, "simulated"), passages)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		shown := score(func(g domain.GraphDocument) domain.GraphDocument { return g })
		added := score(func(g domain.GraphDocument) domain.GraphDocument {
			g.Nodes, g.Names = append(g.Nodes, g.Names...), nil
			return g
		})
		t.Logf("%s: shown %.2f precision, %.2f recall, F1 %.3f; added as entities %.2f, %.2f, F1 %.3f, %d false", folder, shown.Entities.Precision, shown.Entities.Recall, shown.Entities.F1,
			added.Entities.Precision, added.Entities.Recall, added.Entities.F1, added.Entities.False)
		if shown.Entities.False > 0 || added.Entities.False == 0 {
			t.Errorf("%s: %d false entities are shown, %d were false among the added: %q", folder, shown.Entities.False, added.Entities.False, shown.False)
		}
	}
}
