package fold

import (
	"cmp"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

func (g *group) entity(keyOf func(string) string) graphstore.Entity {
	all, leading := NewBuilder(), NewBuilder()
	for _, f := range g.facts {
		f.addTo(all)
		if f.leads {
			f.addTo(leading)
		}
	}
	for _, a := range g.aliases {
		all.Aliases[a] = true
	}
	for _, p := range g.given {
		all.give(p)
	}
	e := all.Entity(keyOf, cmp.Or(g.key, g.mainKey()), g.shownName(all, leading))
	e.ID, e.Label = g.id, g.label
	e.Unlisted = e.Unlisted && !g.named
	return e
}

func (f *fact) addTo(b *Builder) {
	switch {
	case f.mention != nil:
		m := *f.mention
		m.Properties = f.keep(m.Properties)
		b.AddMention(m)
	case f.title != nil:
		b.AddTitle(*f.title)
	default:
		b.AddTitleMention(*f.titleMention)
	}
}

// shownName returns the name that a curator typed, the form that a curator
// chose if some document still has it, or the name that the facts give.
func (g *group) shownName(all, leading *Builder) string {
	if g.name != "" {
		return g.name
	}
	if g.form != "" {
		forms := slices.Concat(slices.Sorted(maps.Keys(all.Forms)), slices.Sorted(maps.Keys(all.Aliases)))
		if i := slices.IndexFunc(forms, func(form string) bool { return domain.Hash([]byte(form)) == g.form }); i >= 0 {
			return forms[i]
		}
	}
	for _, from := range []*Builder{leading, all} {
		if len(from.Forms) > 0 {
			return from.Name()
		}
	}
	return g.mainKey()
}

// mainKey returns the most frequent key of the leading facts, the first by name
// in a tie.
func (g *group) mainKey() string {
	count := map[string]int{}
	leads := slices.ContainsFunc(g.facts, func(f *fact) bool { return f.leads })
	for _, f := range g.facts {
		if f.leads || !leads {
			count[f.key]++
		}
	}
	return slices.MinFunc(slices.Collect(maps.Keys(count)), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
}
