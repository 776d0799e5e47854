package curate

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Successor returns the entity that an entity became part of: by a merge, or
// because the split that made it was undone. It returns the entity itself if
// there is none.
func (c *Curator) Successor(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.EntityID, error) {
	log, err := c.Ledger.Curations(ctx, w, latest)
	if err != nil {
		return id, err
	}
	undone := ledger.Undone(log)
	for _, e := range slices.Backward(log) {
		if e.Kind == ledger.CurationSplit && undone[e.Seq] && id == domain.NewSplitID(e.Entity, e.Seq) {
			id = e.Entity
		}
	}
	for _, e := range log {
		if e.Kind == ledger.CurationMerge && !undone[e.Seq] && slices.Contains(e.Others, id) {
			id = e.Entity
		}
	}
	return id, nil
}

// Entity returns an entity. Where curators made it vanish, the error is of kind
// Conflict and tells what became of it.
func (c *Curator) Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.Entity, error) {
	e, err := c.Graph.Entity(ctx, w, id)
	if domain.KindOf(err) != domain.NotFound {
		return e, err
	}
	now, lost := c.Successor(ctx, w, id)
	if lost != nil {
		return e, lost
	}
	if now != id {
		if into, merged := c.Graph.Entity(ctx, w, now); merged == nil {
			return e, domain.Because(domain.Conflict, err, "This entity has become part of “%s” meanwhile. Go on from there, or undo that on the page of changes.", into.Name)
		}
	}
	hidden, lost := c.hidden(ctx, w, id)
	if lost != nil {
		return e, lost
	}
	if hidden != 0 {
		return e, domain.Because(domain.Conflict, err, "This entity was deleted by hand. Undo change %d on the page of changes to get it back.", hidden)
	}
	return e, err
}

// hidden returns the entry that deletes an entity, or 0.
func (c *Curator) hidden(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (int64, error) {
	live, err := c.live(ctx, w)
	for _, e := range live {
		if e.Kind == ledger.CurationHide && e.Entity == id {
			return e.Seq, err
		}
	}
	return 0, err
}
