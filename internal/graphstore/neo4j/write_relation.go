package neo4j

import "github.com/clewhq/clew/internal/graphstore"

// A relation is found from its target, to which nothing but relations leads: its
// source is tied to every chunk that names it too. And it is dropped by a
// statement of its own: one that is planned while there is no relation yet, and
// looks for one between two nodes that it has found already, goes through all
// relations of the graph for each row.
const (
	dropRelation = `UNWIND $rows AS row
		MATCH (:__Entity__ {workspace_id: $workspace, id: row.target})<-[r {id: row.id}]-() DELETE r`
	createRelation = `UNWIND $rows AS row
		MATCH (a:__Entity__ {workspace_id: $workspace, id: row.source})
		MATCH (b:__Entity__ {workspace_id: $workspace, id: row.target})
		CREATE (a)-[r:$(row.type)]->(b) SET r = row.fields`
)

func (b *batch) deleteRelations(in graphstore.Batch) error {
	var rows []fields
	for _, r := range in.DeleteRelations {
		rows = append(rows, fields{"id": r.ID, "target": r.Target})
	}
	return unwind(b.tx, rows, dropRelation)
}

// putRelations writes relations whole. That contributions is the number of
// pieces of evidence spares the server reading them.
func (b *batch) putRelations(in graphstore.Batch) error {
	var rows, old []fields
	for _, r := range in.Relations {
		old = append(old, fields{"id": r.ID, "target": r.Target})
		rows = append(rows, fields{
			"source": r.Source, "target": r.Target, "type": typeToken(r.Type),
			"fields": fields{
				"id": r.ID, "workspace_id": b.workspace, "type": r.Type, "contributions": len(r.Evidence), "evidence": toJSON(r.Evidence),
			},
		})
	}
	if err := unwind(b.tx, old, dropRelation); err != nil {
		return err
	}
	return unwind(b.tx, rows, createRelation)
}
