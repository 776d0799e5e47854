// Package sight shows everybody the graph and the search index as if the documents that they may not read were not
// there.
//
// A sight is a workspace of the stores that contains the part of a ledger workspace that some readers
// see: a fold over the same changes without the documents that are hidden from them. So nothing that
// stores compute, such as names, ranks, degrees or counts, depends on hidden documents. Viewers with
// the same readers share a sight; a viewer who sees everything reads the workspace itself.
package sight

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Kept is how long an unused sight stays in the stores.
const Kept = 7 * 24 * time.Hour

// noted is how exactly a ledger records when a sight was used.
const noted = time.Hour

// Params configure Sights. All are required.
type Params struct {
	Ledger    *ledger.Ledger
	Projector *projection.Projector // of whole workspaces
	Vectors   vectorstore.Store     // the projector's
	Identity  func(ctx context.Context, w domain.WorkspaceID) (string, error)
	Now       domain.Clock
}

// Sights are the sights of all workspaces. They are safe for concurrent use.
type Sights struct {
	Params

	mu   sync.Mutex
	used map[domain.WorkspaceID]time.Time // when the use of a sight was recorded
}

// New returns the sights over the stores of p.
func New(p Params) *Sights { return &Sights{Params: p, used: map[domain.WorkspaceID]time.Time{}} }

// Graph returns the workspace of the graph store that the viewer of ctx reads in place of w, up to date.
func (s *Sights) Graph(ctx context.Context, w domain.WorkspaceID) (domain.WorkspaceID, error) {
	return s.place(ctx, w, func(ctx context.Context, p *projection.Projector) (int64, error) { return p.Graph.Cursor(ctx, w) })
}

// Index returns the workspace of the search index that the viewer of ctx searches in place of w, up to date.
func (s *Sights) Index(ctx context.Context, w domain.WorkspaceID) (domain.WorkspaceID, error) {
	return s.place(ctx, w, func(ctx context.Context, p *projection.Projector) (int64, error) { return p.Vectors.Cursor(ctx, w) })
}

// place returns the workspace of a store that the viewer of ctx reads in place of w, whose cursor is at the ledger's head.
func (s *Sights) place(ctx context.Context, w domain.WorkspaceID, cursor func(context.Context, *projection.Projector) (int64, error)) (domain.WorkspaceID, error) {
	one, hides, err := s.of(ctx, w)
	if err != nil || !hides {
		return w, err
	}
	p := s.projector(w, one)
	if err := s.note(ctx, w, one); err != nil {
		return w, err
	}
	at, err := cursor(ctx, p)
	if err != nil {
		return w, err
	}
	head, err := s.Ledger.Head(ctx, w)
	if err == nil && at != head {
		err = p.Apply(ctx, w)
	}
	return one.ID, err
}

// of returns the sight of the viewer of ctx, and whether documents are hidden from it.
func (s *Sights) of(ctx context.Context, w domain.WorkspaceID) (ledger.Sight, bool, error) {
	hides, err := s.Ledger.Hides(ctx, w)
	if err != nil || !hides {
		return ledger.Sight{}, false, err
	}
	one, err := s.Ledger.SightOf(ctx, w)
	one.ID = idOf(w, one)
	return one, true, err
}

// idOf returns the workspace of the stores for a sight of a workspace.
func idOf(w domain.WorkspaceID, s ledger.Sight) domain.WorkspaceID {
	var all strings.Builder
	for _, r := range s.Readers {
		fmt.Fprintf(&all, "%s %q\n", r.Kind, r.Name)
	}
	if !s.RightsAt.IsZero() {
		fmt.Fprintf(&all, "at %d\n", s.RightsAt.UnixMilli())
	}
	return w + "~" + domain.WorkspaceID(domain.Hash([]byte(all.String()))[:16])
}

// Projector returns the projector of what the viewer of ctx sees of a workspace.
func (s *Sights) Projector(ctx context.Context, w domain.WorkspaceID) (*projection.Projector, error) {
	one, hides, err := s.of(ctx, w)
	if err != nil || !hides {
		return s.Params.Projector, err
	}
	return s.projector(w, one), nil
}

// projector returns the projector that fills a sight of w.
func (s *Sights) projector(w domain.WorkspaceID, one ledger.Sight) *projection.Projector {
	at := func(context.Context, domain.WorkspaceID) (domain.WorkspaceID, error) { return one.ID, nil }
	p := s.Params.Projector.Params
	p.Graph = graph{graphstore.Owned{Store: p.Graph, At: at}, one.ID}
	p.Vectors = index{vectorstore.Owned{Store: s.Vectors, At: at}, one.ID}
	p.Leases = leases{p.Leases, one.ID}
	p.Ledger = seen{s.Ledger, one}
	p.GraphVectors, p.After = nil, nil
	return projection.New(p)
}

