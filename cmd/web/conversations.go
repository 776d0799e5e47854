package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

func conversationsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{Use: "conversations", Short: "List conversations, and delete one with its answers and their runs"}
	cmd.AddCommand(conversationsListCommand(s, load), conversationsDeleteCommand(s, load))
	return cmd
}

// listedConversation is an element of clew conversations list --json.
type listedConversation struct {
	ID      domain.ConversationID `json:"id"`
	Title   string                `json:"title"`
	Updated time.Time             `json:"updated"`
}

func conversationsListCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var n int
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List conversations, the latest first",
		Example: "  clew conversations list --limit 5",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				found, _, err := a.ledger.Conversations(cmd.Context(), domain.DefaultWorkspace, n, 0)
				if err != nil {
					return err
				}
				list := make([]listedConversation, len(found))
				for i, k := range found {
					list[i] = listedConversation{k.ID, k.Title, k.UpdatedAt}
				}
				if asJSON {
					return printJSON(s.stdout, list)
				}
				table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "ID\tUPDATED\tTITLE")
				for _, k := range list {
					fmt.Fprintf(table, "%s\t%s\t%s\n", k.ID, k.Updated.Format(time.DateTime), k.Title)
				}
				return table.Flush()
			})
		},
	}
	cmd.Flags().IntVar(&n, "limit", 20, "list at most so many; 0 lists all")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

func conversationsDeleteCommand(s env, load func() (config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID...",
		Short: "Delete conversations",
		Long: `Delete conversations with their questions and answers, the branches of these,
and the steps and states of all their runs. The documents stay. This can't be
undone.`,
		Example: "  clew conversations delete k0123456789abcdef0123",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				for _, id := range args {
					if err := a.ledger.DeleteConversation(cmd.Context(), domain.DefaultWorkspace, domain.ConversationID(id)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}
