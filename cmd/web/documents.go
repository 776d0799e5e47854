package main

import (
	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
)

func documentsSchemaCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var given schemas.Choosing
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
			if given.Library && len(args) == 2 {
				return domain.Errorf(domain.Invalid, "Choose a schema or --library, not both.")
			}
			return onGraph(cmd.Context(), s, load, func(a *app) (err error) {
				ctx := domain.WithWorkspace(domain.WithPerson(cmd.Context(), schemaOperator), domain.DefaultWorkspace)
				given.Document = args[0]
				if len(args) == 2 {
					if given.Schema, err = a.chooseSchema(ctx, args[1]); err != nil {
						return err
					}
				}
				guided, err := a.schemaDesk().Guide(ctx, given)
				if err != nil {
					return err
				}
				return schemas.PrintGuided(s.stdout, guided)
			})
		},
	}
	flagsOf(cmd, &given)
	return cmd
}
