package projection

import (
	"context"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Telling is an entry of the curation log with the words that the log itself
// does not hold: what its entities were called when it applied.
type Telling struct {
	ledger.Curation
	Of     ledger.CurationKind // of an entry that takes another back: what that was
	Again  bool                // of such an entry: it brings back what another had taken back
	Undone bool                // taken back
	Inert  bool                // there is nothing that it applies to
	Entity Named
	Target Named
	Others []Named
	Was    string // the relation's type before it was hidden or changed
	Shown  string // the name after a merge, a split or a new name
}

// Named is an entity as it was when an entry applied; without a name when
// there was none.
type Named struct {
	ID          domain.EntityID
	Name, Label string
}

// Retell applies the curation log once more to what entries are about and
// tells what each of them did, by number. Of an entry that takes another back,
// it tells what the other did.
func (p *Projector) Retell(ctx context.Context, ws domain.WorkspaceID, entries []ledger.Curation) (map[int64]Telling, error) {
	log, err := p.Ledger.Curations(ctx, ws, math.MaxInt64)
	if err != nil || len(log) == 0 {
		return nil, err
	}
	keys, err := p.Ledger.CuratedKeys(ctx, ws)
	if err != nil {
		return nil, err
	}
	w := p.newWork(ctx, ws)
	w.history = newHistory(log, keys)
	for _, c := range entries {
		w.touched = append(w.touched, w.history.about(c)...)
	}
	c, err := w.told()
	if err != nil {
		return nil, err
	}
	return w.tell(c, entries), nil
}

// told is what entries are about, before the log is applied. Where titles
// stand in other texts is left out: it names nothing.
func (w *work) told() (*curated, error) {
	if err := w.readDocuments(nil); err != nil {
		return nil, err
	}
	if err := w.widen(); err != nil {
		return nil, err
	}
	if _, err := w.readNames(w.keys); err != nil {
		return nil, err
	}
	if err := w.dropUnknown(w.keys); err != nil {
		return nil, err
	}
	rows, err := w.Ledger.Statements(w.ctx, w.workspace, w.keys)
	if err != nil {
		return nil, err
	}
	if rows, err = w.knownStatements(rows); err != nil {
		return nil, err
	}
	return w.uncurated(rows)
}

// tell goes through the whole log. What was taken back is told as if it came
// at its place, and not applied.
func (w *work) tell(c *curated, entries []ledger.Curation) map[int64]Telling {
	wanted := map[int64]bool{}
	for _, e := range entries {
		for e.Kind == ledger.CurationUndo {
			e = w.history.entries[e.Undoes]
		}
		wanted[e.Seq] = true
	}
	holds := map[int64]bool{}
	for _, e := range w.history.live {
		holds[e.Seq] = true
	}
	told := map[int64]Telling{}
	for _, e := range w.history.log {
		if e.Kind == ledger.CurationUndo {
			continue
		}
		var t Telling
		if wanted[e.Seq] {
			t = c.tell(e)
			t.Undone = !holds[e.Seq]
		}
		if holds[e.Seq] {
			t.Inert = !c.apply(e)
		}
		if wanted[e.Seq] {
			t.Shown = c.named(c.result(e)).Name
			told[e.Seq] = t
		}
	}
	for _, e := range entries {
		if e.Kind == ledger.CurationUndo {
			of, back := e, false
			for of.Kind == ledger.CurationUndo {
				of, back = w.history.entries[of.Undoes], !back
			}
			t := told[of.Seq]
			t.Again = !back
			e.Operation = of.Operation
			t.Curation, t.Of, t.Undone, t.Inert = e, of.Kind, w.history.undone[e.Seq], false
			told[e.Seq] = t
		}
	}
	return told
}

// tell names what an entry is about, as it stands.
func (s *curated) tell(c ledger.Curation) Telling {
	t := Telling{Curation: c, Entity: s.named(c.Entity), Target: s.named(c.Target)}
	for _, id := range c.Others {
		t.Others = append(t.Others, s.named(id))
	}
	if c.Relation == "" {
		return t
	}
	if i := slices.IndexFunc(s.claims, func(cl *claim) bool {
		return domain.NewRelationID(c.Entity, cl.kind, c.Target) == c.Relation
	}); i >= 0 {
		t.Was = s.claims[i].kind
	}
	return t
}

func (s *curated) named(id domain.EntityID) Named {
	g := s.find(id)
	if g == nil {
		return Named{ID: id}
	}
	e := g.fold(s.keyOf)
	return Named{g.id, e.Name, e.Label}
}

// result is the entity that an entry made or altered.
func (s *curated) result(c ledger.Curation) domain.EntityID {
	if c.Kind == ledger.CurationSplit {
		return domain.NewSplitID(c.Entity, c.Seq)
	}
	return c.Entity
}
