package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func conversationsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{Use: "conversations", Short: "List, search, show, rename, pin, delete and restore conversations, and judge their answers"}
	on := func(cmd *cobra.Command, f func(a *app) error) error { return onGraph(cmd.Context(), s, load, f) }
	cmd.AddCommand(conversationsListCommand(s, on), conversationsShowCommand(s, on), conversationsRenameCommand(on), conversationsPinCommand(on, true),
		conversationsPinCommand(on, false), conversationsDeleteCommand(on), conversationsRestoreCommand(on), conversationsJudgeCommand(on), conversationsFeedbackCommand(s, on))
	return cmd
}

// on opens the library for a command.
type on = func(cmd *cobra.Command, f func(a *app) error) error

// listedConversation is an element of clew conversations list --json.
type listedConversation struct {
	ID      domain.ConversationID `json:"id"`
	Title   string                `json:"title"`
	Pinned  bool                  `json:"pinned,omitempty"`
	Updated time.Time             `json:"updated"`
	Remark  string                `json:"remark,omitempty"`  // see ledger.RecentConversation.Remark
	Matched string                `json:"matched,omitempty"` // the question that the words were found with
}

func conversationsListCommand(s env, library on) *cobra.Command {
	var n int
	var find string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List conversations: pinned ones, then the latest first",
		Example: `  clew conversations list --limit 5
  clew conversations list --find "lantern bridge"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return library(cmd, func(a *app) error {
				found, err := a.ledger.RecentConversations(cmd.Context(), domain.DefaultWorkspace, ledger.ConversationQuery{Text: find, Limit: n})
				if err != nil {
					return err
				}
				list := make([]listedConversation, len(found))
				for i, k := range found {
					list[i] = listedConversation{k.ID, k.Title, k.Pinned, k.UpdatedAt, k.Remark(), k.Match.Question}
				}
				if asJSON {
					return printJSON(s.stdout, list)
				}
				table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "ID\tUPDATED\tPINNED\tTITLE\tREMARK")
				for _, k := range list {
					fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Updated.Format(time.DateTime), map[bool]string{true: "yes"}[k.Pinned], k.Title, k.Remark)
				}
				return table.Flush()
			})
		},
	}
	cmd.Flags().IntVar(&n, "limit", 20, "list at most so many; 0 lists all")
	cmd.Flags().StringVar(&find, "find", "", "list only those whose titles, questions and answers hold these `WORDS`")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

func conversationsShowCommand(s env, library on) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print a conversation as Markdown, or with all its answers as JSON",
		Example: `  clew conversations show k0123456789abcdef0123 > bridge.md
  clew conversations show k0123456789abcdef0123 --json | jq '.turns[].answers[].question'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return library(cmd, func(a *app) error {
				k, err := a.questions.Export(cmd.Context(), domain.DefaultWorkspace, domain.ConversationID(args[0]))
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.stdout, k)
				}
				_, err = fmt.Fprint(s.stdout, k.Markdown())
				return err
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func conversationsRenameCommand(library on) *cobra.Command {
	return &cobra.Command{
		Use:     "rename ID TITLE",
		Short:   "Give a conversation another title",
		Example: `  clew conversations rename k0123456789abcdef0123 "The Lantern Bridge"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return library(cmd, func(a *app) error {
				return a.questions.Rename(cmd.Context(), domain.DefaultWorkspace, domain.ConversationID(args[0]), args[1])
			})
		},
	}
}

func conversationsPinCommand(library on, pin bool) *cobra.Command {
	name, short := "pin", "Put conversations before all others in lists"
	if !pin {
		name, short = "unpin", "Put pinned conversations back among the others"
	}
	return &cobra.Command{
		Use:     name + " ID...",
		Short:   short,
		Example: "  clew conversations " + name + " k0123456789abcdef0123",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return library(cmd, func(a *app) error {
				for _, id := range args {
					if err := a.questions.Pin(cmd.Context(), domain.DefaultWorkspace, domain.ConversationID(id), pin); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func conversationsDeleteCommand(library on) *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID...",
		Short: "Delete conversations",
		Long: `Delete conversations with their questions and answers, the branches of these,
what was said of them, and the steps and states of all their runs. The documents
stay. This can't be undone.`,
		Example: "  clew conversations delete k0123456789abcdef0123",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return library(cmd, func(a *app) error {
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

func conversationsRestoreCommand(library on) *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID...",
		Short: "Take back that conversations were deleted in the page",
		Long: `Take back that conversations were deleted in the page, as long as that can be
undone (UNDO_TIME). What the delete command deletes is gone at once.`,
		Example: "  clew conversations restore k0123456789abcdef0123",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return library(cmd, func(a *app) error {
				for _, id := range args {
					if err := a.ledger.ShowConversation(cmd.Context(), domain.DefaultWorkspace, domain.ConversationID(id)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func conversationsJudgeCommand(library on) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "judge RUN good|bad|none",
		Short: "Say whether an answer is good or bad, and why",
		Long: `Say whether the answer of a run is good or bad, and why, in place of what you
said before; none takes that back. What was said can be taken over as questions
for evaluation.`,
		Example:   `  clew conversations judge run0123456789abcdef0123 bad --reason "It leaves out who paid."`,
		Args:      cobra.ExactArgs(2),
		ValidArgs: []string{"good", "bad", "none"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] != "good" && args[1] != "bad" && args[1] != "none" {
				return domain.Errorf(domain.Invalid, "%q is no judgement: write good, bad or none.", args[1])
			}
			return library(cmd, func(a *app) error {
				m, err := a.askedBy(cmd.Context(), domain.RunID(args[0]))
				if err != nil {
					return err
				}
				if args[1] == "none" {
					return a.ledger.DeleteFeedback(cmd.Context(), m.Workspace, m.Run, domain.PersonOf(cmd.Context()))
				}
				return a.questions.Judge(cmd.Context(), m.Workspace, ledger.Feedback{Message: m.ID, Run: m.Run, Good: args[1] == "good", Reason: reason})
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, in a few `WORDS`")
	return cmd
}

// judgedAnswer is an element of clew conversations feedback --json.
type judgedAnswer struct {
	Conversation domain.ConversationID `json:"conversation"`
	Run          domain.RunID          `json:"run"`
	Question     string                `json:"question"`
	Within       []string              `json:"within,omitempty"`
	Answer       string                `json:"answer"`
	Good         bool                  `json:"good"`
	Reason       string                `json:"reason,omitempty"`
	Person       string                `json:"person,omitempty"`
	At           time.Time             `json:"at"`
}

func conversationsFeedbackCommand(s env, library on) *cobra.Command {
	var n int
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "feedback",
		Short:   "List what people said of answers, the latest first",
		Example: "  clew conversations feedback --json | jq '.[] | select(.good | not)'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return library(cmd, func(a *app) error {
				all, err := a.ledger.Feedback(cmd.Context(), domain.DefaultWorkspace, n)
				if err != nil {
					return err
				}
				list := make([]judgedAnswer, len(all))
				for i, j := range all {
					list[i] = judgedAnswer{j.Conversation, j.Run, j.Question, j.Scope.Terms(), j.Answer, j.Good, j.Reason, j.Person, j.At}
				}
				if asJSON {
					return printJSON(s.stdout, list)
				}
				table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "RUN\tSAID\tQUESTION\tREASON")
				for _, j := range list {
					fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", j.Run, map[bool]string{true: "good", false: "bad"}[j.Good], domain.Cut(j.Question, 60), j.Reason)
				}
				return table.Flush()
			})
		},
	}
	cmd.Flags().IntVar(&n, "limit", 20, "list at most so many; 0 lists all")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}
