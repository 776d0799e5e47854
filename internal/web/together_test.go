package web

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/testkit"
)

// TestNamesMentionedTogetherAreShownAsNoRelation reads documents that name the same two
// people twice, without a sentence that relates them.
func TestNamesMentionedTogetherAreShownAsNoRelation(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	for name, text := range map[string]string{
		"one.txt":   "Henrike Aldous designed Copper Bridge. Ambrose Keel came to the opening. Henrike Aldous praised the day.",
		"two.txt":   "Ambrose Keel painted Weir Bridge. In the evening Henrike Aldous arrived.",
		"three.txt": "Clement Harrow built Velm Mill.",
		"four.txt":  "Dorothea Brook sold Tarn House.",
	} {
		b.Read(t, name, text)
	}
	henrike, ambrose := b.entity(t, "Henrike Aldous").ID, b.entity(t, "Ambrose Keel").ID
	type drawn struct {
		Nodes struct{ Name []string }
		Edges struct{ Type, Evidence []int }
	}
	look := func(query string) (d drawn, weak int) {
		testkit.Must(t, json.Unmarshal([]byte(b.get(t, "/graph/data?at="+string(henrike)+"&steps=1"+query).body), &d))
		for _, kind := range d.Edges.Type {
			if kind < 0 {
				weak++
			}
		}
		return d, weak
	}
	if d, weak := look(""); weak != 1 || !strings.Contains(strings.Join(d.Nodes.Name, ","), "Ambrose Keel") {
		t.Fatalf("%d weak edges among %v", weak, d.Nodes.Name)
	}
	if d, weak := look("&mentions=off"); weak != 0 || strings.Contains(strings.Join(d.Nodes.Name, ","), "Ambrose Keel") {
		t.Errorf("switched off: %d weak edges among %v", weak, d.Nodes.Name)
	}
	if d, weak := look("&mentions=off&mentions=on"); weak != 1 {
		t.Errorf("ticked in the form: %d weak edges among %v", weak, d.Nodes.Name)
	}

	view := b.get(t, "/graph?at="+string(henrike))
	if rows := nodes(t, view.body, func(n *html.Node) bool { return attr(n, "data-testid") == "card-together" }); len(rows) != 1 || !strings.Contains(text(rows[0]), "Ambrose Keel") || !strings.Contains(text(rows[0]), "2 passages") {
		t.Errorf("the card lists %d names mentioned together: %s", len(rows), view.main(t))
	}
	pair := b.get(t, "/graph?at="+string(henrike)+"&sel="+string(henrike)+"&with="+string(ambrose)).main(t)
	for _, want := range []string{"Mentioned together in 2 passages", "Ambrose Keel came to the opening", "In the evening Henrike Aldous arrived"} {
		if !strings.Contains(pair, want) {
			t.Errorf("the card of both has no %q: %s", want, pair)
		}
	}
	page := b.get(t, "/entities/"+string(ambrose))
	if !strings.Contains(page.main(t), "Mentioned together with") || !strings.Contains(page.main(t), "Henrike Aldous") {
		t.Errorf("the page of the entity: %s", page.main(t))
	}
	if over := b.get(t, "/graph/stated?a="+string(henrike)+"&b="+string(ambrose)).body; !strings.Contains(over, "Mentioned together in 2 passages") {
		t.Errorf("pointed at: %s", over)
	}

	const tied = "MENTIONED_WITH"
	if whole := b.get(t, "/graph/export?format=json&scope=all").body; strings.Contains(whole, tied) {
		t.Errorf("an export holds weak edges unasked: %s", whole)
	}
	if whole := b.get(t, "/graph/export?format=json&scope=all&mentions=on").body; strings.Count(whole, tied) != 1 {
		t.Errorf("an export holds %d weak edges, want 1", strings.Count(whole, tied))
	}
}
