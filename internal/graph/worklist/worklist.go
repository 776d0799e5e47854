// Package worklist lists what a person should look at in a graph: names without a label or a relation,
// relations and names with little evidence, and statements that contradict each other.
package worklist

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/mine/extract"
)

// A Name names a work list.
type Name string

// The work lists.
const (
	Unlabelled     Name = "unlabelled"     // entities without a label, most mentioned first
	Orphans        Name = "orphans"        // entities without a relation, most mentioned first
	Weak           Name = "weak"           // relations stated by one passage with low confidence, least sure first
	Contradictions Name = "contradictions" // entities with two values of which only one can be right
	Once           Name = "once"           // entities that one document mentions, least mentioned first
)

// Names lists the work lists in the order of their pages.
func Names() []Name { return []Name{Unlabelled, Contradictions, Weak, Orphans, Once} }

// Lists holds the work lists of a workspace's graph. It is safe for concurrent
// use.
type Lists struct {
	graph    *graphstore.Adjacency
	mentions [][]int32 // the chunks that mention each entity, in order
	degree   []int     // the relations at each entity
	titles   []bool    // entities that are titles
	ones     ones      // in addition to those that every graph has one of
	lists    map[Name][]row
}

// row is an entry of a list, with indices of entities and relations.
type row struct {
	entity    int32
	relations []int32
	property  string
}

// An Item is an entry of a work list.
type Item struct {
	Entity    domain.EntityID
	Chunk     domain.ChunkID           // the first that mentions the entity; "" if none does
	Chunks    []domain.ChunkID         // the first that mention an entity with contradicting values
	Relations []graphstore.RelationRef // the weak one, or those that contradict each other
	Property  string                   // the key of the property with contradicting values
	Sure      float64                  // confidence of the weak relation, from 0 to 1
}

// maxChunks is the maximum number of chunks of an item with contradicting values.
const maxChunks = 50

// A Filter selects entries. Empty fields select all.
type Filter struct {
	Label    string            // of the entity
	Document domain.DocumentID // mentions the entity
}

// New finds the entries of all lists.
func New(a *graphstore.Adjacency) *Lists {
	a = a.Listed()
	kept := *a
	kept.Links = nil // mentions has everything needed from them
	l := &Lists{graph: &kept, mentions: make([][]int32, len(a.Entities)), degree: make([]int, len(a.Entities)), titles: make([]bool, len(a.Entities)), lists: map[Name][]row{}}
	for _, link := range a.Links {
		l.titles[link.Entity] = true
		if link.Kind&^graphstore.LinkTitle != 0 {
			l.mentions[link.Entity] = append(l.mentions[link.Entity], link.Chunk)
		}
	}
	for _, r := range a.Relations {
		l.degree[r.Source]++
		l.degree[r.Target]++
	}
	for i := range a.Entities {
		if l.named(int32(i)) {
			l.sort(int32(i))
		} else if a.Entities[i].Label == domain.UnknownLabel { // only titles have the name
			l.add(Unlabelled, row{entity: int32(i)})
		}
	}
	for i, r := range a.Relations {
		if r.Evidence == 1 && r.Source != r.Target && l.sure(int32(i)) < weakBar {
			l.add(Weak, row{entity: r.Source, relations: []int32{int32(i)}})
		}
	}
	l.contradict()
	for _, name := range []Name{Unlabelled, Orphans} {
		slices.SortStableFunc(l.lists[name], func(x, y row) int { return cmp.Compare(l.weight(y), l.weight(x)) })
	}
	slices.SortStableFunc(l.lists[Once], func(x, y row) int { return cmp.Compare(l.weight(x), l.weight(y)) })
	slices.SortStableFunc(l.lists[Weak], func(x, y row) int { return cmp.Compare(l.sure(x.relations[0]), l.sure(y.relations[0])) })
	return l
}

// named reports whether a text names an entity, or a curator: it is not only a
// title.
func (l *Lists) named(n int32) bool { return !l.titles[n] || len(l.mentions[n]) > 0 }

func (l *Lists) add(name Name, r row) { l.lists[name] = append(l.lists[name], r) }

// sort enters an entity into the lists that depend on nothing but the entity.
func (l *Lists) sort(n int32) {
	e := l.graph.Entities[n]
	if e.Label == domain.UnknownLabel {
		l.add(Unlabelled, row{entity: n})
	}
	if l.degree[n] == 0 {
		l.add(Orphans, row{entity: n})
	}
	if chunks := l.mentions[n]; len(chunks) > 0 && l.document(chunks[0]) == l.document(chunks[len(chunks)-1]) {
		l.add(Once, row{entity: n})
	}
}

