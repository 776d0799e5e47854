package fold

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Effect describes the effect of an entry of the log, with the names that its entities had when it applied: the log
// itself stores no words of documents.
type Effect struct {
	ledger.Curation
	UndoneKind ledger.CurationKind // for an undo: the kind of the entry it undoes
	Restored   bool                // for an undo: it restores an entry by undoing its undo
	Undone     bool
	Inert      bool // it applies to nothing that exists
	Entity     Named
	Target     Named
	Others     []Named
	OldType    string // the relation's type before it was hidden or changed
	NewName    string // after a merge, a split or a renaming, or of what was created
	Key        string // of the changed property
	OldValue   string // its earlier value; "" if there was none
	NewValue   string // the value that was set or removed; "" if no document has it any more
}

// Named is an entity at the time when an entry applied.
type Named struct {
	ID   domain.EntityID
	Name string // "" if there was no such entity
}

// Effects applies the log to the state and returns the effects of some of its
// entries by number. An undone entry is described as if it applied at its
// place; an undo has the names of the entry it undoes.
func (s *Curated) Effects(l *CurationLog, entries []ledger.Curation) map[int64]Effect {
	wanted := map[int64]bool{}
	for _, e := range entries {
		origin, _ := l.origin(e)
		wanted[origin.Seq] = true
	}
	effects := map[int64]Effect{}
	for _, e := range l.entries {
		if e.Kind == ledger.CurationUndo {
			continue
		}
		var effect Effect
		if wanted[e.Seq] {
			effect = s.before(e)
			effect.Undone = l.undone[e.Seq]
		}
		if !l.undone[e.Seq] {
			effect.Inert = !s.apply(e)
		}
		if wanted[e.Seq] {
			effect.NewName = s.named(result(e)).Name
			if e.Kind == ledger.CurationCreate {
				effect.NewName = cmp.Or(s.Made[e.Seq].Name, e.Name)
			}
			effects[e.Seq] = effect
		}
	}
	for _, e := range entries {
		if e.Kind == ledger.CurationUndo {
			origin, undos := l.origin(e)
			effect := effects[origin.Seq]
			e.Operation = origin.Operation
			effect.Curation, effect.UndoneKind, effect.Restored = e, origin.Kind, undos%2 == 0
			effect.Undone, effect.Inert = l.undone[e.Seq], false
			effects[e.Seq] = effect
		}
	}
	return effects
}

// before names the entities of an entry as they are before it applies.
func (s *Curated) before(c ledger.Curation) Effect {
	e := Effect{Curation: c, Entity: s.named(c.Entity), Target: s.named(c.Target)}
	for _, id := range c.Others {
		e.Others = append(e.Others, s.named(id))
	}
	if i := slices.IndexFunc(s.claims, func(cl *claim) bool {
		return c.Relation != "" && domain.NewRelationID(c.Entity, cl.kind, c.Target) == c.Relation
	}); i >= 0 {
		e.OldType = s.claims[i].kind
	}
	s.describeProperty(&e)
	return e
}

// describeProperty adds the property that an entry changes.
func (s *Curated) describeProperty(e *Effect) {
	c, have := e.Curation, domain.Properties(nil)
	switch g := s.find(c.Entity); {
	case g == nil:
	case c.Relation == "":
		have = g.entity(s.Key).Properties
	default:
		have = propertiesOf(s.claimsOf(g, c))
	}
	e.Key, e.NewValue = c.Property.Text, c.Value.Text
	for _, p := range slices.Backward(have) { // the first value of the key remains
		if !c.Property.Is(p.Key) {
			continue
		}
		e.Key = p.Key
		if c.Value.Is(p.Value) {
			e.NewValue = p.Value
		}
		if c.Was == (ledger.Word{}) || c.Was.Is(p.Value) {
			e.OldValue = p.Value
		}
	}
}

func (s *Curated) named(id domain.EntityID) Named {
	g := s.find(id)
	if g == nil {
		return Named{ID: id}
	}
	e := g.entity(s.Key)
	return Named{g.id, e.Name}
}

// result returns the entity that an entry made or altered.
func result(c ledger.Curation) domain.EntityID {
	if c.Kind == ledger.CurationSplit {
		return domain.NewSplitID(c.Entity, c.Seq)
	}
	return c.Entity
}
