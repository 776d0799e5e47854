package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/format"
)

// shownDocument is what clew documents show --json prints.
type shownDocument struct {
	domain.Document
	Chunks []ledger.ReadChunk `json:"read_chunks"`
	Cited  []ledger.Citing    `json:"cited_in"`
}

func documentsShowCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "show DOCUMENT",
		Short: "Print the chunks of a document, what was mined from each and what was dropped",
		Long: `Print what the page of a document, given by name or id, says of it: its chunks with
their places, the entities and relations that were mined from each, what was
dropped and why, and the questions whose answers cite it.`,
		Example: `  clew documents show minutes.docx
  clew documents show minutes.docx --json | jq '.read_chunks[] | .mined.nodes[].name'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				shown, err := a.showDocument(cmd.Context(), args[0])
				switch {
				case err != nil:
					return err
				case asJSON:
					return printJSON(s.stdout, shown)
				}
				a.printDocument(shown)
				return nil
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func (a *app) showDocument(ctx context.Context, name string) (shown shownDocument, err error) {
	ids, err := a.documents.Find(ctx, domain.DefaultWorkspace, []string{name})
	if err != nil {
		return shown, err
	}
	if shown.Document, err = a.ledger.Document(ctx, domain.DefaultWorkspace, ids[0]); err != nil {
		return shown, err
	}
	if shown.Chunks, err = a.ledger.ReadChunks(ctx, domain.DefaultWorkspace, ids[0], 0, 0); err != nil {
		return shown, err
	}
	shown.Cited, err = a.ledger.Citing(ctx, domain.DefaultWorkspace, ids[0], 0)
	return shown, err
}

func (a *app) printDocument(d shownDocument) {
	out := a.env.stdout
	fmt.Fprintf(out, "%s, %s: %s, %s, %s, %s dropped\n", d.Name, d.Status, format.Count(len(d.Chunks), "chunk", "chunks"),
		format.Count(d.Entities, "entity", "entities"), format.Count(d.Relations, "relation", "relations"), format.Int(d.Dropped))
	for _, c := range d.Chunks {
		fmt.Fprintf(out, "\n%d. %s\n", c.Ordinal+1, domain.Cut(strings.Join(strings.Fields(c.Text), " "), 120))
		for _, n := range c.Graph.Nodes {
			fmt.Fprintf(out, "   %s (%s)\n", n.Name, n.Label)
		}
		for _, r := range c.Graph.Relationships {
			fmt.Fprintf(out, "   %s %s %s\n", c.Graph.Nodes[r.Source].Name, r.Type, c.Graph.Nodes[r.Target].Name)
		}
		for _, dropped := range c.Dropped {
			fmt.Fprintf(out, "   dropped: %s. %s\n", droppedName(dropped), dropped.Reason)
		}
	}
	for _, c := range d.Cited {
		fmt.Fprintf(out, "\ncited in: %s\n", c.Question)
	}
}
