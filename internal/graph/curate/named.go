package curate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Named returns the entities that a person may mean: the one with the id, those
// with exactly the name, or those with another form of it.
func (c *Curator) Named(ctx context.Context, w domain.WorkspaceID, name string) ([]domain.Entity, error) {
	e, err := c.Graph.Entity(ctx, w, domain.EntityID(name))
	if err == nil {
		return []domain.Entity{e}, nil
	}
	key := c.Projector.Key(name)
	if domain.KindOf(err) != domain.NotFound || key == "" {
		return nil, err
	}
	found, err := c.Graph.ByKey(ctx, w, []string{key})
	found = graphstore.Listed(found)
	exact := slices.DeleteFunc(slices.Clone(found), func(e domain.Entity) bool { return e.Name != name })
	if len(exact) > 0 {
		return exact, err
	}
	return found, err
}

// One returns the only entity with a name or an id. The error is NotFound if
// there is none, and Conflict with a list of them if there are several.
func (c *Curator) One(ctx context.Context, w domain.WorkspaceID, name string) (domain.Entity, error) {
	found, err := c.Named(ctx, w, name)
	switch {
	case err != nil && domain.KindOf(err) != domain.NotFound:
		return domain.Entity{}, err
	case len(found) == 0:
		return domain.Entity{}, domain.Errorf(domain.NotFound, "No entity is called “%s”.", name)
	case len(found) > 1:
		var lines strings.Builder
		for _, e := range found[:min(len(found), 10)] {
			fmt.Fprintf(&lines, "\n  %s  %s  %s, %d mentions", e.ID, e.Label, e.Name, e.Mentions)
		}
		return domain.Entity{}, domain.Errorf(domain.Conflict, "%d entities are called “%s”. Use the id of one of them:%s", len(found), name, lines.String())
	}
	return found[0], nil
}
