package fold

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// CurationLog is the curation log up to some change.
//
// It partitions entities into families: entities that one entry names, and
// entities of one key, are in the same family, whether or not the entry was
// undone or a document still has the key: what went with the documents may have
// had other entities merged into it. Families are folded as a whole, because the log's effect on an entity
// depends on nothing outside its family.
type CurationLog struct {
	entries []ledger.Curation
	bySeq   map[int64]ledger.Curation
	undone  map[int64]bool
	live    []ledger.Curation // entries in effect, in order
	family  map[domain.EntityID]int
	members [][]domain.EntityID          // by family
	keys    map[domain.EntityID]string   // of entities named in documents
	ids     map[string][]domain.EntityID // by the hash of the key
	hidden  map[int]bool                 // families in which an entity is or was hidden
}

// NewCurationLog returns the log of entries, which name the entities of keys.
func NewCurationLog(entries []ledger.Curation, keys ledger.CuratedKeys) *CurationLog {
	l := &CurationLog{
		entries: entries, undone: ledger.Undone(entries), bySeq: make(map[int64]ledger.Curation, len(entries)), family: map[domain.EntityID]int{},
		keys: keys.Held, ids: map[string][]domain.EntityID{}, hidden: map[int]bool{},
	}
	for _, c := range entries {
		l.bySeq[c.Seq] = c
		if c.Kind != ledger.CurationUndo && !l.undone[c.Seq] {
			l.live = append(l.live, c)
		}
		l.join(l.subjects(c))
	}
	for id, hash := range keys.Gone {
		l.ids[hash] = append(l.ids[hash], id)
	}
	for id, key := range keys.Held {
		hash := domain.Hash([]byte(key))
		l.ids[hash] = append(l.ids[hash], id)
	}
	for _, ids := range l.ids {
		slices.Sort(ids)
		l.join(ids)
	}
	for _, c := range entries {
		if c.Kind == ledger.CurationHide {
			l.hidden[l.family[c.Entity]] = true
		}
	}
	return l
}

// Subjects returns the entities that the entry with a number is about. An undo
// is about the entities of the entry it undoes.
func (l *CurationLog) Subjects(seq int64) []domain.EntityID { return l.subjects(l.bySeq[seq]) }

func (l *CurationLog) subjects(c ledger.Curation) []domain.EntityID {
	c, _ = l.origin(c)
	ids := c.Entities()
	if c.Kind == ledger.CurationSplit {
		ids = append(ids, domain.NewSplitID(c.Entity, c.Seq))
	}
	return ids
}

// origin follows undos to the entry they undo, and reports how many there are.
func (l *CurationLog) origin(c ledger.Curation) (origin ledger.Curation, undos int) {
	for c.Kind == ledger.CurationUndo {
		c, undos = l.bySeq[c.Undoes], undos+1
	}
	return c, undos
}

// join unites the families of ids.
func (l *CurationLog) join(ids []domain.EntityID) {
	if len(ids) == 0 {
		return
	}
	into := l.familyOf(ids[0])
	for _, id := range ids[1:] {
		from := l.familyOf(id)
		if from == into {
			continue
		}
		for _, member := range l.members[from] {
			l.family[member] = into
		}
		l.members[into] = append(l.members[into], l.members[from]...)
		l.members[from] = nil
	}
}

// idsOf returns the entities of a key that the log names.
func (l *CurationLog) idsOf(key string) []domain.EntityID {
	if len(l.ids) == 0 {
		return nil
	}
	return l.ids[domain.Hash([]byte(key))]
}

func (l *CurationLog) familyOf(id domain.EntityID) int {
	f, ok := l.family[id]
	if !ok {
		f = len(l.members)
		l.family[id] = f
		l.members = append(l.members, []domain.EntityID{id})
	}
	return f
}

// Made returns the entries that create something in the families of keys, also
// those that are undone.
func (l *CurationLog) Made(keys []string) []ledger.Curation {
	families := map[int]bool{}
	for _, key := range keys {
		for _, id := range l.idsOf(key) {
			families[l.family[id]] = true
		}
	}
	return lists.Filter(l.entries, func(c ledger.Curation) bool { return creates(c) && families[l.family[c.Entity]] })
}

func creates(c ledger.Curation) bool {
	return c.Kind == ledger.CurationCreate || c.Kind == ledger.CurationRelate
}

// MadeFrom returns the subjects of the entries that create something from a
// stretch of one of documents.
func (l *CurationLog) MadeFrom(documents map[domain.DocumentID]bool) []domain.EntityID {
	var ids []domain.EntityID
	for _, c := range l.entries {
		if creates(c) && documents[c.Stretch.Document] {
			ids = append(ids, c.Entities()...)
		}
	}
	return ids
}

// Holds reports whether an entry is in force.
func (l *CurationLog) Holds(seq int64) bool { return !l.undone[seq] }

// Key returns the key of an entity that the log names, or "" if no document has it.
func (l *CurationLog) Key(id domain.EntityID) string { return l.keys[id] }

// Curates reports whether the log names an entity of a key.
func (l *CurationLog) Curates(key string) bool { return len(l.idsOf(key)) > 0 }

// Hidden returns the members of all families in which an entity is or was
// hidden.
func (l *CurationLog) Hidden() []domain.EntityID {
	var ids []domain.EntityID
	for f := range l.hidden {
		ids = append(ids, l.members[f]...)
	}
	slices.Sort(ids)
	return ids
}

// Widen adds to keys the keys of all families that keys and ids belong to, and
// reports whether there were any new ones.
func (l *CurationLog) Widen(keys map[string]bool, ids []domain.EntityID) bool {
	families := map[int]bool{}
	for key := range keys {
		for _, id := range l.idsOf(key) {
			families[l.family[id]] = true
		}
	}
	for _, id := range ids {
		if f, ok := l.family[id]; ok {
			families[f] = true
		}
	}
	before := len(keys)
	for f := range families {
		for _, id := range l.members[f] {
			if key, ok := l.keys[id]; ok {
				keys[key] = true
			}
		}
	}
	return len(keys) > before
}

// of returns the live entries about the families of ids, in order.
func (l *CurationLog) of(ids []domain.EntityID) []ledger.Curation {
	families := map[int]bool{}
	for _, id := range ids {
		if f, ok := l.family[id]; ok {
			families[f] = true
		}
	}
	var entries []ledger.Curation
	for _, c := range l.live {
		if f, ok := l.family[c.Entity]; ok && families[f] {
			entries = append(entries, c)
		}
	}
	return entries
}
