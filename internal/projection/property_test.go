package projection_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// anyDocument draws a document from few names, labels and titles, so that
// documents share entities, disagree about labels and mention each other's
// titles.
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

// anyCuration draws a decision about an entity that documents may produce, or
// about one that was split off.
func anyCuration(rt *rapid.T, l *fakeLedger) ledger.Curation {
	entity := func(what string) domain.EntityID {
		if l.log != nil && rapid.IntRange(0, 5).Draw(rt, "split off") == 0 {
			c := rapid.SampledFrom(l.log).Draw(rt, "entry")
			return domain.NewSplitID(c.Entity, c.Seq)
		}
		label := rapid.SampledFrom([]string{"Person", "Place", domain.UnknownLabel}).Draw(rt, "label")
		name := rapid.SampledFrom([]string{"ann lee", "harbour", "oslo", "mercury"}).Draw(rt, what)
		id := domain.NewEntityID(ws, label, name)
		l.names[id] = name
		return id
	}
	kinds := []ledger.CurationKind{ledger.CurationMerge, ledger.CurationMerge, ledger.CurationMerge, ledger.CurationSplit, ledger.CurationSplit,
		ledger.CurationRename, ledger.CurationRelabel, ledger.CurationHide, ledger.CurationHideRelation, ledger.CurationRetype, ledger.CurationUndo, ledger.CurationUndo}
	c := ledger.Curation{Kind: rapid.SampledFrom(kinds).Draw(rt, "decision")}
	if c.Kind == ledger.CurationUndo {
		undone := ledger.Undone(l.log)
		var open []ledger.Curation
		for _, c := range l.log {
			if !undone[c.Seq] {
				open = append(open, c)
			}
		}
		if len(open) > 0 {
			c.Undoes = rapid.SampledFrom(open).Draw(rt, "undoes").Seq
			return c
		}
		c.Kind = ledger.CurationMerge
	}
	c.Entity = entity("entity")
	switch c.Kind {
	case ledger.CurationMerge:
		for range rapid.IntRange(1, 2).Draw(rt, "others") {
			c.Others = append(c.Others, entity("other"))
		}
		c.Form = rapid.SampledFrom([]string{"", "", domain.Hash([]byte("Ann LEE"))}).Draw(rt, "form")
	case ledger.CurationSplit:
		c.Chunks = rapid.SliceOfN(rapid.SampledFrom([]domain.ChunkID{"c-d1-0", "c-d2-0", "c-d2-1", "c-d3-0"}), 0, 2).Draw(rt, "chunks")
		c.Forms = []string{domain.Hash([]byte(rapid.SampledFrom([]string{"Ann Lee", "Harbour", "Oslo", "Mercury"}).Draw(rt, "form")))}
	case ledger.CurationRename:
		c.Name = rapid.SampledFrom([]string{"Oslo", "The one"}).Draw(rt, "name")
	case ledger.CurationRelabel:
		c.Label = rapid.SampledFrom([]string{"Person", "Ship"}).Draw(rt, "new label")
	case ledger.CurationHideRelation, ledger.CurationRetype:
		c.Target = entity("target")
		c.Relation = domain.NewRelationID(c.Entity, rapid.SampledFrom([]string{"KNOWS", "IN"}).Draw(rt, "type"), c.Target)
		c.Type = rapid.SampledFrom([]string{"KNOWS", "NEAR"}).Draw(rt, "new type")
	}
	return c
}

// TestOrderDoesNotMatter adds, replaces and deletes documents and curates, in
// any order and in batches of any size, with a projector that may lose its
// index at any time, and compares the result with a library that only ever had
// the remaining documents.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, t.TempDir())
		defer b.close()
		fresh := newBench(t, t.TempDir())
		defer fresh.close()
		if d := anyHistory(rt, b, fresh, 1); d != "" {
			rt.Errorf("differs from a fresh library (-fresh +this):\n%s", d)
		}
	})
}

// anyHistory runs b through a random history and fresh to the same end, and
// returns how they differ.
func anyHistory(rt *rapid.T, b, fresh *bench, least int) string {
	links := rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(rt, "links that a tally is kept from")
	b.KeepTallies(links)
	for range rapid.IntRange(least, 20).Draw(rt, "steps") {
		id := domain.DocumentID(rapid.SampledFrom([]string{"d1", "d2", "d3", "d4"}).Draw(rt, "document"))
		switch rapid.IntRange(0, 13).Draw(rt, "step") {
		case 0, 1, 2, 3:
			b.ledger.put(id, anyDocument(rt, id))
		case 4, 5:
			if _, ok := b.ledger.documents[id]; ok {
				b.ledger.delete(id)
			}
		case 10, 11, 12, 13:
			b.ledger.curate(anyCuration(rt, b.ledger))
		case 6:
			b.vectors.fail = fmt.Errorf("out of order")
			_ = b.Apply(b.Context(), ws) // fails if there is something to do
			b.vectors.fail = nil
		default:
			b.apply()
		}
	}
	b.apply()
	fresh.ledger = b.ledger.fresh()
	fresh.Projector = fresh.projector(fresh.ledger)
	fresh.KeepTallies(links)
	fresh.apply()
	return diff(fresh.everything(), b.everything())
}
