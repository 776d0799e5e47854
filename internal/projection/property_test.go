package projection_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

// anyDocument draws a document from few names, labels and titles, so that
// documents share entities, disagree on labels and name each other's titles.
func anyDocument(rt *rapid.T, id domain.DocumentID) fakeDocument {
	names := []string{"Ann Lee", "ann lee", "Ann LEE", "The Harbour", "Harbour", "Oslo", "Acme Corp", "Mercury"}
	labels := []string{"Person", "Place", domain.UnknownLabel, domain.UnknownLabel}
	titles := []string{"Ann Lee", "Harbour", "the harbour", "Oslo", "Mercury (planet)", "Mercury (Metal)", "Mercury", "x", ""}
	words := []string{"saw", "Oslo", "the", "Mercury", "harbour", "Harbour.", "Ann Lee", "mercury (planet)", "Mercury (planet)"}
	var texts []string
	for range rapid.IntRange(0, 2).Draw(rt, "chunks") {
		var parts []string
		for range rapid.IntRange(0, 4).Draw(rt, "parts") {
			if rapid.Bool().Draw(rt, "node") {
				node := fmt.Sprintf("[%s:%s]", rapid.SampledFrom(labels).Draw(rt, "label"), rapid.SampledFrom(names).Draw(rt, "name"))
				if len(parts) > 0 && rapid.Bool().Draw(rt, "related") {
					parts = append(parts, rapid.SampledFrom([]string{"-KNOWS-", "-IN-"}).Draw(rt, "type"))
				}
				parts = append(parts, node)
			} else {
				parts = append(parts, rapid.SampledFrom(words).Draw(rt, "word"))
			}
		}
		texts = append(texts, strings.Join(parts, " "))
	}
	_, d := text(id, rapid.SampledFrom(titles).Draw(rt, "title"), texts...)
	return d
}

// TestOrderDoesNotMatter adds, replaces and deletes documents in any order and
// in batches of any size, with a projector that may lose its index at any
// time, and compares with a library that only ever held what is left.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, t.TempDir())
		defer b.close()
		for range rapid.IntRange(1, 14).Draw(rt, "steps") {
			id := domain.DocumentID(rapid.SampledFrom([]string{"d1", "d2", "d3", "d4"}).Draw(rt, "document"))
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0, 1, 2, 3:
				b.ledger.put(id, anyDocument(rt, id))
			case 4, 5:
				if _, ok := b.ledger.documents[id]; ok {
					b.ledger.delete(id)
				}
			case 6:
				b.vectors.fail = fmt.Errorf("out of order")
				_ = b.Apply(t.Context(), ws) // fails when there is something to do
				b.vectors.fail = nil
			default:
				b.apply()
			}
		}
		b.apply()
		fresh := newBench(t, t.TempDir())
		defer fresh.close()
		fresh.ledger = b.ledger.fresh()
		fresh.Projector = fresh.projector(fresh.ledger)
		fresh.apply()
		if d := diff(fresh.everything(), b.everything()); d != "" {
			rt.Errorf("differs from a fresh library (-fresh +this):\n%s", d)
		}
	})
}