// note records that a sight of w is used, and claims its place in the stores, the first time in this process and then once an hour.
func (s *Sights) note(ctx context.Context, w domain.WorkspaceID, one ledger.Sight) error {
	now := s.Now()
	s.mu.Lock()
	last, claimed := s.used[one.ID]
	s.mu.Unlock()
	if claimed && now.Sub(last) < noted {
		return nil
	}
	if !claimed {
		owner, err := s.Identity(ctx, w)
		if err != nil {
			return err
		}
		if err := s.Params.Projector.Graph.Claim(ctx, one.ID, owner, true); err != nil {
			return err
		}
		if err := s.Vectors.Claim(ctx, one.ID, owner, true); err != nil {
			return err
		}
	}
	if err := s.Ledger.NoteSight(ctx, w, one); err != nil {
		return err
	}
	s.mu.Lock()
	s.used[one.ID] = now
	s.mu.Unlock()
	return nil
}

// Apply brings the sights of a workspace up to date, so that they hold no words of what was deleted or hidden, and drops those that
// nobody has used for long.
func (s *Sights) Apply(ctx context.Context, w domain.WorkspaceID) error {
	all, err := s.Ledger.Sights(ctx, w)
	if err != nil {
		return err
	}
	for _, one := range all {
		if s.Now().Sub(one.UsedAt) > Kept {
			err = s.drop(ctx, w, one)
		} else {
			err = s.projector(w, one).Apply(ctx, w)
		}
		if err != nil {
			return fmt.Errorf("what %d readers see: %w", len(one.Readers), err)
		}
	}
	return nil
}

func (s *Sights) drop(ctx context.Context, w domain.WorkspaceID, one ledger.Sight) error {
	if err := s.projector(w, one).Reset(ctx, w, projection.Stores{Graph: true, Vectors: true}); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.used, one.ID)
	s.mu.Unlock()
	return s.Ledger.DropSight(ctx, w, one.ID)
}

// seen is the ledger as a sight shows it. The projector leaves out what chunks say that its graph does not hold, so that it is enough
// to hide the documents.
type seen struct {
	*ledger.Ledger
	sight ledger.Sight
}

// TitlesOf implements projection.Ledger.
func (l seen) TitlesOf(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) ([]ledger.TitleRow, error) {
	hidden, err := l.HiddenFrom(ctx, w, l.sight, documents)
	if err != nil {
		return nil, err
	}
	return l.Ledger.TitlesOf(ctx, w, slices.DeleteFunc(slices.Clone(documents), func(id domain.DocumentID) bool { return hidden[id] }))
}

// graph is a graph store in which one workspace replaces all.
type graph struct {
	graphstore.Owned
	id domain.WorkspaceID
}

// Apply implements graphstore.Writer.
func (g graph) Apply(ctx context.Context, _ domain.WorkspaceID, b graphstore.Batch) error {
	return g.Store.Apply(ctx, g.id, b)
}

// Keyed implements graphstore.Writer.
func (g graph) Keyed(ctx context.Context, _ domain.WorkspaceID, keys []string) ([]graphstore.Entity, error) {
	return g.Store.Keyed(ctx, g.id, keys)
}

// Linked implements graphstore.Writer.
func (g graph) Linked(ctx context.Context, _ domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]graphstore.Entity, error) {
	return g.Store.Linked(ctx, g.id, documents)
}

// Notes implements graphstore.Writer.
func (g graph) Notes(ctx context.Context, _ domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]byte, error) {
	return g.Store.Notes(ctx, g.id, documents)
}

// Reset implements graphstore.Writer.
func (g graph) Reset(ctx context.Context, _ domain.WorkspaceID, token int64) error {
	return g.Store.Reset(ctx, g.id, token)
}

// index is a search index in which one workspace replaces all.
type index struct {
	vectorstore.Owned
	id domain.WorkspaceID
}

// Apply implements vectorstore.Writer.
func (i index) Apply(ctx context.Context, _ domain.WorkspaceID, b vectorstore.Batch) error {
	return i.Store.Apply(ctx, i.id, b)
}

// Reset implements vectorstore.Writer.
func (i index) Reset(ctx context.Context, _ domain.WorkspaceID, token int64) error {
	return i.Store.Reset(ctx, i.id, token)
}

// leases lends one workspace of the stores for all.
type leases struct {
	projection.Leases
	id domain.WorkspaceID
}

// Hold implements projection.Leases.
func (l leases) Hold(ctx context.Context, _ domain.WorkspaceID, work func(ctx context.Context, token int64) error) error {
	return l.Leases.Hold(ctx, l.id, work)
}
