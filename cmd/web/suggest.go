package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

func suggestCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "List questions that the library can answer",
		Long: `List questions made from sentences of the newest documents, each with the
document that answers it. Each was asked: the sentence nearest to it is the one
that it was made from. What a conversation has asked before is left out.`,
		Example: `  clew suggest
  clew suggest --limit 20 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				list, err := a.suggest.Suggest(cmd.Context(), domain.DefaultWorkspace, limit)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.stdout, list)
				}
				for _, q := range list {
					fmt.Fprintf(s.stdout, "%s\n    %s\n", q.Question, q.Name)
				}
				if len(list) == 0 {
					fmt.Fprintln(s.stdout, "No document has a sentence that a question can be made from.")
				}
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "list at most so many")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}
