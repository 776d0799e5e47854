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

// schemaShell is the program while a command about the schema of something runs.
type schemaShell struct {
	*app
	ctx    context.Context
	asJSON bool
	note   string
	scope  schemas.Scope
}

// schemaDesk is where schemas are worked on.
func (a *app) schemaDesk() schemas.Desk {
	return schemas.Desk{Service: a.schemas, Documents: a.documents}
}

// schemaCommands are those that open an editor or read documents.
func schemaCommands(s env, load func() (config.Config, error)) []*cobra.Command {
	command := func(use, short, long string, args cobra.PositionalArgs, f func(schemaShell, schemas.Of, []string) error) *cobra.Command {
		var of schemas.Of
		cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: args}
		var sh schemaShell
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) (err error) {
				sh.app, sh.ctx = a, cmd.Context()
				if sh.scope, err = a.schemaDesk().Scope(cmd.Context(), of); err != nil {
					return err
				}
				return f(sh, of, args)
			})
		}
		flagsOf(cmd, &of)
		jsonFlag(cmd, &sh.asJSON, jsonObject)
		if use == "edit" {
			cmd.Flags().StringVar(&sh.note, "note", "", "why it changes; stored with the version")
		}
		return cmd
	}
	var applying applyFlags
	apply := command("apply", "Read again what the schemas in force change", `Print the bill, and read again each document that the schemas in force would
change. Of these, a model is asked only for the chunks that it may read
otherwise. The command shows how far it is and ends with the last document. If a
clew serve or clew work runs on the same stores, that one reads, and goes on with
it when this command is stopped.`, cobra.NoArgs, func(sh schemaShell, _ schemas.Of, _ []string) error { return sh.apply(applying) })
	flagsOf(apply, &applying.Applying)
	apply.Flags().BoolVar(&applying.queue, "queue", false, "queue the documents and leave them to a clew serve or clew work")
	return []*cobra.Command{apply,
		command("edit", "Edit the schema in an editor, and save it as the next version", `Open the schema in force as YAML in the editor of the environment variable VISUAL
or EDITOR, or else in vi. What is saved there is checked: if it can't be read, it
opens again and says which line is wrong. Otherwise it becomes the next version.
Nothing changes if the text stays as it is or is emptied.`, cobra.NoArgs, func(sh schemaShell, _ schemas.Of, _ []string) error { return sh.edit() }),
	}
}

// chooseSchema returns the name under which a schema is kept that can be chosen for
// documents. A YAML file is kept under its own name.
func (a *app) chooseSchema(ctx context.Context, chosen string) (string, error) {
	ending := filepath.Ext(chosen)
	if ending != ".yaml" && ending != ".yml" {
		return a.schemas.Choose(ctx, domain.DefaultWorkspace, chosen, schemaOperator)
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
	return name, a.schemas.Keep(ctx, domain.DefaultWorkspace, name, g, schemaOperator, "From "+filepath.Base(chosen))
}
