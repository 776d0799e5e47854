package extract

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
)

// Kept is the result of an earlier reading of a chunk.
type Kept struct {
	Mined  Mined
	Guide  Guide  // it was mined with
	Reader string // as recorded with the result
}

// A Need is why a chunk has to be asked for again when the guide changes.
type Need string

// The needs. With NoNeed, the new guide is applied to what was mined.
const (
	NoNeed    Need = ""
	NeedNew   Need = "new"   // this extractor has not read it
	NeedTold  Need = "told"  // instructions, examples, descriptions, mode or gleaning changed
	NeedGone  Need = "gone"  // an item no longer fits, and may fit differently
	NeedWords Need = "words" // it contains a word of an added label, type or triple
	NeedMore  Need = "more"  // it has an entity or relation about which more is asked
)

// Again reports whether a chunk has to be asked for again.
type Again struct {
	Need  Need
	About []string // the labels and types of NeedGone and NeedMore, the words of NeedWords
}

// Needs returns the work needed to read a chunk's text by another guide. If extraction asks no model, applying the
// guide suffices.
func Needs(x Extractor, to Guide, k Kept, text string) Again {
	base := x.Reader(Guide{Prompt: to.Prompt})
	switch {
	case k.Reader != base && !strings.HasPrefix(k.Reader, base+guideMark):
		return Again{Need: NeedNew}
	case !x.Asks():
		return Again{}
	case to.tellsOtherThan(k.Guide):
		return Again{Need: NeedTold}
	}
	before, then := k.Guide.Conform(k.Mined), to.Conform(k.Mined)
	if about := gone(before.Dropped, then.Dropped); len(about) > 0 {
		return Again{NeedGone, about}
	}
	back := returned(before.Dropped, then)
	if about := said(text, added(k.Guide.Schema, to.Schema, back)); len(about) > 0 {
		return Again{NeedWords, about}
	}
	if about := asksMore(k.Guide.Schema, to.Schema, then.Graph, back); len(about) > 0 {
		return Again{NeedMore, about}
	}
	return Again{}
}

// tellsOtherThan reports whether the model's instructions for every chunk differ.
func (g Guide) tellsOtherThan(from Guide) bool {
	general := func(g Guide) string {
		g.Schema, g.Gleaning, g.Fields = Schema{}, 0, nil
		return g.Hash()
	}
	return g.Gleaning > from.Gleaning || general(g) != general(from)
}

// droppedItem identifies a dropped item.
type droppedItem struct {
	kind                  domain.DroppedKind
	name, of, target, key string
}

func droppedItems(list []domain.Dropped) map[droppedItem]bool {
	return lists.SetOf(list, itemOf)
}

func itemOf(d domain.Dropped) droppedItem {
	return droppedItem{d.Kind, d.Name, d.Label + d.Type, d.Target, d.Property.Key}
}

// gone returns the labels and types of items that are dropped where they were not
// before.
func gone(before, after []domain.Dropped) []string {
	had := droppedItems(before)
	var about []string
	for _, d := range after {
		schemas := d.Code == domain.DropLabel || d.Code == domain.DropType || d.Code == domain.DropTriple
		if schemas && !had[itemOf(d)] {
			about = append(about, d.Label+d.Type)
		}
	}
	return sorted(about)
}

// returned returns the labels, types and properties of dropped items that are allowed again. The reader reported them
// without being asked, so they don't require asking again.
func returned(before []domain.Dropped, then Result) map[string]bool {
	still, back := droppedItems(then.Dropped), map[string]bool{}
	for _, d := range before {
		if still[itemOf(d)] {
			continue
		}
		switch d.Kind {
		case domain.DroppedEntity:
			for _, n := range then.Graph.Nodes {
				back[n.Label] = back[n.Label] || n.Name == d.Name
			}
		case domain.DroppedRelation:
			for _, r := range then.Graph.Relationships {
				from, to := then.Graph.Nodes[r.Source].Name, then.Graph.Nodes[r.Target].Name
				back[r.Type] = back[r.Type] || from == d.Name && to == d.Target || to == d.Name && from == d.Target
			}
		case domain.DroppedProperty:
			back[propertyOf(d.Label+d.Type, d.Property.Key)] = true
		}
	}
	return back
}

