package projection

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// history is the curation log up to some change.
//
// Entities that one entry names, and names that one key has, belong to one
// family, whether the entry holds or was taken back. Families are folded
// whole: what the log makes of one entity depends on nothing outside its
// family.
type history struct {
	log     []ledger.Curation
	entries map[int64]ledger.Curation
	undone  map[int64]bool
	live    []ledger.Curation // those that hold, in order
	family  map[domain.EntityID]int
	members [][]domain.EntityID          // by family
	keys    map[domain.EntityID]string   // of those that some document names
	ids     map[string][]domain.EntityID // by key
	hidden  map[int]bool                 // families of which an entity is hidden, or was
}

func newHistory(log []ledger.Curation, keys map[domain.EntityID]string) *history {
	h := &history{
		log: log, undone: ledger.Undone(log), entries: make(map[int64]ledger.Curation, len(log)), family: map[domain.EntityID]int{},
		keys: keys, ids: map[string][]domain.EntityID{}, hidden: map[int]bool{},
	}
	for _, c := range log {
		h.entries[c.Seq] = c
		if c.Kind != ledger.CurationUndo && !h.undone[c.Seq] {
			h.live = append(h.live, c)
		}
		h.join(h.about(c))
	}
	for id, key := range keys {
		h.ids[key] = append(h.ids[key], id)
	}
	for _, ids := range h.ids {
		slices.Sort(ids)
		h.join(ids)
	}
	for _, c := range log {
		if c.Kind == ledger.CurationHide {
			h.hidden[h.family[c.Entity]] = true
		}
	}
	return h
}

// about are the entities that an entry is about; of one that takes another
// back, those of the other.
func (h *history) about(c ledger.Curation) []domain.EntityID {
	for c.Kind == ledger.CurationUndo {
		c = h.entries[c.Undoes]
	}
	ids := c.Entities()
	if c.Kind == ledger.CurationSplit {
		ids = append(ids, domain.NewSplitID(c.Entity, c.Seq))
	}
	return ids
}

// join makes one family of the families of ids.
func (h *history) join(ids []domain.EntityID) {
	if len(ids) == 0 {
		return
	}
	into := h.familyOf(ids[0])
	for _, id := range ids[1:] {
		from := h.familyOf(id)
		if from == into {
			continue
		}
		for _, member := range h.members[from] {
			h.family[member] = into
		}
		h.members[into] = append(h.members[into], h.members[from]...)
		h.members[from] = nil
	}
}

func (h *history) familyOf(id domain.EntityID) int {
	f, ok := h.family[id]
	if !ok {
		f = len(h.members)
		h.family[id] = f
		h.members = append(h.members, []domain.EntityID{id})
	}
	return f
}

// curated reports whether the log speaks of an entity of that key.
func (h *history) curated(key string) bool { return len(h.ids[key]) > 0 }

// familyKeys are the keys of a family's members.
func (h *history) familyKeys(family int) []string {
	var keys []string
	for _, id := range h.members[family] {
		if key, ok := h.keys[id]; ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// widen adds to keys those of all families that keys and ids belong to, and
// reports whether there were any.
func (h *history) widen(keys map[string]bool, ids []domain.EntityID) bool {
	families := map[int]bool{}
	for key := range keys {
		for _, id := range h.ids[key] {
			families[h.family[id]] = true
		}
	}
	for _, id := range ids {
		if f, ok := h.family[id]; ok {
			families[f] = true
		}
	}
	before := len(keys)
	for f := range families {
		for _, key := range h.familyKeys(f) {
			keys[key] = true
		}
	}
	return len(keys) > before
}

// concerning are the entries that hold and are about one of ids' families, in
// order.
func (h *history) concerning(ids map[domain.EntityID]bool) []ledger.Curation {
	families := map[int]bool{}
	for id := range ids {
		if f, ok := h.family[id]; ok {
			families[f] = true
		}
	}
	var entries []ledger.Curation
	for _, c := range h.live {
		if f, ok := h.family[c.Entity]; ok && families[f] {
			entries = append(entries, c)
		}
	}
	return entries
}

// readHistory reads the curation log as the changes leave it, and notes what
// they may alter of what it speaks of.
func (w *work) readHistory(after int64, changes []ledger.Change) error {
	log, err := w.Ledger.Curations(w.ctx, w.workspace, changes[len(changes)-1].Seq)
	if err != nil {
		return err
	}
	var keys map[domain.EntityID]string
	if len(log) > 0 {
		if keys, err = w.Ledger.CuratedKeys(w.ctx, w.workspace); err != nil {
			return err
		}
	}
	w.history = newHistory(log, keys)
	if w.fresh {
		return nil
	}
	for _, c := range changes {
		if c.Document == "" {
			w.touched = append(w.touched, w.history.about(w.history.entries[c.Seq])...)
		}
	}
	return w.readHidden(after)
}

// readHidden notes all families of which something is hidden, when a changed
// document may have said something of them before: the graph can't tell.
func (w *work) readHidden(after int64) error {
	if len(w.history.hidden) == 0 || len(w.changed) == 0 {
		return nil
	}
	earlier, err := w.Ledger.ChangedBefore(w.ctx, w.workspace, slices.Sorted(maps.Keys(w.changed)), after)
	if err != nil || len(earlier) == 0 {
		return err
	}
	for _, f := range slices.Sorted(maps.Keys(w.history.hidden)) {
		w.touched = append(w.touched, w.history.members[f]...)
	}
	return nil
}
