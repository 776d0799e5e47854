package neo4j

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Relations are looked up from their target, because only relations lead there,
// while their source is also linked to every chunk that mentions it. Deleting is
// a separate statement: planned while there are no relations yet, a lookup
// between two known nodes scans all relations for each row.
const (
	dropRelations = `UNWIND $rows AS row
		MATCH (:__Entity__ {workspace_id: $workspace, id: row.target})<-[r]-() WHERE r.id IN row.ids DELETE r`
	createRelation = `UNWIND $rows AS row
		MATCH (a:__Entity__ {workspace_id: $workspace, id: row.source})
		MATCH (b:__Entity__ {workspace_id: $workspace, id: row.target})
		CREATE (a)-[r:$(row.type)]->(b) SET r = row.fields`
)

func (b *batch) deleteRelations(in graphstore.Batch) error { return b.drop(in.DeleteRelations) }

// dropAtOnce is the maximum number of relations in a row for which the relations to their target are scanned once.
const dropAtOnce = 100

// drop deletes relations.
func (b *batch) drop(relations []graphstore.RelationRef) error {
	at := map[domain.EntityID][]domain.RelationID{}
	for _, r := range relations {
		at[r.Target] = append(at[r.Target], r.ID)
	}
	var rows []fields
	for _, target := range slices.Sorted(maps.Keys(at)) {
		for ids := range slices.Chunk(at[target], dropAtOnce) {
			rows = append(rows, fields{"target": target, "ids": ids})
		}
	}
	return unwind(b.tx, rows, dropRelations)
}

// putRelations replaces whole relations. It stores the number of pieces of
// evidence as contributions, so that the server need not read them.
func (b *batch) putRelations(in graphstore.Batch) error {
	var rows []fields
	var old []graphstore.RelationRef
	for _, r := range in.Relations {
		old = append(old, graphstore.RelationRef{ID: r.ID, Source: r.Source, Target: r.Target})
		f := shown(r.Properties)
		maps.Copy(f, fields{
			"id": r.ID, "workspace_id": b.workspace, "type": r.Type, "contributions": len(r.Evidence), "evidence": toJSON(r.Evidence),
			"properties": toJSON(r.Properties),
		})
		maps.Copy(f, times(r))
		rows = append(rows, fields{"source": r.Source, "target": r.Target, "type": typeToken(r.Type), "fields": f})
	}
	if err := b.drop(old); err != nil {
		return err
	}
	return unwind(b.tx, rows, createRelation)
}

// times returns the periods of a relation as properties: all of them for this program and, for people, when it begins
// and ends, unless one of the periods leaves that open.
func times(r domain.Relation) fields {
	f, periods := fields{}, r.Periods()
	if dating := r.Dating(); dating != "" {
		f["periods"] = dating
	}
	if len(periods) == 0 {
		return f
	}
	from, until := periods[0].From, periods[0].Until
	for _, p := range periods[1:] {
		if !p.From.Known() || from.Known() && p.From.First() < from.First() {
			from = p.From
		}
		if !p.Until.Known() || until.Known() && p.Until.Last() > until.Last() {
			until = p.Until
		}
	}
	if from.Known() {
		f["valid_from"] = from.String()
	}
	if until.Known() {
		f["valid_until"] = until.String()
	}
	return f
}
