package neo4j

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

func (b *batch) putDocuments(in graphstore.Batch) error {
	if len(in.Documents) == 0 {
		return nil
	}
	if err := b.deleteOldChunks(in.Documents); err != nil {
		return err
	}
	return b.putNodes(in.Documents)
}

// deleteOldChunks deletes chunks that their documents no longer have, and unlinks the others from their old order.
func (b *batch) deleteOldChunks(documents []graphstore.Document) error {
	ids := make([]domain.DocumentID, len(documents))
	now := map[domain.ChunkID]bool{}
	for i, d := range documents {
		ids[i] = d.ID
		for _, c := range d.Chunks {
			now[c.ID] = true
		}
	}
	var old, stay []domain.ChunkID
	note := func(r row) {
		if id := domain.ChunkID(r.text()); now[id] {
			stay = append(stay, id)
		} else {
			old = append(old, id)
		}
	}
	err := unwindEach(b.tx, ids, note, steady+`UNWIND $rows AS id
		MATCH (:Document {workspace_id: $workspace, id: id})<-[:FROM_DOCUMENT]-(c:Chunk) RETURN c.id`)
	if err != nil {
		return err
	}
	err = unwind(b.tx, stay, `UNWIND $rows AS id
		MATCH (c:Chunk {workspace_id: $workspace, id: id})-[old:FROM_DOCUMENT|NEXT_CHUNK]-() DELETE old`)
	if err != nil {
		return err
	}
	return unwind(b.tx, old, `UNWIND $rows AS id
		MATCH (c:Chunk {workspace_id: $workspace, id: id}) DETACH DELETE c`)
}

// putNodes writes documents, and their chunks in order.
func (b *batch) putNodes(documents []graphstore.Document) error {
	var nodes, chunks []fields
	for _, d := range documents {
		node := fields{"id": d.ID, "workspace_id": b.workspace, "name": d.Name, "title": d.Title}
		if len(d.Notes) > 0 {
			node["__notes"] = d.Notes
		}
		nodes = append(nodes, node)
		before := domain.ChunkID("")
		for _, c := range d.Chunks {
			chunks = append(chunks, fields{"before": before, "fields": fields{
				"id": c.ID, "workspace_id": b.workspace, "document_id": d.ID, "index": c.Ordinal, "page": c.Page,
				"start": c.Span.Start, "end": c.Span.End, "text": c.Text,
			}})
			before = c.ID
		}
	}
	err := unwind(b.tx, nodes, `UNWIND $rows AS row
		MERGE (d:Document {workspace_id: $workspace, id: row.id}) SET d = row`)
	if err != nil {
		return err
	}
	return unwind(b.tx, chunks, `UNWIND $rows AS row
		MATCH (d:Document {workspace_id: $workspace, id: row.fields.document_id})
		MERGE (c:Chunk {workspace_id: $workspace, id: row.fields.id}) SET c = row.fields
		CREATE (c)-[:FROM_DOCUMENT]->(d)
		WITH c, row MATCH (before:Chunk {workspace_id: $workspace, id: row.before})
		CREATE (before)-[:NEXT_CHUNK]->(c)`)
}
