package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

// Relations implements graphstore.Reader.
func (s *Store) Relations(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]graphstore.Edge, error) {
	return s.edges(ctx, w, entityColumns, `SELECT id, source, type, target, evidence, properties FROM (
			SELECT id, source, type, target, evidence, properties, strength FROM relations WHERE workspace = ?1 AND source = ?2
			UNION ALL
			SELECT id, source, type, target, evidence, properties, strength FROM relations WHERE workspace = ?1 AND target = ?2 AND source <> ?2)
		ORDER BY strength DESC, id LIMIT ?3`, string(id), limit)
}

// Around implements graphstore.Reader.
func (s *Store) Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]graphstore.Edge, error) {
	return s.edges(ctx, w, ownColumns+`, 0`, around, sqlio.JSON(ids), limit)
}

// The cross joins of around keep SQLite from going through all relations of the
// workspace.
const around = `WITH ends (id) AS (SELECT value FROM json_each(?2))
		SELECT id, source, type, target, evidence, properties FROM relations WHERE workspace = ?1 AND id IN (
			SELECT r.id FROM ends CROSS JOIN relations r ON r.workspace = ?1 AND r.source = ends.id
			UNION
			SELECT r.id FROM ends CROSS JOIN relations r ON r.workspace = ?1 AND r.target = ends.id)
		ORDER BY strength DESC, id LIMIT ?3`

// Stated implements graphstore.Reader.
func (s *Store) Stated(ctx context.Context, w domain.WorkspaceID, relations []graphstore.RelationRef) ([]graphstore.Edge, error) {
	ids := lists.Map(relations, func(r graphstore.RelationRef) domain.RelationID { return r.ID })
	return s.edges(ctx, w, ownColumns+`, 0`, `SELECT id, source, type, target, evidence, properties FROM relations
		WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2)) ORDER BY id LIMIT ?3`, sqlio.JSON(ids), 0)
}

// edges runs a query whose arguments are the workspace's number, who and the
// limit, and reads the given columns of both ends.
func (s *Store) edges(ctx context.Context, w domain.WorkspaceID, columns, query string, who any, limit int) ([]graphstore.Edge, error) {
	var edges []graphstore.Edge
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) error {
		err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
			rel, err := scanRelation(rows)
			edges = append(edges, graphstore.Edge{Relation: rel})
			return err
		}, query, r.Num, who, sqlLimit(limit))
		if err != nil {
			return err
		}
		return fillEnds(ctx, tx, r, columns, edges)
	})
	if err != nil {
		return nil, fmt.Errorf("list relations: %w", err)
	}
	return edges, nil
}

func scanRelation(row scanner) (domain.Relation, error) {
	var rel domain.Relation
	var evidence, properties []byte
	if err := row.Scan(&rel.ID, &rel.Source, &rel.Type, &rel.Target, &evidence, &properties); err != nil {
		return rel, err
	}
	return rel, errors.Join(json.Unmarshal(evidence, &rel.Evidence), json.Unmarshal(properties, &rel.Properties))
}

// fillEnds reads the entities at both ends of edges. columns decides whether
// their relations are counted.
func fillEnds(ctx context.Context, tx *sql.Tx, r projected.Workspace, columns string, edges []graphstore.Edge) error {
	var ids []domain.EntityID
	for _, e := range edges {
		ids = append(ids, e.Source, e.Target)
	}
	ends := map[domain.EntityID]domain.Entity{}
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		e, err := scanEntity(rows)
		ends[e.ID] = e
		return err
	}, `SELECT `+columns+` FROM entities e WHERE e.workspace = ? AND e.id IN (SELECT value FROM json_each(?))`, r.Num, sqlio.JSON(ids))
	for i := range edges {
		edges[i].From, edges[i].To = ends[edges[i].Source], ends[edges[i].Target]
	}
	return err
}
