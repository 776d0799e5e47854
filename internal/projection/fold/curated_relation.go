package fold

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Relations returns the relations that the statements make, by id. An end that
// the log names is found in entities, any other in names by its key.
// Statements with an end that is hidden or missing, or about an entity and
// itself, make no relation.
func (s *Curated) Relations(names map[string]Namesakes, entities map[domain.EntityID]graphstore.Entity) []domain.Relation {
	end := func(f *fact, key, label string) (domain.Entity, bool) {
		if f == nil {
			return names[key].Find(label)
		}
		e, ok := entities[f.group.id]
		return e.Entity, ok
	}
	byID := map[domain.RelationID]domain.Relation{}
	evidence := map[domain.RelationID]map[Place][]domain.Span{}
	for _, c := range s.claims {
		source, ok1 := end(c.source, c.SourceKey, c.SourceLabel)
		target, ok2 := end(c.target, c.TargetKey, c.TargetLabel)
		if c.hidden || !ok1 || !ok2 || source.ID == target.ID {
			continue
		}
		id := domain.NewRelationID(source.ID, c.kind, target.ID)
		if evidence[id] == nil {
			byID[id] = domain.Relation{ID: id, Source: source.ID, Target: target.ID, Type: c.kind}
			evidence[id] = map[Place][]domain.Span{}
		}
		at := Place{Document: c.Document, Ordinal: c.Ordinal, Chunk: c.Chunk}
		evidence[id][at] = append(evidence[id][at], c.Spans...)
	}
	var all []domain.Relation
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		r := byID[id]
		for _, at := range slices.SortedFunc(maps.Keys(evidence[id]), ComparePlaces) {
			r.Evidence = append(r.Evidence, domain.Evidence{Chunk: at.Chunk, Document: at.Document, Spans: DistinctSpans(evidence[id][at])})
		}
		all = append(all, r)
	}
	return all
}
