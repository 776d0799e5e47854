package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
)

// renamed is the output of clew documents rename --json.
type renamed struct {
	ID   domain.DocumentID `json:"id"`
	Name string            `json:"name"`
}

func documentsRenameCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "rename DOCUMENT NAME",
		Short: "Give a document, named by name or id, another name",
		Long: `Give a document another name, as when its content was added once more under
another one. It keeps its versions, tags and links. A title that came from the name
follows, for which the document is read again; no model is asked for that.`,
		Example: "  clew documents rename draft.txt final.txt",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				ids, err := a.documents.Find(cmd.Context(), domain.DefaultWorkspace, args[:1])
				if err != nil {
					return err
				}
				name, err := documents.SafePath(args[1])
				if err != nil {
					return err
				}
				if err := a.documents.Rename(cmd.Context(), domain.DefaultWorkspace, ids[0], name); err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.stdout, renamed{ids[0], name})
				}
				_, err = fmt.Fprintf(s.stdout, "%s is called %s now.\n", args[0], name)
				return err
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}
