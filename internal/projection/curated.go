package projection

import (
	"cmp"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// fact is one thing that some chunks say of an entity: a mention, a title, or
// where a title was found.
type fact struct {
	key     string
	mention *ledger.MentionRow
	title   *titled
	found   *occurrence
	leads   bool   // its form may give its entity the name
	group   *group // the entity that it belongs to
}

// group is an entity while the curation log is applied to it.
type group struct {
	id      domain.EntityID
	label   string
	key     string // "" for one that was split off: that of what it took along
	facts   []*fact
	name    string   // the name that a curator typed
	form    string   // domain.Hash of the form that a curator chose
	aliases []string // names that curators typed for what was merged into it
	hidden  bool
}

// claim is a statement whose ends are known.
type claim struct {
	ledger.StatementRow
	kind           string
	source, target *fact // nil for an end that the log does not speak of
	hidden         bool
}

// endRef is what a statement says of an end: the mention of its own chunk.
type endRef struct {
	key, label string
	chunk      domain.ChunkID
}

// curated is the part of the graph that the curation log speaks of, while the
// log is applied to it.
type curated struct {
	workspace domain.WorkspaceID
	keyOf     func(string) string
	groups    map[domain.EntityID]*group
	known     map[domain.EntityID]domain.EntityID // what an identity without a label stands for
	ends      map[endRef]*fact
	claims    []*claim
}

func newCurated(ws domain.WorkspaceID, keyOf func(string) string) *curated {
	return &curated{
		workspace: ws, keyOf: keyOf, groups: map[domain.EntityID]*group{},
		known: map[domain.EntityID]domain.EntityID{}, ends: map[endRef]*fact{},
	}
}

// add takes in all that is said of a key. As in folder.entities, what has no
// label joins the label that most chunks give.
func (s *curated) add(key string, from sources) {
	best := bestLabel(from.mentions)
	s.known[domain.NewEntityID(s.workspace, domain.UnknownLabel, key)] = domain.NewEntityID(s.workspace, best, key)
	for i := range from.mentions {
		m := &from.mentions[i]
		label := m.Label
		if label == domain.UnknownLabel {
			label = best
		}
		f := s.put(label, &fact{key: key, mention: m})
		ref := endRef{key, m.Label, m.Chunk}
		if s.ends[ref] == nil {
			s.ends[ref] = f
		}
	}
	for i := range from.titles {
		s.put(best, &fact{key: key, title: &from.titles[i]})
	}
	for i := range from.found {
		s.put(best, &fact{key: key, found: &from.found[i]})
	}
}

func (s *curated) put(label string, f *fact) *fact {
	id := domain.NewEntityID(s.workspace, label, f.key)
	g := s.groups[id]
	if g == nil {
		g = &group{id: id, label: label, key: f.key}
		s.groups[id] = g
	}
	f.leads, f.group = true, g
	g.facts = append(g.facts, f)
	return f
}

// all are the identities of what is curated, before the log is applied.
func (s *curated) all() map[domain.EntityID]bool {
	ids := map[domain.EntityID]bool{}
	for id := range s.groups {
		ids[id] = true
	}
	for id := range s.known {
		ids[id] = true
	}
	return ids
}

// find is an entity that exists at this point of the log.
func (s *curated) find(id domain.EntityID) *group {
	g := s.groups[id]
	if g == nil || len(g.facts) == 0 {
		g = s.groups[s.known[id]]
	}
	if g == nil || len(g.facts) == 0 {
		return nil
	}
	return g
}

// apply carries an entry out and reports whether there was anything to carry
// out: an entry about what does not exist at this point changes nothing.
func (s *curated) apply(c ledger.Curation) bool {
	g := s.find(c.Entity)
	if g == nil {
		return false
	}
	switch c.Kind {
	case ledger.CurationMerge:
		return s.merge(g, c)
	case ledger.CurationSplit:
		return s.split(g, c)
	case ledger.CurationRename:
		g.name, g.form = c.Name, c.Form
	case ledger.CurationRelabel:
		g.label = c.Label
	case ledger.CurationHide:
		g.hidden = true
	case ledger.CurationHideRelation, ledger.CurationRetype:
		return s.relation(g, c)
	case ledger.CurationApart:
		return slices.ContainsFunc(c.Others, func(id domain.EntityID) bool { return s.find(id) != nil })
	case ledger.CurationUndo:
		return false // it took its entry out of the log
	}
	return true
}

func (s *curated) merge(into *group, c ledger.Curation) bool {
	merged := false
	for _, id := range c.Others {
		from := s.find(id)
		if from == nil || from == into {
			continue
		}
		for _, f := range from.facts {
			f.leads, f.group = false, into
		}
		into.facts = append(into.facts, from.facts...)
		if from.name != "" {
			into.aliases = append(into.aliases, from.name)
		}
		into.aliases = append(into.aliases, from.aliases...)
		from.facts = nil
		merged = true
	}
	if merged && c.Name+c.Form != "" {
		into.name, into.form = c.Name, c.Form
	}
	return merged
}

func (s *curated) split(from *group, c ledger.Curation) bool {
	out := &group{id: domain.NewSplitID(c.Entity, c.Seq), label: cmp.Or(c.Label, from.label), name: c.Name, form: c.Form}
	var stay []*fact
	for _, f := range from.facts {
		if f.chosen(c) {
			f.leads, f.group = true, out
			out.facts = append(out.facts, f)
		} else {
			stay = append(stay, f)
		}
	}
	if len(out.facts) == 0 {
		return false
	}
	from.facts = stay
	s.groups[out.id] = out
	return true
}

// chosen reports whether a split takes f along. A title goes with its form, or
// when all chunks that stand under it go.
func (f *fact) chosen(c ledger.Curation) bool {
	in := func(id domain.ChunkID) bool { return slices.Contains(c.Chunks, id) }
	switch {
	case f.mention != nil:
		return in(f.mention.Chunk) || slices.Contains(c.Forms, domain.Hash([]byte(f.mention.Name)))
	case f.title != nil:
		return slices.Contains(c.Forms, domain.Hash([]byte(f.title.form))) ||
			!slices.ContainsFunc(f.title.chunks, func(p place) bool { return !in(p.Chunk) })
	}
	return in(f.found.Chunk)
}

// relation hides or retypes the relation that an entry names, in all
// statements that make it.
func (s *curated) relation(source *group, c ledger.Curation) bool {
	target := s.find(c.Target)
	if target == nil {
		return false
	}
	found := false
	for _, cl := range s.claims {
		if cl.hidden || cl.source == nil || cl.target == nil || cl.source.group != source || cl.target.group != target ||
			domain.NewRelationID(c.Entity, cl.kind, c.Target) != c.Relation {
			continue
		}
		found = true
		if c.Kind == ledger.CurationHideRelation {
			cl.hidden = true
		} else {
			cl.kind = c.Type
		}
	}
	return found
}

// entities are what the groups fold to, by id, without what is hidden.
func (s *curated) entities() map[domain.EntityID]graphstore.Entity {
	all := map[domain.EntityID]graphstore.Entity{}
	for id, g := range s.groups {
		if len(g.facts) > 0 && !g.hidden {
			all[id] = g.fold(s.keyOf)
		}
	}
	return all
}

func (g *group) fold(keyOf func(string) string) graphstore.Entity {
	all, leading := newEntityFold(), newEntityFold()
	for _, f := range g.facts {
		f.into(all)
		if f.leads {
			f.into(leading)
		}
	}
	for _, a := range g.aliases {
		all.aliases[a] = true
	}
	e := all.named(keyOf, cmp.Or(g.key, g.mainKey()), g.shown(all, leading))
	e.ID, e.Label, e.Key = g.id, g.label, cmp.Or(g.key, g.mainKey())
	return e
}

func (f *fact) into(e *entityFold) {
	switch {
	case f.mention != nil:
		e.mention(*f.mention)
	case f.title != nil:
		e.title(*f.title)
	default:
		e.link(f.found.place, graphstore.LinkTitled, f.found.spans)
	}
}

// shown is the name of a group: what a curator typed, the form that a curator
// chose as long as some document holds it, or what its own facts give.
func (g *group) shown(all, leading *entityFold) string {
	if g.name != "" {
		return g.name
	}
	if g.form != "" {
		forms := slices.Concat(slices.Sorted(maps.Keys(all.forms)), slices.Sorted(maps.Keys(all.aliases)))
		if i := slices.IndexFunc(forms, func(form string) bool { return domain.Hash([]byte(form)) == g.form }); i >= 0 {
			return forms[i]
		}
	}
	for _, from := range []*entityFold{leading, all} {
		if len(from.forms) > 0 {
			return from.name()
		}
	}
	return g.mainKey()
}

// mainKey is the key of most of its own facts, the first by name of several.
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
