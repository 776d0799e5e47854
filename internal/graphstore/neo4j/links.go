package neo4j

import (
	"cmp"
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

func (r row) link() graphstore.Link {
	return graphstore.Link{
		Chunk: domain.ChunkID(r.text()), Document: domain.DocumentID(r.text()), Kind: graphstore.LinkKind(r.int()), Spans: r.spans(),
	}
}

// Links implements graphstore.Reader.
func (s *Store) Links(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]graphstore.Link, error) {
	var links []graphstore.Link
	err := s.query(ctx, w, func() { links = nil }, func(r row) { links = append(links, r.link()) },
		`MATCH (e:`+anyEntity+` {workspace_id: $workspace, id: $id}) MATCH (e)-[l:FROM_CHUNK]->(c:Chunk)
		RETURN c.id, c.document_id, l.kind, l.spans ORDER BY c.document_id, c.index, c.id`+limitOf(limit), params{"id": id, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	return links, nil
}

// InDocument implements graphstore.Reader.
func (s *Store) InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]graphstore.Entity, error) {
	found, err := s.linkedTo(ctx, w, []domain.DocumentID{id}, "__Entity__")
	return found[id], err
}

// Linked implements graphstore.Writer.
func (s *Store) Linked(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]graphstore.Entity, error) {
	return s.linkedTo(ctx, w, documents, anyEntity)
}

// linkedTo returns the nodes with one of labels that are linked to the chunks of each
// of documents.
func (s *Store) linkedTo(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, labels string) (map[domain.DocumentID][]graphstore.Entity, error) {
	var found map[domain.DocumentID][]graphstore.Entity
	var damaged error
	begin := func() { found, damaged = map[domain.DocumentID][]graphstore.Entity{}, nil }
	err := queryEach(ctx, s, w, documents, begin, func(r row) {
		e, err := r.entity()
		damaged = cmp.Or(damaged, err)
		with := graphstore.Entity{Entity: e}
		r.each(func(l row) { with.Links = append(with.Links, l.link()) })
		id := domain.DocumentID(r.text())
		found[id] = append(found[id], with)
	}, `UNWIND $rows AS id
		MATCH (:Document {workspace_id: $workspace, id: id})<-[:FROM_DOCUMENT]-(c:Chunk)<-[l:FROM_CHUNK]-(e:`+labels+`)
		WITH id, e, c, l ORDER BY c.index, c.id
		WITH id, e, collect([c.id, c.document_id, l.kind, l.spans]) AS links
		RETURN `+bare+`, links, id`)
	if err = cmp.Or(err, damaged); err != nil {
		return nil, fmt.Errorf("list entities of documents: %w", err)
	}
	for _, list := range found {
		graphstore.SortByFirstSpan(list)
	}
	return found, nil
}

// CountIn implements graphstore.Reader.
func (s *Store) CountIn(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID]int, error) {
	counts := map[domain.DocumentID]int{}
	err := queryEach(ctx, s, w, documents, func() { clear(counts) }, func(r row) { counts[domain.DocumentID(r.text())] = r.int() },
		`UNWIND $rows AS id MATCH (:Document {workspace_id: $workspace, id: id})<-[:FROM_DOCUMENT]-(:Chunk)<-[l:FROM_CHUNK]-(e:__Entity__)
		WHERE size(l.spans) > 0 RETURN id, count(DISTINCT e)`)
	if err != nil {
		return nil, fmt.Errorf("count entities of documents: %w", err)
	}
	return counts, nil
}

// Chunks implements graphstore.Reader.
func (s *Store) Chunks(ctx context.Context, w domain.WorkspaceID, q graphstore.ChunkQuery) ([]graphstore.AdjacentChunk, error) {
	from := `MATCH (c:Chunk) WHERE c.workspace_id = $workspace AND c.id IS NOT NULL`
	switch {
	case len(q.IDs) > 0:
		from = steady + `UNWIND $ids AS id MATCH (c:Chunk {workspace_id: $workspace, id: id})`
	case len(q.Documents) > 0:
		from = `UNWIND $documents AS id MATCH (:Document {workspace_id: $workspace, id: id})<-[:FROM_DOCUMENT]-(c:Chunk)`
	}
	var found []graphstore.AdjacentChunk
	err := s.query(ctx, w, func() { found = nil }, func(r row) {
		found = append(found, graphstore.AdjacentChunk{ID: domain.ChunkID(r.text()), Document: domain.DocumentID(r.text())})
	}, from+` WITH DISTINCT c RETURN c.id, c.document_id ORDER BY c.id`+limitOf(q.Limit), params{"ids": q.IDs, "documents": q.Documents, "limit": q.Limit})
	if err != nil {
		return nil, fmt.Errorf("look up chunks: %w", err)
	}
	return found, nil
}
