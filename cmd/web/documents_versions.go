package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/worddiff"
)

func documentsVersionsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{Use: "versions", Short: "List, compare and remove the versions of a document"}
	cmd.AddCommand(versionsListCommand(s, load), versionsDiffCommand(s, load), versionsRemoveCommand(s, load))
	return cmd
}

// listedVersion is an element of clew documents versions list --json.
type listedVersion struct {
	Version int        `json:"version"`
	Name    string     `json:"name"`
	Size    int64      `json:"size"`
	SHA256  string     `json:"sha256"`
	Chunks  int        `json:"chunks"`
	Since   time.Time  `json:"since"`
	Until   *time.Time `json:"until,omitempty"` // none for the one in force
}

func versionsListCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "list DOCUMENT",
		Short:   "List the versions of a document, given by name or id, newest first",
		Example: "  clew documents versions list minutes.docx",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onVersions(cmd.Context(), s, load, args[0], func(a *app, d domain.Document) error {
				return a.listVersions(cmd.Context(), d, asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

// onVersions opens the program for work on the versions of a document.
func onVersions(ctx context.Context, s env, load func() (config.Config, error), name string, do func(*app, domain.Document) error) error {
	return onGraph(ctx, s, load, func(a *app) error {
		ids, err := a.documents.Find(ctx, domain.DefaultWorkspace, []string{name})
		if err != nil {
			return err
		}
		d, err := a.ledger.Document(ctx, domain.DefaultWorkspace, ids[0])
		if err != nil {
			return err
		}
		return do(a, d)
	})
}

func (a *app) listVersions(ctx context.Context, d domain.Document, asJSON bool) error {
	earlier, err := a.ledger.Versions(ctx, domain.DefaultWorkspace, d.ID)
	if err != nil {
		return err
	}
	list := []listedVersion{{d.Version + 1, d.Name, d.Size, d.Hash, d.Chunks, d.VersionSince(), nil}}
	for _, v := range earlier {
		list = append(list, listedVersion{v.Number + 1, v.Name, v.Size, v.Hash, v.Chunks, v.Since, &v.Until})
	}
	if asJSON {
		return printJSON(a.env.stdout, list)
	}
	table := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "VERSION\tSINCE\tUNTIL\tSIZE\tNAME")
	for _, v := range list {
		until := "in force"
		if v.Until != nil {
			until = format.Moment(*v.Until)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", v.Version, format.Moment(v.Since), until, format.Bytes(v.Size), v.Name)
	}
	return table.Flush()
}

// versionChange is an element of clew documents versions diff --json.
type versionChange struct {
	Same  int          `json:"same"` // passages before it that are the same
	Parts []changePart `json:"parts"`
}

type changePart struct {
	Kind string `json:"kind"` // same, gone or new
	Text string `json:"text"`
}

func versionsDiffCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "diff DOCUMENT VERSION",
		Short: "Compare an earlier version of a document with the one in force, by words",
		Long: `Compare an earlier version of a document with the one in force, passage by
passage and by words: [-what went-] and {+what came+}.`,
		Example: "  clew documents versions diff minutes.docx 1",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := versionNumber(args[1])
			if err != nil {
				return err
			}
			return onVersions(cmd.Context(), s, load, args[0], func(a *app, d domain.Document) error {
				return a.diffVersion(cmd.Context(), d, n, asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

// versionNumber returns the number of a version as it is stored.
func versionNumber(arg string) (int, error) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return 0, domain.Errorf(domain.Invalid, "%q is no number of a version: clew documents versions list shows them.", arg)
	}
	return n - 1, nil
}

var changeKinds = map[worddiff.Kind]string{worddiff.Same: "same", worddiff.Gone: "gone", worddiff.New: "new"}

func (a *app) diffVersion(ctx context.Context, d domain.Document, number int, asJSON bool) error {
	after, err := a.ledger.Text(ctx, domain.DefaultWorkspace, d.ID)
	if err != nil {
		return err
	}
	before := after
	if number != d.Version {
		if before, err = a.ledger.VersionText(ctx, domain.DefaultWorkspace, d.ID, number); err != nil {
			return err
		}
	}
	found, _ := worddiff.Passages(before.Content, after.Content)
	changes := make([]versionChange, len(found))
	for i, c := range found {
		changes[i].Same = c.Same
		for _, p := range c.Parts {
			changes[i].Parts = append(changes[i].Parts, changePart{changeKinds[p.Kind], p.Text})
		}
	}
	if asJSON {
		return printJSON(a.env.stdout, changes)
	}
	if len(changes) == 0 {
		fmt.Fprintln(a.env.stdout, "They say the same.")
	}
	marks := map[string]string{"same": "%s", "gone": "[-%s-]", "new": "{+%s+}"}
	for _, c := range changes {
		var words []string
		for _, p := range c.Parts {
			words = append(words, fmt.Sprintf(marks[p.Kind], p.Text))
		}
		fmt.Fprintln(a.env.stdout, strings.Join(words, " "))
	}
	return nil
}

func versionsRemoveCommand(s env, load func() (config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "remove DOCUMENT VERSION",
		Short: "Remove an earlier version of a document",
		Long: `Remove an earlier version of a document: its text, its file, and what answers and
summaries quote of it. The document stays.`,
		Example: "  clew documents versions remove minutes.docx 1",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := versionNumber(args[1])
			if err != nil {
				return err
			}
			return onVersions(cmd.Context(), s, load, args[0], func(a *app, d domain.Document) error {
				if err := a.documents.RemoveVersion(cmd.Context(), domain.DefaultWorkspace, d.ID, n); err != nil {
					return err
				}
				fmt.Fprintf(a.env.stdout, "Version %d of %s is removed.\n", n+1, d.Name)
				return nil
			})
		},
	}
}
