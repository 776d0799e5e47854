package fold

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// apply carries out an entry and reports whether it had an effect: an entry
// about an entity that does not exist at this point has none.
func (s *Curated) apply(c ledger.Curation) bool {
	switch c.Kind {
	case ledger.CurationTag, ledger.CurationField: // the ledger has already applied it
		return true
	case ledger.CurationCreate:
		_, made := s.Made[c.Seq] // it was already added like a mention
		return made
	}
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
		return s.changeRelation(g, c)
	case ledger.CurationRelate:
		return s.relate(g, c)
	case ledger.CurationSet, ledger.CurationUnset:
		return s.edit(g, c)
	case ledger.CurationApart:
		return slices.ContainsFunc(c.Others, func(id domain.EntityID) bool { return s.find(id) != nil })
	case ledger.CurationCreate, ledger.CurationTag, ledger.CurationField, ledger.CurationUndo:
		return false // the first three are handled above; an undo has removed its entry from the live ones
	}
	return true
}

func (s *Curated) merge(into *group, c ledger.Curation) bool {
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
		into.given = append(into.given, from.given...)
		from.facts, from.into, into.named = nil, into, into.named || from.named
		merged = true
	}
	if merged && c.Name+c.Form != "" {
		into.name, into.form = c.Name, c.Form
	}
	return merged
}

func (s *Curated) split(from *group, c ledger.Curation) bool {
	out := &group{id: domain.NewSplitID(c.Entity, c.Seq), label: cmp.Or(c.Label, from.label), name: c.Name, form: c.Form, named: true}
	var stay []*fact
	for _, f := range from.facts {
		if f.selected(c) {
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

// selected reports whether a split moves the fact. A title moves with its form,
// or if all chunks under it move.
func (f *fact) selected(c ledger.Curation) bool {
	in := func(id domain.ChunkID) bool { return slices.Contains(c.Chunks, id) }
	switch {
	case f.mention != nil:
		return in(f.mention.Chunk) || slices.Contains(c.Forms, domain.Hash([]byte(f.mention.Name)))
	case f.title != nil:
		return slices.Contains(c.Forms, domain.Hash([]byte(f.title.Form))) ||
			!slices.ContainsFunc(f.title.Chunks, func(p Place) bool { return !in(p.Chunk) })
	}
	return in(f.titleMention.Chunk)
}

// changeRelation hides or retypes a relation, in all statements that make it.
func (s *Curated) changeRelation(source *group, c ledger.Curation) bool {
	claims := s.claimsOf(source, c)
	for _, cl := range claims {
		if c.Kind == ledger.CurationHideRelation {
			cl.hidden = true
		} else {
			cl.kind = c.Type
		}
	}
	return len(claims) > 0
}

// claimsOf returns the statements that make the relation that an entry is
// about.
func (s *Curated) claimsOf(source *group, c ledger.Curation) []*claim {
	target := s.find(c.Target)
	if target == nil {
		return nil
	}
	var claims []*claim
	for _, cl := range s.claims {
		from, to := cl.ends()
		if !cl.hidden && from == source && to == target && domain.NewRelationID(c.Entity, cl.kind, c.Target) == c.Relation {
			claims = append(claims, cl)
		}
	}
	return claims
}

// relate adds a statement, unless its sentence no longer exists.
func (s *Curated) relate(source *group, c ledger.Curation) bool {
	target := s.find(c.Target)
	made, ok := s.Made[c.Seq]
	if !ok || target == nil {
		return false
	}
	source.named, target.named = true, true
	s.claims = append(s.claims, &claim{
		StatementRow: &ledger.StatementRow{Type: c.Type, Chunk: made.Chunk, Document: made.Document, Ordinal: made.Ordinal, Spans: made.Spans},
		kind:         c.Type, from: source, to: target,
	})
	return true
}
