package proposals

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

type wanted struct {
	Decided bool   `json:"decided" doc:"list decided pairs, newest first, instead of waiting ones"`
	Pattern string `json:"pattern" doc:"list only pairs whose names differ in this way, for instance initials"`
	Limit   int    `json:"limit" default:"50" doc:"list at most this many; 0 lists all"`
}

type deciding struct {
	ID      domain.ProposalID `json:"proposal" arg:"[ID]" doc:"id of a proposal"`
	Pattern string            `json:"pattern" doc:"decide all proposals whose names differ in this way"`
}

// Decided is the effect of a decision about a proposal.
type Decided struct {
	Change int64  `json:"change" trail:""`
	Text   string `json:"text"`
}

// TakeUp puts a proposal that was put off back into its place.
var TakeUp = decision(Again, "Take up a proposal that was put off", "Return a postponed proposal to its place in the queue.")

// Operations returns the operations on proposals.
func Operations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, wanted, operation.Page[curate.Proposed]]{
			Name: "entities proposals", Short: "List pairs of entities that may be the same", Scope: operation.Read, Routes: []string{"GET /review"},
			Long: `List pairs of entities that may be the same and wait for a decision, the likeliest
first, each with its reasons. clew entities accept, reject and later decide.`,
			Example: `  clew entities proposals --limit 20
  clew entities proposals --decided --json | jq '.[] | select(.status == "auto")'`,
			Do: (*Service).list, Text: printProposed,
		},
		decision(Accept, "Merge the entities of a proposal", "Merge the two entities of a proposal. The better known one keeps its name."),
		decision(Reject, "Keep the entities of a proposal apart", "Keep the two entities of a proposal apart. They are proposed again only if much more\nevidence for a merge appears."),
		decision(Never, "Keep the entities of a proposal apart for good", "Keep the two entities of a proposal apart and never propose them again."),
		decision(Later, "Put a proposal off", "Move a proposal to the end of the queue."),
		TakeUp,
	}
}

func (s *Service) list(ctx context.Context, in wanted) (operation.Page[curate.Proposed], error) {
	return s.List(ctx, ledger.ProposalQuery{Decided: in.Decided, Pattern: in.Pattern, Limit: in.Limit})
}

// atOnce is how many entities are looked up in the graph in one go.
const atOnce = 500

// List lists proposals with the names of their entities.
func (s *Service) List(ctx context.Context, q ledger.ProposalQuery) (page operation.Page[curate.Proposed], err error) {
	w := domain.WorkspaceOf(ctx)
	list, total, err := s.Ledger.Proposals(ctx, w, q)
	if err != nil {
		return page, err
	}
	names, err := s.names(ctx, list)
	if err != nil {
		return page, err
	}
	page = operation.Page[curate.Proposed]{Items: make([]curate.Proposed, len(list)), Total: total}
	for i, p := range list {
		page.Items[i] = curate.Proposed{Proposal: p, NameA: names[p.A], NameB: names[p.B]}
	}
	return page, nil
}

// names returns the names of those entities of proposals that are in the graph.
func (s *Service) names(ctx context.Context, list []ledger.Proposal) (map[domain.EntityID]string, error) {
	var ids []domain.EntityID
	for _, p := range list {
		ids = append(ids, p.A, p.B)
	}
	names := map[domain.EntityID]string{}
	for part := range slices.Chunk(ids, atOnce) {
		found, err := s.Graph.Named(ctx, domain.WorkspaceOf(ctx), part)
		if err != nil {
			return nil, err
		}
		for _, e := range graphstore.Listed(found) {
			names[e.ID] = e.Name
		}
	}
	return names, nil
}

// maxQueue is how many pairs the queue lists.
const maxQueue = 50

// Queue lists the first pairs that wait, and counts those that people have decided since a time.
func (s *Service) Queue(ctx context.Context, since time.Time) (q curate.Queue, err error) {
	if q.Page, err = s.List(ctx, ledger.ProposalQuery{Limit: maxQueue}); err != nil {
		return q, err
	}
	q.Today, err = s.Ledger.CountDecided(ctx, domain.WorkspaceOf(ctx), since)
	return q, err
}

// Pair returns a proposal, and how many that wait differ in the same way.
func (s *Service) Pair(ctx context.Context, id domain.ProposalID) (p ledger.Proposal, alike int, err error) {
	if p, err = s.Ledger.Proposal(ctx, domain.WorkspaceOf(ctx), id); err != nil {
		return p, 0, err
	}
	waiting, err := s.Ledger.CountProposals(ctx, domain.WorkspaceOf(ctx))
	return p, waiting[p.Pattern], err
}

func printProposed(w io.Writer, page operation.Page[curate.Proposed]) error {
	err := operation.Table("ID\tSCORE\tPATTERN\tSTATUS\tA\tB", "", func(p curate.Proposed) []any {
		return []any{p.ID, fmt.Sprintf("%.2f", p.Score), p.Pattern, p.Status, cmp.Or(p.NameA, string(p.A)), cmp.Or(p.NameB, string(p.B))}
	})(w, page.Items)
	if err == nil && len(page.Items) < page.Total {
		_, err = fmt.Fprintf(w, "%d of %d.\n", len(page.Items), page.Total)
	}
	return err
}

