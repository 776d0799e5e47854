package neo4j

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// The statements of Adjacent. Chunks are found by the entities linked to them, by id or by document.
const (
	adjacentEntities = `UNWIND $rows AS id MATCH (e:__Entity__ {workspace_id: $workspace, id: id})
		RETURN e.id, e.label, e.name, e.chunks, e.documents, CASE WHEN $counted THEN COUNT { (e)--() } - COUNT { (e)-[:FROM_CHUNK]->() } ELSE 0 END`
	adjacentRelations = `UNWIND $rows AS id MATCH (e:__Entity__ {workspace_id: $workspace, id: id}) RETURN e.id,
		COLLECT { MATCH (e)-[r]->(o:__Entity__) WITH r, o ORDER BY r.contributions DESC, r.id LIMIT $most RETURN [o.id, r.type, r.contributions, r.periods] },
		COLLECT { MATCH (e)<-[r]-(o:__Entity__) WITH r, o ORDER BY r.contributions DESC, r.id LIMIT $most RETURN [o.id, r.type, r.contributions, r.periods] }`
	adjacentOfEntities  = `UNWIND $rows AS id MATCH (e:__Entity__ {workspace_id: $workspace, id: id}) WHERE e.chunks <= $most MATCH (e)-[:FROM_CHUNK]->(c:Chunk)` + adjacentLinks
	adjacentChunks      = `UNWIND $rows AS id MATCH (c:Chunk {workspace_id: $workspace, id: id})` + adjacentLinks
	adjacentOfDocuments = `UNWIND $rows AS id MATCH (:Document {workspace_id: $workspace, id: id})<-[:FROM_DOCUMENT]-(c:Chunk)` + adjacentLinks
	adjacentLinks       = ` WITH DISTINCT c RETURN c.id, c.document_id, c.index, COLLECT { MATCH (c)<-[l:FROM_CHUNK]-(o:__Entity__) RETURN [o.id, l.kind] }`
)

// Adjacent implements graphstore.Reader.
func (s *Store) Adjacent(ctx context.Context, w domain.WorkspaceID, q graphstore.AdjacentQuery) (*graphstore.Adjacency, error) {
	var a *graphstore.Adjacency
	err := s.readIn(ctx, w, func(t *tx) error {
		l := adjacentLoader{tx: t, known: map[domain.EntityID]bool{}}
		if err := l.load(q); err != nil {
			return err
		}
		a = l.part.Adjacency()
		return t.each(func(r row) { a.Cursor, a.All = r.int64(), r.int() }, `MATCH (w:__Workspace__ {id: $workspace})
			RETURN w.cursor, CASE WHEN $counted THEN COUNT { MATCH (c:Chunk) WHERE c.workspace_id = $workspace AND c.id IS NOT NULL } ELSE 0 END`, params{"counted": q.Counted})
	})
	if err != nil {
		return nil, fmt.Errorf("read a part of the graph: %w", err)
	}
	return a, nil
}

// adjacentLoader reads a part of a workspace's graph.
type adjacentLoader struct {
	*tx
	part   graphstore.Part
	known  map[domain.EntityID]bool
	chunks []orderedChunk
	links  []adjacentLink
}

// adjacentLink is a link by the ids of its ends.
type adjacentLink struct {
	chunk  domain.ChunkID
	entity domain.EntityID
	kind   graphstore.LinkKind
}

func (l *adjacentLoader) load(q graphstore.AdjacentQuery) error {
	ids := slices.Clone(q.Entities)
	if q.Relations > 0 {
		err := unwindWith(l.tx, q.Entities, func(r row) { ids = append(ids, l.relate(r)...) }, adjacentRelations, params{"most": q.Relations})
		if err != nil {
			return err
		}
	}
	if err := l.entities(ids, true); err != nil {
		return err
	}
	if q.Passages > 0 {
		if err := unwindWith(l.tx, q.Entities, l.chunk, adjacentOfEntities, params{"most": q.Passages}); err != nil {
			return err
		}
	}
	if err := cmp.Or(unwindEach(l.tx, q.Chunks, l.chunk, adjacentChunks), unwindEach(l.tx, q.Documents, l.chunk, adjacentOfDocuments)); err != nil {
		return err
	}
	slices.SortFunc(l.chunks, func(a, b orderedChunk) int { return cmp.Or(cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.ID, b.ID)) })
	for _, c := range l.chunks {
		l.part.AddChunk(c.AdjacentChunk)
	}
	ids = ids[:0]
	for _, link := range l.links {
		ids = append(ids, link.entity)
		l.part.Link(link.chunk, link.entity, link.kind)
	}
	return l.entities(ids, false)
}

// relate reads the relations of an entity and returns the other ends.
func (l *adjacentLoader) relate(r row) (ends []domain.EntityID) {
	id := domain.EntityID(r.text())
	r.each(func(of row) {
		end := domain.EntityID(of.text())
		ends = append(ends, end)
		l.part.Relate(id, end, graphstore.AdjacentRelation{Type: of.text(), Evidence: int32(of.int()), Periods: of.text()})
	})
	r.each(func(of row) {
		end := domain.EntityID(of.text())
		ends = append(ends, end)
		l.part.Relate(end, id, graphstore.AdjacentRelation{Type: of.text(), Evidence: int32(of.int()), Periods: of.text()})
	})
	return ends
}

// entities reads entities that were not read before.
func (l *adjacentLoader) entities(ids []domain.EntityID, counted bool) error {
	ids = slices.DeleteFunc(ids, func(id domain.EntityID) bool {
		known := l.known[id]
		l.known[id] = true
		return known
	})
	return unwindWith(l.tx, ids, func(r row) {
		l.part.Add(graphstore.AdjacentEntity{
			ID: domain.EntityID(r.text()), Label: r.text(), Name: r.text(), Passages: int32(r.int()), Documents: int32(r.int()), Relations: int32(r.int()),
		})
	}, adjacentEntities, params{"counted": counted})
}

// chunk reads a chunk with its links.
func (l *adjacentLoader) chunk(r row) {
	c := orderedChunk{graphstore.AdjacentChunk{ID: domain.ChunkID(r.text()), Document: domain.DocumentID(r.text())}, r.int()}
	l.chunks = append(l.chunks, c)
	r.each(func(link row) {
		l.links = append(l.links, adjacentLink{c.ID, domain.EntityID(link.text()), graphstore.LinkKind(link.int())})
	})
}
