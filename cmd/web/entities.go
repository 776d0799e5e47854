package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/proposals"
)

func entitiesCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{Use: "entities", Short: "List, change and export the entities of the graph, and find paths between them"}
	cmd.AddCommand(entitiesListCommand(s, load), entitiesPathCommand(s, load), entitiesExportCommand(s, load), entitiesWorklistCommand(s, load),
		entitiesResolveCommand(s, load), entitiesProposalsCommand(s, load),
		entitiesDecideCommand(s, load, proposals.Accept, "Merge the entities of a proposal", "Merge the two entities of a proposal. The better known one keeps its name."),
		entitiesDecideCommand(s, load, proposals.Reject, "Keep the entities of a proposal apart", "Keep the two entities of a proposal apart. They are proposed again only if much more\ncomes to speak for a merge."),
		entitiesDecideCommand(s, load, proposals.Never, "Keep the entities of a proposal apart for good", "Keep the two entities of a proposal apart and never propose them again."),
		entitiesDecideCommand(s, load, proposals.Later, "Put a proposal off", "Put a proposal behind all others."),
		entitiesDecideCommand(s, load, proposals.Again, "Take up a proposal that was put off", "Put a proposal that was put off back into its place."))
	cmd.AddCommand(entitiesShowCommand(s, load))
	cmd.AddCommand(curationCommands(s, load)...)
	return cmd
}

// onGraph opens the stores and calls f.
func onGraph(ctx context.Context, s env, load func() (config.Config, error), f func(a *app) error) error {
	cfg, err := load()
	if err != nil {
		return err
	}
	a, err := open(ctx, cfg, s)
	if err != nil {
		return err
	}
	return errors.Join(f(a), a.Close())
}

func entitiesListCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "list [NAME]",
		Short:   "List entities, or those with a name",
		Example: "  clew entities list \"copper bri\"",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				found, _, err := a.graph.Entities(cmd.Context(), domain.DefaultWorkspace, graphstore.EntityQuery{Text: strings.Join(args, " "), Limit: limit})
				if err != nil {
					return err
				}
				table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "ID\tLABEL\tNAME\tMENTIONS\tDOCUMENTS\tRELATIONS")
				for _, e := range found {
					fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\n", e.ID, e.Label, e.Name, e.Mentions, e.Documents, e.Relations)
				}
				return table.Flush()
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most so many; 0 lists all")
	return cmd
}

func entitiesPathCommand(s env, load func() (config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use:     "path FROM TO",
		Short:   "Print a shortest chain of relations between two entities",
		Example: "  clew entities path \"Copper Bridge\" \"Velm Mutual Office\"",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				return a.printPath(cmd.Context(), args[0], args[1])
			})
		},
	}
}

func (a *app) printPath(ctx context.Context, from, to string) error {
	var ends [2]domain.Entity
	for i, name := range []string{from, to} {
		found, _, err := a.graph.Entities(ctx, domain.DefaultWorkspace, graphstore.EntityQuery{Text: name, Limit: 1})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return domain.Errorf(domain.NotFound, "No entity is called %q. clew entities list shows their names.", name)
		}
		ends[i] = found[0]
	}
	path, err := graphstore.FindPath(ctx, a.graph, domain.DefaultWorkspace, ends[0].ID, ends[1].ID, graphstore.MaxHops)
	if err != nil {
		return err
	}
	if len(path.Edges) == 0 {
		return domain.Errorf(domain.NotFound, "No chain of up to %d relations leads from %s to %s.", graphstore.MaxHops, ends[0].Name, ends[1].Name)
	}
	for _, e := range path.Edges {
		fmt.Fprintf(a.env.stdout, "%s %s %s\n", e.From.Name, e.Type, e.To.Name)
	}
	return nil
}

func entitiesExportCommand(s env, load func() (config.Config, error)) *cobra.Command {
	format, mentions := "", false
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the whole graph to a file",
		Long: `Write all entities and relations to FILE as GraphML, CSV, JSON or Cypher. The
same graph gives the same file. The ending of FILE tells the format unless
--format does. If FILE is -, the graph goes to standard output. With --mentions, names
that are only mentioned together are joined by relations of the type MENTIONED_WITH.`,
		Example: `  clew entities export graph.graphml
  clew entities export --format cypher - | cypher-shell`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := format
			if kind == "" {
				kind = strings.TrimPrefix(filepath.Ext(args[0]), ".")
			}
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				var mentioned []domain.Relation
				if mentions {
					g, err := a.explored(cmd.Context())
					if err != nil {
						return err
					}
					mentioned = g.TieRelations(nil)
				}
				return writeFile(args[0], s.stdout, func(w io.Writer) error {
					return explore.Export(cmd.Context(), a.graph, domain.DefaultWorkspace, nil, mentioned, kind, w)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&mentions, "mentions", false, "with the names that are only mentioned together")
	cmd.Flags().StringVar(&format, "format", "", strings.Join(explore.Formats(), ", "))
	return cmd
}

// explored returns the graph as the explorer sees it.
func (a *app) explored(ctx context.Context) (*explore.Graph, error) {
	whole, err := a.graph.Adjacency(ctx, domain.DefaultWorkspace)
	if err != nil {
		return nil, err
	}
	return explore.New(whole), nil
}

// writeFile writes a file that appears only when it is whole, or standard
// output if path is -.
func writeFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return write(stdout)
	}
	err := atomicfile.Write(path, write)
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return domain.Because(domain.Invalid, err, "%s can't be written: %v.", path, of)
	}
	return err
}
