package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
)

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
	return fmt.Sprintf("version %d, of %s", v.Number, schemas.ScopeName(v.Scope))
}
