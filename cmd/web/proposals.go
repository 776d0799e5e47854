package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
)

// resolved is the output of clew entities resolve --json.
type resolved struct {
	Entities int      `json:"entities"`
	Merged   []joined `json:"merged"`   // all that are merged by rule
	Proposed int      `json:"proposed"` // pairs that are left to a person
	Terms    int      `json:"terms"`    // pairs of terms, which are left out
}

// joined is one merge by rule.
type joined struct {
	Into    string  `json:"into"` // id, as are From's
	From    string  `json:"from"`
	Score   float64 `json:"score"`
	Pattern string  `json:"pattern"`
}

func entitiesResolveCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var dry, asJSON bool
	cmd := &cobra.Command{
		Use:   "resolve",
		Short: "Find entities that are the same",
		Long: `Compare all entities. Those that are the same beyond doubt (RESOLVE_MERGE) are
merged, which can be undone; pairs that may be the same (RESOLVE_PROPOSE) are
proposed. A running server does the same whenever documents have been read.`,
		Example: `  clew entities resolve --dry
  clew entities resolve --json | jq .proposed`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error { return a.resolve(cmd.Context(), dry, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&dry, "dry", false, "only say what would be merged and proposed")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func (a *app) resolve(ctx context.Context, dry, asJSON bool) error {
	found, err := a.proposals.Compare(ctx, domain.DefaultWorkspace)
	if err != nil {
		return err
	}
	names := map[domain.EntityID]string{} // before they are merged
	note := func(ids ...domain.EntityID) {
		for _, id := range ids {
			if e, err := a.graph.Entity(ctx, domain.DefaultWorkspace, id); err == nil {
				names[id] = e.Name
			}
		}
	}
	for _, m := range found.Merges {
		note(m.Into, m.From)
	}
	if !dry {
		if a.models.Judge() != nil { // may merge what is proposed without it
			for _, p := range found.Proposals {
				note(p.A, p.B)
			}
		}
		if err := a.carryOut(ctx, a.proposals.Background, "Comparing"); err != nil {
			return err
		}
		if found.Merges, found.Proposals, err = a.inForce(ctx); err != nil {
			return err
		}
	}
	out := resolved{Entities: found.Entities, Merged: []joined{}, Proposed: len(found.Proposals), Terms: found.Terms}
	for _, m := range found.Merges {
		out.Merged = append(out.Merged, joined{string(m.Into), string(m.From), m.Why.Score, m.Why.Pattern})
	}
	if asJSON {
		return printJSON(a.env.stdout, out)
	}
	for _, m := range found.Merges {
		if names[m.From] != "" { // else it is merged already
			fmt.Fprintf(a.env.stdout, "%s = %s (%.2f, %s)\n", cmp.Or(names[m.Into], string(m.Into)), names[m.From], m.Why.Score, m.Why.Pattern)
		}
	}
	_, err = fmt.Fprintf(a.env.stdout, "%d entities: %d merged by rule, %d pairs to decide about, %d pairs of terms left out.\n", out.Entities, len(out.Merged), out.Proposed, out.Terms)
	return err
}

// inForce returns the merges by rule that are in force, and the pairs that wait.
func (a *app) inForce(ctx context.Context) (merges []proposals.Merge, waiting []ledger.Proposal, err error) {
	decided, _, err := a.ledger.Proposals(ctx, domain.DefaultWorkspace, ledger.ProposalQuery{Decided: true})
	if err != nil {
		return nil, nil, err
	}
	for _, p := range decided {
		if p.Status == ledger.ProposalAuto {
			merges = append(merges, proposals.Merge{Into: p.A, From: p.B, Why: p})
		}
	}
	waiting, _, err = a.ledger.Proposals(ctx, domain.DefaultWorkspace, ledger.ProposalQuery{})
	return merges, waiting, err
}

// carryOut starts a run in the background and follows it. This process carries it out, unless a server does.
func (a *app) carryOut(ctx context.Context, b run.Background, doing string) (err error) {
	worker := a.worker(a.kinds().Concurrency(b.Kind))
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	r, err := b.Start(ctx, domain.DefaultWorkspace)
	if err != nil {
		return err
	}
	return a.followRun(ctx, r, doing)
}
