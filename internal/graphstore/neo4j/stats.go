package neo4j

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Cursor implements graphstore.Reader.
func (s *Store) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	var at int64
	var owner string
	err := s.query(ctx, w, func() { at, owner = 0, "" }, func(r row) { at, owner = r.int64(), r.text() },
		steady+`MATCH (w:__Workspace__ {id: $workspace}) RETURN w.cursor, coalesce(w.owner, '')`, nil)
	if err == nil && s.owners.Differ(w, owner) {
		err = s.foreign()
	}
	if err != nil {
		return 0, fmt.Errorf("read the graph's cursor: %w", err)
	}
	return at, nil
}

// Stats implements graphstore.Reader. Relations are all relationships of
// entities minus their links, which the server counts without scanning.
func (s *Store) Stats(ctx context.Context, w domain.WorkspaceID) (graphstore.Stats, error) {
	var st graphstore.Stats
	err := s.query(ctx, w, func() {}, func(r row) {
		st = graphstore.Stats{Documents: r.int(), Chunks: r.int(), Entities: r.int(), Relations: r.int()}
	}, `RETURN
		COUNT { MATCH (d:Document) WHERE d.workspace_id = $workspace AND d.id IS NOT NULL },
		COUNT { MATCH (c:Chunk) WHERE c.workspace_id = $workspace AND c.id IS NOT NULL },
		COUNT { MATCH (e:__Entity__) WHERE e.workspace_id = $workspace AND e.id IS NOT NULL },
		COLLECT {
			MATCH (e:__Entity__) WHERE e.workspace_id = $workspace AND e.id IS NOT NULL
			RETURN sum(COUNT { (e)-->() } - COUNT { (e)-[:FROM_CHUNK]->() })
		}[0]`, nil)
	if err != nil {
		return graphstore.Stats{}, fmt.Errorf("count graph: %w", err)
	}
	return st, nil
}

// Labels implements graphstore.Reader.
func (s *Store) Labels(ctx context.Context, w domain.WorkspaceID) ([]graphstore.LabelCount, error) {
	var counts []graphstore.LabelCount
	err := s.query(ctx, w, func() { counts = nil }, func(r row) { counts = append(counts, graphstore.LabelCount{Label: r.text(), Count: r.int()}) },
		`MATCH (e:__Entity__) WHERE e.workspace_id = $workspace AND e.id IS NOT NULL
		RETURN e.label AS label, count(e) AS n ORDER BY n DESC, label`, nil)
	if err != nil {
		return nil, fmt.Errorf("count labels: %w", err)
	}
	return counts, nil
}

// Types implements graphstore.Reader.
func (s *Store) Types(ctx context.Context, w domain.WorkspaceID) ([]graphstore.TypeCount, error) {
	var counts []graphstore.TypeCount
	err := s.query(ctx, w, func() { counts = nil }, func(r row) { counts = append(counts, graphstore.TypeCount{Type: r.text(), Count: r.int()}) },
		`MATCH (e:__Entity__) WHERE e.workspace_id = $workspace AND e.id IS NOT NULL
		MATCH (e)-[r]->(:__Entity__) RETURN r.type AS type, count(r) AS n ORDER BY n DESC, type`, nil)
	if err != nil {
		return nil, fmt.Errorf("count types: %w", err)
	}
	return counts, nil
}