func (l *Lists) document(chunk int32) domain.DocumentID { return l.graph.Chunks[chunk].Document }

// weight returns how often an entity is mentioned.
func (l *Lists) weight(r row) int { return len(l.mentions[r.entity]) }

// What a relation that one passage states is worth.
const (
	weakBar  = 0.8  // confidence below which it is weak
	unstated = 0.9  // the assumed confidence of a relation without one
	nameless = 0.85 // factor by which an end without a label lowers it
)

// sure returns how sure a relation that one passage states is, from 0 to 1: the
// confidence with which it was read, lowered by each end of unknown kind.
func (l *Lists) sure(relation int32) float64 {
	r := l.graph.Relations[relation]
	c := cmp.Or(float64(r.Confidence), unstated)
	for _, end := range []int32{r.Source, r.Target} {
		if l.graph.Entities[end].Label == domain.UnknownLabel {
			c *= nameless
		}
	}
	return math.Round(100*c) / 100
}

// Count returns the number of entries of a list.
func (l *Lists) Count(name Name) int { return len(l.lists[name]) }

// Page returns one page of the entries that pass a filter, and how many pass.
func (l *Lists) Page(name Name, f Filter, offset, limit int) ([]Item, int) {
	var items []Item
	total := 0
	for _, r := range l.lists[name] {
		if !l.passes(r, f) {
			continue
		}
		if total >= offset && (limit <= 0 || len(items) < limit) {
			items = append(items, l.item(name, r, f))
		}
		total++
	}
	return items, total
}

func (l *Lists) passes(r row, f Filter) bool {
	return (f.Label == "" || l.graph.Entities[r.entity].Label == f.Label) &&
		(f.Document == "" || slices.ContainsFunc(l.mentions[r.entity], func(c int32) bool { return l.document(c) == f.Document }))
}

func (l *Lists) item(name Name, r row, f Filter) Item {
	e := l.graph.Entities[r.entity]
	it := Item{Entity: e.ID, Property: r.property}
	for _, c := range l.mentions[r.entity] {
		if f.Document != "" && l.document(c) != f.Document {
			continue
		}
		it.Chunk = cmp.Or(it.Chunk, l.graph.Chunks[c].ID)
		if r.property == "" || len(it.Chunks) == maxChunks {
			break
		}
		it.Chunks = append(it.Chunks, l.graph.Chunks[c].ID)
	}
	if name == Weak {
		it.Sure = l.sure(r.relations[0])
	}
	for _, n := range r.relations {
		stated := l.graph.Relations[n]
		source, target := l.graph.Entities[stated.Source].ID, l.graph.Entities[stated.Target].ID
		it.Relations = append(it.Relations, graphstore.RelationRef{ID: domain.NewRelationID(source, stated.Type, target), Source: source, Target: target})
	}
	return it
}

// Labels counts the entries of a list by the label of their entity, largest
// count first, then by label.
func (l *Lists) Labels(name Name) []graphstore.LabelCount {
	var counts []graphstore.LabelCount
	at := map[string]int{}
	for _, r := range l.lists[name] {
		label := l.graph.Entities[r.entity].Label
		i, ok := at[label]
		if !ok {
			i = len(counts)
			at[label], counts = i, append(counts, graphstore.LabelCount{Label: label})
		}
		counts[i].Count++
	}
	slices.SortFunc(counts, func(a, b graphstore.LabelCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Label, b.Label))
	})
	return counts
}

// onlyOne contains words of relation types and property keys that can have only one value: an entity is born once.
var onlyOne = []string{
	"born", "birth", "birthday", "birthplace", "birthdate", "died", "death", "deathdate", "buried",
	"founded", "established", "built", "completed", "opened", "age", "height", "length", "area", "population",
}

// byAgent is the ending of types that name an agent, of which there may be several.
const byAgent = "by"

// single reports whether a relation type or the key of a property has one value
// at most.
func single(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == ' ' || r == '-' })
	return len(words) > 0 && words[len(words)-1] != byAgent &&
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(onlyOne, w) })
}

// passive reports whether a type describes its source: a founder may have FOUNDED many things, but a thing is FOUNDED_IN
// one year.
func passive(kind string) bool {
	words := strings.Split(kind, "_")
	switch words[len(words)-1] {
	case "IN", "ON", "AT":
		return single(kind)
	case "BORN", "DIED", "BURIED", "BIRTHPLACE", "BIRTHDATE", "BIRTHDAY":
		return true
	}
	return strings.Contains(kind, "_OF_") && single(kind)
}

