package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/web/graph"
)

func cypherCommand(s env, load func() (config.Config, error)) *cobra.Command {
	statement := graphstore.Statement{}
	parameters, asJSON := "", false
	cmd := &cobra.Command{
		Use:   "cypher STATEMENT",
		Short: "Ask the graph in Neo4j in Cypher",
		Long: `Run a statement that reads the graph in Neo4j, and print its rows. It reads the
whole database, whatever the workspace, and changes nothing: a statement that
does more than read is refused.

It needs a graph in Neo4j (the setting NEO4J_URL).`,
		Example: `  clew cypher 'MATCH (e:Person) RETURN e.name LIMIT 10'
  clew cypher --parameters '{"name": "Copper Bridge"}' --json 'MATCH (e {name: $name}) RETURN e'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			statement.Text = args[0]
			if parameters != "" {
				if statement.Parameters, err = graph.Parameters(parameters); err != nil {
					return err
				}
			}
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				if a.console == nil {
					return domain.Errorf(domain.Unsupported, "There is no Neo4j to ask: the graph is a file in the data folder. NEO4J_URL and QDRANT_URL put it on servers.")
				}
				t, err := a.console.Run(cmd.Context(), statement)
				if err != nil {
					return err
				}
				return printTable(s.stdout, t, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&parameters, "parameters", "", "a JSON object with the statement's parameters")
	cmd.Flags().IntVar(&statement.Rows, "rows", 1000, "print at most so many rows")
	cmd.Flags().DurationVar(&statement.Timeout, "timeout", 30*time.Second, "let it take at most so long")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// printTable prints a table for people, or as JSON.
func printTable(w io.Writer, t graphstore.Table, asJSON bool) error {
	if asJSON {
		return printJSON(w, t)
	}
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, strings.Join(t.Columns, "\t"))
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = strings.Join(strings.Fields(graph.CellText(v)), " ")
		}
		fmt.Fprintln(lines, strings.Join(cells, "\t"))
	}
	if t.More {
		fmt.Fprintln(lines, "…")
	}
	return lines.Flush()
}
