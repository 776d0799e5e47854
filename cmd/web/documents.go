package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func documentsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{Use: "documents", Short: "Say what was dropped from documents"}
	cmd.AddCommand(documentsDroppedCommand(s, load))
	return cmd
}

func documentsDroppedCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "dropped DOCUMENT",
		Short: "List what was found in a document and left out of the graph, and why",
		Long: `List the entities, relations and properties that were found in a document,
given by name or id, and left out of the graph, each with the reason. What a
schema dropped comes back without a call of a model when a later schema allows
it: see clew schema apply.`,
		Example: `  clew documents dropped minutes.docx
  clew documents dropped minutes.docx --json | jq -r '.[].reason'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				ids, err := a.named(cmd.Context(), args)
				if err != nil {
					return err
				}
				items, err := a.ledger.Dropped(cmd.Context(), domain.DefaultWorkspace, ids[0], 0)
				if err != nil {
					return err
				}
				return a.printDropped(items, asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

func (a *app) printDropped(items []ledger.DroppedItem, asJSON bool) error {
	if asJSON {
		return printJSON(a.env.stdout, items)
	}
	if len(items) == 0 {
		fmt.Fprintln(a.env.stdout, "Nothing was dropped.")
		return nil
	}
	table := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CHUNK\tKIND\tITEM\tREASON")
	for _, d := range items {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", d.Ordinal+1, d.Kind, droppedName(d.Dropped), d.Reason)
	}
	return table.Flush()
}

// droppedName returns a dropped item in a few words.
func droppedName(d domain.Dropped) string {
	parts := []string{d.Name, d.Type, d.Target}
	if d.Kind == domain.DroppedProperty {
		parts = append(parts, d.Property.Key+"="+d.Property.Value)
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}
