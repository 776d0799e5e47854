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
	if err := b.putNodes(in.Documents); err != nil {
		return err
	}
	return b.chain(in.Documents)
}

// deleteOldChunks deletes chunks that their documents no longer have.
func (b *batch) deleteOldChunks(documents []graphstore.Document) error {
	ids := make([]domain.DocumentID, len(documents))
	now := map[domain.ChunkID]bool{}
	for i, d := range documents {
		ids[i] = d.ID
		for _, c := range d.Chunks {
			now[c.ID] = true
		}
	}
	var old []domain.ChunkID
	note := func(r row) {
		if id := domain.ChunkID(r.text()); !now[id] {
			old = append(old, id)
		}
	}
	err := unwindEach(b.tx, ids, note, `UNWIND $rows AS id
		MATCH (:Document {workspace_id: $workspace, id: id})<-[:FROM_DOCUMENT]-(c:Chunk) RETURN c.id`)
	if err != nil {
		return err
	}
	return unwind(b.tx, old, `UNWIND $rows AS id
		MATCH (c:Chunk {workspace_id: $workspace, id: id}) DETACH DELETE c`)
}

// putNodes writes documents and chunks and unlinks chunks from their old order.
func (b *batch) putNodes(documents []graphstore.Document) error {
	var nodes, chunks []fields
	for _, d := range documents {
		node := fields{"id": d.ID, "workspace_id": b.workspace, "name": d.Name, "title": d.Title}
		if len(d.Notes) > 0 {
			node["__notes"] = d.Notes
		}
		nodes = append(nodes, node)
		for _, c := range d.Chunks {
			chunks = append(chunks, fields{
				"id": c.ID, "workspace_id": b.workspace, "document_id": d.ID, "index": c.Ordinal, "page": c.Page,
				"start": c.Span.Start, "end": c.Span.End, "text": c.Text,
			})
		}
	}
	err := unwind(b.tx, nodes, `UNWIND $rows AS row
		MERGE (d:Document {workspace_id: $workspace, id: row.id}) SET d = row`)
	if err != nil {
		return err
	}
	return unwind(b.tx, chunks, `UNWIND $rows AS row
		MERGE (c:Chunk {workspace_id: $workspace, id: row.id}) SET c = row
		WITH c MATCH (c)-[old:FROM_DOCUMENT|NEXT_CHUNK]-() DELETE old`)
}

// chain links chunks to their documents and to one another.
func (b *batch) chain(documents []graphstore.Document) error {
	var of, next []fields
	for _, d := range documents {
		for i, c := range d.Chunks {
			of = append(of, fields{"chunk": c.ID, "document": d.ID})
			if i > 0 {
				next = append(next, fields{"before": d.Chunks[i-1].ID, "chunk": c.ID})
			}
		}
	}
	err := unwind(b.tx, of, `UNWIND $rows AS row
		MATCH (c:Chunk {workspace_id: $workspace, id: row.chunk})
		MATCH (d:Document {workspace_id: $workspace, id: row.document})
		CREATE (c)-[:FROM_DOCUMENT]->(d)`)
	if err != nil {
		return err
	}
	return unwind(b.tx, next, `UNWIND $rows AS row
		MATCH (a:Chunk {workspace_id: $workspace, id: row.before})
		MATCH (c:Chunk {workspace_id: $workspace, id: row.chunk})
		CREATE (a)-[:NEXT_CHUNK]->(c)`)
}
