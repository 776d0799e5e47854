package neo4j

import (
	"cmp"
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// Claim implements graphstore.Store. A take-over marks the workspace as being emptied, like a reset: if it is
// interrupted, the next Apply or Reset continues it.
func (s *Store) Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	s.owners.Set(w, owner)
	taken := false
	err := s.writeIn(ctx, w, func(t *tx) error {
		taken = false
		var stored string
		there := false
		err := t.each(func(r row) { stored, there = r.text(), true }, `MATCH (w:__Workspace__ {id: $workspace}) SET w.lock = true RETURN coalesce(w.owner, '')`, nil)
		if err != nil || !there || stored == owner {
			return err
		}
		set := `MATCH (w:__Workspace__ {id: $workspace}) SET w.owner = $owner`
		if stored != "" {
			if taken = takeOver; !takeOver {
				return s.foreign()
			}
			set += `, w.cursor = 0, w.after = 0, w.token = 0, w.version = w.version + 1, w.emptying = true REMOVE w.vectors_model`
		}
		return t.exec(set, params{"owner": owner})
	})
	if err == nil && taken {
		err = s.empty(ctx, w, 0)
	}
	if err != nil {
		return fmt.Errorf("claim the graph: %w", err)
	}
	return nil
}

func (s *Store) foreign() error {
	return domain.Foreign(fmt.Sprintf("The graph in Neo4j (database %s)", cmp.Or(s.Database, "of the user")), "Name another database for this one in NEO4J_DATABASE.")
}
