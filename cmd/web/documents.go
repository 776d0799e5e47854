package main

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
)

func documentsSchemaCommand(s env, load func() (config.Config, error)) *cobra.Command {
	library, asJSON := false, false
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
			name, fields := "documents guided", map[string]string{"document": args[0]}
			if len(args) == 2 || library {
				name, fields["library"] = "documents schema", strconv.FormatBool(library)
			}
			return s.onDesk(cmd, load, schemaOperator, func(ctx context.Context, d desk) (err error) {
				t := &teller{env: s, asJSON: asJSON}
				if len(args) == 2 {
					if library {
						fields["schema"] = args[1]
					} else if fields["schema"], err = kept(ctx, d, args[1], t); err != nil {
						return err
					}
				}
				guided, err := operated[schemas.Guided](ctx, d, name, fields, t)
				if err != nil {
					return err
				}
				return t.print(rowNamed("documents guided"), guided)
			})
		},
	}
	cmd.Flags().BoolVar(&library, "library", false, "let the tags of the document and the library decide")
	jsonFlag(cmd, &asJSON, jsonObject)
	return onServer(cmd)
}

// kept returns the name under which a schema is kept. A YAML file is kept under its own name, unless it is already.
func kept(ctx context.Context, d desk, chosen string, t *teller) (string, error) {
	ending := filepath.Ext(chosen)
	if ending != ".yaml" && ending != ".yml" {
		return chosen, nil
	}
	text, err := readFile(chosen, nil, schemas.MaxYAML)
	if err != nil {
		return "", err
	}
	guide, err := schemas.Read(text)
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(filepath.Base(chosen), ending)
	before, err := operated[schemas.Kept](ctx, d, "schema show", map[string]string{"name": name}, t)
	if err == nil && before.Guide != nil && before.Guide.Hash() == guide.Hash() {
		return name, nil
	}
	if err == nil || domain.KindOf(err) == domain.NotFound {
		_, err = operated[schemas.Kept](ctx, d, "schema set", map[string]string{"name": name, "yaml": string(text), "note": "From " + filepath.Base(chosen)}, t)
	}
	return name, err
}
