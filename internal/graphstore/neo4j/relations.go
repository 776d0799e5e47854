package neo4j

import (
	"cmp"
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// edgeColumns are the columns that edge reads: a relation r and its ends a and
// b.
var edgeColumns = `r.id, r.type, r.evidence, r.properties, ` + columnsOf("a") + `, ` + columnsOf("b")

// bareEdgeColumns are the same, without counting the relations of the ends.
var bareEdgeColumns = `r.id, r.type, r.evidence, r.properties, ` + bareOf("a") + `, ` + bareOf("b")

func (r row) edge() (graphstore.Edge, error) {
	e := graphstore.Edge{Relation: domain.Relation{ID: domain.RelationID(r.text()), Type: r.text()}}
	err := cmp.Or(r.decode(&e.Evidence), r.decodeAny(&e.Properties))
	var from, to error
	e.From, from = r.entity()
	e.To, to = r.entity()
	e.Source, e.Target = e.From.ID, e.To.ID
	return e, cmp.Or(err, from, to)
}

// edges runs a statement that returns edgeColumns.
func (s *Store) edges(ctx context.Context, w domain.WorkspaceID, statement string, p params) ([]graphstore.Edge, error) {
	var list []graphstore.Edge
	var damaged error
	err := s.query(ctx, w, func() { list, damaged = nil, nil }, func(r row) {
		e, err := r.edge()
		damaged = cmp.Or(damaged, err)
		list = append(list, e)
	}, statement, p)
	if err = cmp.Or(err, damaged); err != nil {
		return nil, fmt.Errorf("list relations: %w", err)
	}
	return list, nil
}

// Relations implements graphstore.Reader.
func (s *Store) Relations(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]graphstore.Edge, error) {
	const order = ` ORDER BY r.contributions DESC, r.id`
	return s.edges(ctx, w, `MATCH (e:__Entity__ {workspace_id: $workspace, id: $id})-[r]-(:__Entity__)
		WITH r`+order+limitOf(limit)+` WITH r, startNode(r) AS a, endNode(r) AS b
		RETURN `+edgeColumns+order, params{"id": id, "limit": limit})
}

// Around implements graphstore.Reader.
func (s *Store) Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]graphstore.Edge, error) {
	const order = ` ORDER BY r.contributions DESC, r.id`
	return s.edges(ctx, w, steady+`UNWIND $ids AS id MATCH (:__Entity__ {workspace_id: $workspace, id: id})-[r]-(:__Entity__)
		WITH DISTINCT r`+order+limitOf(limit)+` WITH r, startNode(r) AS a, endNode(r) AS b
		RETURN `+bareEdgeColumns+order, params{"ids": ids, "limit": limit})
}

// Stated implements graphstore.Reader.
func (s *Store) Stated(ctx context.Context, w domain.WorkspaceID, relations []graphstore.RelationRef) ([]graphstore.Edge, error) {
	rows := make([][]string, len(relations))
	for i, r := range relations {
		rows[i] = []string{string(r.Source), string(r.ID), string(r.Target)}
	}
	return s.edges(ctx, w, steady+`UNWIND $rows AS row
		MATCH (a:__Entity__ {workspace_id: $workspace, id: row[0]})-[r {id: row[1]}]->(b:__Entity__ {workspace_id: $workspace, id: row[2]})
		WITH DISTINCT r, a, b RETURN `+bareEdgeColumns+` ORDER BY r.id`, params{"rows": rows})
}