// ones are the types and properties that schemas limit, or don't limit, to one value. Where schemas differ, the limit
// applies.
type ones struct {
	types      map[string]extract.Once
	properties map[[2]string]extract.Once // by label and key in lower case
}

func onesOf(all []extract.Schema) ones {
	o := ones{map[string]extract.Once{}, map[[2]string]extract.Once{}}
	for _, s := range all {
		for _, t := range s.Types {
			say(o.types, extract.Type(t.Name), t.One)
		}
		for _, l := range s.Labels {
			for _, p := range l.Properties {
				say(o.properties, [2]string{extract.Label(l.Name), strings.ToLower(p.Key)}, p.One)
			}
		}
	}
	return o
}

func say[K comparable](said map[K]extract.Once, of K, one extract.Once) {
	if one != extract.Unsaid && said[of] != extract.AtMostOne {
		said[of] = one
	}
}

// property reports whether an entity of a label has one value of a property: as
// schemas say, or else its name.
func (o ones) property(label, key string) bool {
	said := o.properties[[2]string{label, strings.ToLower(key)}]
	return said == extract.AtMostOne || said == extract.Unsaid && single(key)
}

// By returns lists whose contradictions also follow the limits of schemas.
func (l *Lists) By(all []extract.Schema) *Lists {
	o := onesOf(all)
	if len(o.types)+len(o.properties) == 0 {
		return l
	}
	by := *l
	by.ones, by.lists = o, maps.Clone(l.lists)
	by.contradict()
	return &by
}

// contradict finds entities with two values of a type that allows one, such as two places of birth. Targets with
// different labels don't contradict each other, nor does a place that lies in the other one or is named after it.
func (l *Lists) contradict() {
	l.lists[Contradictions] = nil
	for i, e := range l.graph.Entities {
		for _, key := range e.Several {
			if l.ones.property(e.Label, key) && l.named(int32(i)) {
				l.add(Contradictions, row{entity: int32(i), property: key})
			}
		}
	}
	for from := 0; from < len(l.graph.Relations); {
		to := from + 1
		for to < len(l.graph.Relations) && l.graph.Relations[to].Source == l.graph.Relations[from].Source {
			to++
		}
		l.contradictions(from, to)
		from = to
	}
}

// contradictions enters the contradictions among the relations of one entity.
func (l *Lists) contradictions(from, to int) {
	type of struct{ kind, label string }
	var order []of
	stated := map[of][]int32{}
	for i := from; i < to; i++ {
		r := l.graph.Relations[i]
		said := l.ones.types[r.Type]
		asked := said == extract.AtMostOne
		if said == extract.Several || !asked && !passive(r.Type) {
			continue
		}
		key := of{r.Type, l.graph.Entities[r.Target].Label}
		if stated[key] == nil {
			order = append(order, key)
		}
		if !slices.ContainsFunc(stated[key], func(n int32) bool {
			return l.agree(l.graph.Relations[n].Target, r.Target, !asked) || asked && follow(l.graph.Relations[n], r)
		}) {
			stated[key] = append(stated[key], int32(i))
		}
	}
	for _, key := range order {
		if len(stated[key]) > 1 {
			l.add(Contradictions, row{entity: l.graph.Relations[from].Source, relations: stated[key]})
		}
	}
}

// follow reports whether one of two relations of a type may take the place of the other: their times do not meet, or a
// person has decided about one of them.
func follow(a, b graphstore.AdjacentRelation) bool {
	return domain.DatedByHand(a.Periods) || domain.DatedByHand(b.Periods) ||
		!domain.Done(a.Type) && !domain.Overlap(domain.ReadPeriods(a.Periods), domain.ReadPeriods(b.Periods))
}

// agree reports whether both of two targets can be right: one's name has the
// words of the other's, or, where that counts, a relation connects them.
func (l *Lists) agree(a, b int32, connected bool) bool {
	x, y := strings.Fields(l.graph.Entities[a].Key), strings.Fields(l.graph.Entities[b].Key)
	if len(x) > len(y) {
		x, y = y, x
	}
	if !slices.ContainsFunc(x, func(w string) bool { return !slices.Contains(y, w) }) {
		return true
	}
	return connected && (l.related(a, b) || l.related(b, a))
}

func (l *Lists) related(a, b int32) bool {
	at, _ := slices.BinarySearchFunc(l.graph.Relations, [2]int32{a, b}, func(r graphstore.AdjacentRelation, want [2]int32) int {
		return slices.Compare([]int32{r.Source, r.Target}, want[:])
	})
	return at < len(l.graph.Relations) && l.graph.Relations[at].Source == a && l.graph.Relations[at].Target == b
}
