package neo4j

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// Reset implements graphstore.Writer. It marks the workspace first and then
// removes the graph in transactions of bounded size. After a crash the next
// Apply or Reset continues the removal; see Apply.
func (s *Store) Reset(ctx context.Context, w domain.WorkspaceID, token int64) error {
	err := s.writeIn(ctx, w, func(t *tx) error {
		if _, err := t.admit(token); err != nil {
			return err
		}
		return t.exec(`MATCH (w:__Workspace__ {id: $workspace}) SET w.cursor = 0, w.token = $token, w.version = w.version + 1, w.emptying = true REMOVE w.vectors_model`, params{"token": token})
	})
	if err == nil {
		err = s.empty(ctx, w, token)
	}
	if err != nil {
		return fmt.Errorf("reset graph: %w", err)
	}
	return nil
}

// removals delete part of a workspace. Relationships come first, because a node
// may have any number of them.
var removals = []string{
	removeLinks, ofUnlisted(removeLinks),
	`MATCH (n:Chunk) WHERE n.workspace_id = $workspace AND n.id IS NOT NULL
		WITH n LIMIT $rows DETACH DELETE n RETURN count(*)`,
	`MATCH (n:Document) WHERE n.workspace_id = $workspace AND n.id IS NOT NULL
		WITH n LIMIT $rows DETACH DELETE n RETURN count(*)`,
	removeEntities, ofUnlisted(removeEntities),
}

const (
	removeLinks = `MATCH (n:__Entity__) WHERE n.workspace_id = $workspace AND n.id IS NOT NULL
		MATCH (n)-[r]->() WITH r LIMIT $rows DELETE r RETURN count(*)`
	removeEntities = `MATCH (n:__Entity__) WHERE n.workspace_id = $workspace AND n.id IS NOT NULL
		WITH n LIMIT $rows DETACH DELETE n RETURN count(*)`
)

// empty finishes the removal of a workspace's data.
func (s *Store) empty(ctx context.Context, w domain.WorkspaceID, token int64) error {
	for _, removal := range removals {
		for done := false; !done; {
			err := s.writeIn(ctx, w, func(t *tx) error {
				at, err := t.admit(token)
				if err != nil {
					return err
				}
				if done = !at.emptying; done {
					return nil // another process has finished it
				}
				return t.each(func(r row) { done = r.int() < 10*t.rows }, removal, params{"rows": 10 * t.rows})
			})
			if err != nil {
				return err
			}
		}
	}
	return s.writeIn(ctx, w, func(t *tx) error {
		if at, err := t.admit(token); err != nil || !at.emptying {
			return err
		}
		return t.exec(`MATCH (w:__Workspace__ {id: $workspace}) REMOVE w.emptying SET w.version = w.version + 1`, nil)
	})
}
