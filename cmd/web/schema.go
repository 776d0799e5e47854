package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
)

// schemaOperator stands for whoever saves a schema by a command.
const schemaOperator = "clew schema"

// schemaDesk is where schemas are worked on.
func (a *app) schemaDesk() schemas.Desk {
	return schemas.Desk{Service: a.schemas, Documents: a.documents}
}

// schemaCommands are those that open an editor or read documents.
func schemaCommands(s env, load func() (config.Config, error)) []*cobra.Command {
	return []*cobra.Command{schemaApplyCommand(s, load), schemaEditCommand(s, load)}
}

// chooseSchema returns the name under which a schema is kept that can be chosen for
// documents. A YAML file is kept under its own name.
func (a *app) chooseSchema(ctx context.Context, chosen string) (string, error) {
	ending := filepath.Ext(chosen)
	if ending != ".yaml" && ending != ".yml" {
		return a.schemas.Choose(ctx, domain.WorkspaceOf(ctx), chosen, schemaOperator)
	}
	data, err := readFile(chosen, nil, schemas.MaxYAML)
	if err != nil {
		return "", err
	}
	g, err := schemas.Read(data)
	if err != nil {
		return "", err
	}
	name, err := schemas.Name(strings.TrimSuffix(filepath.Base(chosen), ending))
	if err != nil {
		return "", err
	}
	return name, a.schemas.Keep(ctx, domain.WorkspaceOf(ctx), name, g, schemaOperator, "From "+filepath.Base(chosen))
}
