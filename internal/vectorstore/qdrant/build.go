package qdrant

import (
	"context"
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// fit returns the edition for vectors of e: g if they fit it, or a new one if g
// has no vectors that would be lost. The new edition's cursors are 0, so that the
// projector fills it.
func (x *index) fit(ctx context.Context, g *edition, e vectorstore.Embedding) (*edition, error) {
	if g != nil {
		if e.Dimension == 0 {
			return g, nil
		}
		if x.fixed != nil {
			return g, x.comparable(g, e.Dimension)
		}
		if there, err := x.compares(ctx, g, e.Dimension); err != nil || there {
			return g, err
		}
		x.Log.InfoContext(ctx, "the search index had no vectors and is being rebuilt", "model", e.Model, "dimension", e.Dimension)
	}
	next, err := x.next(ctx, g, e)
	if err != nil {
		return nil, err
	}
	made, err := x.create(ctx, next, e)
	if err != nil {
		return nil, err
	}
	if err := x.activate(ctx, made, g); err != nil {
		return nil, err
	}
	return x.look(ctx)
}

// next returns the name of the edition that follows live. If none is live, it is
// one that another process may be creating, so that both create the same.
func (s *server) next(ctx context.Context, live *edition, e vectorstore.Embedding) (string, error) {
	names, err := s.editions(ctx)
	last := 0
	for _, name := range names {
		last = max(last, number(name))
	}
	if live != nil || last == 0 {
		last++
	}
	return fmt.Sprintf("%s_%d", family(e), last), err
}

var _ vectorstore.Build = (*build)(nil)

// build is an edition that no alias points to yet.
type build struct {
	*index
}

// Build implements vectorstore.Store. Every edition but the live one is a build:
// one for the same model and dimension continues, others are removed.
func (s *Store) Build(ctx context.Context, e vectorstore.Embedding) (vectorstore.Build, error) {
	if e.Model != "" && e.Dimension <= 0 {
		return nil, domain.Errorf(domain.Invalid, "To build an index for the model %s, its dimension must be known.", e.Model)
	}
	g, err := s.begun(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("begin to build: %w", err)
	}
	return &build{&index{server: s.server, model: e.Model, fixed: g}}, nil
}

func (s *Store) begun(ctx context.Context, e vectorstore.Embedding) (*edition, error) {
	g, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.editions(ctx)
	if err != nil {
		return nil, err
	}
	var found string
	for _, name := range names {
		switch {
		case g != nil && name == g.name:
		case found == "" && strings.HasPrefix(name, family(e)+"_"):
			found = name
		default:
			if err := s.remove(ctx, &edition{prefix: s.Prefix, name: name}); err != nil {
				return nil, err
			}
		}
	}
	if found == "" {
		if found, err = s.next(ctx, g, e); err != nil {
			return nil, err
		}
	}
	return s.create(ctx, found, e)
}

// Switch implements vectorstore.Build.
func (x *build) Switch(ctx context.Context) error {
	before, err := x.live(ctx, nil)
	if err == nil {
		err = x.activate(ctx, x.fixed, before)
	}
	if err != nil {
		return fmt.Errorf("switch to the build: %w", err)
	}
	return nil
}

// Discard implements vectorstore.Build.
func (x *build) Discard(ctx context.Context) error { return x.remove(ctx, x.fixed) }
