package projection_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit/race"
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
	for i := range d.graphs {
		g := &d.graphs[i]
		for range rapid.IntRange(0, 2).Draw(rt, "names by rule") {
			name := rapid.SampledFrom(names).Draw(rt, "name")
			if !slices.ContainsFunc(g.Nodes, func(n domain.GraphNode) bool { return key(n.Name) == key(name) }) {
				at := d.chunks[i].Span
				g.Names = append(g.Names, domain.GraphNode{Name: name, Label: "Person", Spans: []domain.Span{{Start: at.Start, End: at.Start + 1}}})
			}
		}
		for i := range g.Nodes {
			if rapid.Bool().Draw(rt, "has a property") {
				g.Nodes[i].Properties = domain.Properties{{Key: "born", Value: rapid.SampledFrom([]string{"1815", "1816"}).Draw(rt, "value")}}
			}
		}
		for i := range g.Relationships {
			g.Relationships[i].Properties = domain.Properties{{Key: "seat", Value: rapid.SampledFrom([]string{"1815", "1816"}).Draw(rt, "value")}}
		}
	}
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
		ledger.CurationCreate, ledger.CurationCreate, ledger.CurationRelate, ledger.CurationRelate, ledger.CurationSet, ledger.CurationUnset,
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
	if c.Kind == ledger.CurationCreate {
		return anyCreation(rt, l)
	}
	c.Entity = entity("entity")
	switch c.Kind {
	case ledger.CurationRelate:
		c.Target, c.Type = entity("target"), rapid.SampledFrom([]string{"KNOWS", "NEAR"}).Draw(rt, "type")
		c.Stretch, _ = anyStretch(rt, l)
	case ledger.CurationSet, ledger.CurationUnset:
		if rapid.Bool().Draw(rt, "of a relation") {
			c.Target = entity("target")
			c.Relation = domain.NewRelationID(c.Entity, rapid.SampledFrom([]string{"KNOWS", "IN", "NEAR"}).Draw(rt, "type"), c.Target)
		}
		c.Property = anyWord(rt, "born", "seat")
		if c.Kind == ledger.CurationSet || rapid.Bool().Draw(rt, "one value") {
			c.Value = anyWord(rt, "1815", "1816")
		}
		if c.Kind == ledger.CurationSet && rapid.Bool().Draw(rt, "in place of one") {
			c.Was = anyWord(rt, "1815", "1816")
		}
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

// anyWord draws a word, as typed or as a hash.
func anyWord(rt *rapid.T, from ...string) ledger.Word {
	word := rapid.SampledFrom(from).Draw(rt, "word")
	if rapid.Bool().Draw(rt, "hashed") {
		return ledger.Word{Hash: domain.Hash([]byte(word))}
	}
	return ledger.Word{Text: word}
}

// anyStretch draws a stretch of a document, or none.
func anyStretch(rt *rapid.T, l *fakeLedger) (at ledger.Stretch, words string) {
	ids := l.ids()
	if len(ids) == 0 || rapid.IntRange(0, 3).Draw(rt, "no source") == 0 {
		return at, ""
	}
	id := rapid.SampledFrom(ids).Draw(rt, "source")
	for _, c := range l.documents[id].chunks {
		words, _, _ = strings.Cut(c.Text, " ")
		if at.Chunk != "" || words == "" {
			continue
		}
		span := domain.Span{Start: c.Span.Start, End: c.Span.Start + domain.Runes(words)}
		at = ledger.Stretch{Document: id, Chunk: c.ID, Span: span, Hash: domain.Hash([]byte(words))}
		return at, words
	}
	return at, ""
}

// anyCreation draws an entity to create, from a stretch or without a source.
func anyCreation(rt *rapid.T, l *fakeLedger) ledger.Curation {
	c := ledger.Curation{Kind: ledger.CurationCreate}
	at, words := anyStretch(rt, l)
	if c.Stretch = at; words == "" || rapid.Bool().Draw(rt, "typed") {
		c.Name = rapid.SampledFrom([]string{"Oslo", "The one", "Ann Lee"}).Draw(rt, "name")
		words = c.Name
	}
	c.Label = rapid.SampledFrom([]string{"Person", "Ship", domain.UnknownLabel}).Draw(rt, "label")
	c.Entity = domain.NewEntityID(ws, c.Label, key(words))
	l.names[c.Entity] = key(words)
	return c
}

// TestOrderDoesNotMatter adds, replaces and deletes documents and curates, in
// any order and in batches of any size, with a projector that may lose its
// index at any time, and compares the result with a library that only ever had
// the remaining documents.
func TestOrderDoesNotMatter(t *testing.T) {
	race.Skip(t)
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
	b.HoldChunks(links)
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
