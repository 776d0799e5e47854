package projection

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// relation is a relation with the names of its ends, by which it is searched.
type relation struct {
	domain.Relation
	source, target string
}

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

// relations folds statements to relations between the entities that their
// keys stand for, by id. A statement about a name and itself says nothing
// that a graph can show and is left out.
func relations(rows []ledger.StatementRow, names map[string]namesakes) []relation {
	byID := map[domain.RelationID]*relation{}
	evidence := map[domain.RelationID]map[place][]domain.Span{}
	for _, row := range rows {
		source, ok1 := names[row.SourceKey].end(row.SourceLabel)
		target, ok2 := names[row.TargetKey].end(row.TargetLabel)
		if !ok1 || !ok2 || source.ID == target.ID {
			continue
		}
		id := domain.NewRelationID(source.ID, row.Type, target.ID)
		if byID[id] == nil {
			byID[id] = &relation{
				Relation: domain.Relation{ID: id, Source: source.ID, Target: target.ID, Type: row.Type},
				source:   source.Name, target: target.Name,
			}
			evidence[id] = map[place][]domain.Span{}
		}
		at := place{row.Document, row.Ordinal, row.Chunk}
		evidence[id][at] = append(evidence[id][at], row.Spans...)
	}
	var all []relation
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		r := *byID[id]
		for _, at := range slices.SortedFunc(maps.Keys(evidence[id]), comparePlaces) {
			r.Evidence = append(r.Evidence, domain.Evidence{Chunk: at.Chunk, Document: at.Document, Spans: distinctSpans(evidence[id][at])})
		}
		all = append(all, r)
	}
	return all
}
