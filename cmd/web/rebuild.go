package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/views/format"
)

// rebuildCommand rebuilds the stores from the ledger.
func rebuildCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var given maintenance.Rebuilding
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Empty the graph and the search index and fill them again from the ledger",
		Long: `Empty the graph and the search index, or one of them, and fill them again from
the ledger. No model is called, but for one word, whose vector tells whether the
embedding model makes what it made: what was extracted and embedded is kept.
The stores of all workspaces are filled, or those of the one that --workspace
names. The server may go on meanwhile, and answers from what is there already. When it
is cut off, it goes on at the next start, or when it is called again.

Stores that belong to another library are refused. With --take-over they are
emptied and filled with this one, and the other library is refused from then on.

After a change of EMBED_MODEL, the vectors of the new model are made, of all
workspaces, and the new search index is built beside the old one, which answers
until then.`,
		Example: `  clew rebuild
  clew rebuild --store vectors --workspace library`,
		Args: cobra.NoArgs,
	}
	flagsOf(cmd, &given)
	return withJSON(cmd, s, jsonArray+" of workspaces", func(cmd *cobra.Command, _ []string, s env) (all []rebuilt, err error) {
		order, err := given.Order()
		if err != nil {
			return nil, err
		}
		s.foreign = given.Taking
		err = s.maintain(cmd.Context(), load, named(cmd), func(ctx context.Context, a *app, w domain.Workspace) error {
			if given.Taking {
				if err := a.sayTaken(ctx, w.ID); err != nil {
					return err
				}
			}
			filled, err := a.rebuild(ctx, w, order)
			if err == nil {
				all = append(all, rebuilt{w.Name, filled})
			}
			return err
		})
		return all, err
	})
}

// rebuilt is a workspace whose stores were filled.
type rebuilt struct {
	Workspace string `json:"workspace"`
	graphSize
}

// sayTaken describes what of another library a take-over replaces.
func (a *app) sayTaken(ctx context.Context, w domain.WorkspaceID) error {
	if _, err := a.graph.Cursor(ctx, w); errors.Is(err, domain.ErrForeign) {
		stats, err := a.graph.Store.Stats(ctx, w) // of the other one
		if err != nil {
			return err
		}
		fmt.Fprintf(a.env.stdout, "The graph of another library is replaced: %s, %s, %s.\n", format.Count(stats.Documents, "document", "documents"),
			format.Count(stats.Entities, "entity", "entities"), format.Count(stats.Relations, "relation", "relations"))
	} else if err != nil {
		return err
	}
	if _, err := a.vectors.Cursor(ctx, w); errors.Is(err, domain.ErrForeign) {
		points, err := a.vectors.Store.IDs(ctx, w, vectorstore.Chunks)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.env.stdout, "The search index of another library is replaced: %s.\n", format.Count(len(points), "chunk", "chunks"))
	} else if err != nil {
		return err
	}
	return nil
}

func (a *app) rebuild(ctx context.Context, w domain.Workspace, order maintenance.Order) (graphSize, error) {
	outgrown, err := a.maintenance.Outgrown(ctx)
	if err != nil {
		return graphSize{}, err
	}
	if outgrown != "" && order.Stores.Vectors {
		fmt.Fprintf(a.env.stdout, "%s A new one is built beside it.\n", outgrown)
	}
	run, err := a.maintenance.Start(ctx, w.ID, maintenance.RebuildKind, order)
	a.noted(domain.WithWorkspace(ctx, w.ID), "rebuild", err)
	if err != nil {
		return graphSize{}, err
	}
	if err := a.followRun(ctx, run, "Filling"); err != nil {
		return graphSize{}, err
	}
	stats, err := a.graph.Stats(ctx, w.ID)
	if err != nil {
		return graphSize{}, err
	}
	fmt.Fprintf(a.env.stdout, "Workspace %s is filled: %s, %s, %s.\n", w.Name, format.Count(stats.Documents, "document", "documents"),
		format.Count(stats.Entities, "entity", "entities"), format.Count(stats.Relations, "relation", "relations"))
	return graphSize(stats), nil
}
