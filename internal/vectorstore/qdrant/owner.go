package qdrant

import (
	"context"
	"fmt"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
)

// Claim implements vectorstore.Store. The owner is in the cursor's point.
func (s *Store) Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	s.owners.Set(w, owner)
	if err := s.claim(ctx, w, owner, takeOver); err != nil {
		return fmt.Errorf("claim the search index: %w", err)
	}
	return nil
}

func (s *Store) claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	g, err := s.look(ctx)
	if err != nil || g == nil {
		return err
	}
	at, err := s.position(ctx, g, w)
	if err != nil || !at.stored || at.owner == owner {
		return err
	}
	if at.owner == "" {
		return s.adopt(ctx, g, w)
	}
	if !takeOver {
		return s.own(w, at)
	}
	return s.clear(ctx, g, w, at, 0)
}

// adopt records the owner of points that have none, unless another one was quicker.
func (s *Store) adopt(ctx context.Context, g *edition, w domain.WorkspaceID) error {
	b := &batch{server: s.server, edition: g, workspace: w}
	if err := b.writeCursor(ctx, map[string]any{}, true, of(w, qdrant.NewIsEmpty(fieldOwner))); err != nil {
		return err
	}
	at, err := s.position(ctx, g, w)
	if err != nil {
		return err
	}
	return s.own(w, at)
}

// own returns an error if a workspace belongs to another ledger.
func (s *server) own(w domain.WorkspaceID, at position) error {
	if !s.owners.Differ(w, at.owner) {
		return nil
	}
	return domain.Foreign(fmt.Sprintf("The search index in Qdrant, in the collections %s_…,", s.Prefix), "Choose another prefix for this one in QDRANT_PREFIX.")
}