// decision returns the operation of a decision.
func decision(d Decision, short, long string) operation.Op[*Service, deciding, []Decided] {
	return operation.Op[*Service, deciding, []Decided]{
		Name: "entities " + string(d), Short: short, Scope: operation.WriteGraph, Routes: []string{"POST /review/" + string(d)}, JSON: " of what changed, without --pattern by one proposal",
		Long:    long + "\n\nID is the id of a proposal, as clew entities proposals lists it. With --pattern, all\nproposals of a pattern are decided alike.",
		Example: fmt.Sprintf("  clew entities %s p0a1b2c3d4e5f60718293\n  clew entities %s --pattern initials", d, d),
		Do: func(s *Service, ctx context.Context, in deciding) ([]Decided, error) {
			if (in.ID == "") == (in.Pattern == "") {
				return nil, domain.Errorf(domain.Invalid, "Name one proposal, or a pattern with --pattern.")
			}
			return s.decide(ctx, d, in)
		},
		Text: func(w io.Writer, list []Decided) error {
			for _, d := range list {
				fmt.Fprintf(w, "%s (change %d).\n", d.Text, d.Change)
			}
			return nil
		},
	}
}

// decide carries out a decision. What it changed before it failed is returned beside the error.
func (s *Service) decide(ctx context.Context, what Decision, in deciding) ([]Decided, error) {
	w := domain.WorkspaceOf(ctx)
	var entries []ledger.Curation
	var err error
	if in.Pattern != "" {
		entries, err = s.DecideAll(ctx, what, in.Pattern)
	} else {
		entries = make([]ledger.Curation, 1)
		entries[0], err = s.Decide(ctx, what, in.ID, "")
	}
	list := []Decided{}
	for _, e := range entries {
		if e.Seq == 0 {
			continue
		}
		line, err := s.Curator.Change(ctx, w, e.Seq)
		if err != nil {
			return list, err
		}
		list = append(list, Decided{e.Seq, line.Text})
	}
	return list, err
}

// A Comparison compares entities at once.
type Comparison struct {
	*Service
	CarryOut func(context.Context) error // starts a comparison, and returns when it has ended
}

type comparing struct {
	Dry bool `json:"dry" doc:"only print what would be merged and proposed"`
}

// Resolved is the outcome of a comparison.
type Resolved struct {
	Entities int    `json:"entities"`
	Merged   []Same `json:"merged"`   // all merged by rule
	Proposed int    `json:"proposed"` // pairs left to a person
	Terms    int    `json:"terms"`    // pairs of terms, which are not proposed
}

// Same is one merge by rule.
type Same struct {
	Into    domain.EntityID `json:"into"`
	From    domain.EntityID `json:"from"`
	Score   float64         `json:"score"`
	Pattern string          `json:"pattern"`

	names [2]string // before the merge
}

// Comparing holds the operations on all entities.
func Comparing() []operation.Operation[Comparison] {
	return []operation.Operation[Comparison]{operation.Op[Comparison, comparing, Resolved]{
		Name: "entities resolve", Short: "Find entities that are the same", Scope: operation.WriteGraph, Example: "  clew entities resolve --dry\n  clew entities resolve --json | jq .proposed",
		Apart: "The program compares entities on its own once documents are read; use this command while it is not running.",
		Long: `Compare all entities. Those that are the same beyond doubt (RESOLVE_MERGE) are
merged, which can be undone; pairs that may be the same (RESOLVE_PROPOSE) are
proposed. A running server does the same whenever documents have been read.`,
		Do: Comparison.resolve,
		Text: func(w io.Writer, r Resolved) error {
			for _, m := range r.Merged {
				if m.names[1] != "" { // if not, it is already merged
					fmt.Fprintf(w, "%s = %s (%.2f, %s)\n", cmp.Or(m.names[0], string(m.Into)), m.names[1], m.Score, m.Pattern)
				}
			}
			_, err := fmt.Fprintf(w, "%d entities: %d merged by rule, %d pairs to decide about, %d pairs of terms left out.\n", r.Entities, len(r.Merged), r.Proposed, r.Terms)
			return err
		},
	}}
}

func (c Comparison) resolve(ctx context.Context, in comparing) (Resolved, error) {
	w := domain.WorkspaceOf(ctx)
	found, err := c.Compare(ctx, w)
	if err != nil {
		return Resolved{}, err
	}
	merged, proposed := make([]ledger.Proposal, len(found.Merges)), len(found.Proposals)
	for i, m := range found.Merges {
		merged[i] = m.Why
	}
	names, err := c.names(ctx, slices.Concat(merged, found.Proposals)) // a judge may merge proposed pairs
	if err == nil && !in.Dry {
		if err = c.CarryOut(ctx); err == nil {
			merged, proposed, err = c.inForce(ctx, w)
		}
	}
	out := Resolved{Entities: found.Entities, Merged: []Same{}, Proposed: proposed, Terms: found.Terms}
	for _, p := range merged {
		out.Merged = append(out.Merged, Same{p.A, p.B, p.Score, p.Pattern, [2]string{names[p.A], names[p.B]}})
	}
	return out, err
}

// inForce returns the merges by rule that are not undone, and how many pairs wait.
func (c Comparison) inForce(ctx context.Context, w domain.WorkspaceID) ([]ledger.Proposal, int, error) {
	merged, _, err := c.Ledger.Proposals(ctx, w, ledger.ProposalQuery{Decided: true})
	if err != nil {
		return nil, 0, err
	}
	merged = slices.DeleteFunc(merged, func(p ledger.Proposal) bool { return p.Status != ledger.ProposalAuto })
	_, waiting, err := c.Ledger.Proposals(ctx, w, ledger.ProposalQuery{Limit: 1})
	return merged, waiting, err
}
