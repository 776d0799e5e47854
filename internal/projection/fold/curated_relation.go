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
// itself, make no relation. What curators stated counts for sources whose key
// is affected: of any other, not all statements are there.
func (s *Curated) Relations(names map[string]Namesakes, entities map[domain.EntityID]graphstore.Entity, affected func(key string) bool) []domain.Relation {
	end := func(g *group, key, label string) (domain.Entity, bool) {
		if g == nil {
			return names[key].Find(label)
		}
		e, ok := entities[g.id]
		return e.Entity, ok
	}
	byID := map[domain.RelationID]domain.Relation{}
	evidence := map[domain.RelationID]map[Place][]domain.Span{}
	properties := map[domain.RelationID]map[domain.Property]int{}
	for _, c := range s.claims {
		from, to := c.ends()
		source, ok1 := end(from, c.SourceKey, c.SourceLabel)
		target, ok2 := end(to, c.TargetKey, c.TargetLabel)
		if c.hidden || !ok1 || !ok2 || source.ID == target.ID || c.from != nil && !affected(s.FactKey(from.id)) {
			continue
		}
		id := domain.NewRelationID(source.ID, c.kind, target.ID)
		if evidence[id] == nil {
			byID[id] = domain.Relation{ID: id, Source: source.ID, Target: target.ID, Type: c.kind}
			evidence[id], properties[id] = map[Place][]domain.Span{}, map[domain.Property]int{}
		}
		c.count(properties[id])
		if c.Chunk == "" {
			continue // a curator stated it without a source
		}
		at := Place{Document: c.Document, Ordinal: c.Ordinal, Chunk: c.Chunk}
		evidence[id][at] = append(evidence[id][at], c.Spans...)
	}
	var all []domain.Relation
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		r := byID[id]
		r.Properties = sortedProperties(properties[id])
		for _, at := range slices.SortedFunc(maps.Keys(evidence[id]), ComparePlaces) {
			r.Evidence = append(r.Evidence, domain.Evidence{Chunk: at.Chunk, Document: at.Document, Spans: DistinctSpans(evidence[id][at])})
		}
		all = append(all, r)
	}
	return all
}
