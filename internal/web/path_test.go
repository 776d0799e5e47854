package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
)

func TestPathBetweenEntities(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "letters.txt", "Agnes Lovibond works for the Carrow Foundry. Maud Ferring founded the Carrow Foundry. Jonas Petrie was born in Highmoor.")
	agnes := "/entities/" + string(b.entity(t, "Agnes Lovibond").ID)
	for _, tt := range []struct{ to, says string }{
		{"maud", "→ metCarrow Foundry"},
		{"maud", "← metMaud Ferring"},
		{"petrie", "No chain of up to 6 relations leads to Jonas Petrie."},
		{"nobody at all", "No entity is called nobody at all."},
		{"Agnes", "That is this entity."},
		{"<script>alert(1)</script>", "No entity is called <script>alert(1)</script>."},
	} {
		p := b.get(t, agnes+"?to="+url.QueryEscape(tt.to))
		if said := domain.OneLine(strings.ReplaceAll(p.main(t), "|", " ")); p.status != 200 || !strings.Contains(said, tt.says) {
			t.Errorf("%s: %d, not said: %s\nin %s", tt.to, p.status, tt.says, said)
		}
	}
	if p := b.get(t, "/entities/"+string(domain.NewEntityID(testkit.Workspace, "Person", "nobody"))+"?to=maud"); p.status != 404 {
		t.Errorf("from nobody: %d", p.status)
	}
}
