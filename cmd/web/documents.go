package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/schemas"
)

func documentsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{Use: "documents", Short: "List, show, tag, rename, retry, pause, stop and delete documents, choose their schema, compare their versions, get their files",
		Long: `List documents, and do something with those that are named. DOCUMENT is an id, a
whole name as clew documents list shows it, or the end of a name after a slash
where no other name ends so: b/minutes.txt for letters/b/minutes.txt. Case and the
Unicode normal form don't matter. A name that fits several documents, or none, is an
error, and nothing is done to the others that are named with it.`,
	}
	cmd.AddCommand(documentsListCommand(s, load), documentsShowCommand(s, load), documentsTagCommand(s, load), documentsRenameCommand(s, load), documentsRetryCommand(s, load), documentsDeleteCommand(s, load),
		documentsDroppedCommand(s, load), documentsOriginalCommand(s, load), documentsPreviewCommand(s, load), documentsSchemaCommand(s, load), documentsVersionsCommand(s, load), documentsReadingCommand(s, load))
	cmd.AddCommand(documentsTurnCommands(s, load)...)
	return cmd
}

func documentsDroppedCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "dropped [DOCUMENT]",
		Short: "List what was found in a document and left out of the graph, and why",
		Long: `List the entities, relations and properties that were found in a document,
given by name or id, and left out of the graph, each with the reason. Without
DOCUMENT, list the documents that have any. What a schema dropped comes back
without a call of a model when a later schema allows it: see clew schema allow
and clew schema apply.`,
		Example: `  clew documents dropped minutes.docx
  clew documents dropped minutes.docx --json | jq -r '.[].reason'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				if len(args) == 0 || args[0] == "" {
					return a.printDroppedCounts(cmd.Context(), asJSON)
				}
				ids, err := a.documents.Find(cmd.Context(), domain.DefaultWorkspace, args)
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

// droppedCount is an element of clew documents dropped --json without a document.
type droppedCount struct {
	ID       domain.DocumentID `json:"id"`
	Document string            `json:"document"`
	Dropped  int               `json:"dropped"`
}

// printDroppedCounts lists the documents from which something was dropped.
func (a *app) printDroppedCounts(ctx context.Context, asJSON bool) error {
	docs, _, err := a.ledger.Documents(ctx, domain.DefaultWorkspace, ledger.DocumentQuery{})
	if err != nil {
		return err
	}
	docs = slices.DeleteFunc(docs, func(d domain.Document) bool { return d.Dropped == 0 })
	if asJSON {
		counts := make([]droppedCount, len(docs))
		for i, d := range docs {
			counts[i] = droppedCount{d.ID, d.Name, d.Dropped}
		}
		return printJSON(a.env.stdout, counts)
	}
	if len(docs) == 0 {
		fmt.Fprintln(a.env.stdout, "Nothing was dropped from any document.")
		return nil
	}
	table := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DROPPED\tDOCUMENT")
	for _, d := range docs {
		fmt.Fprintf(table, "%d\t%s\n", d.Dropped, d.Name)
	}
	fmt.Fprintf(table, "To see what, and why: clew documents dropped %q\n", docs[0].Name)
	return table.Flush()
}

func documentsSchemaCommand(s env, load func() (config.Config, error)) *cobra.Command {
	library := false
	cmd := &cobra.Command{
		Use:   "schema DOCUMENT [NAME|FILE]",
		Short: "Say which schema guides a document, or choose one",
		Long: `Print by which version of a schema a document was read, and which guides it
when it is read again. With NAME, a schema kept under that name or a template,
or with FILE, a schema as YAML, choose that one for it; with --library, let its
tags and the library decide again. clew schema apply then reads again what this
changes.`,
		Example: `  clew documents schema minutes.docx minutes
  clew documents schema minutes.docx --library`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if library && len(args) == 2 {
				return domain.Errorf(domain.Invalid, "Choose a schema or --library, not both.")
			}
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				ids, err := a.documents.Find(cmd.Context(), domain.DefaultWorkspace, args[:1])
				if err != nil {
					return err
				}
				if library || len(args) == 2 {
					if err := a.guide(cmd.Context(), ids[0], args[1:]); err != nil {
						return err
					}
				}
				return a.printGuide(cmd.Context(), ids[0])
			})
		},
	}
	cmd.Flags().BoolVar(&library, "library", false, "let the tags of the document and the library decide")
	return cmd
}

// guide chooses the schema of a document: that of the library if none is given.
func (a *app) guide(ctx context.Context, id domain.DocumentID, chosen []string) (err error) {
	name := ""
	if len(chosen) > 0 {
		if name, err = a.chooseSchema(ctx, chosen[0]); err != nil {
			return err
		}
	}
	return a.documents.Choose(ctx, domain.DefaultWorkspace, id, name)
}

// printGuide prints the schema that a document was read with, and the one that guides it.
func (a *app) printGuide(ctx context.Context, id domain.DocumentID) error {
	d, err := a.ledger.Document(ctx, domain.DefaultWorkspace, id)
	if err != nil {
		return err
	}
	by, err := a.schemas.At(ctx, domain.DefaultWorkspace, d.Schema)
	if err != nil {
		return err
	}
	next, err := a.schemas.For(ctx, domain.DefaultWorkspace, id)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.env.stdout, "%s was read with %s.\n", d.Name, schemaName(by))
	if by.Number != next.Number {
		fmt.Fprintf(a.env.stdout, "When it is read again: %s. clew schema apply does that.\n", schemaName(next))
	}
	return nil
}

func schemaName(v schemas.Version) string {
	if v.Number == 0 {
		return "no schema"
	}
	return fmt.Sprintf("version %d, of %s", v.Number, scopeName(v.Scope))
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
