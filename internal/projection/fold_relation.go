package projection

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// namesakes are the entities of one key.
type namesakes struct {
	byLabel map[string]domain.Entity
	best    domain.Entity // the one that what has no label joins
}

// end is the entity that a statement's end with a label is.
func (n namesakes) end(label string) (domain.Entity, bool) {
	if label == domain.UnknownLabel {
		return n.best, n.best.ID != ""
	}
	e, ok := n.byLabel[label]
	return e, ok
}

// end is the entity that an end of a claim is; false when it is hidden, or the
// graph has none.
func (s *curated) end(f *fact, names map[string]namesakes, key, label string, shown map[domain.EntityID]graphstore.Entity) (domain.Entity, bool) {
	if f == nil {
		return names[key].end(label)
	}
	e, ok := shown[f.group.id]
	return e.Entity, ok
}

// relations folds the claims to relations between the entities that their ends
// are, by id: those of shown where the log speaks of an end, else those of
// names. A statement about a name and itself says nothing that a graph can
// show and is left out.
func (s *curated) relations(names map[string]namesakes, shown map[domain.EntityID]graphstore.Entity) []domain.Relation {
	byID := map[domain.RelationID]domain.Relation{}
	evidence := map[domain.RelationID]map[place][]domain.Span{}
	for _, c := range s.claims {
		source, ok1 := s.end(c.source, names, c.SourceKey, c.SourceLabel, shown)
		target, ok2 := s.end(c.target, names, c.TargetKey, c.TargetLabel, shown)
		if c.hidden || !ok1 || !ok2 || source.ID == target.ID {
			continue
		}
		id := domain.NewRelationID(source.ID, c.kind, target.ID)
		if evidence[id] == nil {
			byID[id] = domain.Relation{ID: id, Source: source.ID, Target: target.ID, Type: c.kind}
			evidence[id] = map[place][]domain.Span{}
		}
		at := place{c.Document, c.Ordinal, c.Chunk}
		evidence[id][at] = append(evidence[id][at], c.Spans...)
	}
	var all []domain.Relation
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		r := byID[id]
		for _, at := range slices.SortedFunc(maps.Keys(evidence[id]), comparePlaces) {
			r.Evidence = append(r.Evidence, domain.Evidence{Chunk: at.Chunk, Document: at.Document, Spans: distinctSpans(evidence[id][at])})
		}
		all = append(all, r)
	}
	return all
}
