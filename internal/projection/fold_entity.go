package projection

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// sources are all that folds to the entities of one key.
type sources struct {
	mentions []ledger.MentionRow
	titles   []titled
	found    []occurrence
}

// titled is a document whose title has the key.
type titled struct {
	form   string
	chunks []place // of the document
}

// occurrence is where the title stands in a chunk of another document.
type occurrence struct {
	place
	spans []domain.Span
}

// folder folds sources to entities. It depends on nothing else: the same
// sources in any order make the same entities.
type folder struct {
	workspace domain.WorkspaceID
	key       func(string) string
}

// entities are what sources fold to whose tally is t, by label: one for each
// label that some chunk gives the name. What has no label joins the label that
// most chunks give. Of links they have those of s.
func (f folder) entities(key string, t *tally, s sources) []graphstore.Entity {
	best := t.best()
	byLabel := map[string]*entityFold{}
	of := func(label string) *entityFold {
		if label == domain.UnknownLabel {
			label = best
		}
		if byLabel[label] == nil {
			byLabel[label] = newEntityFold()
		}
		return byLabel[label]
	}
	for label, said := range t.Labels {
		of(label).take(said)
	}
	for _, m := range s.mentions {
		of(m.Label).link(mentionPlace(m), graphstore.LinkMention, m.Spans)
	}
	for _, t := range s.titles {
		of(best).stand(t)
	}
	for _, o := range s.found {
		of(best).link(o.place, graphstore.LinkTitled, o.spans)
	}
	var all []graphstore.Entity
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		e := byLabel[label].entity(f.key, key)
		e.ID, e.Label, e.Key = domain.NewEntityID(f.workspace, label, key), label, key
		all = append(all, e)
	}
	return all
}

// bestLabel is the label, other than UnknownLabel, that most chunks give; the
// first by name of several; UnknownLabel when there is none.
func bestLabel(mentions []ledger.MentionRow) string {
	t := newTally()
	t.add(sources{mentions: mentions})
	return t.best()
}

// entityFold gathers one entity.
type entityFold struct {
	forms      map[string]int // names as written, with how often
	aliases    map[string]bool
	properties map[domain.Property]int
	links      map[place]graphstore.Link
}

func newEntityFold() *entityFold {
	return &entityFold{forms: map[string]int{}, aliases: map[string]bool{}, properties: map[domain.Property]int{}, links: map[place]graphstore.Link{}}
}

func (e *entityFold) mention(m ledger.MentionRow) {
	e.forms[m.Name]++
	for _, a := range m.Aliases {
		e.aliases[a] = true
	}
	for _, p := range m.Properties {
		e.properties[p]++
	}
	e.link(mentionPlace(m), graphstore.LinkMention, m.Spans)
}

func (e *entityFold) title(t titled) {
	e.forms[t.form]++
	e.stand(t)
}

// stand links the chunks that stand under a title.
func (e *entityFold) stand(t titled) {
	for _, c := range t.chunks {
		e.link(c, graphstore.LinkTitle, nil)
	}
}

func (e *entityFold) link(at place, kind graphstore.LinkKind, spans []domain.Span) {
	l := e.links[at]
	l.Chunk, l.Document, l.Kind = at.Chunk, at.Document, l.Kind|kind
	l.Spans = append(l.Spans, spans...)
	e.links[at] = l
}

// entity is what was gathered, without its identity.
func (e *entityFold) entity(keyOf func(string) string, key string) graphstore.Entity {
	return e.named(keyOf, key, e.name())
}

// named is what was gathered, shown under a name.
func (e *entityFold) named(keyOf func(string) string, key, name string) graphstore.Entity {
	var out graphstore.Entity
	out.Name = name
	out.Aliases = e.otherForms(out.Name)
	out.AliasKeys = aliasKeys(keyOf, append([]string{name}, out.Aliases...), key)
	out.Properties = e.mergedProperties()
	documents := map[domain.DocumentID]bool{}
	for _, at := range slices.SortedFunc(maps.Keys(e.links), comparePlaces) {
		l := e.links[at]
		l.Spans = distinctSpans(l.Spans)
		out.Links = append(out.Links, l)
		out.Mentions += len(l.Spans)
		documents[l.Document] = true
	}
	out.Chunks, out.Documents = len(out.Links), len(documents)
	return out
}

// name is the form written most often; of several the longest, then the first
// in order.
func (e *entityFold) name() string {
	return slices.MinFunc(slices.Collect(maps.Keys(e.forms)), func(a, b string) int {
		return cmp.Or(
			cmp.Compare(e.forms[b], e.forms[a]),
			cmp.Compare(utf8.RuneCountInString(b), utf8.RuneCountInString(a)),
			cmp.Compare(a, b))
	})
}

func (e *entityFold) otherForms(name string) []string {
	others := maps.Clone(e.aliases)
	for form := range e.forms {
		others[form] = true
	}
	delete(others, name)
	delete(others, "")
	return slices.Sorted(maps.Keys(others))
}

func aliasKeys(keyOf func(string) string, aliases []string, key string) []string {
	keys := map[string]bool{}
	for _, a := range aliases {
		keys[keyOf(a)] = true
	}
	delete(keys, key)
	delete(keys, "")
	return slices.Sorted(maps.Keys(keys))
}

// mergedProperties are all values, by key; of one key the most frequent first.
func (e *entityFold) mergedProperties() domain.Properties {
	return slices.SortedFunc(maps.Keys(e.properties), func(a, b domain.Property) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(e.properties[b], e.properties[a]), cmp.Compare(a.Value, b.Value))
	})
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.Chunk, b.Chunk))
}

func distinctSpans(spans []domain.Span) []domain.Span {
	spans = slices.SortedFunc(slices.Values(spans), func(a, b domain.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return slices.Compact(spans)
}
