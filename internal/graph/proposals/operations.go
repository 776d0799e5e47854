package proposals

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// A Desk is where people decide about proposals.
type Desk struct {
	*Service
	Curator *curate.Curator
}

// Proposed is a pair that may be the same, or that was decided.
type Proposed struct {
	ledger.Proposal
	NameA string `json:"name_a"` // "" if the entity is not in the graph
	NameB string `json:"name_b"`
}

type wanted struct {
	Decided bool   `json:"decided" doc:"list what is decided, newest first, instead of what waits"`
	Pattern string `json:"pattern" doc:"list only pairs whose names differ in this way, for instance initials"`
	Limit   int    `json:"limit" default:"50" doc:"list at most so many; 0 lists all"`
}

type deciding struct {
	ID      domain.ProposalID `json:"proposal" arg:"[ID]"`
	Pattern string            `json:"pattern" doc:"decide about all proposals whose names differ in this way"`
}

// Decided is what a decision about a proposal changed.
type Decided struct {
	Change int64  `json:"change"`
	Text   string `json:"text"`
}

// Operations are what can be done with proposals.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{
		operation.Op[Desk, wanted, operation.Page[Proposed]]{
			Name: "entities proposals", Short: "List pairs of entities that may be the same", Who: operation.Readers,
			Long: `List pairs of entities that may be the same and wait for a decision, the likeliest
first, each with its reasons. clew entities accept, reject and later decide.`,
			Example: `  clew entities proposals --limit 20
  clew entities proposals --decided --json | jq '.[] | select(.status == "auto")'`,
			Do: Desk.list, Text: printProposed,
		},
		decision(Accept, "Merge the entities of a proposal", "Merge the two entities of a proposal. The better known one keeps its name."),
		decision(Reject, "Keep the entities of a proposal apart", "Keep the two entities of a proposal apart. They are proposed again only if much more\ncomes to speak for a merge."),
		decision(Never, "Keep the entities of a proposal apart for good", "Keep the two entities of a proposal apart and never propose them again."),
		decision(Later, "Put a proposal off", "Put a proposal behind all others."),
		decision(Again, "Take up a proposal that was put off", "Put a proposal that was put off back into its place."),
	}
}

func (d Desk) list(ctx context.Context, in wanted) (page operation.Page[Proposed], err error) {
	w := domain.WorkspaceOf(ctx)
	list, total, err := d.Ledger.Proposals(ctx, w, ledger.ProposalQuery{Decided: in.Decided, Pattern: in.Pattern, Limit: in.Limit})
	page = operation.Page[Proposed]{Items: make([]Proposed, len(list)), Total: total}
	for i, p := range list {
		row := &page.Items[i]
		row.Proposal = p
		for id, name := range map[domain.EntityID]*string{p.A: &row.NameA, p.B: &row.NameB} {
			e, err := d.Curator.Graph.Entity(ctx, w, id)
			if err != nil && domain.KindOf(err) != domain.NotFound {
				return page, err
			}
			*name = e.Name
		}
	}
	return page, err
}

func printProposed(w io.Writer, page operation.Page[Proposed]) error {
	err := operation.Table("ID\tSCORE\tPATTERN\tSTATUS\tA\tB", "", func(p Proposed) []any {
		return []any{p.ID, fmt.Sprintf("%.2f", p.Score), p.Pattern, p.Status, cmp.Or(p.NameA, string(p.A)), cmp.Or(p.NameB, string(p.B))}
	})(w, page.Items)
	if err == nil && len(page.Items) < page.Total {
		_, err = fmt.Fprintf(w, "%d of %d.\n", len(page.Items), page.Total)
	}
	return err
}

// decision returns the operation of a decision.
func decision(d Decision, short, long string) operation.Operation[Desk] {
	return operation.Op[Desk, deciding, []Decided]{
		Name: "entities " + string(d), Short: short, Who: operation.Writers, JSON: " of what changed, without --pattern by one proposal",
		Long:    long + "\n\nID is the id of a proposal, as clew entities proposals lists it. With --pattern, all\nproposals of a pattern are decided alike.",
		Example: fmt.Sprintf("  clew entities %s p0a1b2c3d4e5f60718293\n  clew entities %s --pattern initials", d, d),
		Do: func(desk Desk, ctx context.Context, in deciding) ([]Decided, error) {
			if (in.ID == "") == (in.Pattern == "") {
				return nil, domain.Errorf(domain.Invalid, "Name one proposal, or a pattern with --pattern.")
			}
			return desk.decide(ctx, d, in)
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
func (d Desk) decide(ctx context.Context, what Decision, in deciding) ([]Decided, error) {
	w := domain.WorkspaceOf(ctx)
	var entries []ledger.Curation
	var err error
	if in.Pattern != "" {
		entries, err = d.DecideAll(ctx, what, in.Pattern)
	} else {
		entries = make([]ledger.Curation, 1)
		entries[0], err = d.Decide(ctx, what, in.ID, "")
	}
	list := []Decided{}
	for _, e := range entries {
		if e.Seq == 0 {
			continue
		}
		line, err := d.Curator.Change(ctx, w, e.Seq)
		if err != nil {
			return list, err
		}
		list = append(list, Decided{e.Seq, line.Text})
	}
	return list, err
}
