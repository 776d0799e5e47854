package fold

import (
	"cmp"
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
	end := func(g *group, key, label string) (domain.EntityID, bool) {
		if g == nil {
			return names[key].Find(label)
		}
		e, ok := entities[g.id]
		return e.ID, ok
	}
	var list []stated
	for _, c := range s.claims {
		from, to := c.ends()
		source, ok1 := end(from, c.SourceKey, c.SourceLabel)
		target, ok2 := end(to, c.TargetKey, c.TargetLabel)
		if c.hidden || !ok1 || !ok2 || source == target || c.from != nil && !affected(s.FactKey(from.id)) {
			continue
		}
		list = append(list, stated{domain.NewRelationID(source, c.kind, target), source, target, c})
	}
	slices.SortFunc(list, func(a, b stated) int {
		return cmp.Or(cmp.Compare(a.id, b.id), ComparePlaces(a.claim.place(), b.claim.place()))
	})
	var all []domain.Relation
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].id == list[0].id {
			n++
		}
		all, list = append(all, relation(list[:n])), list[n:]
	}
	return all
}

// stated is a statement of a relation.
type stated struct {
	id             domain.RelationID
	source, target domain.EntityID
	claim          *claim
}

func (c *claim) place() Place {
	return Place{Document: c.Document, Ordinal: c.Ordinal, Chunk: c.Chunk}
}

// relation returns the relation that statements of it make, which are sorted by
// place.
func relation(list []stated) domain.Relation {
	r := domain.Relation{ID: list[0].id, Source: list[0].source, Target: list[0].target, Type: list[0].claim.kind}
	properties := map[domain.Property]int{}
	for i, st := range list {
		c := st.claim
		c.count(properties)
		switch {
		case c.Chunk == "": // a curator stated it without a source
		case len(r.Evidence) > 0 && c.place() == list[i-1].claim.place():
			last := &r.Evidence[len(r.Evidence)-1]
			last.Spans, last.Periods = append(last.Spans, c.Spans...), append(last.Periods, c.Periods...)
		default:
			r.Evidence = append(r.Evidence, domain.Evidence{Chunk: c.Chunk, Document: c.Document, Spans: slices.Clone(c.Spans), Periods: slices.Clone(c.Periods)})
		}
	}
	r.Properties = sortedProperties(properties)
	for i := range r.Evidence {
		e := &r.Evidence[i]
		e.Spans = DistinctSpans(e.Spans)
		slices.SortFunc(e.Periods, domain.Period.Compare)
		e.Periods = slices.Compact(e.Periods)
	}
	return r
}
