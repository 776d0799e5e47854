package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
)

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
