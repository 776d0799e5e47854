// Package proposals finds entities that may be the same. It merges the certain pairs by rule, and
// leaves the rest to people.
package proposals

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Params are the dependencies of a Service. All are required but Sight, Codec,
// Embedder and Judge.
type Params struct {
	Ledger    *ledger.Ledger
	Graph     graphstore.Reader
	Projector *projection.Projector
	Sight     func(ctx context.Context, w domain.WorkspaceID) (*projection.Projector, error) // of the view of ctx's reader; nil if everybody sees all
	Curator   *curate.Curator
	Threads   stategraph.Checkpointer
	Codec     state.Codec
	Bars      Bars
	Embedder  llm.Embedder // of names; nil if there is none
	Judge     *Judge       // nil if no model is asked

	run.Background // orders comparisons; New sets Kind and Settle
}

// Bars are the scores from which a pair is proposed and merged by rule.
type Bars struct{ Propose, Merge float64 }

// A Service finds proposals and carries out decisions about them.
type Service struct {
	Params
	graph stategraph.Runnable[State]
}

// New returns a Service.
func New(p Params) (*Service, error) {
	p.Kind, p.Settle = Kind, settle
	s := &Service{Params: p}
	var err error
	s.graph, err = compareGraph(s)
	return s, err
}

// A Decision is a person's decision on a proposal.
type Decision string

// The decisions.
const (
	Accept Decision = "accept" // merge the two
	Reject Decision = "reject" // keep them apart, unless much more evidence appears
	Never  Decision = "never"  // keep them apart for good
	Later  Decision = "later"  // postpone the proposal to the end
	Again  Decision = "again"  // put a postponed proposal back into its place
)

// Decide carries out a decision and returns its entry of the curation log, which
// has no number for Later. A merge keeps the name of keep, or of the better known
// entity if keep is "". The errors are NotFound for an unknown proposal and
// Conflict for one that doesn't wait for a decision.
func (s *Service) Decide(ctx context.Context, d Decision, id domain.ProposalID, keep domain.EntityID) (ledger.Curation, error) {
	w, who := domain.WorkspaceOf(ctx), domain.PersonOf(ctx)
	p, err := s.Ledger.Proposal(ctx, w, id)
	if err != nil {
		return ledger.Curation{}, err
	}
	if !p.Waits() {
		return ledger.Curation{}, domain.Errorf(domain.Conflict, "This proposal is decided, or one of its entities has left the graph. The next one is in the list.")
	}
	switch d {
	case Accept:
		return s.merge(ctx, w, p, keep)
	case Reject, Never:
		entry, err := s.Curator.Make(ctx, curate.Parting{One: curate.One{Name: string(p.A)}, Other: string(p.B)})
		if err == nil && d == Never {
			err = s.Ledger.RuleOut(ctx, w, entry.Seq)
		}
		return entry, err
	case Later:
		return ledger.Curation{}, s.Ledger.PutOff(ctx, w, who, id)
	case Again:
		return ledger.Curation{}, s.Ledger.TakeUp(ctx, w, who, id)
	}
	return ledger.Curation{}, domain.Errorf(domain.Invalid, "There is no decision %q. Choose accept, reject, never, later or again.", d)
}

// merge merges the two entities. A pair that was kept apart and proposed again
// is no longer kept apart.
func (s *Service) merge(ctx context.Context, w domain.WorkspaceID, p ledger.Proposal, keep domain.EntityID) (ledger.Curation, error) {
	into, from := p.A, p.B
	if keep == from {
		into, from = from, into
	}
	log, err := s.Ledger.Curations(ctx, w, 1<<62)
	if err != nil {
		return ledger.Curation{}, err
	}
	undone := ledger.Undone(log)
	for _, e := range log {
		if e.Kind == ledger.CurationApart && !undone[e.Seq] && slices.Contains(e.Entities(), into) && slices.Contains(e.Entities(), from) {
			if _, err := s.Curator.Undo(ctx, e.Seq); err != nil {
				return ledger.Curation{}, err
			}
		}
	}
	entry, err := s.Curator.Make(ctx, curate.Merging{One: curate.One{Name: string(into)}, Others: []string{string(from)}})
	if err == nil {
		s.Changed(ctx, w) // proposals for from may now apply to into
	}
	return entry, err
}

// DecideAll makes the same decision about all proposals of a pattern that wait,
// and returns the entries of the curation log. It leaves out a proposal that an
// earlier one has settled.
func (s *Service) DecideAll(ctx context.Context, d Decision, pattern string) ([]ledger.Curation, error) {
	if pattern == "" {
		return nil, domain.Errorf(domain.Invalid, "Name the pattern whose proposals to decide.")
	}
	list, _, err := s.Ledger.Proposals(ctx, domain.WorkspaceOf(ctx), ledger.ProposalQuery{Pattern: pattern})
	if err != nil {
		return nil, err
	}
	return s.DecideEach(ctx, d, lists.Map(list, func(p ledger.Proposal) string { return string(p.ID) }))
}

// DecideEach makes the same decision about several proposals, as DecideAll does.
func (s *Service) DecideEach(ctx context.Context, d Decision, ids []string) ([]ledger.Curation, error) {
	var entries []ledger.Curation
	for _, id := range ids {
		entry, err := s.Decide(ctx, d, domain.ProposalID(id), "")
		if kind := domain.KindOf(err); kind == domain.Conflict || kind == domain.NotFound {
			continue
		}
		if err != nil {
			return entries, err
		}
		if entry.Seq != 0 {
			entries = append(entries, entry)
		}
	}
	return entries, nil
}
