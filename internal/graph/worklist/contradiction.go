package worklist

import (
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/mine/extract"
)

// onlyOne are words of relation types and property keys of which an entity has
// one: it is born once.
var onlyOne = []string{
	"born", "birth", "birthday", "birthplace", "birthdate", "died", "death", "deathdate", "buried",
	"founded", "established", "built", "completed", "opened", "age", "height", "length", "area", "population",
}

// byAgent ends the types that say who did it, of which there may be several.
const byAgent = "by"

// single reports whether a relation type or the key of a property has one value
// at most.
func single(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == ' ' || r == '-' })
	return len(words) > 0 && words[len(words)-1] != byAgent &&
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(onlyOne, w) })
}

// passive reports whether a type says something of its source: a founder may
// have FOUNDED many things, but a thing is FOUNDED_IN one year.
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

// ones are the types and properties of which schemas say whether an entity has one at
// most. Where schemas differ it has.
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

// By returns the lists whose contradictions also go by what schemas say an entity
// has one of.
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

// contradict finds the entities that a type says one thing of and that have two,
// such as two places of birth. Targets of different labels don't contradict each
// other, nor does a place that lies in the other one or is named after it.
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
		if !slices.ContainsFunc(stated[key], func(n int32) bool { return l.agree(l.graph.Relations[n].Target, r.Target, !asked) }) {
			stated[key] = append(stated[key], int32(i))
		}
	}
	for _, key := range order {
		if len(stated[key]) > 1 {
			l.add(Contradictions, row{entity: l.graph.Relations[from].Source, relations: stated[key]})
		}
	}
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
