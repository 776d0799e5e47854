package fold

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// Folder folds the entities of a workspace.
type Folder struct {
	Workspace domain.WorkspaceID
	Key       func(name string) string // normal form of a name
}

// Entities returns the entities of a key by label: one for each label that some
// chunk gives the name, if one is the best. Mentions without a label and titles
// belong to the best one. Names, aliases and properties come from the tally, links
// from sources.
func (f Folder) Entities(key string, t *Tally, s Sources) []graphstore.Entity {
	best := t.Best()
	byLabel := map[string]*Builder{}
	of := func(label string) *Builder {
		label = joined(label, best)
		if byLabel[label] == nil {
			byLabel[label] = NewBuilder()
		}
		return byLabel[label]
	}
	for label, counts := range t.Labels {
		of(label).addCounts(counts)
	}
	for _, m := range s.Mentions {
		of(m.Label).link(MentionPlace(m), graphstore.LinkMention, m.Spans)
	}
	for _, t := range s.Titles {
		of(best).linkTitle(t)
	}
	for _, m := range s.TitleMentions {
		of(best).AddTitleMention(m)
	}
	var all []graphstore.Entity
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		b := byLabel[label]
		e := b.Entity(f.Key, key, b.Name())
		e.ID, e.Label = domain.NewEntityID(f.Workspace, label, key), label
		all = append(all, e)
	}
	return all
}

// A Builder collects the statements about one entity.
type Builder struct {
	Forms      map[string]int // how often by name as written
	Aliases    map[string]bool
	properties map[domain.Property]int
	links      map[Place]graphstore.Link
	listed     bool // something other than a rule or a title names it
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{Forms: map[string]int{}, Aliases: map[string]bool{}, properties: map[domain.Property]int{}, links: map[Place]graphstore.Link{}}
}

// AddMention adds a mention.
func (b *Builder) AddMention(m ledger.MentionRow) {
	b.listed = b.listed || !m.ByRule
	b.Forms[m.Name]++
	for _, a := range m.Aliases {
		b.Aliases[a] = true
	}
	for _, p := range m.Properties {
		b.properties[p]++
	}
	if m.Chunk != "" { // if empty, it has no source
		b.link(MentionPlace(m), graphstore.LinkMention, m.Spans)
	}
}

// give adds a value that a curator set, before all others of its key.
func (b *Builder) give(p domain.Property) { b.properties[p] += given }

// given is more than how often documents give a value.
const given = 1 << 30

// AddTitle adds a title, and links the chunks under it. A title alone lists nothing: many titles are not names, and the
// text under one that is contains the name as well.
func (b *Builder) AddTitle(t Title) {
	b.Forms[t.Form]++
	b.linkTitle(t)
}

// AddTitleMention links a chunk of another document that contains the title.
func (b *Builder) AddTitleMention(m TitleMention) { b.link(m.Place, graphstore.LinkTitled, m.Spans) }

func (b *Builder) addCounts(l *LabelTally) {
	b.listed = b.listed || l.listed()
	for form, n := range l.Forms {
		b.Forms[form] += n
	}
	for a := range l.Aliases {
		b.Aliases[a] = true
	}
	for key, values := range l.Properties {
		for value, n := range values {
			b.properties[domain.Property{Key: key, Value: value}] += n
		}
	}
}

func (b *Builder) linkTitle(t Title) {
	for _, c := range t.Chunks {
		b.link(c, graphstore.LinkTitle, nil)
	}
}

func (b *Builder) link(at Place, kind graphstore.LinkKind, spans []domain.Span) {
	l := b.links[at]
	l.Chunk, l.Document, l.Kind = at.Chunk, at.Document, l.Kind|kind
	l.Spans = append(l.Spans, spans...)
	b.links[at] = l
}

// Name returns the most frequent form; in a tie the longest, then the first in
// order. There must be a form.
func (b *Builder) Name() string {
	return slices.MinFunc(slices.Collect(maps.Keys(b.Forms)), func(x, y string) int {
		return cmp.Or(
			cmp.Compare(b.Forms[y], b.Forms[x]),
			cmp.Compare(utf8.RuneCountInString(y), utf8.RuneCountInString(x)),
			cmp.Compare(x, y))
	})
}

// Entity returns the entity under a name, without id and label.
func (b *Builder) Entity(keyOf func(string) string, key, name string) graphstore.Entity {
	var e graphstore.Entity
	e.Key, e.Name, e.Unlisted = key, name, !b.listed
	e.Aliases = b.otherForms(name)
	e.AliasKeys = aliasKeys(keyOf, append([]string{name}, e.Aliases...), key)
	e.Properties = sortedProperties(b.properties)
	documents := map[domain.DocumentID]bool{}
	for _, at := range slices.SortedFunc(maps.Keys(b.links), ComparePlaces) {
		l := b.links[at]
		l.Spans = DistinctSpans(l.Spans)
		e.Links = append(e.Links, l)
		e.Mentions += len(l.Spans)
		documents[l.Document] = true
	}
	e.Chunks, e.Documents = len(e.Links), len(documents)
	return e
}

func (b *Builder) otherForms(name string) []string {
	others := maps.Clone(b.Aliases)
	for form := range b.Forms {
		others[form] = true
	}
	delete(others, name)
	delete(others, "")
	return slices.Sorted(maps.Keys(others))
}

func aliasKeys(keyOf func(string) string, aliases []string, key string) []string {
	keys := lists.SetOf(aliases, keyOf)
	delete(keys, key)
	delete(keys, "")
	return slices.Sorted(maps.Keys(keys))
}

// sortedProperties returns all properties by key, the most frequent value
// first.
func sortedProperties(count map[domain.Property]int) domain.Properties {
	return slices.SortedFunc(maps.Keys(count), func(x, y domain.Property) int {
		return cmp.Or(cmp.Compare(x.Key, y.Key), cmp.Compare(count[y], count[x]), cmp.Compare(x.Value, y.Value))
	})
}

// DistinctSpans returns spans sorted and without repetitions.
func DistinctSpans(spans []domain.Span) []domain.Span {
	spans = slices.SortedFunc(slices.Values(spans), func(a, b domain.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return slices.Compact(spans)
}

// Namesakes are the entities of one key.
type Namesakes struct {
	Best domain.EntityID // gets the mentions without a label

	best string // its label
	all  []namesake
}

type namesake struct {
	label string
	id    domain.EntityID
}

// NewNamesakes returns the entities of a key whose best label is best.
func NewNamesakes(entities []domain.Entity, best string) Namesakes {
	n := Namesakes{best: best, all: make([]namesake, len(entities))}
	for i, e := range entities {
		n.all[i] = namesake{e.Label, e.ID}
		if e.Label == best {
			n.Best = e.ID
		}
	}
	return n
}

// Find returns the entity that a mention with a label belongs to.
func (n Namesakes) Find(label string) (domain.EntityID, bool) {
	label = joined(label, n.best)
	for _, e := range n.all {
		if e.label == label {
			return e.id, true
		}
	}
	return "", false
}
