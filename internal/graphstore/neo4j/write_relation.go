package neo4j

import "github.com/clewhq/clew/internal/graphstore"

func (b *batch) deleteRelations(in graphstore.Batch) error {
	var rows []fields
	for _, r := range in.DeleteRelations {
		rows = append(rows, fields{"id": r.ID, "source": r.Source, "target": r.Target})
	}
	return unwind(b.tx, rows, `UNWIND $rows AS row
		MATCH (a:__Entity__ {workspace_id: $workspace, id: row.source})
		MATCH (b:__Entity__ {workspace_id: $workspace, id: row.target})
		MATCH (a)-[r {id: row.id}]->(b) DELETE r`)
}

// putRelations writes relations whole. That contributions is the number of
// pieces of evidence spares the server reading them.
func (b *batch) putRelations(in graphstore.Batch) error {
	var rows []fields
	for _, r := range in.Relations {
		rows = append(rows, fields{
			"source": r.Source, "target": r.Target, "type": typeToken(r.Type),
			"fields": fields{
				"id": r.ID, "workspace_id": b.workspace, "type": r.Type, "contributions": len(r.Evidence), "evidence": toJSON(r.Evidence),
			},
		})
	}
	return unwind(b.tx, rows, `UNWIND $rows AS row
		MATCH (a:__Entity__ {workspace_id: $workspace, id: row.source})
		MATCH (b:__Entity__ {workspace_id: $workspace, id: row.target})
		OPTIONAL MATCH (a)-[old {id: row.fields.id}]->(b) DELETE old
		CREATE (a)-[r:$(row.type)]->(b) SET r = row.fields`)
}
