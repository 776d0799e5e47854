package projection

import (
	"maps"
	"reflect"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/projection/fold"
)

// foldNames folds the entities of all keys that curators do not name, whose sources
// are not needed any more.
func (u *update) foldNames() error {
	for _, key := range u.keys {
		if u.log.Curates(key) {
			continue
		}
		sources := *u.sourcesOf(key)
		t, added := u.additions[key]
		if !added {
			t = fold.Count(sources)
		}
		entities := u.Entities(key, t, sources)
		if added {
			u.addTo(entities, u.before[key])
		}
		if err := u.storeTally(t, entities); err != nil {
			return err
		}
		plain := lists.Map(entities, func(e graphstore.Entity) domain.Entity { return e.Entity })
		u.names[key] = fold.NewNamesakes(plain, t.Best())
		u.entities = append(u.entities, entities...)
		delete(u.sources, key)
	}
	return nil
}

// addTo adds the counts of the graph's entities to the additions, without what
// goes with deleted documents.
func (u *update) addTo(entities []graphstore.Entity, before []domain.Entity) {
	for i := range entities {
		e := &entities[i]
		e.Grown = true
		for _, b := range before {
			if b.ID == e.ID {
				gone := u.lost[b.ID]
				e.Mentions, e.Chunks, e.Documents = e.Mentions+b.Mentions-gone.mentions, e.Chunks+b.Chunks-gone.chunks, e.Documents+b.Documents-gone.documents
			}
		}
	}
}

// storeTally stores the tally of a key with many links with the entity of its
// best label.
func (u *update) storeTally(t *fold.Tally, entities []graphstore.Entity) (err error) {
	links := lists.Sum(entities, func(e graphstore.Entity) int { return e.Chunks })
	for i := range entities {
		if links >= u.tallied && entities[i].Label == t.Best() {
			entities[i].Tally, err = t.Encode()
		}
	}
	return err
}

// stale returns the keys whose relations have to be folded again, beside those
// that the changed documents state or stated.
func (u *update) stale() map[string]bool {
	stale := map[string]bool{}
	for _, key := range u.keys {
		if u.moved(key) {
			stale[key] = true
		}
	}
	return stale
}

// moved reports whether other documents' statements about a key may have moved to another entity. Only statements
// without a label can move, when another label becomes the best one: the rest belong to the entity of their own label,
// which exists as long as they do. If the graph has several entities of the key and no tally, the best label is
// unknown. Curated keys always count as moved.
func (u *update) moved(key string) bool {
	if u.log.Curates(key) {
		return true
	}
	switch before := u.before[key]; len(before) {
	case 0:
		return false // nobody else names it
	case 1:
		return before[0].ID != u.names[key].Best
	}
	return u.additions[key] == nil
}

// curated returns the curated entities among the keys and their neighbours, and
// all statements, before the log is applied.
func (u *update) curated() *fold.Curated {
	s := fold.NewCurated(u.Folder)
	s.Made = u.made
	for _, key := range slices.Concat(u.neighbours, u.keys) {
		if u.log.Curates(key) {
			s.Add(key, *u.sourcesOf(key))
		}
	}
	s.AddStatements(u.statements)
	return s
}

// batch returns the update's changes to the graph.
func (u *update) batch() graphstore.Batch {
	s := u.curated()
	s.Apply(u.log)
	shown := s.Entities()
	for _, id := range slices.Sorted(maps.Keys(shown)) {
		if u.affects(s.FactKey(id)) {
			u.entities = append(u.entities, shown[id])
		}
	}
	b := graphstore.Batch{
		After: u.after, Cursor: u.cursor, DeleteDocuments: u.deleted, DeleteEntities: u.vanished(),
		Entities: u.entities, Relations: s.Relations(u.names, shown, u.affects),
	}
	b.Documents = lists.Map(u.documents, document.node)
	b.Relations = slices.DeleteFunc(b.Relations, u.stays)
	for _, id := range slices.Sorted(maps.Keys(u.relations)) {
		b.DeleteRelations = append(b.DeleteRelations, graphstore.RelationRef{ID: id, Source: u.relations[id].Source, Target: u.relations[id].Target})
	}
	return b
}

// stays reports whether the graph already has a relation in this form, and takes it from those that may go.
func (u *update) stays(r domain.Relation) bool {
	have, found := u.relations[r.ID]
	delete(u.relations, r.ID)
	return found && reflect.DeepEqual(have, r)
}

// vanished returns the graph's entities of the keys that are not folded any
// more.
func (u *update) vanished() []domain.EntityID {
	stay := lists.SetOf(u.entities, func(e graphstore.Entity) domain.EntityID { return e.ID })
	var gone []domain.EntityID
	for _, key := range u.keys {
		for _, e := range u.before[key] {
			if !stay[e.ID] {
				gone = append(gone, e.ID)
			}
		}
	}
	return gone
}

// node returns the document as the graph stores it.
func (d document) node() graphstore.Document {
	n := graphstore.Document{ID: d.Document, Name: d.Name, Title: d.Title, Notes: d.notes}
	for _, c := range d.chunks {
		n.Chunks = append(n.Chunks, graphstore.Chunk{ID: c.ID, Ordinal: c.Ordinal, Page: c.Page, Span: c.Span, Text: c.Text})
	}
	return n
}
