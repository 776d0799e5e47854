package link_test

import (
	"net/url"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
)

func TestAGraphsAddressHoldsAllOfIt(t *testing.T) {
	t.Parallel()
	id := rapid.StringMatching(`e[0-9a-f]{4}`)
	ids := rapid.SliceOfNDistinct(rapid.Map(id, func(s string) domain.EntityID { return domain.EntityID(s) }), 0, 4, rapid.ID[domain.EntityID])
	words := rapid.SliceOfNDistinct(rapid.StringN(1, 8, -1), 0, 3, rapid.ID[string])
	rapid.Check(t, func(t *rapid.T) {
		v := link.GraphView{
			At: ids.Draw(t, "at"), Open: ids.Draw(t, "open"), Hide: ids.Draw(t, "hide"), Steps: rapid.IntRange(0, 3).Draw(t, "steps"),
			To: rapid.String().Draw(t, "to"), In: domain.EntityID(id.Draw(t, "in")), All: rapid.Bool().Draw(t, "all"), Table: rapid.Bool().Draw(t, "table"),
			Labels: words.Draw(t, "labels"), Types: words.Draw(t, "types"), Tag: rapid.String().Draw(t, "tag"), Evidence: rapid.IntRange(0, 9).Draw(t, "min"),
		}
		for _, pinned := range ids.Draw(t, "pins") {
			v.Pins = append(v.Pins, link.GraphPin{ID: pinned, X: rapid.IntRange(-999, 999).Draw(t, "x"), Y: 7})
		}
		address, err := url.Parse(v.URL())
		if err != nil {
			t.Fatal(err)
		}
		back := link.ParseGraph(address.Query())
		if back.URL() != v.URL() || len(back.At) != len(v.At) || !reflect.DeepEqual(back.Pins, v.Pins) {
			t.Fatalf("%s is read as %+v", v.URL(), back)
		}
	})
}

func TestAGraphsAddressIsBounded(t *testing.T) {
	t.Parallel()
	q := url.Values{"steps": {"99"}, "min": {"-4"}, "pin": {"e1", "e1,x,1", "e1,1,9999999", ",1,1"}}
	for range 1000 {
		q.Add("at", "e"+string(rune('a'+len(q["at"])%26))+string(rune('a'+len(q["at"])/26)))
	}
	v := link.ParseGraph(q)
	if len(v.At) > 24 || v.Steps != 3 || v.Evidence != 0 || len(v.Pins) != 0 {
		t.Errorf("got %d centres, %d steps, evidence %d, %d pins", len(v.At), v.Steps, v.Evidence, len(v.Pins))
	}
}
