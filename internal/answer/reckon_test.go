package answer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// reckoning says the same of every table, from a row of the second passage, and keeps the claims that are checked.
type reckoning struct {
	*script
	claims []Claim
}

func (r *reckoning) Reckon(context.Context, Asked, []domain.Passage) (Reckoned, bool, error) {
	p := r.passage(1)
	row := domain.Span{End: domain.Runes("1812 | 300")}
	return Reckoned{Says: "The least in “Reams”, of 2 rows:", Rows: []Quotation{{Text: "1812 — Reams: 300", Passage: p, Span: row.Shift(p.Span.Start)}}}, true, nil
}

func (r *reckoning) Support(ctx context.Context, a Asked, claims []Claim, emit Emit) ([]Support, error) {
	r.claims = claims
	return r.script.Support(ctx, a, claims, emit)
}

// TestAModelGetsWhatTablesSay asks a model that is told what was reckoned, from a row that the search did not find: it cites the row,
// the check knows what was reckoned, and a chart takes a number from the passage of the row.
func TestAModelGetsWhatTablesSay(t *testing.T) {
	t.Parallel()
	var r *reckoning
	d := newDrawing(t, func(p *Params) {
		s, _ := p.Passages.(*script)
		s.texts, s.searches = []string{millText, "1812 | 300\n1813 | 450"}, [][]int{{0}}
		r = &reckoning{script: s}
		p.Roles.Tables, p.Roles.Supporter = r, r
	})
	first := asksFor("reams by year")
	first.Text = "The least was made in 1812. [2]"
	d.server.On(goesOn, llmtest.Say("It grew. [1]"))
	d.server.On(firstTurn, first)
	spec := specOf(300, 450)
	for _, p := range spec["points"].([]map[string]any) {
		p["passage"] = 2
	}
	d.server.On(specifying, llmtest.Call("specify_chart", spec))
	got := d.run(t, checked())
	for _, words := range []string{"The least in “Reams”, of 2 rows:", "[2] <row ", "1812 — Reams: 300"} {
		if text := d.server.Requests(firstTurn)[0].Text(); !strings.Contains(text, words) {
			t.Errorf("the model was not told %q:\n%s", words, text)
		}
	}
	if len(got.Citations) != 2 || got.Citations[0].Text != "1812 | 300" {
		t.Fatalf("citations %+v", got.Citations)
	}
	if !slices.Contains(r.claims[0].Quotes, "The least in “Reams”, of 2 rows:\n1812 — Reams: 300") || len(r.claims[1].Quotes) != 1 {
		t.Errorf("checked %q", r.claims)
	}
	if len(got.Figures) != 1 || got.Figures[0].Status != domain.FigureDone {
		t.Errorf("figures %+v", got.Figures)
	}
}
