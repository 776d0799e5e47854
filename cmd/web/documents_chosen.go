package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// chosenDocuments is what commands that do something with several documents are told.
type chosenDocuments struct {
	documentFilter
	text     string
	all, yes bool
}

// flags adds the flags that choose documents.
func (ch *chosenDocuments) flags(cmd *cobra.Command) {
	documentFlags(cmd, &ch.documentFilter)
	cmd.Flags().StringVar(&ch.text, "match", "", "only those that have the words in their name, their title, a tag or a passage")
	cmd.Flags().BoolVar(&ch.all, "all", false, "all documents of the library")
}

// query returns the query that selects the documents: those named, or those that match the
// flags. It fails with kind Invalid when nothing is chosen.
func (a *app) chosen(ctx context.Context, ch chosenDocuments, names []string) (ledger.DocumentQuery, error) {
	f, err := ch.parsed(strings.Fields(ch.text))
	if err != nil {
		return ledger.DocumentQuery{}, err
	}
	switch {
	case len(names) > 0 && (f.Narrows() || ch.all):
		return ledger.DocumentQuery{}, domain.Errorf(domain.Invalid, "Name documents or choose them by flags, not both.")
	case len(names) > 0:
		ids, err := a.documents.Find(ctx, domain.DefaultWorkspace, names)
		return ledger.DocumentQuery{IDs: ids}, err
	case !f.Narrows() && !ch.all:
		return ledger.DocumentQuery{}, domain.Errorf(domain.Invalid, "Name documents, choose them by flags such as --state failed, or all with --all.")
	}
	return a.documents.Selected(ctx, domain.DefaultWorkspace, f)
}

// said asks a question on the terminal, and reports whether the answer is yes.
func (a *app) said(question string) (bool, error) {
	fmt.Fprint(a.env.stdout, question+" [y/N] ")
	said, err := bufio.NewReader(io.LimitReader(a.env.stdin, maxKey)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(said))), nil
}

// changedDocuments is what commands about several documents print with --json.
type changedDocuments struct {
	Documents int   `json:"documents"`
	Change    int64 `json:"change,omitempty"` // by which it can be undone, see clew changes
}

func documentsTagCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var ch chosenDocuments
	var add, remove string
	asJSON := false
	cmd := &cobra.Command{
		Use:   "tag [DOCUMENT…]",
		Short: "Give documents tags, or take tags off them",
		Example: `  clew documents tag minutes.docx --add "harbour board"
  clew documents tag --match minutes --format docx --add minutes --remove inbox`,
		RunE: func(cmd *cobra.Command, args []string) error {
			given, err := domain.ParseTags(add)
			if err != nil {
				return err
			}
			taken, err := domain.ParseTags(remove)
			if err != nil {
				return err
			}
			if len(given)+len(taken) == 0 {
				return domain.Errorf(domain.Invalid, "Say which tags to give with --add or to take off with --remove.")
			}
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				q, err := a.chosen(cmd.Context(), ch, args)
				if err != nil {
					return err
				}
				entry, err := a.curator.Tag(cmd.Context(), domain.DefaultWorkspace, atTerminal, q, given, taken)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.stdout, changedDocuments{entry.Documents, entry.Seq})
				}
				if entry.Seq == 0 {
					_, err = fmt.Fprintln(s.stdout, "The documents have these tags already.")
					return err
				}
				_, err = fmt.Fprintf(s.stdout, "Changed the tags of %s. clew changes undo %d takes it back.\n", domain.Counted(entry.Documents, "document", "documents"), entry.Seq)
				return err
			})
		},
	}
	ch.flags(cmd)
	cmd.Flags().StringVar(&add, "add", "", "tags to give, with commas between them")
	cmd.Flags().StringVar(&remove, "remove", "", "tags to take off")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func (a *app) printChanged(n int, did string, asJSON bool) error {
	if asJSON {
		return printJSON(a.env.stdout, changedDocuments{Documents: n})
	}
	_, err := fmt.Fprintf(a.env.stdout, "%s %s.\n", did, domain.Counted(n, "document", "documents"))
	return err
}

func documentsRetryCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var ch chosenDocuments
	asJSON, leave, encoding := false, false, ""
	cmd := &cobra.Command{
		Use:   "retry [DOCUMENT…]",
		Short: "Read documents again, also in another encoding",
		Long: `Queue documents to be read again: those named, or those that match the flags.
What the model in use has read already is kept and not paid for twice. They are
read by clew serve or clew work. Documents that are being read are left alone.
It first says what that would take, and asks unless --yes is given.

clew documents reading says how far they have come. --leave-rest leaves those that
no worker has begun to read as they were.`,
		Example: `  clew documents retry --state failed --yes
  clew documents retry --tag minutes
  clew documents retry names.csv --encoding gb18030
  clew documents retry --leave-rest`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				if leave {
					n, err := a.leaveRest(cmd.Context())
					if err != nil {
						return err
					}
					return a.printChanged(n, "Left as before", asJSON)
				}
				q, err := a.chosen(cmd.Context(), ch, args)
				if err != nil {
					return err
				}
				bill, err := a.documents.BillFor(cmd.Context(), domain.DefaultWorkspace, q)
				if err != nil {
					return err
				}
				if !ch.yes {
					if yes, err := a.said("Reading again would take " + bill.String() + ". Read them again?"); err != nil || !yes {
						return err
					}
				}
				n, err := a.readAgain(cmd.Context(), q, encoding)
				if err != nil {
					return err
				}
				return a.printChanged(n, "Queued", asJSON)
			})
		},
	}
	ch.flags(cmd)
	cmd.Flags().BoolVar(&ch.yes, "yes", false, "ask nothing")
	cmd.Flags().StringVar(&encoding, "encoding", "", "encoding in which their text is read from now on, such as gb18030, shift_jis or windows-1251, or guess for what their bytes suggest")
	cmd.Flags().BoolVar(&leave, "leave-rest", false, "leave what has not begun to be read again as it was")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// readAgain queues the documents that a query selects to be read again, in an encoding unless it
// is "", and returns their number.
func (a *app) readAgain(ctx context.Context, q ledger.DocumentQuery, encoding string) (int, error) {
	if encoding != "" {
		if err := a.documents.SetEncoding(ctx, domain.DefaultWorkspace, q, encoding); err != nil {
			return 0, err
		}
	}
	_, n, err := a.documents.ReadSelectedAgain(ctx, domain.DefaultWorkspace, q)
	return n, err
}

// leaveRest leaves all documents as they were that were chosen to be read again and have not begun.
func (a *app) leaveRest(ctx context.Context) (int, error) {
	list, err := a.ledger.Rereadings(ctx, domain.DefaultWorkspace)
	if err != nil {
		return 0, err
	}
	left := 0
	for _, r := range list {
		n, err := a.documents.LeaveRest(ctx, domain.DefaultWorkspace, r.ID)
		if left += n; err != nil {
			return left, err
		}
	}
	return left, nil
}

func documentsDeleteCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var ch chosenDocuments
	asJSON, keep := false, false
	cmd := &cobra.Command{
		Use:   "delete [DOCUMENT…]",
		Short: "Delete documents, with everything only they contributed",
		Long: `Delete documents for good: those named, or those that match the flags. It first
says what goes with them, and asks unless --yes is given. Unlike in the pages
this can't be undone. A note stands in old answers where a whole sentence of a
deleted document stood, unless --keep-quoted is given.`,
		Example: `  clew documents delete draft.docx
  clew documents delete --tag inbox --to 2025-12-31 --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				ctx := cmd.Context()
				q, err := a.chosen(ctx, ch, args)
				if err != nil {
					return err
				}
				toll, err := a.ledger.Toll(ctx, domain.DefaultWorkspace, q)
				if err != nil {
					return err
				}
				if !ch.yes && toll.Documents > 0 {
					if yes, err := a.said(tollWords(toll) + " Delete them?"); err != nil || !yes {
						return err
					}
				}
				n, err := a.documents.DeleteNow(ctx, domain.DefaultWorkspace, q, keep)
				if err != nil {
					return err
				}
				if err := a.printChanged(n, "Deleted", asJSON); err != nil {
					return err
				}
				return a.followUp(ctx)
			})
		},
	}
	ch.flags(cmd)
	cmd.Flags().BoolVar(&ch.yes, "yes", false, "ask nothing")
	cmd.Flags().BoolVar(&keep, "keep-quoted", false, "leave sentences of the documents in old answers")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// tollWords says what goes with documents.
func tollWords(t ledger.Toll) string {
	said := []string{domain.Counted(t.Documents, "document", "documents"), domain.Counted(t.Passages, "passage", "passages")}
	if t.Entities >= 0 {
		said = append(said, domain.Counted(t.Entities, "entity", "entities")+" and "+domain.Counted(t.Relations, "relation", "relations")+" of no other document")
	}
	words := strings.Join(said, ", ") + " would go. " + domain.Counted(t.Answers, "answer", "answers") + " would lose a source."
	if t.Summaries > 0 {
		words += " " + domain.Counted(t.Summaries, "summary", "summaries") + " would lose what came from there."
	}
	return words
}