// propertyOf names a property of a label or a type.
func propertyOf(of, key string) string { return of + "." + strings.ToLower(key) }

// added returns the names and synonyms that a schema has gained, where the former
// one named all it allowed, without what is back.
func added(from, to Schema, back map[string]bool) []string {
	var gained []string
	if len(from.Labels) > 0 {
		had := map[string]bool{}
		for _, l := range from.Labels {
			note(had, l.Name, l.Synonyms)
		}
		for _, l := range to.Labels {
			if !back[Label(l.Name)] {
				gained = append(gained, lacking(had, l.Name, l.Synonyms)...)
			}
		}
	}
	if len(from.Types) == 0 {
		return gained
	}
	had := map[string]bool{}
	for _, t := range from.Types {
		note(had, t.Name, t.Synonyms)
	}
	for _, t := range to.Types {
		if back[Type(t.Name)] {
			continue
		}
		if slices.ContainsFunc(to.Triples, func(p Triple) bool { return Type(p.Type) == Type(t.Name) && !from.allows(p.Source, p.Type, p.Target) }) {
			gained = append(append(gained, t.Name), t.Synonyms...)
			continue
		}
		gained = append(gained, lacking(had, t.Name, t.Synonyms)...)
	}
	return gained
}

func note(had map[string]bool, name string, synonyms []string) {
	for word := range sayings(name, synonyms) {
		had[word] = true
	}
}

func lacking(had map[string]bool, name string, synonyms []string) []string {
	return slices.DeleteFunc(append([]string{name}, synonyms...), func(w string) bool { return had[fold(w)] })
}

// said returns the words of a text, in any inflection.
func said(text string, sayings []string) []string {
	if len(sayings) == 0 {
		return nil
	}
	var b strings.Builder
	for _, w := range prose.Words(text) {
		if !auxiliary[strings.ToLower(w.Text)] {
			b.WriteString(" " + fold(w.Text))
		}
	}
	folded := b.String() + " "
	var about []string
	for _, w := range sayings {
		if key := fold(w); key != "" && strings.Contains(folded, " "+key+" ") {
			about = append(about, strings.ToLower(strings.Join(words(w), " ")))
		}
	}
	return sorted(about)
}

// asksMore returns the labels and types in a graph for which a schema declares a
// property, or gives a description, that the former one did not, without
// properties that are back.
func asksMore(from, to Schema, g domain.GraphDocument, back map[string]bool) []string {
	grown := map[string]bool{}
	asked := from.asked()
	for _, p := range to.asked() {
		if !slices.Contains(asked, p) && !back[propertyOf(p.of, p.Key)] {
			grown[p.of] = true
		}
	}
	had := from.descriptions()
	for of, description := range to.descriptions() {
		if was, known := had[of]; known && was != description {
			grown[of] = true
		}
	}
	var about []string
	for _, n := range g.Nodes {
		if grown[n.Label] {
			about = append(about, n.Label)
		}
	}
	for _, r := range g.Relationships {
		if grown[r.Type] {
			about = append(about, r.Type)
		}
	}
	return sorted(about)
}

// asked returns the description of the declared properties that a reader gets.
func (s Schema) asked() []declared {
	all := s.declared()
	for i := range all {
		all[i].One = Unsaid
	}
	return all
}

// descriptions returns the descriptions by label and type.
func (s Schema) descriptions() map[string]string {
	m := lists.Pairs(s.Labels, func(l LabelRule) (string, string) { return Label(l.Name), l.Description })
	for _, t := range s.Types {
		m[Type(t.Name)] = t.Description
	}
	return m
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
